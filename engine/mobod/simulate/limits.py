"""The unilateral rows of a System, and the option for ambiguous impacts."""

from typing import Literal, Protocol, get_args

import numpy as np

from mobod.errors import InputError
from mobod.matter import MultibodySystem
from mobod.matter.constraints import RigidJointFriction
from mobod.matter.unilateral.unilateral import UnilateralConstraint, unilateral_constraints
from mobod.system import DiscreteVariable, Layout, State, System

AmbiguousImpacts = Literal["warn", "error"]
Impacts = Literal["simultaneous", "sequential"]


def checked_ambiguous_impacts(who: str, given: AmbiguousImpacts) -> AmbiguousImpacts:
    """Return the option. Raises InputError if it is not valid."""
    if given not in get_args(AmbiguousImpacts):
        raise InputError(f"{who}: ambiguous_impacts must be one of {', '.join(map(repr, get_args(AmbiguousImpacts)))}, not {given!r}.")
    return given


def checked_impacts(who: str, given: Impacts) -> Impacts:
    """Return the law of impacts. Raises InputError if it is not valid."""
    if given not in get_args(Impacts):
        raise InputError(f"{who}: impacts must be one of {', '.join(map(repr, get_args(Impacts)))}, not {given!r}.")
    return given


def number_of_impacts(impacts: Impacts) -> int:
    """Its number in `ImpactLaw` of fmu_src/native/tables/model.h."""
    return get_args(Impacts).index(impacts)


def limits_of(system: System) -> list[UnilateralConstraint]:
    """All unilateral constraints, in order; empty if there is no matter."""
    return unilateral_constraints(system.matter) if isinstance(system, MultibodySystem) and system.has_matter else []


class DecidedConstraint(Protocol):
    """A constraint of which a run decides which rows are equations."""

    @property
    def decided(self) -> tuple[DiscreteVariable, ...]: ...

    def flags(self, layout: Layout) -> list[int]: ...

    def release(self, state: State) -> None: ...


def decided_constraints(system: System) -> list[DecidedConstraint]:
    """All constraints of which runs decide, in order: unilateral ones, and the dry friction of joints."""
    if not (isinstance(system, MultibodySystem) and system.has_matter):
        return []
    return [each for each in system.matter.constraints if isinstance(each, (UnilateralConstraint, RigidJointFriction))]


def flags_of_contacts(system: System, layout: Layout) -> np.ndarray:
    """The offsets of all flags that `release_contacts` sets to 0."""
    return np.array([offset for each in decided_constraints(system) for offset in each.flags(layout)], dtype=np.intp)


def release_contacts(system: System, state: State) -> None:
    """Release all unilateral rows, and all dry friction."""
    flags = state.layout.kept(flags_of_contacts, system)
    if flags.size and state.values[flags].any():
        for constraint in decided_constraints(system):
            constraint.release(state)
