"""The unilateral rows of a System, and the option for ambiguous impacts."""

from typing import Literal, get_args

import numpy as np

from mobod.errors import InputError
from mobod.matter import MultibodySystem
from mobod.matter.unilateral.unilateral import UnilateralConstraint, unilateral_constraints
from mobod.system import State, System

AmbiguousImpacts = Literal["warn", "error"]


def checked_ambiguous_impacts(who: str, given: AmbiguousImpacts) -> AmbiguousImpacts:
    """Return the option. Raises InputError if it is not valid."""
    if given not in get_args(AmbiguousImpacts):
        raise InputError(f"{who}: ambiguous_impacts must be one of {', '.join(map(repr, get_args(AmbiguousImpacts)))}, not {given!r}.")
    return given


def limits_of(system: System) -> list[UnilateralConstraint]:
    """All unilateral constraints, in order; empty if there is no matter."""
    return unilateral_constraints(system.matter) if isinstance(system, MultibodySystem) and system.has_matter else []


def release_contacts(system: System, state: State) -> None:
    """Release all unilateral rows."""
    for constraint in limits_of(system):
        constraint.hold(state, np.zeros(constraint.n_contacts, dtype=bool))
