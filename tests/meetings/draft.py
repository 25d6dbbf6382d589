"""A mechanism while it is drawn: what elements that are added next can refer to."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

import mobod as mb
from mobod.errors import InputError
from mobod.laws.random_states import random_q
from mobod.matter import MobilizerEquations
from mobod.spatial import from_quaternion
from tests.laws.mechanisms import random_mass
from tests.meetings.mechanism import Body, Element, Mechanism, Quantity, quantity

Choice = TypeVar("Choice")
DIGITS = 3  # of random numbers, so that programs are short
NEAT = (0.0, 0.0, 0.0, 1.0, -1.0)
HALF = float(np.sqrt(0.5))
NEAT_ROTATIONS = ((1.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (HALF, HALF, 0.0, 0.0), (HALF, 0.0, HALF, 0.0), (HALF, 0.0, 0.0, -HALF))
NEAT_ROTATIONS += ((0.0, 1.0, 0.0, 0.0),)


class Draft:
    """Random numbers, and the mechanism so far. Bodies are numbers; 0 is Ground.

    is_neat  whether numbers are those of drawings: frames along axes, halves and zeros. Then rows depend on each other, events come at the
             same time, and angles are right ones where the joint has equations there
    """

    def __init__(self, mechanism: Mechanism, rng: np.random.Generator, *, is_neat: bool = False):
        self.mechanism, self.rng, self.is_neat = mechanism, rng, is_neat

    # random numbers
    def uniform(self, low: float, high: float, size: int | None = None) -> Any:
        if self.is_neat:
            return self.rng.choice([low, 0.5 * (low + high), high], size=size)
        return np.round(self.rng.uniform(low, high, size), DIGITS)

    def normal(self, scale: float = 1.0, size: int | None = None) -> Any:
        if self.is_neat:
            return scale * self.rng.choice(NEAT, size=size)
        return np.round(self.rng.normal(scale=scale, size=size), DIGITS)

    def pick(self, choices: Sequence[Choice]) -> Choice:
        return choices[int(self.rng.integers(len(choices)))]

    def frame(self, scale: float = 0.4) -> mb.Transform:
        return mb.Transform(self.rotation(), self.normal(scale, 3))

    def rotation(self) -> np.ndarray:
        if self.is_neat:
            return from_quaternion(NEAT_ROTATIONS[int(self.rng.integers(len(NEAT_ROTATIONS)))])
        return from_quaternion(self.rng.normal(size=4))

    def mass(self) -> mb.MassProperties:
        if not self.is_neat:
            return random_mass(self.rng)
        com, mass = self.normal(0.5, 3), float(self.uniform(1.0, 2.0))
        return mb.MassProperties(mass, com, mb.Inertia.box(mass=mass, size=[0.6, 0.4, 0.2]).shifted(com))

    def start(self, equations: MobilizerEquations) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and speeds."""
        if not self.is_neat:
            return np.round(random_q(equations, self.rng), DIGITS), self.normal(size=equations.nu)
        q = self.rng.choice([0.0, 0.0, 0.5, -0.5, np.pi / 2], size=equations.nq)
        if equations.quaternion_at is not None:
            q[equations.quaternion_at :][:4] = NEAT_ROTATIONS[int(self.rng.integers(len(NEAT_ROTATIONS)))]
        if equations.why_singular(q):  # such as a middle angle of 90 degrees, at which no run can start
            q[q == np.pi / 2] = 0.5
        return q, self.normal(size=equations.nu)

    def direction(self) -> np.ndarray:
        while True:
            found = self.normal(size=3)
            if np.linalg.norm(found) > 0.3:
                return found

    # the mechanism
    def add(self, part: Body | Element) -> None:
        if isinstance(part, Body):
            self.mechanism = replace(self.mechanism, bodies=(*self.mechanism.bodies, part))
        else:
            self.mechanism = replace(self.mechanism, elements=(*self.mechanism.elements, part))
        self.__dict__.pop("built", None)

    def leave_out_if_refused(self, name: str) -> None:
        """Leave out an element that the System refuses: a contact of two bodies that are welded to each other."""
        try:
            _ = self.built
        except InputError:
            self.mechanism = self.mechanism.without(name)

    def replace_last_body(self, body: Body) -> None:
        self.mechanism = replace(self.mechanism, bodies=(*self.mechanism.bodies[:-1], body))
        self.__dict__.pop("built", None)

    @cached_property
    def built(self) -> tuple[mb.MultibodySystem, mb.State]:
        """The System with its State, realized to VELOCITY."""
        system, state = self.mechanism.build()
        system.realize(state, mb.Stage.VELOCITY)
        return system, state

    @property
    def n_bodies(self) -> int:
        return len(self.mechanism.bodies)

    def body(self, number: int) -> Any:
        system = self.built[0]
        return system.matter.body(f"joint{number}") if number else system.matter.ground

    def X_GB(self, number: int) -> mb.Transform:
        return self.body(number).X_GB(self.built[1]) if number else mb.Transform()

    def movable(self) -> int:
        """A body whose joint has speeds."""
        return int(self.pick([each.number for each in self.mechanism.bodies if each.q.numbers]))

    def two(self) -> tuple[int, int]:
        """Two different bodies; one may be Ground."""
        one, other = self.rng.permutation(1 + self.n_bodies)[:2]
        return int(one), int(other)

    def coordinate(self) -> tuple[int, int, str]:
        """A body, the number of one of its coordinates whose rate is a speed, and its unit."""
        places = []
        for each in self.mechanism.bodies:
            equations = self.body(each.number).equations
            places += [(each.number, i, equations.q_units[i]) for i, at in enumerate(equations.speed_of) if at is not None and at == i]
        if not places:
            raise NothingToDrawError
        return self.pick(places)

    def start_of(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        of = next(each for each in self.mechanism.bodies if each.number == number)
        return np.array(of.q.numbers), np.array(of.u.numbers)

    def set_start(self, system: mb.MultibodySystem, state: mb.State) -> None:
        """Take the coordinates and speeds of a State of a System that was built from the mechanism."""
        changed = []
        for each in self.mechanism.bodies:
            body = system.matter.body(f"joint{each.number}")
            q, u = body.q(state), body.u(state)
            each = replace(each, q=replace(each.q, numbers=_list(q)), u=replace(each.u, numbers=_list(u)))
            if each.eta is not None and each.eta_dot is not None:
                eta, eta_dot = (
                    replace(of, numbers=_list(its)) for of, its in ((each.eta, body.eta(state)), (each.eta_dot, body.eta_dot(state)))
                )
                each = replace(each, eta=eta, eta_dot=eta_dot)
            changed.append(each)
        self.mechanism = replace(self.mechanism, bodies=tuple(changed))
        self.__dict__.pop("built", None)


class NothingToDrawError(Exception):
    """The mechanism so far has no place for such an element."""


def _list(numbers: np.ndarray) -> tuple[float, ...]:
    return tuple(np.asarray(numbers, dtype=float).tolist())


def force_unit(coordinate_unit: str) -> str:
    return "N" if coordinate_unit == "m" else "N.m"


def needs(*bodies: int) -> tuple[str, ...]:
    return tuple(f"body{number}" for number in bodies if number)


__all__ = ["Draft", "NothingToDrawError", "Quantity", "force_unit", "needs", "quantity"]
