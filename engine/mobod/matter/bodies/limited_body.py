"""Limits of a mobilizer's coordinates."""

from abc import ABC, abstractmethod
from typing import Any, Protocol

import numpy as np

from mobod.errors import InputError
from mobod.matter.bodies.body_queries import BodyOwner
from mobod.matter.bodies.instance_data import TunableBody
from mobod.real_numbers import real_numbers
from mobod.system import State
from mobod.system.boundary import check_state


class LimitsOfCoordinate(Protocol):
    """See CoordinateLimitConstraint."""

    def set_defaults(self, lower: float, upper: float, restitution: float, compliance: float = 0.0, damping: float = 0.0) -> None: ...

    @property
    def compliant_rows(self) -> tuple[int, ...]: ...

    def is_disabled(self, state: State) -> bool: ...

    def bounds(self, state: State) -> tuple[float, float]: ...

    def engaged(self, state: State) -> int: ...

    def force(self, state: State) -> float: ...

    def impulse(self, state: State) -> float: ...

    def distance(self, state: State) -> float: ...


class LimitedBodyOwner(BodyOwner, ABC):
    """The part of a MatterSubsystem that a body with limits refers to."""

    @abstractmethod
    def new_limits(self, body: "LimitedBody", coordinate: int, *given: Any) -> LimitsOfCoordinate:
        """See MatterSubsystem."""


class LimitedBody(TunableBody):
    """A body whose mobilizer's coordinates may have limits, which a run keeps.

    At a limit a coordinate stops, bounces, rests and is let go as it would be by a rigid, frictionless stop; one with a compliance is a
    spring and a damper beyond it. A run begins with coordinates within their rigid limits: a start outside of them by more than its
    tolerance is an error, and no one moves it. An Assembler respects rigid limits.
    """

    matter: LimitedBodyOwner
    _limits: dict[int, LimitsOfCoordinate]

    @property
    @abstractmethod
    def nq(self) -> int:
        """Number of coordinates, with a quaternion where it can have one."""

    def set_limits(
        self,
        lower: Any = -np.inf,
        upper: Any = np.inf,
        restitution: Any = 0.0,
        *,
        compliance: Any = 0.0,
        damping: Any = 0.0,
        coordinate: int | None = None,
    ) -> None:
        """Give coordinates bounds; topological.

        lower, upper  of one coordinate, or (nq,); infinite where there is none. In the unit of the coordinate
        restitution   between 0 and 1: speed after an impact as a part of that before it (Newton); one, or (nq,)
        compliance    m/N or rad/(N m): how far the limit gives way to a unit of force, as a spring without a preload; 0: it is rigid, with
                      impacts; one, or (nq,)
        damping       N s/m or N m s/rad: of limits that give way; one, or (nq,)
        coordinate    number of the coordinate, if the body has several and one number is given

        Raises InputError for bounds in the wrong order, a restitution out of its range or of limits that give way, a damping of rigid ones,
        and for making rigid limits give way later; UnsupportedError for coordinates whose rates are no speeds of their own, such as those
        of a Ball.
        """
        what = f"set_limits of '{self.name}'"
        if coordinate is None and self.nq != 1 and np.ndim(lower) == np.ndim(upper) == 0:
            raise InputError(f"{what}: it has {self.nq} coordinates. Give bounds for each, or say which one: coordinate=...")
        if coordinate is None:
            named = (
                ("lower", lower),
                ("upper", upper),
                ("restitution", restitution),
                ("compliance", compliance),
                ("damping", damping),
            )
            given = [self._each(value, f"{what}: {name}") for name, value in named]
            for i, values in enumerate(zip(*given, strict=True)):
                if i in self._limits or np.isfinite(values[:2]).any() or np.isnan(values[:2]).any():
                    self._limit(i, *values)
        else:
            self._limit(coordinate, lower, upper, restitution, compliance, damping)

    @property
    def limits(self) -> dict[int, LimitsOfCoordinate]:
        """By the number of the coordinate."""
        return dict(self._limits)

    def engaged(self, state: State) -> np.ndarray:
        """(nq,) of each coordinate 1 at its lower limit, where a run holds it or that presses; -1 at its upper one, 0 where it is free."""
        return self._of_limits("engaged", state, 0)

    def limit_force(self, state: State) -> np.ndarray:
        """(nq,) generalized forces by limits, above 0 at a lower one, below 0 at an upper one; from ACCELERATION on."""
        return self._of_limits("force", state, 0.0)

    def limit_impulse(self, state: State) -> np.ndarray:
        """(nq,) impulses of the last impacts, with the signs of the forces."""
        return self._of_limits("impulse", state, 0.0)

    def limit_distance(self, state: State) -> np.ndarray:
        """(nq,) of each coordinate from its nearer limit, infinite where there is none; from POSITION on."""
        return self._of_limits("distance", state, np.inf)

    # inside
    def _limit(self, coordinate: int, *given: Any) -> None:
        """given: lower, upper, restitution, compliance, damping."""
        if coordinate in self._limits:
            self._limits[coordinate].set_defaults(*given)
        else:
            self._limits[coordinate] = self.matter.new_limits(self, coordinate, *given)

    def _each(self, value: Any, what: str) -> list[float]:
        array = real_numbers(value, what)
        if array.shape not in ((), (self.nq,)):
            raise InputError(f"{what} is one number, or ({self.nq},), not of shape {array.shape}.")
        return [float(each) for each in np.broadcast_to(array, self.nq)]

    def _of_limits(self, what: str, state: State, without: float) -> np.ndarray:
        check_state(state, self.matter.system)
        return np.array([getattr(self._limits[i], what)(state) if i in self._limits else without for i in range(self.nq)])
