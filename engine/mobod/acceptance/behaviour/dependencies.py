"""Dependencies: what is not declared in the model structure must not be seen when variables are changed."""

import random
from typing import final

import numpy as np

from mobod.acceptance.behaviour.result import Budget, NotCheckedError, RunFindings
from mobod.acceptance.behaviour.situations import Mode, Situation, Unknown, key, modes_of
from mobod.acceptance.behaviour.tested import Tested
from mobod.errors import FmuError, first_of
from mobod.fmi.loading import Interface
from mobod.importer.kinds import Value
from mobod.importer.variable import ForeignVariable

MOST_KNOWNS = 60
SEED = 5
MOST_NAMES = 8
_SECONDS = 3.0  # for each mode
_CHANGE = 0.05  # relative
_NOISE = 1e-8  # relative change of an unknown that round-off and iterations may cause
_LINEAR = 1e-6  # relative
_FACTORS = ("constant", "fixed", "tunable", "discrete")


def check_dependencies(tested: Tested, interface: Interface, found: RunFindings) -> None:
    """Each known is changed: only the unknowns change that are declared to depend on it."""
    checked = 0
    for mode in modes_of(interface):
        checked += _Modes(tested, interface, mode, found).check()
    if not checked:
        raise NotCheckedError("It has no unknowns that are declared to depend on some variables only.")


@final
class _Modes:
    """The check in one mode."""

    def __init__(self, tested: Tested, interface: Interface, mode: Mode, found: RunFindings) -> None:
        self._tested, self._interface, self._mode, self._found = tested, interface, mode, found
        self._undeclared: list[str] = []
        self._nonlinear: list[str] = []
        self._refused: list[str] = []
        self._seen: set[tuple[str, str]] = set()
        self._changed: list[ForeignVariable] = []

    def check(self) -> int:
        """Returns the number of knowns that were changed."""
        with Situation(self._tested, self._interface, self._mode) as situation:
            unknowns = situation.unknowns
            knowns = [each for each in situation.knowns if _changes(each)]
        if not any(each.dependencies is not None for each in unknowns):
            return 0
        if len(knowns) > MOST_KNOWNS:
            self._found.note(f"In {self._mode} {MOST_KNOWNS} of {len(knowns)} knowns were changed, chosen at random (seed {SEED}).")
            knowns = random.Random(SEED).sample(knowns, MOST_KNOWNS)
        budget = Budget(_SECONDS)
        remaining = list(knowns)
        while remaining and not budget.is_spent:
            # a new instance after each that refused a value
            with Situation(self._tested, self._interface, self._mode) as situation:
                while remaining and not budget.is_spent:
                    known = remaining.pop()
                    try:
                        self._change(situation, known)
                    except FmuError:
                        self._refused.append(str(known))
                        break
        self._report(unknowns)
        return len(self._changed)

    def _change(self, situation: Situation, known: ForeignVariable) -> None:
        old = situation.get(known)
        before = situation.values()
        new = [_changed(known, value, 1) for value in old]
        if new == old:
            return
        situation.set(known, new)
        after = situation.values()
        situation.set(known, old)
        self._changed.append(known)
        suspects = []
        for position, unknown in enumerate(situation.unknowns):
            if key(unknown.variable) == key(known) or not _differ(unknown.variable, before[position], after[position]):
                continue
            self._seen.add((str(unknown.variable), str(known)))
            if not unknown.may_depend_on(known):
                suspects.append(position)
        if suspects and self._is_confirmed(situation, known, old, new, before, after, suspects):
            self._undeclared += [f"'{situation.unknowns[k].variable}' depends on '{known}'" for k in suspects]
        self._check_factors(situation, known, old, before, after)

    def _is_confirmed(
        self,
        situation: Situation,
        known: ForeignVariable,
        old: list[Value],
        new: list[Value],
        before: list[list[Value]],
        after: list[list[Value]],
        suspects: list[int],
    ) -> bool:
        """Whether the unknowns return to their values with the known, and change again."""
        expected = (before, after, before)
        for values, rows in zip((old, new, old), expected, strict=True):
            situation.set(known, values)
            now = situation.values()
            if any(_differ(situation.unknowns[k].variable, rows[k], now[k]) for k in suspects):
                return False
        return True

    def _check_factors(
        self, situation: Situation, known: ForeignVariable, old: list[Value], before: list[list[Value]], after: list[list[Value]]
    ) -> None:
        """An unknown that is declared to be linear in the known has equal changes for equal changes."""
        linear = [
            k
            for k, each in enumerate(situation.unknowns)
            if each.dependencies is not None and each.dependencies.get(key(known)) in _FACTORS and isinstance(old[0], float)
        ]
        if not linear:
            return
        situation.set(known, [_changed(known, value, 2) for value in old])
        twice = situation.values()
        situation.set(known, old)
        for k in linear:
            first, second, third = (np.array(rows[k], dtype=float) for rows in (before, after, twice))
            bend = np.abs(third - 2 * second + first)
            size = np.abs(third - second) + np.abs(second - first)
            if (bend > _LINEAR * size + 1e-12 * np.abs(first) + 1e-13 * np.abs(third)).any():
                unknown = situation.unknowns[k]
                kind = (unknown.dependencies or {})[key(known)]
                self._nonlinear.append(f"'{unknown.variable}' is not linear in '{known}', which is declared as {kind}")

    def _report(self, unknowns: list[Unknown]) -> None:
        for rule, problems in (("undeclared-dependency", self._undeclared), ("dependency-kind", self._nonlinear)):
            if problems:
                what = ", which the model structure does not declare" if rule == "undeclared-dependency" else ""
                self._found.add(rule, f"in {self._mode} {first_of(problems, MOST_NAMES, '; ')}{what}", "dependencies")
        if self._refused:
            self._found.note(f"In {self._mode} it refused other values of {', '.join(self._refused[:MOST_NAMES])}.")
        declared = {
            (str(each.variable), str(known))
            for each in unknowns
            for known in self._changed
            if each.dependencies is not None and each.may_depend_on(known)
        }
        unseen = len(declared - self._seen)
        if declared and self._mode != "Step Mode":  # where an FMU need not compute outputs before the next step
            self._found.note(f"In {self._mode} {len(declared) - unseen} of {len(declared)} declared dependencies were seen.")


def _changes(variable: ForeignVariable) -> bool:
    return variable.kind is not None and variable.kind.python_type is not str


def _changed(variable: ForeignVariable, value: Value, times: int) -> Value:
    """Another value, further away for more `times`, within the bounds of the variable; the same if there is none."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return value
    candidates: list[float | int]
    if isinstance(value, float):
        size = abs(value) or variable.nominal
        candidates = [value + times * _CHANGE * size, value - times * _CHANGE * size]
    else:
        items = sorted(variable.items.values())
        candidates = [each for each in items if each != value] if items else [value + 1, value - 1]
    return next(filter(variable.is_within, candidates), value)


def _differ(variable: ForeignVariable, one: list[Value], other: list[Value]) -> bool:
    nominal = variable.nominal if variable.is_real else 0.0
    for a, b in zip(one, other, strict=False):
        if isinstance(a, float) and isinstance(b, float):
            if abs(a - b) > _NOISE * max(abs(a), abs(b), min(nominal, 1.0)):
                return True
        elif a != b:
            return True
    return False
