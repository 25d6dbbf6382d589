"""Situation: an instance in a mode, with the knowns that may be changed there and the unknowns that depend on them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, final

import numpy as np

from mobod.acceptance.behaviour.probe import Probe
from mobod.acceptance.behaviour.result import NotCheckedError
from mobod.acceptance.behaviour.tested import Tested
from mobod.acceptance.behaviour.walk import StateVector, Walk
from mobod.fmi.loading import Interface
from mobod.importer.kinds import Value
from mobod.importer.variable import ForeignVariable

Mode = Literal["Initialization Mode", "Event Mode", "Continuous-Time Mode", "Step Mode"]
_STEPS = 5  # before variables are changed in Continuous-Time Mode and Step Mode

Key = tuple[str, int]  # variables with the same type and value reference are the same


def key(variable: ForeignVariable) -> Key:
    return (variable.kind.ending if variable.kind is not None else variable.type, variable.reference)


@final
@dataclass(frozen=True)
class Unknown:
    """An unknown of the model structure.

    dependencies  the knowns on which it depends, with their kind; None if it may depend on all of them
    """

    variable: ForeignVariable
    dependencies: dict[Key, str] | None

    def may_depend_on(self, known: ForeignVariable) -> bool:
        return self.dependencies is None or key(known) in self.dependencies


def modes_of(interface: Interface) -> tuple[Mode, ...]:
    if interface == "co-simulation":
        return ("Initialization Mode", "Step Mode")
    return ("Initialization Mode", "Event Mode", "Continuous-Time Mode")


@final
class Situation:
    """An instance in a mode. A context manager that frees it.

    knowns    variables that an importer may change in this mode
    unknowns  of the model structure in this mode
    """

    def __init__(self, tested: Tested, interface: Interface, mode: Mode) -> None:
        self.mode = mode
        self.probe = Probe(tested, interface)
        self._tested = tested
        self._states: StateVector | None = None
        try:
            self._enter(mode)
        except BaseException:
            self.probe.free()
            raise
        states = {key(each) for each in tested.model.states}
        self.knowns = [each for each in tested.accessible if self._is_known(each, states)]
        self.unknowns = self._unknowns()
        self._values = self.probe.values([each.variable for each in self.unknowns])
        self._places: dict[Key, slice] = {}
        end = 0
        for state in tested.model.states:
            size = self.probe.size(state)
            self._places[key(state)] = slice(end, end + size)
            end += size

    def _enter(self, mode: Mode) -> None:
        probe = self.probe
        probe.enter_initialization()
        if mode == "Initialization Mode":
            return
        probe.exit_initialization()
        if mode == "Event Mode":
            probe.where = "in Event Mode"
            probe.update_discrete_states()
            return
        walk = Walk(probe)
        walk.begin()
        walk.walk(0, _STEPS)
        if walk.ended:
            raise NotCheckedError(f"It ends the simulation within {_STEPS} steps.")
        if mode == "Continuous-Time Mode":
            self._states = StateVector(probe)

    def _is_known(self, variable: ForeignVariable, states: set[Key]) -> bool:
        if variable.variability == "constant":
            return False
        if variable.causality == "input":
            return self.mode != "Continuous-Time Mode" or variable.is_continuous
        if self.mode == "Initialization Mode":
            return variable.description.initial == "exact" and variable.causality in ("parameter", "local", "output")
        return self.mode == "Continuous-Time Mode" and key(variable) in states

    def _unknowns(self) -> list[Unknown]:
        description, model = self._tested.model.description, self._tested.model
        initial = self.mode == "Initialization Mode"
        declared: Iterable[Any] = description.initialUnknowns if initial else [*description.outputs, *description.derivatives]
        usable = {each.name for each in self._tested.accessible}
        unknowns = []
        for each in declared:
            if each.variable is None or each.variable.name not in usable:
                continue
            dependencies = None
            if each.dependencies is not None:
                kinds = each.dependenciesKind or ["dependent"] * len(each.dependencies)
                dependencies = {key(model.variables[known.name]): kind for known, kind in zip(each.dependencies, kinds, strict=False)}
            unknowns.append(Unknown(model.variables[each.variable.name], dependencies))
        return unknowns

    def values(self) -> list[list[Value]]:
        """Of the unknowns."""
        return self._values.get()

    def get(self, known: ForeignVariable) -> list[Value]:
        return self.probe.get(known)

    def set(self, known: ForeignVariable, values: Sequence[Value]) -> None:
        self.probe.where = f"in {self.mode}, where '{known}' was changed"
        if self._states is not None and key(known) in self._places:
            states = self._states.get()
            states[self._places[key(known)]] = np.array(values, dtype=float)
            self._states.set(states)
        else:
            self.probe.set({known: values})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.probe.free()
