"""Dry friction of a joint that depends on the load of its bearing: its variables in a State, and its recorded law."""

# Decision: docs/decisions/151-friction-under-load.md

from dataclasses import dataclass
from typing import Any, Protocol, final

import numpy as np

from mobod.matter.constraint import ConstraintOwner
from mobod.matter.unilateral.bearing_loads import JointLoad
from mobod.matter.unilateral.laws_of_slip import direction_of_slip, share_at_rest
from mobod.scalar import Array, Scalar, Slot, Sweep, maximum, where
from mobod.system import CacheEntry, Layout, Stage, State


@final
@dataclass(frozen=True, kw_only=True)
class LoadSlots:
    """The slots of the load of a joint.

    used        (1,) the load with which the friction is computed
    measured    (1,) the load of the reactions that follow, to which the runtime makes it equal
    size        (1,) the same of the absolute values of all terms
    weights     (6,) how much each moment and force of the reaction counts
    unit        (1,) direction of the slip, or u / sqrt(u^2 + transition_speed^2)
    kinetic     (1,) friction of a slip per load, with the present speed
    parameters  (n,) of the load
    static, dynamic  () friction per load at rest, and of a slip
    """

    used: Slot
    measured: Slot
    size: Slot
    weights: Slot
    unit: Slot
    kinetic: Slot
    parameters: Slot
    static: Slot
    dynamic: Slot


class ConstraintUnderLoad(Protocol):
    """The interface of a constraint whose friction depends on the load of its joint."""

    @property
    def name(self) -> str: ...

    @property
    def matter(self) -> ConstraintOwner: ...

    def load_parameters(self, layout: Layout) -> Slot:
        """The slot of the parameters of the load."""
        ...


@final
class FrictionUnderLoad:
    """The load of a joint with dry friction.

    law  with default parameters
    """

    def __init__(self, constraint: ConstraintUnderLoad, law: JointLoad):
        self._constraint, self.law = constraint, law.structure
        self._places = {each.name: i for i, each in enumerate(law.parameters)}  # each is one number
        self.entries: dict[str, CacheEntry] = {}

    def allocate(self, state: State) -> None:
        """Allocate its computed values, at TOPOLOGY."""
        stages = {"load": Stage.ACCELERATION, "measured_load": Stage.ACCELERATION, "load_size": Stage.ACCELERATION}
        stages |= {"load_weights": Stage.ACCELERATION, "slip_direction": Stage.VELOCITY, "friction_per_load": Stage.VELOCITY}
        for name, stage in stages.items():
            self.entries[name] = state.allocate_cache_entry(
                self._constraint.matter,
                f"{self._constraint.name}.{name}",
                stage,
                shape=(6,) if name == "load_weights" else (1,),
                computed_by=stage,
            )

    def slots(self, layout: Layout) -> LoadSlots:
        """Its slots."""
        slots = {name: layout.slots[entry] for name, entry in self.entries.items()}
        parameters = self._constraint.load_parameters(layout)
        static, dynamic = (Slot(parameters.offset + self._places[name], ()) for name in ("static_friction", "friction"))
        return LoadSlots(
            used=slots["load"],
            measured=slots["measured_load"],
            size=slots["load_size"],
            weights=slots["load_weights"],
            unit=slots["slip_direction"],
            kinetic=slots["friction_per_load"],
            parameters=parameters,
            static=static,
            dynamic=dynamic,
        )

    def load_slots(self, layout: Layout) -> tuple[Slot, Slot, Slot, Slot]:
        """The slots of the load, of that measured, of the size of its terms, and of the weights of moments and forces."""
        names = ("load", "measured_load", "load_size", "load_weights")
        used, measured, size, weights = (layout.slots[self.entries[name]] for name in names)
        return used, measured, size, weights

    def write_measured_load(self, sweep: Sweep, R_GM: Slot, reaction: Slot, size: Slot, layout: Layout) -> None:
        """Write the row that computes the load from the reaction about M, at ACCELERATION."""
        slots, structure = self.slots(layout), (self.law,)
        sweep.add(measured_load, [slots.parameters, R_GM, reaction, size], [slots.measured, slots.size, slots.weights], structure=structure)


# ---- recorded functions ----


def slip_under_load(
    static: Scalar,
    dynamic: Scalar,
    viscous: Scalar,
    stribeck_speed: Scalar,
    static_per_load: Scalar,
    dynamic_per_load: Scalar,
    rates: Array,
    direction: Array,
    rest: Scalar,
) -> tuple[Array, Scalar, Scalar]:
    """(direction of the slip, friction without load, friction per load)."""
    unit, speed = direction_of_slip(rates, direction, rest)
    share = share_at_rest(speed, stribeck_speed)
    without = dynamic + maximum(static - dynamic, 0.0) * share + viscous * speed
    return unit, without, dynamic_per_load + maximum(static_per_load - dynamic_per_load, 0.0) * share


def regularised_under_load(
    enabled: Scalar,
    static: Scalar,
    dynamic: Scalar,
    viscous: Scalar,
    stribeck_speed: Scalar,
    transition_speed: Scalar,
    static_per_load: Scalar,
    dynamic_per_load: Scalar,
    rates: Array,
) -> tuple[Array, Scalar, Scalar]:
    """The same with a smooth direction, u / sqrt(u^2 + transition_speed^2); it is 0 if the friction is disabled."""
    u = rates[0]
    smooth_speed, share = np.sqrt(u * u + transition_speed * transition_speed), share_at_rest(u, stribeck_speed)
    without = dynamic + maximum(static - dynamic, 0.0) * share + viscous * smooth_speed
    unit = where(enabled, u / smooth_speed, 0.0)
    return np.array([unit]), without, dynamic_per_load + maximum(static_per_load - dynamic_per_load, 0.0) * share


def slide_under_load(unit: Array, without: Scalar, per_load: Scalar, load: Scalar) -> Array:
    """The force of a slip."""
    return 0.0 - (without + per_load * load) * unit


def measured_load(law: Any, parameters: Array, R_GM: Array, reaction: Array, sizes: Array) -> tuple[Scalar, Scalar, Array]:
    """(the load of a reaction (6,) in Ground; the largest that reactions of these sizes, N m and N, can have; the loads of unit moments and
    forces along the axes of M).
    """
    present: JointLoad = law.with_parameters(parameters)
    each, nothing = np.ones(3), np.zeros(3)
    weights = [present.measured(axis, nothing) for axis in np.eye(3)] + [present.measured(nothing, axis) for axis in np.eye(3)]
    load, size = present.measured(R_GM.T @ reaction[:3], R_GM.T @ reaction[3:]), present.measured(sizes[0] * each, sizes[1] * each)
    return load, size, np.array(weights)
