"""The unilateral rows of a System: a list of them, and a function that releases all."""

import numpy as np

from mobod.matter import MultibodySystem
from mobod.matter.unilateral import UnilateralConstraint, unilateral_constraints
from mobod.system import State, System


def limits_of(system: System) -> list[UnilateralConstraint]:
    """In order; none where there is no matter."""
    return unilateral_constraints(system.matter) if isinstance(system, MultibodySystem) and system.has_matter else []


def release_contacts(system: System, state: State) -> None:
    """Let go of all unilateral rows."""
    for constraint in limits_of(system):
        constraint.hold(state, np.zeros(constraint.equations.n, dtype=bool))
