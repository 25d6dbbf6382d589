"""Calls that the standard forbids: in the wrong mode, with value references that do not exist, and of functions that are not supported."""

import ctypes

from mobod.acceptance.behaviour.legal import DATA, MODES, SEQUENCE, Mode, access, arguments, belongs_to, go_to, kinds_of
from mobod.acceptance.behaviour.probe import OK, WARNING, Probe
from mobod.acceptance.behaviour.result import RunFindings
from mobod.acceptance.behaviour.tested import Tested
from mobod.fmi.fmu_log import status_name
from mobod.fmi.loading import Interface
from mobod.fmi.rules.finding import Severity
from mobod.importer.kinds import KINDS
from mobod.importer.variable import ForeignVariable

_NAMES: dict[Mode, str] = {
    "instantiated": "of a new instance",
    "initialization": "in Initialization Mode",
    "event": "in Event Mode",
    "continuous": "in Continuous-Time Mode",
    "step": "after a step",
    "terminated": "after the end",
}


def check_order(tested: Tested, interface: Interface, found: RunFindings) -> None:
    """Calls that are not allowed return an error, and none crashes."""
    _call_in_wrong_modes(tested, interface, found)
    _use_wrong_references(tested, interface, found)
    _set_constants(tested, interface, found)
    _pass_nothing(tested, interface, found)
    _call_unsupported(tested, interface, found)


def _call_in_wrong_modes(tested: Tested, interface: Interface, found: RunFindings) -> None:
    version = tested.fmi_version
    real = next((each for each in tested.accessible if each.causality == "output"), None)
    settable = next((each for each in tested.accessible if each.causality in ("input", "parameter") and each.start_values), None)
    accepted: list[str] = []
    lenient: list[str] = []
    for rules, list_of_accepted in ((SEQUENCE[version], accepted), (DATA[version], lenient)):
        for function, allowed in rules.items():
            if not belongs_to(function, interface) or (function == "EnterEventMode" and interface == "co-simulation"):
                continue
            for mode in MODES[interface]:
                if mode not in allowed:
                    variable = settable if function == "Set" else real
                    if _is_accepted(tested, interface, function, mode, variable):
                        list_of_accepted.append(f"fmi{version}{function} {_NAMES[mode]}")
    if accepted:
        # FMI 2.0 calls the behaviour undefined; FMI 3.0 demands an error of an FMU that detects it
        severity: Severity = "error" if version == "3" else "warning"
        found.add("call-order", f"calls that are not allowed return OK: {', '.join(accepted)}", f"order.{interface}", severity)
    if lenient:
        found.note(f"It accepts these calls, which the standard does not allow: {', '.join(lenient)}.")


def _is_accepted(tested: Tested, interface: Interface, function: str, mode: Mode, variable: ForeignVariable | None) -> bool:
    with Probe(tested, interface) as probe:
        go_to(probe, mode)
        time = tested.experiment.start + (tested.experiment.step if mode in ("step", "terminated") else 0.0)
        given = arguments(probe, function, variable, time)
        if given is None:
            return False
        name = function
        if function in ("Get", "Set"):
            assert variable is not None  # or there were no arguments
            assert variable.kind is not None  # accessible variables have one
            name += variable.kind.ending
        probe.where = f"{_NAMES[mode]}, where it is not allowed"
        return probe.status(name, *given) in (OK, WARNING)


def _use_wrong_references(tested: Tested, interface: Interface, found: RunFindings) -> None:
    unknown = max(each.reference for each in tested.model.variables.values()) + 1_234_567
    for verb in ("Get", "Set"):
        for ending in kinds_of(tested.fmi_version):
            kind = next(each for each in KINDS[tested.fmi_version].values() if each.ending == ending)
            with Probe(tested, interface) as probe:
                go_to(probe, "initialization")
                probe.where = f"with the value reference {unknown}, which does not exist"
                values = (kind.c_type * 1)()
                if ending == "String":
                    values[0] = b"text"
                status = probe.status(verb + ending, (ctypes.c_uint * 1)(unknown), 1, *probe.version.counted(values))
            if status in (OK, WARNING):
                function = f"fmi{tested.fmi_version}{verb}{ending}"
                message = f"{function} returns {status_name(status)} for the value reference {unknown}, which does not exist"
                found.add("value-reference", message, "references")


def _set_constants(tested: Tested, interface: Interface, found: RunFindings) -> None:
    """Setting a constant has to fail; of other variables that the FMU computes this is only noted."""
    lenient = []
    computed = [
        each
        for each in tested.accessible
        if each.causality in ("local", "output", "calculatedParameter", "independent") and each.description.initial != "exact"
    ]
    constants = [each for each in tested.accessible if each.variability == "constant"]
    states = {each.name for each in tested.model.states}
    for variable in (*constants[:5], *computed[:5]):
        if variable.name in states or variable.kind is None or variable.description.initial == "approx":
            continue
        with Probe(tested, interface) as probe:
            go_to(probe, "instantiated")
            probe.where = f"for '{variable}', which cannot be set"
            status = probe.status(f"Set{variable.kind.ending}", *access(probe, variable, "Set"))
        if status not in (OK, WARNING):
            continue
        if variable.variability == "constant":
            found.add("constant", f"the constant '{variable}' can be set", "references")
        else:
            lenient.append(str(variable))
    if lenient:
        found.note(f"It lets variables be set that it computes itself: {', '.join(lenient)}.")


def _pass_nothing(tested: Tested, interface: Interface, found: RunFindings) -> None:
    refused = []
    for verb in ("Get", "Set"):
        for ending in kinds_of(tested.fmi_version):
            with Probe(tested, interface) as probe:
                go_to(probe, "initialization")
                probe.where = "with no variables and NULL"
                counts: list[object] = [None, 0, None] if tested.fmi_version == "2" else [None, 0, None, 0]
                if probe.status(verb + ending, *counts) not in (OK, WARNING):
                    refused.append(f"fmi{tested.fmi_version}{verb}{ending}")
    if refused:
        found.note(f"These refuse a call for no variables: {', '.join(refused)}.")


def _call_unsupported(tested: Tested, interface: Interface, found: RunFindings) -> None:
    """Functions of capabilities that the FMU does not declare."""
    of_state = tested.model.version.of_state
    accepted = []
    state = ctypes.c_void_p()
    size = ctypes.c_size_t()
    calls: list[tuple[str, str, list[object]]] = [
        ("canGetAndSetFMUstate", of_state.get, [ctypes.byref(state)]),
        ("canSerializeFMUstate", of_state.size, [None, ctypes.byref(size)]),
    ]
    if tested.fmi_version == "3":
        calls.append(("providesEvaluateDiscreteStates", "EvaluateDiscreteStates", []))
        calls.append(("providesPerElementDependencies", "GetNumberOfVariableDependencies", [0, ctypes.byref(size)]))
    for capability, function, given in calls:
        if tested.can(interface, capability):
            continue
        with Probe(tested, interface) as probe:
            go_to(probe, "initialization")
            probe.where = f"although {capability} is not declared"
            if probe.status(function, *given) in (OK, WARNING):
                accepted.append(f"fmi{tested.fmi_version}{function}")
    if accepted:
        found.note(f"These return OK, although the FMU does not declare their capabilities: {', '.join(accepted)}.")
