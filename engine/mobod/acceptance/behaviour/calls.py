"""Calls in legal order: a full life of an instance in both interfaces, and lives after fmi2Reset."""

import ctypes

from mobod.acceptance.behaviour.legal import Mode, go_to
from mobod.acceptance.behaviour.probe import OK, WARNING, Probe
from mobod.acceptance.behaviour.result import RunFindings
from mobod.acceptance.behaviour.tested import Tested
from mobod.acceptance.behaviour.walk import Row, StateVector, Walk, first_difference
from mobod.errors import FmuError
from mobod.fmi.fmu_log import DISCARD, status_name
from mobod.fmi.loading import Interface

POINTS = 8
_RESET_IN: dict[str, Mode] = {
    "a new instance": "instantiated",
    "Initialization Mode": "initialization",
    "the run": "step",
    "the end": "terminated",
}
_STATUS_KINDS = (("GetRealStatus", 2, ctypes.c_double), ("GetBooleanStatus", 3, ctypes.c_int))


def check_calls(tested: Tested, interface: Interface, found: RunFindings) -> None:
    """Calls in the order of the standard succeed, and after fmi2Reset an instance is like a new one."""
    expected, names = _full_life(tested, interface, found)
    _free_nothing(tested, interface)
    for name, mode in _RESET_IN.items():
        with Probe(tested, interface) as probe:
            go_to(probe, mode, 3)
            probe.call("Reset")
            probe.where = f"of an instance that was reset in {name}"
            difference = first_difference(names, expected, _lived(probe))
            if difference:
                message = f"after fmi{tested.fmi_version}Reset in {name} the run differs from that of a new instance: {difference}"
                found.add("reset", message, "initialization")
    with Probe(tested, interface) as probe:  # freed in each mode, too
        probe.enter_initialization()
    with Probe(tested, interface):
        pass


def _lived(probe: Probe) -> list[Row]:
    probe.initialize()
    walk = Walk(probe)
    rows = [walk.row()]
    walk.begin()
    rows.extend(walk.walk(0, POINTS))
    probe.call("Terminate")
    return rows


def _full_life(tested: Tested, interface: Interface, found: RunFindings) -> tuple[list[Row], list[str]]:
    """The rows of a run with all calls that every FMU must support, and their names."""
    with Probe(tested, interface) as probe:
        probe.call("SetDebugLogging", True, 0, None)
        if interface == "model-exchange" and tested.fmi_version == "3":
            _check_numbers(probe)
        probe.enter_initialization()
        walk = Walk(probe)
        probe.values(tested.outputs).get()
        probe.exit_initialization()
        rows = [walk.row()]
        if interface == "model-exchange":
            _check_vectors(probe, found)
        walk.begin()
        rows.extend(walk.walk(0, POINTS))
        if interface == "co-simulation" and tested.fmi_version == "2":
            _ask_status(probe, found)
        probe.call("SetDebugLogging", False, 0, None)
        probe.call("Terminate")
        probe.where = "after the end"
        _read_all(probe, found)
        return rows, walk.names


def _check_numbers(probe: Probe) -> None:
    for function in ("GetNumberOfContinuousStates", "GetNumberOfEventIndicators"):
        probe.call(function, ctypes.byref(ctypes.c_size_t()))


def _ask_status(probe: Probe, found: RunFindings) -> None:
    for function, kind, c_type in _STATUS_KINDS:
        status = probe.status(function, kind, ctypes.byref(c_type()))
        if status not in (OK, WARNING, DISCARD):
            found.note(f"fmi2{function} returns {status_name(status)} after a complete step, where fmi2Discard or a value is expected.")


def _check_vectors(probe: Probe, found: RunFindings) -> None:
    """The vectors of states, derivatives, nominals and indicators; and the variables of the states have the same values."""
    states = StateVector(probe)
    tested = probe.tested
    nominals = states.nominals()
    if (nominals <= 0).any():
        # FMI 2.0 has no such rule
        severity_note = f"the nominal value of state {int((nominals <= 0).argmax()) + 1} is {nominals.min():g}, not positive"
        if tested.fmi_version == "3":
            found.add("nominals", severity_note, "equations")
        else:
            found.note(severity_note + ".")
    count = states.indicators
    if count:
        probe.call("GetEventIndicators", (ctypes.c_double * count)(), count)
    variables = [each for each in tested.model.states if each.kind is not None]
    listed = [value for values in probe.values(variables).get() for value in values]
    vector = states.get().tolist()
    if len(listed) == len(vector) and listed != vector:
        position = next(k for k, pair in enumerate(zip(listed, vector, strict=True)) if pair[0] != pair[1])
        message = (
            f"state {position + 1} of fmi{tested.fmi_version}GetContinuousStates is {vector[position]!r}, but its variable is "
            f"{listed[position]!r}"
        )
        found.add("states", message, "dependencies")
    elif len(listed) != len(vector):
        message = f"fmi{tested.fmi_version}GetContinuousStates has {len(vector)} states, but the model description has {len(listed)}"
        found.add("states", message, "dependencies")


def _read_all(probe: Probe, found: RunFindings) -> None:
    """All variables, once. Some tools' FMUs refuse those that no output needs."""
    for variable in probe.tested.accessible:
        try:
            probe.get(variable)
        except FmuError as error:
            found.add("unreadable", f"'{variable}' cannot be read after the end: {error}", "values")
            return


def _free_nothing(tested: Tested, interface: Interface) -> None:
    tested.monitor.note(f"fmi{tested.fmi_version}FreeInstance with NULL")
    tested.library(interface).functions["FreeInstance"](None)
    if tested.can(interface, "canGetAndSetFMUstate"):
        with Probe(tested, interface) as probe:
            state = ctypes.c_void_p()
            probe.call(probe.version.of_state.free, ctypes.byref(state))
