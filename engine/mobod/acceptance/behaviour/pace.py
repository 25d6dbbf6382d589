"""paced: shortens the runs of an FMU whose steps take too long."""

import dataclasses
import time

from mobod.acceptance.behaviour.probe import Probe
from mobod.acceptance.behaviour.tested import Tested
from mobod.acceptance.declared_checks import DeclaredCheck
from mobod.acceptance.processes import run_check
from mobod.acceptance.report import Result
from mobod.acceptance.subject import Monitor, Subject
from mobod.errors import MobodError

_HALVINGS = 20  # of the step, to the first one that is tried
_SLOW = 0.1  # s of computing for a communication step
_WANTED = 0.02  # s
_POINTS = 50  # of shortened runs
_TIMEOUT = 30.0  # s
_FIGURE = "step that is quick enough"

_MEASUREMENT = DeclaredCheck("pace", "how long its steps take", f"{__name__}:measure", timeout=_TIMEOUT)


def paced(subject: Subject) -> Subject:
    """The subject, with shorter communication steps if those of its experiment take too long."""
    if subject.experiment is None or "co-simulation" not in subject.model().interfaces:
        return subject
    result = run_check(_MEASUREMENT, subject).result
    steps = [value for name, value, _ in result.figures if name == _FIGURE]
    if not steps:
        return subject
    return dataclasses.replace(subject, experiment=dataclasses.replace(subject.experiment, step=steps[0], points=_POINTS))


def measure(subject: Subject, monitor: Monitor) -> Result:
    """Steps that become longer until they reach that of the experiment, or take too long. What fails is for the checks to find."""
    try:
        tested = Tested(subject, monitor)
        if tested.model.capabilities("co-simulation").get("canHandleVariableCommunicationStepSize") is not True:
            return Result()
        with Probe(tested, "co-simulation") as probe:
            probe.initialize()
            start, whole = tested.experiment.start, tested.experiment.step
            done = 0.0  # of a step
            for halvings in range(_HALVINGS, 0, -1):
                size = whole * 2.0**-halvings
                began = time.perf_counter()
                if probe.step(start + done * whole, size) is not None:
                    return Result()
                spent = time.perf_counter() - began
                if spent > _WANTED and spent * 2.0**halvings > _SLOW:
                    return Result(figures=[(_FIGURE, size * _WANTED / spent, "s")])
                done += 2.0**-halvings
    except MobodError:
        pass
    return Result()
