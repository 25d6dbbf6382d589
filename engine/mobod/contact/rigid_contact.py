"""RigidContact: two shapes that cannot overlap, with dry friction."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Self, final

import numpy as np

from mobod.contact.contact_equations import ContactEquations, transform_of
from mobod.contact.contact_force import PlacedShapes, carrier
from mobod.contact.features import features_of
from mobod.contact.rigid_contact_equations import (
    against_tangents,
    along_tangents,
    copied,
    distances_if_present,
    friction_power,
    friction_power_with_moments,
    geometry,
    impulses_in_ground,
    lean_of_contact,
    moments_of_both,
    moments_of_rolling,
    moments_of_spin,
    number_of_points,
    opposite_of,
    presences_of_contact,
    speeds,
)
from mobod.contact.seen_features import SeenRow, names_of_features, rigid_features
from mobod.contact.shapes import ContactShape
from mobod.contact.shown_points import shown_of_points
from mobod.contact.slots import PairSlots
from mobod.errors import InputError
from mobod.forces.two_point.stations import fixed_motion
from mobod.matter import Ground, MobilizedBody, UnilateralConstraint
from mobod.matter.unilateral.contact_events import ContactSlots
from mobod.matter.unilateral.friction import MODES, FrictionState, ShownValue
from mobod.matter.unilateral.moments import ROLLING, TORSIONAL
from mobod.runtime.tables import Struct
from mobod.scalar import Array, Scalar, Slot, Sweep
from mobod.spatial import Transform, to_quaternion
from mobod.spatial.checked import checked_size
from mobod.system import CacheEntry, DiscreteVariable, Layout, Stage, State
from mobod.system.elements import checked_frame

_NO_FRICTION = ", without friction: static_friction was not given"


@final
class RigidContact(UnilateralConstraint):
    """Two shapes that do not overlap, with dry friction between them (Coulomb).

    Each feature of the pair (see mb.contact.pair_of) is free, sticks or slips. Under error control a run finds the times at which this
    changes; fixed steps (integrator='velocity_level') solve each step as a whole. Impacts follow Newton's law in the normal, and Coulomb's
    with the slip after the impact; they never add energy.

    body1, body2       mobilized bodies or Ground, not welded to each other
    shape1, shape2     shapes of mb.contact
    static_friction    coefficient at rest, at least dynamic_friction; default: 0, without friction
    dynamic_friction   coefficient of a slip; default: static_friction
    viscous_friction   s/m, increase of the coefficient with the speed of the slip
    stribeck_speed     m/s: the coefficient of a slip of speed s falls from static_friction to dynamic_friction by
                       exp(-(s / stribeck_speed)^2) (Stribeck). Fixed steps take the speed at the start of each step, impacts that before
                       the impact. Default: it falls at once, which 0 also means
    torsional_friction m: the moment against spin about the normal is at most this times the normal force, at each feature; default: none
    torsional_radius   m, instead: of the patch of contact. With even pressure torsional_friction is (2/3) static_friction times it
    rolling_friction   m, the same of the moment against rolling, along the tangents; default: none. Each moment holds a body at rest, and
                       is opposite to its angular velocity otherwise; slip, spin and rolling are independent of each other
    restitution        0 to 1, speed after an impact divided by that before
    X_B1S1, X_B2S2     Transform, the shapes' frames on their bodies; default: the bodies' own
    in_fixed_steps     True: the runtime finds the points of contact, at most 8, at the start of each fixed step, even of shapes that have
                       features of their own: so a hull on a half-space has no row for each vertex, and runs are fixed steps only. False: a
                       box and a capsule have fixed features, 22, so that they touch under error control, too. Default: they do not

    Sources: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts (1996); Stewart & Trinkle, IJNME 39 (1996);
    Armstrong-Helouvry, Dupont, Canudas de Wit, Automatica 30 (1994) (Stribeck).
    """

    def __init__(
        self,
        body1: MobilizedBody | Ground,
        shape1: ContactShape,
        body2: MobilizedBody | Ground,
        shape2: ContactShape,
        *,
        static_friction: float | None = None,
        dynamic_friction: float | None = None,
        viscous_friction: float = 0.0,
        stribeck_speed: float | None = None,
        torsional_friction: float | None = None,
        torsional_radius: float | None = None,
        rolling_friction: float | None = None,
        restitution: float = 0.0,
        X_B1S1: Transform | None = None,
        X_B2S2: Transform | None = None,
        in_fixed_steps: bool | None = None,
        name: str | None = None,
        disabled: bool = False,
    ):
        what = f"RigidContact{'' if name is None else f' {name!r}'}"
        for body in (body1, body2):
            if not isinstance(body, (MobilizedBody, Ground)):
                raise InputError(f"{what}: a contact is between bodies, not {type(body).__name__}.")
        features = features_of(shape1, shape2, in_fixed_steps=in_fixed_steps)
        self.in_fixed_steps = in_fixed_steps
        check_not_one_rigid_body(body1, body2, what)
        frames = [
            Transform() if X is None else checked_frame(X, f"{what}: {which}") for X, which in ((X_B1S1, "X_B1S1"), (X_B2S2, "X_B2S2"))
        ]
        if static_friction is None and any((dynamic_friction, viscous_friction, stribeck_speed)):
            raise InputError(f"{what}: it has a coefficient or a speed of friction of a slip. Give static_friction too.")
        self._about_friction = "" if static_friction else ", without friction" if static_friction == 0 else _NO_FRICTION
        self.body1, self.body2 = body1, body2
        self._lean: CacheEntry | None = None  # of a rim
        self._presences: CacheEntry | None = None  # of features that are not always there
        if torsional_radius is not None:
            torsional_friction = _torsional_friction(torsional_radius, torsional_friction, static_friction, what)
        given = {TORSIONAL.name: torsional_friction, ROLLING.name: rolling_friction}
        moments = {name: coefficient for name, coefficient in given.items() if coefficient is not None}
        of_frames = [(*to_quaternion(X.R).tolist(), *X.p.tolist()) for X in frames]
        equations = features(shape1, shape2, of_frames[0], of_frames[1], tuple(moments))
        self.feature_names = equations.feature_names
        self.slots = PairSlots((body1, body2), (shape1, shape2), equations.n_features) if equations.n_decided else None
        super().__init__(
            equations,
            (body1, body2),
            restitution=restitution,
            static_friction=0.0 if static_friction is None else static_friction,
            dynamic_friction=dynamic_friction,
            viscous_friction=viscous_friction,
            stribeck_speed=stribeck_speed,
            moment_friction=tuple(moments.values()),
            name=name,
            disabled=disabled,
        )

    def _summary(self) -> str:
        return super()._summary() + self._about_friction

    @property
    def shape1(self) -> ContactShape:
        """The shape on body 1, with its default numbers."""
        return self._given.shape1

    @property
    def shape2(self) -> ContactShape:
        """The shape on body 2, with its default numbers."""
        return self._given.shape2

    @property
    def X_B1S1(self) -> Transform:
        """The frame of shape 1 on body 1, with its default numbers."""
        return transform_of(self._given.frame1)

    @property
    def X_B2S2(self) -> Transform:
        """The frame of shape 2 on body 2, with its default numbers."""
        return transform_of(self._given.frame2)

    @property
    def moments(self) -> tuple[str, ...]:
        """Which moments of friction it has: 'torsional_friction', 'rolling_friction'."""
        return self._given.moments

    @property
    def n_features(self) -> int:
        """The number of features of the pair of shapes, such as the corners of a box."""
        return len(self.feature_names)

    def placed_shapes(self, state: State) -> PlacedShapes:
        """For each body (body, Transform X_BS, shape), with the numbers of a State realized to INSTANCE."""
        parameters = self.matter.constraint_sweeps(state.layout).part(self, "constraint_parameters")
        given = self.equations.with_parameters(state.view(parameters)).distances  # type: ignore[attr-defined] # as in _given
        return (self.body1, transform_of(given.frame1), given.shape1), (self.body2, transform_of(given.frame2), given.shape2)

    def mode(self, state: State) -> Any:
        """'free', 'stick' or 'slip', as the last run left it; of a pair with several features a list of these."""
        modes = self.modes(state)
        return modes[0] if len(modes) == 1 else modes

    def normal_force(self, state: State) -> np.ndarray:
        """(n_features,) N, at least 0. Needs stage ACCELERATION."""
        return self.contact_forces(state)

    def friction_force(self, state: State) -> np.ndarray:
        """(n_features, 3) N: friction on body 2, in Ground. Needs stage ACCELERATION."""
        return self._value(state, "friction_force")

    def friction_moment(self, state: State) -> np.ndarray:
        """(n_features, 3) N m: moments of friction on body 2 about its point of contact, in Ground. Needs stage ACCELERATION. Only with
        torsional_friction or rolling_friction.
        """
        self._check_moments()
        return self._value(state, "friction_moment")

    def moment_modes(self, state: State, name: str) -> list[FrictionState]:
        """(n_features,) whether each feature is 'free', or its moment in 'stick' or in 'slip'; name: 'torsional_friction' or
        'rolling_friction'.
        """
        if name not in self.moments:
            raise InputError(f"'{self.name}' has no {name}. Make it with {name}, which may be 0.")
        assert self.friction is not None
        return [MODES[int(mode)] for mode in np.ravel(state.view(self.friction.moment_modes_slot(name, state.layout)))]

    def set_moment_friction(self, state: State, torsional: float | None = None, rolling: float | None = None) -> Self:
        """Set the coefficients of the moments of friction in a State, m; those that are not given stay. Invalidates stage INSTANCE. Returns
        the element.

        Raises InputError for a negative one, and for one that it was made without.
        """
        for name, value in ((TORSIONAL.name, torsional), (ROLLING.name, rolling)):
            if value is not None and name not in self.moments:
                raise InputError(f"'{self.name}' has no {name}. Make it with {name}, which may be 0.")
            if value is not None:
                self.set_parameter(state, name, value)
        return self

    def slip(self, state: State) -> np.ndarray:
        """(n_features, 3) m/s: tangential velocity of body 2 against body 1 at the contact, in Ground. Needs stage ACCELERATION."""
        return self._value(state, "slip")

    def slip_speed(self, state: State) -> np.ndarray:
        """(n_features,) m/s: tangential speed at the contact. Needs stage ACCELERATION."""
        return self._value(state, "slip_speed")

    def contact_point(self, state: State) -> np.ndarray:
        """(n_features, 3) m: the midpoint between both shapes, in Ground. Needs stage POSITION."""
        return self._value(state, "contact_point")

    def contact_normal(self, state: State) -> np.ndarray:
        """(n_features, 3): unit vector from body 1 to body 2, in Ground. Needs stage POSITION."""
        return self._value(state, "contact_normal")

    def contact_impulse(self, state: State) -> np.ndarray:
        """(n_features, 3) N s: on body 2, in Ground, of the last impact, or of the last fixed step. Needs stage ACCELERATION."""
        return self._value(state, "contact_impulse")

    def power_dissipation(self, state: State) -> float:
        """Power that friction dissipates, W. Needs stage ACCELERATION."""
        return float(np.sum(self._value(state, "power_dissipation")))

    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        if self.slots is not None:
            self.slots.allocate(state, self.matter, self.name)
        if self._given.has_rim:
            self._lean = state.allocate_cache_entry(
                self.matter, f"{self.name}.lean", Stage.POSITION, shape=(2,), computed_by=Stage.POSITION
            )
        if self._given.has_presences:
            self._presences = state.allocate_cache_entry(
                self.matter, f"{self.name}.presences", Stage.POSITION, shape=(self.n_features, 2), computed_by=Stage.POSITION
            )

    def distances(self, state: State) -> np.ndarray:
        """(n_features,) m: the distances; ABSENT of features that are not there. Needs stage POSITION."""
        gaps = super().distances(state)
        return gaps if self._presences is None else distances_if_present(gaps, np.array(state.cached(self._presences)))

    # what results and FMUs can name
    def _row_names(self) -> list[str]:
        return [f"{self.name}.{name}" for name in self.feature_names]

    def _shown_of_friction(self) -> dict[str, ShownValue]:
        n = self.n_features
        position, acceleration = Stage.POSITION, Stage.ACCELERATION
        return {
            **({} if self.slots is None else {"n_points": ShownValue(position, (), ("1",), "number of points of contact")}),
            **_shown_of_moments(self.moments, n),
            **shown_of_points(n, "body 1", "body 2", "feature"),
            "power_dissipation": ShownValue(acceleration, (n,), ("W",), "power dissipated by friction"),
        }

    def _made_of(self, layout: Layout) -> dict[str, tuple[Callable[..., Array | Scalar], list[Slot]]]:
        made = super()._made_of(layout)
        if self._presences is not None:
            made["distance"] = distances_if_present, [self.errors_slot(layout), layout.slots[self._presences]]
        return made

    def _made_of_friction(self, layout: Layout) -> dict[str, tuple[Callable[..., Array | Scalar], list[Slot]]]:
        assert self.friction is not None
        sweeps, n = self.matter.constraint_sweeps(layout), self.n_features
        multipliers, rates = sweeps.part(self, "multipliers"), sweeps.part(self, "velocity_errors")
        impulses = layout.slots[self._impulses]
        tangents, normals = layout.slots[self._shown["tangents"]], layout.slots[self._shown["contact_normal"]]
        of_tangents = [Slot(whole.offset + n, (n, 2)) for whole in (multipliers, rates, impulses)]
        turning = [Slot(whole.offset + 3 * n, (whole.size - 3 * n,)) for whole in (multipliers, rates)]
        of_moments: dict[str, tuple[Callable[..., Array | Scalar], list[Slot]]] = {
            f"{name.partition('_')[0]}_mode": (copied, [self.friction.moment_modes_slot(name, layout)]) for name in self.moments
        }
        power: tuple[Callable[..., Array | Scalar], list[Slot]] = (friction_power, of_tangents[:2])
        if self.moments:
            of_both = {1: moments_of_spin, 2: moments_of_rolling, 3: moments_of_both}[turning[0].size // n]
            of_moments["friction_moment"] = of_both, [turning[0], normals, tangents]
            power = friction_power_with_moments, [*of_tangents[:2], *turning]
        return {
            **({} if self.slots is None else {"n_points": (number_of_points, [self.errors_slot(layout)])}),
            **of_moments,
            "mode": (copied, [self.friction.modes_slot(layout)]),
            "normal_force": (opposite_of, [self._of_contacts(multipliers)]),
            "friction_force": (against_tangents, [of_tangents[0], tangents]),
            "slip": (along_tangents, [of_tangents[1], tangents]),
            "slip_speed": (speeds, [of_tangents[1]]),
            "contact_impulse": (impulses_in_ground, [self._of_contacts(impulses), of_tangents[2], normals, tangents]),
            "power_dissipation": power,
        }

    def tabulate_outputs(self, position: Sweep, acceleration: Sweep, layout: Layout) -> None:
        """Write the rows that compute points, normals and tangents, and what follows from them."""
        tree, (one, other) = self.matter.tree(layout), (self.body1.index, self.body2.index)
        poses = [slot for body in (one, other) for slot in (tree.slots.R_GB[body], tree.slots.p_GB[body])]
        of_all = self.matter.constraint_sweeps(layout).part(self, "constraint_parameters")
        places = [layout.slots[self._shown[name]] for name in ("contact_point", "contact_normal", "tangents")]
        if self.slots is None:
            position.add(geometry, [of_all, *poses], places, structure=(self.equations.structure,), constants=fixed_motion(tree))
        else:
            self.slots.write_geometry(self.equations, position, [of_all, *poses], places, self.matter, layout)
        if self._lean is not None:
            parameters, lean = self.matter.constraint_sweeps(layout).part(self, "constraint_parameters"), layout.slots[self._lean]
            position.add(
                lean_of_contact, [parameters, *poses[::2]], [lean], structure=(self.equations.structure,), constants=fixed_motion(tree)
            )
            layout.c_reads.append(lean)
        if self._presences is not None:
            parameters, presences = self.matter.constraint_sweeps(layout).part(self, "constraint_parameters"), layout.slots[self._presences]
            position.add(
                presences_of_contact, [parameters, *poses], [presences], structure=(self.equations.structure,), constants=fixed_motion(tree)
            )
            layout.c_reads.append(presences)
        super().tabulate_outputs(position, acceleration, layout)

    def decided_slot(self, layout: Layout) -> Slot | None:
        """The slot of the numbers of its slots, which the runtime decides; None: its features are fixed."""
        return None if self.slots is None else self.slots.slot(layout)

    @property
    def decided(self) -> tuple[DiscreteVariable, ...]:
        """The discrete variables that runs set."""
        return (*super().decided, *(() if self.slots is None else self.slots.decided))

    def slot_table(self, layout: Layout) -> Struct | None:
        """`SlotPair` of contact_slots.h; None: its features are fixed."""
        if self.slots is None:
            return None
        parameters = self.matter.constraint_sweeps(layout).part(self, "constraint_parameters")
        return self.slots.table(self.matter, parameters, self.enabled_slot(layout), layout)

    def row_slots(self, layout: Layout, row: int) -> ContactSlots:
        """The slots of a row."""
        return replace(
            super().row_slots(layout, row),
            lean=None if self._lean is None else layout.slots[self._lean],
            presences=None if self._presences is None else layout.slots[self._presences][row],
        )

    @property
    def stage_of_forces(self) -> Stage:
        """The stage from which its normal forces are known."""
        return Stage.ACCELERATION

    def pressed_slots(self, layout: Layout) -> tuple[Slot, Slot]:
        """Normal forces (n_features,), and points of contact in Ground (n_features, 3)."""
        return layout.slots[self._shown["normal_force"]], layout.slots[self._shown["contact_point"]]

    def seen_row(self, layout: Layout) -> SeenRow:
        """What a page shows of its features."""
        shown = ("contact_point", "contact_normal", "normal_force", "friction_force")
        inputs = (
            layout.slots[self._shown["mode"]],
            self.friction_parameters(layout)[0],
            *(layout.slots[self._shown[each]] for each in shown),
        )
        return SeenRow(names_of_features(self.name, self.feature_names), rigid_features, (), inputs)

    # internal
    def _check_moments(self) -> None:
        if not self.moments:
            raise InputError(f"'{self.name}' has no moments of friction. Make it with torsional_friction or rolling_friction.")

    @property
    def _given(self) -> ContactEquations:
        given = self.equations.distances  # type: ignore[attr-defined] # those of a UnilateralConstraint have it
        assert isinstance(given, ContactEquations)
        return given

    def _value(self, state: State, name: str) -> np.ndarray:
        return np.array(state.cached(self._shown[name]))


def _shown_of_moments(moments: Sequence[str], n: int) -> dict[str, ShownValue]:
    """Of n features: nothing without moments of friction."""
    shown = {
        f"{name.partition('_')[0]}_mode": ShownValue(Stage.ACCELERATION, (n,), ("1",), f"modes of the {name} (0 free, 1 stick, 2 slip)")
        for name in moments
    }
    if shown:
        shown["friction_moment"] = ShownValue(Stage.ACCELERATION, (n, 3), ("N.m",), "moments of friction on body 2 in Ground")
    return shown


def _torsional_friction(radius: Any, torsional: float | None, static: float | None, what: str) -> float:
    """m, of a round patch under even pressure."""
    if torsional is not None:
        raise InputError(f"{what}: both torsional_friction and torsional_radius are given. Give one of them.")
    if not static:
        raise InputError(f"{what}: torsional_radius needs static_friction, to which the moment is proportional. Give it, above 0.")
    return 2 / 3 * static * checked_size(radius, f"{what}: torsional_radius", "m")


def check_not_one_rigid_body(body1: MobilizedBody | Ground, body2: MobilizedBody | Ground, what: str) -> None:
    """Raise InputError for two bodies that cannot move against each other."""
    if body1 is body2:
        raise InputError(f"{what}: both shapes are on body '{body1.name}', where nothing moves. Give two bodies; one may be Ground.")
    if carrier(body1) is carrier(body2):
        raise InputError(
            f"{what}: '{body1.name}' and '{body2.name}' are welded to each other, so that they cannot move against each other. Give two "
            "bodies that can; one may be Ground."
        )
