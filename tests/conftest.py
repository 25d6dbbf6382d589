"""What all tests have."""

import os

import pytest


@pytest.fixture(scope="session", autouse=True)
def own_library_cache(tmp_path_factory):
    """One cache of compiled libraries for all tests, so that a model is compiled once, and none of the user's."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # that of all workers
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOBOD_CACHE", str(folder / "cache"))
        yield
