"""Gravity: the same field on all bodies (seed 003)."""

from functools import partial
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError
from mobod.forces.force import Force, check_matter
from mobod.matter import Ground, MatterSubsystem, MobilizedBody, Tree
from mobod.scalar import Array, Scalar, Slot, Sweep, norm, where
from mobod.spatial import cross
from mobod.system import CacheEntry, DiscreteVariable, Layout, Stage, State, check_state, flags
from mobod.system.elements import Parameter, VectorParameter, argument, parameter

STANDARD_GRAVITY = 9.80665  # m/s^2


@final
class Gravity(Force):
    """Force m g at the mass center of each body that is not excluded; potential energy m |g| (height - zero_height).

        Gravity(forces, matter, down=[0, 0, -1], magnitude=9.81)
        Gravity(forces, matter, vector=[0, 0, -9.81])     exactly zero: no gravity
        Gravity(forces, matter, magnitude=9.81)           along -y, unless system.set_up_direction was called before

    down         (3,)    -      direction of the field, of any length but zero; default: against the System's up direction, which is y
                                unless system.set_up_direction was called
    magnitude    ()      m/s^2  at least 0; default: 9.80665
    zero_height  ()      m      where a mass center has no potential energy; heights are measured against `down`, from Ground's origin

    The forces and the energy are computed when they are first asked for, from POSITION on, and kept until a pose or a parameter changes.
    Ground is always excluded. Setters return the element, so that calls can be chained; a run-time setter that changes nothing
    invalidates nothing.

    Source: Simbody 3.7, Force::Gravity.
    """

    matter: MatterSubsystem = argument("of the same System", kw_only=False, is_implied=True)
    magnitude: Parameter[float] = parameter("m/s2", "strength of the gravity field", default=None, least=0.0)
    set_magnitude, default_magnitude, set_default_magnitude = magnitude.accessors
    down: VectorParameter = parameter(
        "1", "direction of the gravity field; its length does not matter", default=None, shape=(3,), is_direction=True
    )
    set_down, default_down, set_default_down = down.accessors
    vector: Any = argument("m/s^2, direction and magnitude in one", default=None, is_kept=False)
    zero_height: Parameter[float] = parameter("m", "height at which the potential energy of gravity is zero", default=0.0)
    set_zero_height, default_zero_height, set_default_zero_height = zero_height.accessors

    def __post_init__(self) -> None:
        check_matter(self.forces, self.matter, "Gravity")
        given = self.given
        if given["vector"] is not None:
            if not (given["down"] is None and given["magnitude"] is None):
                raise InputError("Gravity: a vector says direction and magnitude. Give it alone, or down and magnitude.")
            given["magnitude"], given["down"] = _parts(given["vector"], self.given["name"] or "Gravity")
        if given["down"] is None:
            given["down"] = -self.forces.system.up_direction
        if given["magnitude"] is None:
            given["magnitude"] = STANDARD_GRAVITY
        self._excluded_by_default: set[int] = set()
        self._evaluations = 0
        super().__post_init__()

    # defaults: topological
    @property
    def default_gravity_vector(self) -> np.ndarray:
        """(3,) m/s^2"""
        return self._defaults["magnitude"] * self._defaults["down"]

    def set_default_gravity_vector(self, vector: ArrayLike) -> Self:
        """(3,) m/s^2; exactly zero changes the magnitude alone."""
        magnitude, down = _parts(vector, self.name)
        if down is not None:
            self.set_default_down(down)
        return self.set_default_magnitude(magnitude)

    @property
    def default_down_direction(self) -> np.ndarray:
        """(3,) unit vector"""
        return self.default_down

    def set_default_down_direction(self, down: ArrayLike) -> Self:
        """(3,) of any length but zero, in new States; those made before raise when used. Returns the force."""
        return self.set_default_down(down)

    def default_body_is_excluded(self, body: MobilizedBody | Ground | int) -> bool:
        """Whether gravity does not act on a body in a new State; always so for Ground. body: itself or its index."""
        index = self._body_index(body)
        return index == 0 or index in self._excluded_by_default

    def set_default_body_is_excluded(self, body: MobilizedBody | Ground | int, is_excluded: bool) -> Self:
        """Ignored for Ground."""
        if self._body_index(body):
            change = self._excluded_by_default.add if is_excluded else self._excluded_by_default.discard
            for index in self._indices(body):
                change(index)
            self.forces.invalidate_topology()
        return self

    # in a State: they invalidate DYNAMICS
    def gravity_vector(self, state: State) -> np.ndarray:
        """(3,) m/s^2: magnitude times direction, in Ground. At any stage."""
        return self.magnitude(state) * self.down_direction(state)

    def set_gravity_vector(self, state: State, vector: ArrayLike) -> Self:
        """(3,) m/s^2, in Ground; exactly zero changes the magnitude alone. Invalidates stage DYNAMICS. Returns the force."""
        magnitude, down = _parts(vector, self.name)
        if down is not None:
            self.set_down(state, down)
        return self.set_magnitude(state, magnitude)

    def down_direction(self, state: State) -> np.ndarray:
        """(3,) no unit: the direction of the field in Ground, of length 1. At any stage."""
        down = self.down(state)
        return down / np.linalg.norm(down)

    def set_down_direction(self, state: State, down: ArrayLike) -> Self:
        """(3,) of any length but zero; invalidates stage DYNAMICS. Returns the force."""
        return self.set_down(state, down)

    def body_is_excluded(self, state: State, body: MobilizedBody | Ground | int) -> bool:
        """Whether gravity does not act on a body; always so for Ground. body: itself or its index."""
        return bool(self._get(state, "is_excluded")[self._body_index(body)])

    def set_body_is_excluded(self, state: State, body: MobilizedBody | Ground | int, is_excluded: bool) -> Self:
        """Set whether gravity spares a body, itself or its index; ignored for Ground. Invalidates stage DYNAMICS. Returns the force."""
        index, indices = self._body_index(body), self._indices(body)
        flags = self._get(state, "is_excluded").copy()
        if index and (flags[indices] != is_excluded).any():
            flags[indices] = is_excluded
            handle = self._handle(state, "is_excluded")
            state.set(handle, flags)
        return self

    # forces and energy, whether the element is enabled or not
    def body_forces(self, state: State) -> np.ndarray:
        """(n_bodies, 6) N m, N: the force on each body about its origin, in Ground; zero for Ground and excluded bodies.

        Needs stage POSITION.
        """
        check_state(state, self.forces.system)
        F_M = state.cached(self._cache("forces"))
        r = state.view(self.matter.tree(state.layout).slots.r)
        return np.hstack([F_M[:, :3] + np.cross(F_M[:, 3:], r), F_M[:, 3:]])

    def body_force(self, state: State, body: MobilizedBody | Ground | int) -> np.ndarray:
        """(6,) N m, N: the force on one body, itself or its index, about its origin, in Ground. Needs stage POSITION."""
        return self.body_forces(state)[self._body_index(body)]

    def potential_energy(self, state: State) -> float:
        """J"""
        check_state(state, self.forces.system)
        state.cached(self._cache("forces"))
        return float(state.view(state.layout.slots[self._cache("energy")]))

    @property
    def num_evaluations(self) -> int:
        """How often forces and energy were computed since the element was made; that nothing acts at magnitude 0 takes no computation."""
        return self._evaluations

    def is_force_cache_valid(self, state: State) -> bool:
        """Whether forces and energy are there without further computation."""
        check_state(state, self.forces.system)
        return state.is_valid(self._cache("forces"))

    def invalidate_force_cache(self, state: State) -> None:
        """Forces and energy are computed again when they are next read."""
        check_state(state, self.forces.system)
        state.mark_invalid(self._cache("forces"))

    # for ForceSubsystem
    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        n = self.matter.n_bodies
        excluded = np.array([float(self.default_body_is_excluded(b)) for b in range(n)])
        self._handles["is_excluded"] = state.allocate_discrete_variable(
            self.forces, f"{self.name}.is_excluded", excluded, Stage.DYNAMICS, numbers=[flags(n)]
        )
        depends_on: list[DiscreteVariable] = [self._handles[name] for name in ("magnitude", "down", "zero_height", "is_excluded")]
        for what, shape in (("field", (3,)), ("energy", ())):
            self._entries[what] = state.allocate_cache_entry(self.forces, f"{self.name}.{what}", Stage.POSITION, shape=shape)
        self._entries["forces"] = state.allocate_cache_entry(
            self.forces, f"{self.name}.forces", Stage.POSITION, shape=(n, 6), prerequisites=depends_on
        )

    @property
    def lazy_entries(self) -> list[CacheEntry]:
        """The lazy values that its rows read."""
        return [self._cache("forces")]

    def tabulate(self, layout: Layout, tree: Tree) -> None:
        """The lazy sweep: the field once, then every body's force and energy."""
        s = tree.slots
        field, forces, energy = (layout.slots[self._cache(what)] for what in ("field", "forces", "energy"))
        magnitude, down, zero_height, is_excluded = (
            self._slot(layout, name) for name in ("magnitude", "down", "zero_height", "is_excluded")
        )
        sweep = layout.lazy_sweeps[self._cache("forces")] = Sweep(f"{self.name}", clears=[energy, forces[0]])
        layout.begins[self._cache("forces")] = partial(self._begin, magnitude.offset, (forces.slice, energy.slice))
        sweep.add(gravity_field, [magnitude, down], [field])
        for body in tree.bodies:
            b = body.index
            sweep.add(weight, [is_excluded[b], field, s.mass[b], s.mc_G[b]], [forces[b]], constants=tree.constants)
            inputs = [is_excluded[b], field, magnitude, zero_height, s.mass[b], s.mc_G[b], s.p_GM[b]]
            sweep.add(weight_energy, inputs, [energy], constants=tree.constants, adds=(0,))

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        enabled, forces = self._slot(layout, "enabled"), layout.slots[self._cache("forces")]
        for body in tree.bodies:
            sweep.add(where_enabled, [enabled, forces[body.index]], [tree.slots.body_forces[body.index]], adds=(0,))

    def write_potential_energy(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add its potential energy to `total`, J."""
        sweep.add(where_enabled, [self._slot(layout, "enabled"), layout.slots[self._cache("energy")]], [total], adds=(0,))

    def field_slots(self, layout: Layout) -> list[Slot]:
        """Where magnitude and direction lie."""
        return [self._slot(layout, name) for name in ("magnitude", "down")]

    # inside
    def _begin(self, magnitude_at: int, results: tuple[slice, ...], values: np.ndarray) -> bool:
        """Before the lazy sweep, which is left out where the magnitude is zero."""
        if values.item(magnitude_at) == 0:
            for each in results:
                values[each] = 0.0
            return False
        self._evaluations += 1
        return True

    def _indices(self, body: MobilizedBody | Ground | int) -> list[int]:
        """The body, and of a flexible body the frame that has its mass."""
        index = self._body_index(body)
        flexible = self.matter.bodies[index - 1].flexible if index else None
        return [index] if flexible is None else [index, flexible.core.index]

    def _body_index(self, body: MobilizedBody | Ground | int) -> int:
        return self.matter.body(body).index if isinstance(body, int) else self.matter.checked(body, f"'{self.name}'").index


def _parts(vector: ArrayLike, owner: str) -> tuple[float, np.ndarray | None]:
    """Magnitude and direction; no direction if the vector is exactly zero."""
    vector = Parameter(unit="m/s2", description="gravity", shape=(3,)).checked(vector, f"'{owner}.vector'")
    magnitude = float(np.linalg.norm(vector))
    return magnitude, (vector / magnitude if magnitude else None)


def gravity_field(magnitude: Scalar, down: Array) -> Array:
    """(3,) m/s^2, of the magnitude given, whatever the length of `down`; NaN where that is zero, which stops a run with an error."""
    return down * (magnitude / norm(down))


def weight(is_excluded: Scalar, field: Array, mass: Scalar, mc: Array) -> Array:
    """(6,) the spatial force about the origin of M, from which mc is measured."""
    field = where(is_excluded, 0.0, field)
    return np.concatenate([cross(mc, field), mass * field])


def weight_energy(is_excluded: Scalar, field: Array, magnitude: Scalar, zero_height: Scalar, mass: Scalar, mc: Array, p: Array) -> Scalar:
    """m |g| (height - zero_height), with the height of the mass center, p + mc / m, measured upward."""
    return where(is_excluded, 0.0, -(field @ (mass * p + mc)) - mass * magnitude * zero_height)


def where_enabled(enabled: Scalar, value: Scalar) -> Scalar:
    return where(enabled, value, 0.0)
