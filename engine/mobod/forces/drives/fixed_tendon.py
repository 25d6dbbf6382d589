"""FixedTendon: a linear combination of coordinates with a length, a spring and a damper; servos can pull it."""

# Decision: docs/decisions/187-drives.md

from collections.abc import Sequence
from typing import final

import numpy as np

from mobod.arguments.real_numbers import real_number
from mobod.errors import InputError
from mobod.forces.force import Force
from mobod.forces.mobility.acted_on import FORCE_UNITS, checked_body, checked_coordinate
from mobod.forces.mobility.mobility_linear_stop import beyond
from mobod.matter import MobilizedBody
from mobod.matter.dynamics.tree import Tree
from mobod.matter.unilateral.tendon_limits import COEFFICIENTS, TendonLimitConstraint, combination, units_of_coefficients
from mobod.scalar import Scalar, where
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.system import CatalogueVariable, Layout, Numbers, Stage, State
from mobod.system.elements import Parameter, argument, parameter
from mobod.system.variable import rate_unit


@final
class FixedTendon(Force):
    """Length l = coefficients . q of coordinates of some bodies, rate v = coefficients . u. Its tension f acts on each of these speeds by
    -coefficient f:

        f = stiffness (l - l_rest) + damping v     l_rest: l in the range from rest_low to rest_high, where the spring is slack

    Potential energy stiffness (l - l_rest)^2 / 2. A Servo with tendon=... pulls it. set_limits gives the length a range that a run keeps.

    bodies        for each term the body that has the coordinate
    coordinates   for each term the number of the coordinate, from 0; its rate must be a speed
    coefficients  for each term, in `unit` over the coordinate's unit; such as the radius of a pulley
    unit          of the length: "m", or "rad"
    stiffness     N/m or N m/rad, at least 0
    damping       N s/m or N m s/rad, at least 0
    rest_low      m or rad, at most rest_high; both 0: a spring without slack that is at rest at length 0

        grip = mb.FixedTendon(forces, [thumb, finger], [0, 0], [0.01, 0.008], stiffness=400.0, name="grip")

    Variables: '<name>.length', '<name>.rate' and '<name>.tension' (of spring and damper).
    """

    bodies: Sequence[MobilizedBody] = argument("for each term the body that has the coordinate", kw_only=False)
    coordinates: Sequence[int] = argument("for each term the number of the coordinate, from 0", kw_only=False)
    coefficients: Sequence[float] = argument("for each term, in `unit` over the coordinate's unit", kw_only=False)
    unit: str = argument("of the length: 'm' or 'rad'", default="m")
    stiffness: Parameter[float] = parameter("{element.stiffness_unit}", "stiffness of the tendon", default=0.0, least=0.0)
    set_stiffness, default_stiffness, set_default_stiffness = stiffness.accessors
    damping: Parameter[float] = parameter("{element.damping_unit}", "damping of the tendon", default=0.0, least=0.0)
    set_damping, default_damping, set_default_damping = damping.accessors
    rest_low: Parameter[float] = parameter("{element.unit}", "least length at which the tendon's spring is slack", default=0.0)
    set_rest_low, default_rest_low, set_default_rest_low = rest_low.accessors
    rest_high: Parameter[float] = parameter("{element.unit}", "greatest length at which the tendon's spring is slack", default=0.0)
    set_rest_high, default_rest_high, set_default_rest_high = rest_high.accessors

    def __post_init__(self) -> None:
        what = "FixedTendon"
        given = (self.bodies, self.coordinates, self.coefficients)
        if (
            not all(isinstance(each, (Sequence, np.ndarray)) for each in given)
            or len({len(each) for each in given}) != 1
            or not self.bodies
        ):
            raise InputError(f"{what}: bodies, coordinates and coefficients are lists of the same length, at least 1.")
        if f"{self.unit}/s" not in FORCE_UNITS:
            raise InputError(f"{what}: the unit of the length is 'm' or 'rad', not {self.unit!r}.")
        self.bodies = tuple(self.bodies)
        for body in self.bodies:
            checked_body(self.forces, body, what)
        places = [checked_coordinate(each, body, what) for each, body in zip(self.coordinates, self.bodies, strict=True)]
        self.coordinates = tuple(coordinate for coordinate, _ in places)
        self.speeds = [(body, speed) for body, (_, speed) in zip(self.bodies, places, strict=True)]
        self.coefficients = tuple(real_number(each, f"{what}: coefficient") for each in self.coefficients)
        if not np.isfinite(self.coefficients).all():
            raise InputError(f"{what}: the coefficients are finite numbers, not {list(self.coefficients)}.")
        self.force_unit = FORCE_UNITS[f"{self.unit}/s"]
        self.stiffness_unit, self.damping_unit = f"{self.force_unit}/{self.unit}", f"{self.force_unit}.s/{self.unit}"
        super().__post_init__()
        if self.default_rest_low > self.default_rest_high:
            raise InputError(f"'{self.name}': its rest_low, {self.default_rest_low:g}, is above its rest_high, {self.default_rest_high:g}.")
        self._limits: TendonLimitConstraint | None = None

    # the range of its length
    @property
    def limits(self) -> TendonLimitConstraint | None:
        """The constraint '<name>.limit' that keeps its range, or None."""
        return self._limits

    def set_limits(
        self, lower: float = -np.inf, upper: float = np.inf, restitution: float = 0.0, *, compliance: float = 0.0, damping: float = 0.0
    ) -> None:
        """Set bounds of the length, as body.set_limits sets those of a coordinate. Topological.

        lower, upper  m or rad; infinite: no bound
        restitution   between 0 and 1: speed after an impact divided by the speed before it (Newton)
        compliance    m/N or rad/(N m): displacement of the limit per unit of force; 0: rigid, with impacts
        damping       N s/m or N m s/rad, of compliant limits

        The tendon is as if it had a stop: its tension at a limit acts on the coordinates by -coefficient times it, as that of its spring.
        The limits are a constraint of their own, which acts where the tendon's spring is disabled too. A run raises an error if the length
        starts outside rigid limits; an Assembler does not know them. Raises InputError as body.set_limits does.
        """
        given = (lower, upper, restitution, compliance, damping)
        if self._limits is None:
            self._limits = TendonLimitConstraint(self.name, self.bodies, self.coordinates, self.coefficients, self.unit, *given)
        else:
            self._limits.set_defaults(*given)

    def take_limits(self, limits: TendonLimitConstraint) -> None:
        """Of a model file: take limits that were made before the tendon. Raises InputError if they are others'."""
        own = (self.name, self.bodies, self.coordinates, self.coefficients, self.unit)
        values = tuple(limits.default_parameter(COEFFICIENTS).tolist())
        if (limits.tendon, limits.terms_on, limits.coordinates, values, limits.unit) != own:
            raise InputError(f"'{limits.name}' has other terms than tendon '{self.name}'. Give both the same bodies and coefficients.")
        self._limits = limits

    def length(self, state: State) -> float:
        """() m or rad; from POSITION on."""
        return self._kept_number(state, "length")

    def rate(self, state: State) -> float:
        """() m/s or rad/s; from VELOCITY on."""
        return self._kept_number(state, "rate")

    def tension(self, state: State) -> float:
        """() N or N m: of its spring and its damper, above 0: it pulls; from DYNAMICS on."""
        return self._kept_number(state, "tension")

    # for ForceSubsystem and for servos
    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        values = np.array(self.coefficients)
        if self._limits is None:
            self._handles[COEFFICIENTS] = state.allocate_discrete_variable(
                self.forces, f"{self.name}.coefficients", values, Stage.INSTANCE, numbers=[Numbers(values.size)]
            )
        for name, stage in (("length", Stage.POSITION), ("rate", Stage.VELOCITY), ("tension", Stage.DYNAMICS)):
            self._allocate_kept(state, stage, name)

    def tabulate(self, layout: Layout, tree: Tree) -> None:
        """Write the rows of its length and of its rate."""
        coefficients, (length, rate) = self._coefficients(layout), self.motion(layout)
        q = [tree.coordinate(body, speed) for body, speed in self.speeds]
        u = [tree.u(body)[speed] for body, speed in self.speeds]
        self.forces.sweep(layout, Stage.POSITION).add(combination, [coefficients, *q], [length])
        self.forces.sweep(layout, Stage.VELOCITY).add(combination, [coefficients, *u], [rate])

    def motion(self, layout: Layout) -> list[Slot]:
        """Its length and its rate."""
        return [self.kept(layout, name) for name in ("length", "rate")]

    def coefficient(self, layout: Layout, number: int) -> Slot:
        """That of one term."""
        return self._coefficients(layout)[number]

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        tension = self.kept(layout, "tension")
        inputs = self._inputs(layout, "stiffness", "damping", "rest_low", "rest_high")
        sweep.add(tendon_tension, [*inputs, *self.motion(layout)], [tension])
        for number, (body, speed) in enumerate(self.speeds):
            target = tree.speeds(tree.slots.mobility_forces, body)[speed]
            sweep.add(pulled, [self.coefficient(layout, number), tension], [target], adds=(0,))

    def write_potential_energy(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add its potential energy to `total`, J."""
        inputs = self._inputs(layout, "stiffness", "rest_low", "rest_high")
        sweep.add(tendon_energy, [*inputs, self.motion(layout)[0]], [total], adds=(0,))

    def write_power_dissipation(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add the power that it dissipates to `total`, W."""
        sweep.add(tendon_loss, [*self._inputs(layout, "damping"), self.motion(layout)[1]], [total], adds=(0,))

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """The parameters, length, rate and tension."""
        found = super().variables(layout)
        units = units_of_coefficients(self.unit, self.bodies, self.coordinates)
        text = f"coefficients of the coordinates in the length of tendon '{self.name}'"
        coefficients = CatalogueVariable.parameter(f"{self.name}.coefficients", self._coefficients(layout), units, text)
        outputs = (
            ("length", Stage.POSITION, self.unit),
            ("rate", Stage.VELOCITY, rate_unit(self.unit)),
            ("tension", Stage.DYNAMICS, self.force_unit),
        )
        kept = (self._kept_variable(layout, stage, name, unit, f"{name} of tendon '{self.name}'") for name, stage, unit in outputs)
        return [*found, coefficients, *kept]

    # inside
    def _coefficients(self, layout: Layout) -> Slot:
        """Its own, or those of its limits: a change of them changes both."""
        return self._slot(layout, COEFFICIENTS) if self._limits is None else self._limits.coefficients_slot(layout)

    def _inputs(self, layout: Layout, *parameters: str) -> list[Slot]:
        return [self._slot(layout, name) for name in ("enabled", *parameters)]


def tendon_tension(enabled: Scalar, stiffness: Scalar, damping: Scalar, low: Scalar, high: Scalar, length: Scalar, rate: Scalar) -> Scalar:
    return where(enabled, stiffness * beyond(low, high, length) + damping * rate, 0.0)


def tendon_energy(enabled: Scalar, stiffness: Scalar, low: Scalar, high: Scalar, length: Scalar) -> Scalar:
    return where(enabled, stiffness * beyond(low, high, length) ** 2 / 2, 0.0)


def tendon_loss(enabled: Scalar, damping: Scalar, rate: Scalar) -> Scalar:
    return where(enabled, damping * rate * rate, 0.0)


def pulled(coefficient: Scalar, tension: Scalar) -> Scalar:
    return -coefficient * tension
