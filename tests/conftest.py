"""What all tests have."""

import gc
import os
import shutil
import signal
from collections import Counter
from pathlib import Path

import pytest

import mobod as mb


def pytest_configure():
    """Garbage is collected at the end of each module (garbage_of_a_module), and hardly before: by default it takes a sixth of the time."""
    gc.set_threshold(500_000, 1000, 1000)


def pytest_collection_finish():
    """Modules and tests stay: collections of garbage pass them by."""
    gc.freeze()


@pytest.hookimpl(tryfirst=True)  # before -m chooses among them
def pytest_collection_modifyitems(config, items):
    """Marks as slow the cases that pytest.mark.fast leaves out: @pytest.mark.fast(2) keeps the first two cases of a test in the fast suite,
    @pytest.mark.fast("tree", "loop-3.0") those with these ids. Cases that are slow anyway do not count.
    """
    counts, unknown = Counter(), {}
    for item in items:
        mark = item.get_closest_marker("fast")
        if mark is None or item.get_closest_marker("slow"):
            continue
        test, case = item.nodeid.partition("[")[0], item.callspec.id
        counts[test] += 1
        unknown.setdefault(test, {each for each in mark.args if isinstance(each, str)}).discard(case)
        if not any(counts[test] <= each if isinstance(each, int) else case == each for each in mark.args):
            item.add_marker(pytest.mark.slow)
    chosen_by_id = any("::" in str(argument) for argument in config.args)
    if wrong := [f"{test}: {', '.join(sorted(ids))}" for test, ids in unknown.items() if ids and not chosen_by_id]:
        raise pytest.UsageError("pytest.mark.fast has ids of no case that is not slow: " + "; ".join(wrong))


@pytest.fixture
def ctrl_c():
    """SIGINT raises KeyboardInterrupt, as in a terminal, also in programs that the test starts. A shell that runs the tests in the
    background has the signal ignored.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module", autouse=True)
def garbage_of_a_module():
    """Systems refer to themselves, so that only a collection frees them. What is left, such as caches, later collections pass by."""
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def loggers_live():
    """FMPy's C proxy of loggers calls the last one that simulate_fmu was given, also for FMUs that others open later: keep all of them."""
    from fmpy import simulation

    kept, make = [], simulation.fmi2CallbackLoggerTYPE

    def made(logger):
        kept.append(make(logger))
        return kept[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(simulation, "fmi2CallbackLoggerTYPE", made)
        yield


@pytest.fixture(scope="session", autouse=True)
def own_library_cache(tmp_path_factory):
    """One cache of compiled libraries for all tests, so that a model is compiled once, and none of the user's.

    MOBOD_TEST_CACHE, if it is set, is a folder that keeps it from one run to the next, where .ci/run has what it compiled for the wheel.
    Tests with a cache of their own share zig's C libraries, which ZIG_GLOBAL_CACHE_DIR keeps in the same way.
    """
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # that of all workers
    cache = Path(os.environ.get("MOBOD_TEST_CACHE", folder / "cache"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOBOD_CACHE", str(cache))
        if "ZIG_GLOBAL_CACHE_DIR" not in os.environ:
            for private in (cache, cache / "zig"):
                private.mkdir(mode=0o700, exist_ok=True)
            patch.setenv("ZIG_GLOBAL_CACHE_DIR", str(cache / "zig"))
        yield


@pytest.fixture(scope="session", autouse=True)
def one_compiler():
    """The compiler of Python's library builds FMUs for this machine too, so that both share object files. test_platforms.py unsets CC."""
    with pytest.MonkeyPatch.context() as patch:
        if "CC" not in os.environ and shutil.which("cc"):
            patch.setenv("CC", "cc")
        yield


@pytest.fixture(scope="session", autouse=True)
def interpreted():
    """Runs and FMUs are interpreted unless a test asks for compiled code: both give the same bits, as tests of kinds, references and FMUs
    show, and compilation takes most of the time of a test.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mobod.fmu.native_export.AUTO_COMPILES", False)
        patch.setitem(mb.Simulation.__init__.__kwdefaults__, "backend", "interpreted")
        yield
