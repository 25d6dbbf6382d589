"""Memory of runs that have ended."""

from types import SimpleNamespace

import pytest

from mobod.compilation.native import idle_runs
from mobod.compilation.native.idle_runs import IdleRuns, RunMemory, RunSettings
from mobod.runtime.integrators import AUTO
from mobod.runtime.library import ffi

SETTINGS = RunSettings(AUTO, 1e-7, 1e-8, 1.0, 0.0, 100, 0, is_at_velocity_level=False)


@pytest.fixture
def freed(monkeypatch):
    """The pointers that were freed."""
    found = []
    monkeypatch.setattr(idle_runs, "runtime", lambda: SimpleNamespace(simulation_close=found.append))
    return found


def memory_at(pointer, settings=SETTINGS):
    memory = RunMemory(settings, 1)
    memory.in_c = pointer
    return memory


def test_memory_keeps_its_pointer_however_often_it_is_used_again_and_is_freed_once(freed):
    """A pointer around another for each run was freed one inside the other, deeper than the stack."""
    pointer, idle = ffi.new("double *"), IdleRuns()
    memory = memory_at(pointer)
    for _ in range(3):
        idle.keep(memory)
        assert idle.take(SETTINGS) is memory
    assert memory.in_c is pointer
    assert not freed
    idle.keep(memory)
    del memory, idle
    assert freed == [pointer]


def test_memory_of_other_settings_is_not_taken_and_the_oldest_is_freed(freed):
    idle, pointers = IdleRuns(), [ffi.new("double *") for _ in range(5)]
    for pointer in pointers:
        idle.keep(memory_at(pointer))
    assert freed == pointers[:1]
    assert idle.take(SETTINGS._replace(max_steps=7)) is None
