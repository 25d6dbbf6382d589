"""First values: what the FMU shows after its initialization, before the first step.

They do not depend on what was read before, and they equal those of the other interface and of the reference results in the archive. An FMU
that computes some of its variables only when others are read, or in its first step, shows old values at the start of each run.
"""

import csv
import math
from pathlib import Path

import numpy as np

from mobod.acceptance.behaviour.comparison import GROWTH, TOLERANCE, outputs_of
from mobod.acceptance.behaviour.probe import Probe
from mobod.acceptance.behaviour.result import RunFindings
from mobod.acceptance.behaviour.runs import element_names
from mobod.acceptance.behaviour.start_values import shown
from mobod.acceptance.behaviour.tested import Tested
from mobod.errors import FmuError
from mobod.fmi.loading import Interface
from mobod.importer.kinds import Value
from mobod.importer.variable import ForeignVariable

_EXACT = 1e-12  # relative; one evaluation may sum in another order than another


def check_first_values(tested: Tested, interface: Interface, found: RunFindings) -> None:
    """The first values do not depend on the order of reading, and agree with the other interface and with the reference results."""
    _check_order(tested, interface, found)
    outputs = outputs_of(tested)
    if not outputs:
        found.note("It has no output that is a real number.")
    elif interface == "co-simulation":
        names = element_names(tested, outputs)
        with Probe(tested, interface) as probe:
            probe.initialize()
            values = _row(probe, outputs)
        _compare_with_exchange(tested, found, names, values)
        _compare_with_reference(tested, found, names, values)


def _check_order(tested: Tested, interface: Interface, found: RunFindings) -> None:
    """Each variable is read first in an instance of its own state: one after the other, then all, then again."""
    with Probe(tested, interface) as probe:
        probe.initialize()
        before = {each: probe.get(each) for each in tested.outputs}
        probe.values(tested.accessible).get()
        after = {each: probe.get(each) for each in tested.outputs}
    wrong = [
        f"after the initialization '{each}' is {shown(before[each])} when it is read first, and {shown(after[each])} after other variables "
        "were read"
        for each in before
        if not all(_is_same(*pair) for pair in zip(before[each], after[each], strict=True))
    ]
    found.add_first("first-values", wrong, "values", "variables depend on what was read before")


def _is_same(one: Value, other: Value) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return one == other or (math.isnan(one) and math.isnan(other)) or abs(one - other) <= _EXACT * (abs(one) + abs(other))
    return one == other


def _row(probe: Probe, outputs: list[ForeignVariable]) -> np.ndarray:
    """Each output is read by itself, so that none is computed because of another one."""
    return np.array([float(element) for each in outputs for element in probe.get(each)])


def _allowed(tested: Tested, other: np.ndarray) -> np.ndarray:
    nominals = [each.nominal for each in tested.of_elements(outputs_of(tested))]
    return GROWTH * (tested.experiment.tolerance or TOLERANCE) * np.maximum(np.abs(other), nominals)


def _differ(tested: Tested, values: np.ndarray, other: np.ndarray) -> np.ndarray:
    return ~(np.abs(values - other) <= _allowed(tested, other)) & (np.isfinite(values) | np.isfinite(other))


def _compare_with_exchange(tested: Tested, found: RunFindings, names: list[str], values: np.ndarray) -> None:
    """An output may have the value from before the event at the start, or that from after it."""
    if "model-exchange" not in tested.model.interfaces:
        return
    outputs = outputs_of(tested)
    try:
        with Probe(tested, "model-exchange") as probe:
            probe.initialize()
            before = _row(probe, outputs)
            probe.update_discrete_states()
            after = _row(probe, outputs)
    except FmuError as error:
        found.note(f"The first values were not compared with model exchange: {error}")
        return
    _report(found, names, values, after, _differ(tested, values, before) & _differ(tested, values, after), "in model exchange")


def _compare_with_reference(tested: Tested, found: RunFindings, names: list[str], values: np.ndarray) -> None:
    for path in sorted(Path(tested.subject.folder).glob("extra/org.fmi-standard.fmi-ls-ref/*_ref.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.reader(file)
            head, first = next(rows, []), next(rows, [])
        try:
            known = {name: float(text) for name, text in zip(head, first, strict=True)}
        except ValueError:
            found.note(f"{path.name} was not compared: its first row is not one of numbers.")
            continue
        if head and known.get(head[0]) != tested.experiment.start:
            continue  # of another experiment
        at = [k for k, name in enumerate(names) if name in known]
        other = values.copy()
        other[at] = [known[names[k]] for k in at]
        _report(found, names, values, other, _differ(tested, values, other), f"in the first row of {path.name}")
        found.note(f"{len(at)} first values were compared with {path.name}.")


def _report(found: RunFindings, names: list[str], values: np.ndarray, other: np.ndarray, differ: np.ndarray, where: str) -> None:
    numbers = zip(names, values, other, differ, strict=True)
    wrong = [f"'{name}' is {one:.6g} after the initialization, and {two:.6g} {where}" for name, one, two, differs in numbers if differs]
    found.add_first("first-values", wrong, "values", f"outputs differ from those {where}")
