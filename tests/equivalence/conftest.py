import pytest


@pytest.fixture(scope="session", autouse=True)
def own_library_cache(tmp_path_factory):
    """None of the user's compiled libraries."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOBOD_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
