"""LinearBushing: six linear springs and dampers between a frame on one body and a frame on another."""

from typing import Self, final

import numpy as np

from mobod.errors import SingularMechanismError
from mobod.forces.bushing_equations import LEAST_COSINE, along_coordinates, coordinates, energy, loss, on_bodies, rates, wrench
from mobod.forces.force import Force
from mobod.forces.two_point.stations import BodyPair, fixed_motion
from mobod.matter import Ground, MobilizedBody, Tree
from mobod.scalar import Slot, Sweep
from mobod.spatial import Transform
from mobod.system import CatalogueVariable, Layout, Numbers, Stage, State, check_state
from mobod.system.elements import VectorParameter, argument, checked_frame, parameter

COORDINATE_UNITS = ("rad",) * 3 + ("m",) * 3


@final
class LinearBushing(Force):
    """-(stiffness q + damping q_dot) along each of the six coordinates q of frame M, on body 2, in frame F, on body 1.

    body1, body2  mobilized bodies or Ground, not the same
    X_B1F, X_B2M  Transform  frames F on body 1 and M on body 2; default: the bodies' own
    stiffness     (6,)       N m/rad (3), then N/m (3); at least 0; a number is taken for all six
    damping       (6,)       N m s/rad (3), then N s/m (3); likewise
    q             (6,)       rad, m: body-fixed x-y-z angles of M in F, then p_FM, expressed in F

    Potential energy: the sum of stiffness q^2 / 2. What the damping takes is integrated: `dissipated_energy` is a z of the State.

    The angles are those of to_body_xyz: the first and the third lie in [-pi, pi] and jump from one end to the other, the second lies in
    [-pi/2, pi/2]. At its ends the rates of the other two do not exist, and the torque grows beyond bounds: a bushing with stiffness or
    damping of its angles stops a run with an error there. One without goes anywhere.

    Source: Simbody 3.7, Force::LinearBushing.
    """

    z_starts = (0.0,)

    body1: MobilizedBody | Ground = argument("a body, or Ground", kw_only=False)
    body2: MobilizedBody | Ground = argument("another body, or Ground", kw_only=False)
    stiffness: VectorParameter = parameter(
        ("N.m/rad",) * 3 + ("N/m",) * 3,
        "stiffnesses between '{element.body1.name}' and '{element.body2.name}', of three angles and three distances",
        shape=(6,),
        least=0.0,
        is_filled=True,
    )
    set_stiffness, default_stiffness, set_default_stiffness = stiffness.accessors
    damping: VectorParameter = parameter(
        ("N.m.s/rad",) * 3 + ("N.s/m",) * 3,
        "dampings between '{element.body1.name}' and '{element.body2.name}', of three angles and three distances",
        shape=(6,),
        least=0.0,
        is_filled=True,
    )
    set_damping, default_damping, set_default_damping = damping.accessors
    X_B1F: Transform | None = argument("frame F on body 1; default: the body's own", default=None, is_kept=False)
    X_B2M: Transform | None = argument("frame M on body 2; default: the body's own", default=None, is_kept=False)

    def __post_init__(self) -> None:
        self._pair = BodyPair.checked(self.forces, self.body1, self.body2, "LinearBushing")
        label = self.given["name"] or "LinearBushing"
        given = {frame: Transform() if self.given[what] is None else self.given[what] for frame, what in (("F", "X_B1F"), ("M", "X_B2M"))}
        self._frames = {frame: checked_frame(X, f"'{label}': X_B{number}{frame}") for number, (frame, X) in enumerate(given.items(), 1)}
        super().__post_init__()

    # frames
    @property
    def default_frame_on_body1(self) -> Transform:
        """X_B1F in new States"""
        return self._frames["F"]

    def set_default_frame_on_body1(self, X_B1F: Transform) -> Self:
        """Topological: States made before raise when used."""
        return self._set_default_frame("F", X_B1F, "X_B1F")

    def frame_on_body1(self, state: State) -> Transform:
        """X_B1F"""
        return self._frame(state, "F")

    def set_frame_on_body1(self, state: State, X_B1F: Transform) -> Self:
        """Takes the State back before INSTANCE."""
        return self._set_frame(state, "F", X_B1F, "X_B1F")

    @property
    def default_frame_on_body2(self) -> Transform:
        """X_B2M in new States"""
        return self._frames["M"]

    def set_default_frame_on_body2(self, X_B2M: Transform) -> Self:
        """Topological: States made before raise when used."""
        return self._set_default_frame("M", X_B2M, "X_B2M")

    def frame_on_body2(self, state: State) -> Transform:
        """X_B2M"""
        return self._frame(state, "M")

    def set_frame_on_body2(self, state: State, X_B2M: Transform) -> Self:
        """Takes the State back before INSTANCE."""
        return self._set_frame(state, "M", X_B2M, "X_B2M")

    # its motion
    def X_GF(self, state: State) -> Transform:
        """From POSITION on."""
        return self.body1.X_GB(state) @ self.frame_on_body1(state)

    def X_GM(self, state: State) -> Transform:
        """From POSITION on."""
        return self.body2.X_GB(state) @ self.frame_on_body2(state)

    def X_FM(self, state: State) -> Transform:
        """From POSITION on."""
        return self.X_GF(state).inverse() @ self.X_GM(state)

    def V_FM(self, state: State) -> np.ndarray:
        """(6,) rad/s, m/s: velocity of M in F, expressed in F; from VELOCITY on."""
        return self._computed(state, "V_FM")

    def q(self, state: State) -> np.ndarray:
        """(6,) rad, m: angles and p_FM; from POSITION on."""
        return self._computed(state, "q")

    def q_dot(self, state: State) -> np.ndarray:
        """(6,) rad/s, m/s; from VELOCITY on. Raises SingularMechanismError where the angles have no rates."""
        q_dot = self._computed(state, "q_dot")
        if not np.isfinite(q_dot).all():
            raise SingularMechanismError(f"the rates of the angles of '{self.name}' are not finite. {self.why_not_finite(state)}")
        return q_dot

    # its forces, nothing if it is disabled
    def f(self, state: State) -> np.ndarray:
        """(6,) N m, N: -(stiffness q + damping q_dot), the force along each coordinate; from DYNAMICS on."""
        return self._computed(state, "f")

    def F_GM(self, state: State) -> np.ndarray:
        """(6,) N m, N: what acts on body 2, about the origin of M, in Ground; from DYNAMICS on."""
        F = wrench(self.f(state), self.q(state))
        R_GF = self.X_GF(state).R
        return np.concatenate([R_GF @ F[:3], R_GF @ F[3:]])

    def F_GF(self, state: State) -> np.ndarray:
        """(6,) N m, N: what acts on body 1, about the origin of F, in Ground; from DYNAMICS on."""
        F, p = -self.F_GM(state), self.X_GM(state).p - self.X_GF(state).p
        return np.concatenate([F[:3] + np.cross(p, F[3:]), F[3:]])

    def potential_energy(self, state: State) -> float:
        """J; from POSITION on."""
        return self.calc_potential_energy_contribution(state)

    def power_dissipation(self, state: State) -> float:
        """W, the rate of dissipated_energy; from VELOCITY on."""
        return self.calc_power_dissipation_contribution(state)

    def dissipated_energy(self, state: State) -> float:
        """J, what the damping has taken since it was 0."""
        slot = self._z(state)
        return float(state.view(slot)[0])

    def set_dissipated_energy(self, state: State, energy: float) -> None:
        """J; invalidates stage DYNAMICS."""
        slot = self._z(state)
        state.write(slot, [energy], f"{self.name}.dissipated_energy", Stage.DYNAMICS)

    # for ForceSubsystem
    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        for frame, X in self._frames.items():
            for part, value in (("R", X.R), ("p", X.p)):
                handle = state.allocate_discrete_variable(
                    self.forces, f"{self.name}.{part}_{frame}", np.array(value), Stage.INSTANCE, numbers=[Numbers(np.size(value))]
                )
                self._handles[part + frame] = handle
        entries: dict[Stage, dict[str, tuple[int, ...]]] = {
            Stage.POSITION: {"q": (6,), "R_GF": (3, 3), "arm1": (3,), "arm2": (3,)},
            Stage.VELOCITY: {"V_FM": (6,), "q_dot": (6,)},
            Stage.DYNAMICS: {"f": (6,)},
        }
        for stage, shapes in entries.items():
            for what, shape in shapes.items():
                self._entries[what] = state.allocate_cache_entry(self.forces, f"{self.name}.{what}", stage, shape=shape, computed_by=stage)

    def tabulate(self, layout: Layout, tree: Tree) -> None:
        """Write the rows that compute its values, when the layout is known."""
        frames = [self._slot(layout, name) for name in ("RF", "pF", "RM", "pM")]
        self.forces.sweep(layout, Stage.POSITION).add(
            coordinates,
            [*frames, *self._pair.poses(tree)],
            self._entry_slots(layout, "q", "R_GF", "arm1", "arm2"),
            constants=fixed_motion(tree),
        )
        self.forces.sweep(layout, Stage.VELOCITY).add(
            rates,
            [*self._entry_slots(layout, "q", "R_GF", "arm1", "arm2"), *self._pair.speeds(tree)],
            self._entry_slots(layout, "V_FM", "q_dot"),
            constants=fixed_motion(tree),
        )
        self.forces.sweep(layout, Stage.DYNAMICS).add(loss, self._loss_inputs(layout), [tree.rate(self.forces.z(layout, self)[0])])

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        parameters = [self._slot(layout, name) for name in ("enabled", "stiffness", "damping")]
        sweep.add(along_coordinates, [*parameters, *self._entry_slots(layout, "q", "q_dot")], self._entry_slots(layout, "f"))
        sweep.add(on_bodies, self._entry_slots(layout, "f", "q", "R_GF", "arm1", "arm2"), self._pair.sums(tree), adds=(0, 1))

    def write_potential_energy(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add its potential energy to `total`, J."""
        inputs = [self._slot(layout, name) for name in ("enabled", "stiffness")]
        sweep.add(energy, [*inputs, *self._entry_slots(layout, "q")], [total], adds=(0,))

    def write_power_dissipation(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add the power that it dissipates to `total`, W."""
        sweep.add(loss, self._loss_inputs(layout), [total], adds=(0,))

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """The parameters, q, q_dot, and the dissipated energy with its rate."""
        q, q_dot = self._entry_slots(layout, "q", "q_dot")
        z = self.forces.z(layout, self)
        speed_units = tuple(f"{unit}/s" for unit in COORDINATE_UNITS)
        of, by = f"of M on '{self.body2.name}' in F on '{self.body1.name}'", f"the damping of '{self.name}'"
        taken = CatalogueVariable.state(f"{self.name}.dissipated_energy", z, "J", f"energy that {by} has taken", Stage.DYNAMICS)
        rates = f"rates of the coordinates {of}"
        return [
            *super().variables(layout),
            CatalogueVariable.output(f"{self.name}.q", q, Stage.POSITION, COORDINATE_UNITS, f"coordinates {of}"),
            CatalogueVariable.output(f"{self.name}.q_dot", q_dot, Stage.VELOCITY, speed_units, rates),
            taken,
            taken.rate(self.matter.tree(layout).rate(z), Stage.DYNAMICS, f"power that {by} takes", "W"),
        ]

    def why_not_finite(self, state: State) -> str:
        """A hint for the error message when the force is not finite: its cause, and what to check."""
        angle = float(self._computed(state, "q")[1])
        if np.cos(angle) > LEAST_COSINE:
            return super().why_not_finite(state)
        return (
            f"Its second angle is {np.degrees(angle):.9g} degrees, where the axes of the first and the third are parallel, and their rates "
            "and torques do not exist. Choose frames F and M that are nearer to each other, or disable it there."
        )

    # inside
    def _loss_inputs(self, layout: Layout) -> list[Slot]:
        return [self._slot(layout, "enabled"), self._slot(layout, "damping"), *self._entry_slots(layout, "q_dot")]

    def _z(self, state: State) -> Slot:
        check_state(state, self.forces.system)
        return self.forces.z(state.layout, self)

    def _frame(self, state: State, frame: str) -> Transform:
        return Transform(self._get(state, f"R{frame}"), self._get(state, f"p{frame}"))

    def _set_frame(self, state: State, frame: str, X: Transform, what: str) -> Self:
        X = checked_frame(X, f"'{self.name}': {what}")
        handle = self._handle(state, f"R{frame}")
        state.set(handle, X.R)
        handle = self._handle(state, f"p{frame}")
        state.set(handle, X.p)
        return self

    def _set_default_frame(self, frame: str, X: Transform, what: str) -> Self:
        self._frames[frame] = checked_frame(X, f"'{self.name}': {what}")
        self.forces.invalidate_topology()
        return self
