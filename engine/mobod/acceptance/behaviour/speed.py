"""Speed: the time that the functions of an FMU take."""

import time
from collections.abc import Callable

from mobod.acceptance.behaviour.kept_state import KeptState
from mobod.acceptance.behaviour.probe import Probe
from mobod.acceptance.behaviour.result import RunFindings
from mobod.acceptance.behaviour.tested import Tested
from mobod.acceptance.behaviour.walk import StateVector, Walk
from mobod.fmi.loading import Interface

_SECONDS = 0.3  # for each figure
_MOST = 2000  # repetitions


def check_speed(tested: Tested, interface: Interface, found: RunFindings) -> None:
    """The times of the most frequent calls, from Python."""

    def make() -> None:
        Probe(tested, interface).free()

    found.figures.append((f"instantiate and free ({interface})", _microseconds(make), "us"))
    with Probe(tested, interface) as probe:
        experiment = tested.experiment
        probe.initialize(experiment.start + (_MOST + 1) * experiment.step)
        walk = Walk(probe)
        walk.begin()
        if interface == "co-simulation":
            _measure_steps(probe, walk, found)
        else:
            states = StateVector(probe)
            if states.count:
                vector = states.get()

                def evaluate() -> None:
                    states.set(vector)
                    states.derivatives()

                found.figures.append(("set states and get derivatives", _microseconds(evaluate), "us"))
        outputs = probe.values(tested.outputs)
        found.figures.append((f"get all {len(tested.outputs)} outputs ({interface})", _microseconds(outputs.get), "us"))
        if tested.can(interface, "canGetAndSetFMUstate"):

            def save() -> None:
                state = KeptState.of(probe)
                state.restore()
                state.free()

            found.figures.append((f"save, restore and free a state ({interface})", _microseconds(save), "us"))


def _measure_steps(probe: Probe, walk: Walk, found: RunFindings) -> None:
    """The time of communication steps, and how much quicker than real time they are."""
    step = probe.tested.experiment.step
    steps, started = 0, time.perf_counter()
    while steps < _MOST and not walk.ended and time.perf_counter() - started < _SECONDS:
        walk.ended = probe.step(probe.tested.experiment.start + steps * step, step) is not None
        steps += 1
    spent = time.perf_counter() - started
    found.figures.append((f"fmi{probe.fmi_version}DoStep of {step:g} s", 1e6 * spent / steps, "us"))
    found.figures.append(("simulated time per time of computing", steps * step / spent, ""))


def _microseconds(call: Callable[[], object]) -> float:
    """us, the shortest of several tries"""
    call()
    best, end, count = float("inf"), time.perf_counter() + _SECONDS, 0
    while count < _MOST and (count < 2 or time.perf_counter() < end):
        started = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - started)
        count += 1
    return 1e6 * best
