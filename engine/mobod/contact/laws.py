"""Laws of a feature in contact: normal force and friction from depth, slip and parameters. They can be recorded."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal, final

import numpy as np

from mobod.contact.material import Combination, ContactMaterial, combined_hertz, combined_linear, share_of_depth
from mobod.forces.contact_laws import HERTZ_DISSIPATION, hertz, hertz_of_ellipse, hunt_crossley, kelvin_voigt, linear, smooth_hertz
from mobod.forces.friction.friction_laws import hollars_over_speed, lugre, regularised_over_speed, step5_over_speed
from mobod.scalar import Array, Scalar, maximum, norm, where

Elastic = Literal["circle", "ellipse", "linear", "kelvin_voigt"]
Friction = Literal["hollars", "step5", "stribeck", "lugre"]
OF_MATERIAL = 5  # numbers of a ContactMaterial
OF_MOMENTS = 3  # the last numbers of a law with moments: their coefficients against spin and rolling, and the spin of their transition


@final
@dataclass(frozen=True)
class ContactEvaluation:
    """What a law gives for one feature. Numbers may be recorded.

    normal_force  ()    N    that pushes the bodies apart
    friction      (3,)  N    on body 2
    loss          ()    W    dissipated power
    z_dot         (3,)  m/s  rate of the bristles' deflection; 0 without bristles
    """

    normal_force: Scalar
    friction: Array
    loss: Scalar
    z_dot: Array


class ContactLaw(ABC):
    """A law: plain data, so that contacts with equal laws share a recording."""

    @property
    def has_bristles(self) -> bool:
        """Whether friction has auxiliary variables."""
        return False

    @property
    def has_moments(self) -> bool:
        """Whether it has moments of friction against spin and rolling."""
        return False

    def moment(self, numbers: Array, normal_force: Scalar, normal: Array, turns: Array) -> Array:
        """(3,) N m: friction on body 2 about the point of contact; turns (3,), rad/s: angular velocity of body 2 against body 1."""
        return np.zeros(3)

    @abstractmethod
    def energy(self, numbers: Array, x: Scalar, curvatures: Array) -> Scalar:
        """() J: the potential energy.

        numbers     (n,)  the parameters, in the order in which the force names them
        x           ()    m, depth
        curvatures  (2,)  1/m, largest and least relative curvature; of a law that is shared the weight of the point, and 0
        """

    @abstractmethod
    def shift(self, numbers: Array, x: Scalar) -> Scalar:
        """() m, of the point of contact along the normal, from the midpoint of the overlap."""

    def relaxation(self, numbers: Array) -> Scalar:
        """() 1/s, the rate at which bristles without contact straighten."""
        return 0.0

    @abstractmethod
    def friction_at_rest(self, numbers: Array) -> tuple[Scalar, Scalar]:
        """(() coefficient of friction at rest, () m/s up to which a slip counts as rest)."""

    @abstractmethod
    def evaluate(self, numbers: Array, x: Scalar, x_dot: Scalar, slip: Array, curvatures: Array, z: Array) -> ContactEvaluation:
        """Forces and loss; x_dot: m/s; slip (3,), m/s: tangential velocity of body 2 against body 1; z (3,), m, in the tangent plane."""


@final
@dataclass(frozen=True)
class MaterialLaw(ContactLaw):
    """Two materials, combined; then the speeds of friction: transition_speed, and of 'stribeck' stribeck_speed, and of 'lugre' that and
    the stiffness and the damping of the bristles; then the numbers of moments, if it has them.

    combination  of the materials; None: Simbody's
    is_shared    whether the points of a pair share its stiffness, by their weights
    """

    elastic: Elastic
    friction: Friction
    combination: Combination | None = None
    has_moments: bool = False
    is_shared: bool = False

    @property
    def has_bristles(self) -> bool:
        """See ContactLaw."""
        return self.friction == "lugre"

    def energy(self, numbers: Array, x: Scalar, curvatures: Array) -> Scalar:
        """See ContactLaw."""
        return self._elastic(self._material(numbers), x, curvatures)[1]

    def evaluate(self, numbers: Array, x: Scalar, x_dot: Scalar, slip: Array, curvatures: Array, z: Array) -> ContactEvaluation:
        """See ContactLaw."""
        material, (of_speed, *others) = self._material(numbers), self._of_speeds(numbers)
        if self.elastic == "kelvin_voigt":
            stiffness = self._stiffness(material, curvatures)
            normal_force, _, loss = kelvin_voigt(x, x_dot, stiffness, stiffness * material.dissipation)
        else:
            dissipation = material.dissipation if self.elastic == "linear" else HERTZ_DISSIPATION * material.dissipation
            normal_force, _, loss = hunt_crossley(*self._elastic(material, x, curvatures), dissipation, x_dot)
        coefficients = material.static_friction, material.dynamic_friction, material.viscous_friction
        s, z_dot = norm(slip), np.zeros(3)
        match self.friction:
            case "hollars":
                friction = -hollars_over_speed(s, *coefficients, of_speed) * slip
            case "step5":
                friction = -step5_over_speed(s, *coefficients, of_speed) * slip
            case "stribeck":
                friction = -regularised_over_speed(s, *coefficients, of_speed, others[0]) * slip
            case "lugre":
                stiffness, damping = others
                friction, z_dot = lugre(z, slip, *coefficients, stiffness, damping, of_speed)
        friction = normal_force * friction
        return ContactEvaluation(normal_force, friction, loss - friction @ slip, where(normal_force > 0, z_dot, 0.0))

    def shift(self, numbers: Array, x: Scalar) -> Scalar:
        """See ContactLaw: towards the stiffer surface."""
        share = share_of_depth(*_both(numbers), 1.0 if self._is_linear else 2 / 3)
        return maximum(x, 0.0) * (0.5 - share)

    def relaxation(self, numbers: Array) -> Scalar:
        """See ContactLaw."""
        if not self.has_bristles:
            return 0.0
        _, stiffness, damping = self._of_speeds(numbers)
        return stiffness / damping

    def moment(self, numbers: Array, normal_force: Scalar, normal: Array, turns: Array) -> Array:
        """See ContactLaw: each is opposite to its angular velocity w, with its coefficient times the normal force times
        w / sqrt(w^2 + transition_spin^2).
        """
        torsional, rolling, of_transition = numbers[-OF_MOMENTS:]
        spin = normal @ turns
        rolls = turns - spin * normal
        of_spin = torsional * spin / np.sqrt(spin * spin + of_transition * of_transition)
        of_rolling = rolling / np.sqrt(rolls @ rolls + of_transition * of_transition)
        return 0.0 - normal_force * (of_spin * normal + of_rolling * rolls)

    def friction_at_rest(self, numbers: Array) -> tuple[Scalar, Scalar]:
        """See ContactLaw. Bristles have no transition speed: a tenth of their Stribeck speed takes its place."""
        speed = numbers[2 * OF_MATERIAL]
        return self._material(numbers).static_friction, 0.1 * speed if self.has_bristles else speed

    def _of_speeds(self, numbers: Array) -> Array:
        return numbers[2 * OF_MATERIAL : len(numbers) - (OF_MOMENTS if self.has_moments else 0)]

    @property
    def _is_linear(self) -> bool:
        return self.elastic in ("linear", "kelvin_voigt")

    def _material(self, numbers: Array) -> ContactMaterial:
        combination = self.combination or (combined_linear if self._is_linear else combined_hertz)
        return combination(*_both(numbers))

    def _elastic(self, material: ContactMaterial, x: Scalar, curvatures: Array) -> tuple[Scalar, Scalar]:
        match self.elastic:
            case "circle":
                return hertz(x, material.stiffness, 1 / np.sqrt(curvatures[0] * curvatures[1]))
            case "ellipse":
                return hertz_of_ellipse(x, material.stiffness, curvatures[0], curvatures[1])
            case _:
                return linear(x, self._stiffness(material, curvatures))

    def _stiffness(self, material: ContactMaterial, curvatures: Array) -> Scalar:
        return material.stiffness * curvatures[0] if self.is_shared else material.stiffness


def _both(numbers: Array) -> tuple[ContactMaterial, ContactMaterial]:
    return ContactMaterial.unchecked(numbers[:OF_MATERIAL]), ContactMaterial.unchecked(numbers[OF_MATERIAL : 2 * OF_MATERIAL])


@final
@dataclass(frozen=True)
class SmoothLaw(ContactLaw):
    """One material of both surfaces, then transition speed, constant, hertz_smoothing, hunt_crossley_smoothing (see smooth_hertz)."""

    def energy(self, numbers: Array, x: Scalar, curvatures: Array) -> Scalar:
        """(2/5) times the elastic force times the depth: Simbody's, which is its potential only for depths above 0 and smoothing."""
        return 2 / 5 * self._normal(numbers, x, 0.0, curvatures)[1] * x

    def evaluate(self, numbers: Array, x: Scalar, x_dot: Scalar, slip: Array, curvatures: Array, z: Array) -> ContactEvaluation:
        """See ContactLaw; the loss is what the forces take less what the energy gains."""
        _, _, static, dynamic, viscous, transition_speed, constant, smoothing, _ = numbers
        normal_force, elastic = self._normal(numbers, x, x_dot, curvatures)
        s = np.sqrt(slip @ slip + constant)
        friction = -normal_force * hollars_over_speed(s, static, dynamic, viscous, transition_speed) * slip
        # d(elastic x)/dx = elastic (1 + x d(log elastic)/dx)
        slope = 1.5 * x / (x * x + constant) + smoothing * (1 - np.tanh(smoothing * x))
        gain = 2 / 5 * elastic * (1 + x * slope)
        return ContactEvaluation(normal_force, friction, (normal_force - gain) * x_dot - friction @ slip, np.zeros(3))

    def shift(self, numbers: Array, x: Scalar) -> Scalar:
        """See ContactLaw."""
        return 0.0

    def friction_at_rest(self, numbers: Array) -> tuple[Scalar, Scalar]:
        """See ContactLaw."""
        return numbers[2], numbers[5]

    def _normal(self, numbers: Array, x: Scalar, x_dot: Scalar, curvatures: Array) -> tuple[Scalar, Scalar]:
        stiffness, dissipation, *_, constant, smoothing, release = numbers
        return smooth_hertz(x, x_dot, stiffness / np.sqrt(8.0), 1 / curvatures[0], dissipation, constant, smoothing, release)
