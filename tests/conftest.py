"""What all tests have."""

import os

import pytest


@pytest.fixture(scope="session", autouse=True)
def own_library_cache(tmp_path_factory):
    """One cache of compiled libraries for all tests, so that a model is compiled once, and none of the user's.

    Tests with a cache of their own share zig's C libraries. ZIG_GLOBAL_CACHE_DIR, if it is set, keeps them from one run to the next.
    """
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # that of all workers
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOBOD_CACHE", str(folder / "cache"))
        if "ZIG_GLOBAL_CACHE_DIR" not in os.environ:
            for private in (folder / "cache", folder / "cache" / "zig"):
                private.mkdir(mode=0o700, exist_ok=True)
            patch.setenv("ZIG_GLOBAL_CACHE_DIR", str(folder / "cache" / "zig"))
        yield
