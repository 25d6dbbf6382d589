"""A mechanism while it is drawn: what elements that are added next can refer to."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

import mobod as mb
from mobod.spatial import from_quaternion
from tests.meetings.mechanism import Body, Element, Mechanism, Quantity, quantity

DIGITS = 3  # of random numbers, so that programs are short


class Draft:
    """Random numbers, and the mechanism so far. Bodies are numbers; 0 is Ground."""

    def __init__(self, mechanism: Mechanism, rng: np.random.Generator):
        self.mechanism, self.rng = mechanism, rng

    # random numbers
    def uniform(self, low: float, high: float, size: int | None = None) -> Any:
        return np.round(self.rng.uniform(low, high, size), DIGITS)

    def normal(self, scale: float = 1.0, size: int | None = None) -> Any:
        return np.round(self.rng.normal(scale=scale, size=size), DIGITS)

    def pick(self, choices: Sequence[Any]) -> Any:
        return choices[int(self.rng.integers(len(choices)))]

    def frame(self, scale: float = 0.4) -> mb.Transform:
        return mb.Transform(from_quaternion(self.normal(size=4)), self.normal(scale, 3))

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
            equations = self.body(each.number).equations_in(self.built[1])
            places += [(each.number, i, equations.q_units[i]) for i, at in enumerate(equations.speed_of) if at is not None and at == i]
        if not places:
            raise NothingToDrawError
        return self.pick(places)  # type: ignore[no-any-return]

    def start_of(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        of = next(each for each in self.mechanism.bodies if each.number == number)
        return np.array(of.q.numbers), np.array(of.u.numbers)

    def set_start(self, system: mb.MultibodySystem, state: mb.State) -> None:
        """Take the coordinates and speeds of a State of a System that was built from the mechanism."""
        changed = []
        for each in self.mechanism.bodies:
            body = system.matter.body(f"joint{each.number}")
            q, u = body.q(state), body.u(state)
            changed.append(replace(each, q=replace(each.q, numbers=_list(q)), u=replace(each.u, numbers=_list(u))))
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
