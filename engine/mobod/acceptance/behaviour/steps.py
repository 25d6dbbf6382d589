"""Communication steps that are special: repeated runs, a last short step, steps that have to be refused."""

from mobod.acceptance.behaviour.grid import choose_grid
from mobod.acceptance.behaviour.probe import Probe
from mobod.acceptance.behaviour.result import RunFindings
from mobod.acceptance.behaviour.tested import Tested
from mobod.acceptance.behaviour.walk import Walk, first_difference
from mobod.errors import FmuError
from mobod.fmi.loading import Interface
from mobod.importer.co_simulation import fixed_step_of

POINTS = 10


def check_steps(tested: Tested, interface: Interface, found: RunFindings) -> None:
    """Equal runs give equal bits, a short last step works, and impossible steps are refused."""
    _repeat(tested, interface, found)
    _end_with_short_step(tested, interface, found)
    experiment = tested.experiment
    for size, what in ((0.0, "of 0 s"), (-experiment.step, "backwards")):
        if _takes(tested, interface, size, experiment.stop):
            found.add("step-size", f"a communication step {what} returns OK", "step", "warning")
    if _takes(tested, interface, 2 * experiment.step, experiment.start + experiment.step):
        message = "a communication step beyond the stop time that it was given returns OK, not an error"
        found.add("stop-time", message, "initialization", "warning")


def _repeat(tested: Tested, interface: Interface, found: RunFindings) -> None:
    runs = []
    for _ in range(2):
        with Probe(tested, interface) as probe:
            probe.initialize()
            walk = Walk(probe)
            runs.append([walk.row(), *walk.walk(0, POINTS)])
    difference = first_difference(walk.names, runs[0], runs[1], first=0)
    if difference:
        found.add("not-repeatable", f"a second run with the same inputs gives other outputs: {difference}", "general")


def _end_with_short_step(tested: Tested, interface: Interface, found: RunFindings) -> None:
    capabilities = tested.model.capabilities(interface)
    if capabilities.get("canHandleVariableCommunicationStepSize") is not True:
        found.note("It requires communication steps of constant size, so a short last step was not tried.")
        return
    if fixed_step_of(capabilities) is not None or choose_grid(tested, RunFindings(tested)).step != tested.experiment.step:
        return
    experiment = tested.experiment
    middle = experiment.start + experiment.step
    for fraction in (0.3, 1e-6):
        end = middle + fraction * experiment.step
        with Probe(tested, interface) as probe:
            probe.initialize(end)
            try:
                if probe.step(experiment.start, experiment.step) is None and probe.step(middle, end - middle) is None:
                    Walk(probe).row()
                    probe.call("Terminate")
            except FmuError as error:
                message = f"a last step of {end - middle:.3g} s to the stop time fails: {error}"
                found.add("short-step", message, "step")


def _takes(tested: Tested, interface: Interface, size: float, stop: float) -> bool:
    with Probe(tested, interface) as probe:
        probe.initialize(stop)
        start = tested.experiment.start
        probe.where = f"from {start:.12g} s with a step of {size:.6g} s"
        try:
            ended = probe.step(start, size)
        except FmuError:
            return False
        return ended is None
