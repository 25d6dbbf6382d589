"""Limits of a mobilizer's coordinates."""

from abc import ABC, abstractmethod
from typing import Any, Protocol

import numpy as np

from mobod.errors import InputError
from mobod.matter.body_queries import BodyOwner
from mobod.matter.instance_data import TunableBody
from mobod.real_numbers import real_numbers
from mobod.system import State
from mobod.system.boundary import check_state


class LimitsOfCoordinate(Protocol):
    """The interface of CoordinateLimits that a body uses."""

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
    """The interface of a MatterSubsystem that a body with limits uses."""

    @abstractmethod
    def new_limits(self, body: "LimitedBody", coordinate: int, *given: Any) -> LimitsOfCoordinate:
        """Make the limits of a coordinate. See MatterSubsystem.new_limits."""


class LimitedBody(TunableBody):
    """A body whose coordinates can have limits, which runs enforce.

    A rigid limit acts as a rigid, frictionless stop: the coordinate bounces, rests and separates. A compliant limit acts as a spring and a
    damper beyond the bound. A run raises an error if a coordinate starts outside its rigid limits by more than its tolerance; it does not
    move the coordinate. An Assembler respects rigid limits.
    """

    matter: LimitedBodyOwner
    _limits: dict[int, LimitsOfCoordinate]

    @property
    @abstractmethod
    def nq(self) -> int:
        """Number of coordinates in a State that uses quaternions."""

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
        """Set bounds of coordinates. Topological.

        lower, upper  of one coordinate, or (nq,), in the unit of the coordinate; infinite: no bound
        restitution   between 0 and 1: speed after an impact divided by the speed before it (Newton); one, or (nq,)
        compliance    m/N or rad/(N m): displacement of the limit per unit of force, as of a spring without preload; 0: rigid, with impacts;
                      one, or (nq,)
        damping       N s/m or N m s/rad: of compliant limits; one, or (nq,)
        coordinate    number of the coordinate, if the body has several and single numbers are given

        Raises InputError for bounds in the wrong order, a restitution out of range or of compliant limits, a damping of rigid limits, and
        for making existing rigid limits compliant. Raises UnsupportedError for coordinates whose rates are not speeds, such as those of a
        Ball.
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
        """The limits of each limited coordinate, by the coordinate's number."""
        return dict(self._limits)

    def engaged(self, state: State) -> np.ndarray:
        """(nq,) 1 if the coordinate is active at its lower limit, -1 at its upper limit, otherwise 0. A compliant limit is active if it has
        a force.
        """
        return self._of_limits("engaged", state, 0)

    def limit_force(self, state: State) -> np.ndarray:
        """(nq,) generalized forces of limits: positive at a lower limit, negative at an upper one. Needs stage ACCELERATION."""
        return self._of_limits("force", state, 0.0)

    def limit_impulse(self, state: State) -> np.ndarray:
        """(nq,) impulses of the last impacts, with the signs of the forces."""
        return self._of_limits("impulse", state, 0.0)

    def limit_distance(self, state: State) -> np.ndarray:
        """(nq,) distance of each coordinate from its nearer limit; infinite without limits. Needs stage POSITION."""
        return self._of_limits("distance", state, np.inf)

    # # internal
    def _limit(self, coordinate: int, *given: Any) -> None:
        """Set or make the limits of a coordinate. given: lower, upper, restitution, compliance, damping."""
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
