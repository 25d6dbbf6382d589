"""Start values: the FMU has those of its model description, and keeps what is set."""

import math
import random
from typing import final

import numpy as np

from mobod.acceptance.behaviour.probe import Probe
from mobod.acceptance.behaviour.result import MOST_NAMES, RunFindings
from mobod.acceptance.behaviour.tested import Tested
from mobod.errors import FmuError, first_of
from mobod.fmi.loading import Interface
from mobod.importer.kinds import Value
from mobod.importer.variable import ForeignVariable

MOST_VARIABLES = 400
_EXACT = 1e-12  # relative; a start value may be written with 15 digits


def check_start_values(tested: Tested, interface: Interface, found: RunFindings) -> None:
    """It starts with the values of its model description, and returns the values that were set."""
    started = _sampled([each for each in tested.accessible if _starts_as_described(each)], found)
    _compare_start_values(tested, interface, found, started)
    settable = _sampled([each for each in tested.accessible if _can_be_set(each)], found)
    _check_round_trip(tested, interface, found, settable)


def _sampled(variables: list[ForeignVariable], found: RunFindings) -> list[ForeignVariable]:
    if len(variables) <= MOST_VARIABLES:
        return variables
    found.note(f"Of {len(variables)} variables, {MOST_VARIABLES} were checked, chosen at random (seed 1).")
    return random.Random(1).sample(variables, MOST_VARIABLES)


def _starts_as_described(variable: ForeignVariable) -> bool:
    if variable.start_values is None or variable.causality == "independent":
        return False
    return variable.causality in ("input", "parameter", "structuralParameter") or variable.description.initial == "exact"


def _can_be_set(variable: ForeignVariable) -> bool:
    return variable.causality in ("input", "parameter") and variable.variability != "constant" and variable.start_values is not None


def _compare_start_values(tested: Tested, interface: Interface, found: RunFindings, variables: list[ForeignVariable]) -> None:
    with Probe(tested, interface) as probe:
        if tested.fmi_version == "3":
            _compare(probe, found, variables, "of a new instance")
        probe.enter_initialization()
        _compare(probe, found, variables, "in Initialization Mode")
        probe.exit_initialization()
        kept = [each for each in variables if each.causality in ("input", "parameter") or each.variability == "constant"]
        _compare(probe, found, kept, "after the initialization")


def _compare(probe: Probe, found: RunFindings, variables: list[ForeignVariable], when: str) -> None:
    wrong = []
    for variable in _readable(probe, variables):
        expected, values = variable.start_values, probe.get(variable)
        if expected is None:
            continue
        if len(expected) == 1 != len(values):
            expected = expected * len(values)  # one start value for all elements
        if not _all_equal(variable, expected, values):
            wrong.append(f"'{variable}' is {shown(values)} {when}, but its start value is {shown(expected)}")
    found.add_first("start-value", wrong, "start", f"variables {when} do not have their start values")


def _readable(probe: Probe, variables: list[ForeignVariable]) -> list[ForeignVariable]:
    """Those that the FMU returns. FMI 2.0 lets an FMU refuse most of them in Initialization Mode."""
    try:
        probe.values(variables).get()
    except FmuError:
        if probe.where != "in Initialization Mode" or probe.fmi_version == "3":
            raise
        return []
    return variables


def _is_equal(variable: ForeignVariable, expected: Value, value: Value) -> bool:
    if isinstance(expected, float) and isinstance(value, float):
        if variable.type == "Float32":
            return bool(np.float32(expected) == np.float32(value))
        return expected == value or abs(expected - value) <= _EXACT * abs(expected)
    return expected == value


def shown(values: list[Value]) -> str:
    text = ", ".join(f"{each:.17g}" if isinstance(each, float) else repr(each) for each in values[:5])
    return text if len(values) <= 5 else f"{text}, ..."


def _check_round_trip(tested: Tested, interface: Interface, found: RunFindings, variables: list[ForeignVariable]) -> None:
    """Set other values before and in Initialization Mode, and read them back there."""
    parameters = [each for each in variables if each.causality == "parameter"]
    inputs = [each for each in variables if each.causality == "input"]
    trial = _RoundTrip(tested, interface, found)
    for chosen in (parameters, inputs):
        if not trial.passes(chosen):
            for each in chosen:  # a model may refuse a value, or a combination of values
                trial.passes([each], report=True)
    if trial.refused:
        names = first_of(trial.refused, MOST_NAMES)
        found.note(f"It refused values near the start values of {len(trial.refused)} variables: {names}.")
    tunable = [each for each in variables if each.causality == "input" or each.variability == "tunable"]
    with Probe(tested, interface) as probe:
        probe.initialize()
        for variable in tunable:
            probe.set({variable: probe.get(variable)})


@final
class _RoundTrip:
    """Sets variables and reads them back, each time in a new instance.

    refused  names of variables whose values the FMU refused
    """

    def __init__(self, tested: Tested, interface: Interface, found: RunFindings) -> None:
        self.refused: list[str] = []
        self._tested, self._interface, self._found = tested, interface, found

    def passes(self, variables: list[ForeignVariable], *, report: bool = False) -> bool:
        if not variables:
            return True
        new = {each: [_near(each, value) for value in each.start_values or []] for each in variables}
        try:
            with Probe(self._tested, self._interface) as probe:
                new = {each: values * (probe.size(each) if len(values) == 1 else 1) for each, values in new.items()}
                if variables[0].causality == "parameter":
                    probe.set(new)
                    probe.enter_initialization()
                else:
                    probe.enter_initialization()
                    probe.set(new)
                values = probe.values(variables).get()
                pairs = zip(variables, new.values(), values, strict=True)
                wrong = [(each, set_to, value) for each, set_to, value in pairs if not _all_equal(each, set_to, value)]
        except FmuError:
            if report:
                self.refused.extend(map(str, variables))
            return False
        if report:
            for each, set_to, value in wrong:
                message = f"'{each}' was set to {shown(set_to)}, but is {shown(value)} in Initialization Mode"
                self._found.add("value-lost", message, "values")
        return not wrong


def _all_equal(variable: ForeignVariable, expected: list[Value], values: list[Value]) -> bool:
    return len(expected) == len(values) and all(_is_equal(variable, a, b) for a, b in zip(expected, values, strict=True))


def _near(variable: ForeignVariable, value: Value) -> Value:
    """Another value, within the bounds of the variable; the same if there is none."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, float):
        change = abs(value) / 1024 or 1 / 1024
        return next((each for each in (value + change, value - change) if math.isfinite(each) and variable.is_within(each)), value)
    items = sorted(variable.items.values())
    candidates = [each for each in items if each != value] if items else [value + 1, value - 1]
    kind = variable.kind
    assert kind is not None  # accessible variables have one
    return next((each for each in candidates if variable.is_within(each) and kind.lowest <= each <= kind.highest), value)
