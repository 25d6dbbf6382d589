"""What all tests have."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def own_library_cache(tmp_path_factory):
    """One cache of compiled libraries for all tests, so that a model is compiled once, and none of the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOBOD_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))
        yield
