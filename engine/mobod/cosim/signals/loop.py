"""Loop: connections whose values depend on each other without delay."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, final

import numpy as np

from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection
from mobod.cosim.exchange import Exchange
from mobod.cosim.signals.anderson import Anderson
from mobod.cosim.signals.fixed_point import FixedPoint, NotSolvedError, SingularLoopError
from mobod.cosim.signals.newton import Newton, inverse
from mobod.cosim.variable import Value
from mobod.errors import AlgebraicLoopError, FmuError, UnsupportedError

_MOST_ROUNDS = 100  # of values that are no real numbers
_INCREMENT = 2.0**-24  # of a difference quotient, relative
_CONDITION = 1e6  # above which a loop is singular as far as difference quotients show
_log = logging.getLogger("mobod")


class _NoDerivativesError(Exception):
    """A component has no directional derivatives."""


@final
class Loop:
    """An algebraic loop: connections whose values depend on each other.

    Real values are solved by Newton's method if all components give directional derivatives, else by Anderson acceleration. Integers,
    booleans and texts are passed until they settle, with the real values solved for each of them.

    at_start  whether to refuse a loop that has infinitely many solutions
    """

    def __init__(
        self, connections: Sequence[Connection], instances: Mapping[str, ComponentInstance], feeds: np.ndarray, *, at_start: bool
    ) -> None:
        self.connections = list(connections)
        self._instances = instances
        self._at_start = at_start
        self._real = [k for k, each in enumerate(connections) if each.source.variable.kind == "float"]
        self._others = [k for k in range(len(connections)) if k not in self._real]
        of_real = [connections[k] for k in self._real]
        self._exchange = Exchange(of_real, instances)
        self._passes = [Exchange([connections[k]], instances) for k in self._others]
        self._feeds = feeds[np.ix_(self._real, self._real)]
        self._nominal = np.array([_nominal(each) for each in of_real])
        self._x: np.ndarray | None = None  # real values of the last solution
        self._anderson = Anderson()
        self._newton: Newton | None = None
        names = {connections[k].source.component.name: connections[k].source.component.model for k in self._real}
        if all(model.capabilities.directional_derivatives for model in names.values()):
            self._newton = Newton(self._jacobian)
        self.evaluations = 0  # of the last solution

    def settle(self) -> list[Value]:
        """Solve the loop at the present time. Returns the values of its connections. Raises AlgebraicLoopError, and errors of components."""
        self.evaluations = 0
        passed: list[Value | None] = [None] * len(self._others)
        for _ in range(_MOST_ROUNDS):
            if self._real:
                self._solve()
            changed = False
            for k, exchange in enumerate(self._passes):
                values = exchange.read()
                if passed[k] != values[0]:
                    exchange.write(values)
                    passed[k], changed = values[0], True
            if not changed:
                break
        else:
            raise self._error(f"they still change after {_MOST_ROUNDS} rounds", "Add a delay to one of the models.")
        values = [0.0] * len(self.connections)
        for k, value in zip(self._real, [] if self._x is None else self._x.tolist(), strict=True):
            values[k] = value
        for k, other in zip(self._others, passed, strict=True):
            assert other is not None
            values[k] = other
        return values

    def memory(self) -> dict[str, Any]:
        """What the next solution depends on besides the components, as lists of numbers."""
        newton = None if self._newton is None else None if self._newton.inverse is None else self._newton.inverse.tolist()
        anderson = self._anderson
        return {
            "x": None if self._x is None else self._x.tolist(),
            "has newton": self._newton is not None,
            "newton": newton,
            "is real": anderson.is_real,
            "x changes": [each.tolist() for each in anderson.x_changes],
            "changes": [each.tolist() for each in anderson.changes],
        }

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Take the memory of a loop of the same connections."""
        self._x = None if memory["x"] is None else np.array(memory["x"])
        if not memory["has newton"]:
            self._newton = None
        if self._newton is not None:
            self._newton.inverse = None if memory["newton"] is None else np.array(memory["newton"])
        self._anderson.is_real = memory["is real"]
        self._anderson.x_changes = [np.array(each) for each in memory["x changes"]]
        self._anderson.changes = [np.array(each) for each in memory["changes"]]

    def _solve(self) -> None:
        problem = FixedPoint(self._g, self._nominal)
        try:
            self._x = self._solution(problem)
        except SingularLoopError:
            raise self._error(
                "it is singular: the gain around the loop is 1, so that it has no solution or infinitely many",
                "Change a gain, or add a delay or a dynamic element to one of the models.",
            ) from None
        except NotSolvedError as error:
            raise self._error(
                f"they do not converge: {error} of their size remains",
                "Give start values of the inputs nearer to a solution, or add a delay.",
            ) from None
        finally:
            self.evaluations += problem.evaluations

    def _solution(self, problem: FixedPoint) -> np.ndarray:
        if self._newton is not None:
            start = self._inputs() if self._x is None else self._x
            try:
                return self._newton.solve(problem, start)
            except _NoDerivativesError as error:  # some FMUs declare derivatives that they do not have in this mode
                _log.info("the loop of %s is solved without derivatives: %s", self, error.__cause__)
                self._newton = None
            except (SingularLoopError, NotSolvedError) as error:
                return self._without_derivatives(problem, error)
        start = self._x if self._x is not None and self._anderson.is_real else np.array(self._exchange.read(), dtype=float)
        x = self._anderson.solve(problem, start)
        if self._at_start and self._anderson.is_real:
            self._check_is_regular(problem, x)
        return x

    def _without_derivatives(self, problem: FixedPoint, error: SingularLoopError | NotSolvedError) -> np.ndarray:
        """The solution where Newton's method failed: the Jacobian may be singular only on the way, or outputs may be held until the next
        step although their derivatives are not zero.
        """
        assert self._newton is not None
        self._newton.inverse = None
        try:
            x = Anderson().solve(problem, np.array(self._exchange.read(), dtype=float))
        except (SingularLoopError, NotSolvedError):
            raise error from None
        if isinstance(error, SingularLoopError):
            inverse(np.eye(len(x)) - self._jacobian(), _CONDITION)
        return x

    def _g(self, x: np.ndarray) -> np.ndarray:
        self._exchange.write(x.tolist())
        return np.array(self._exchange.read(), dtype=float)

    def _inputs(self) -> np.ndarray:
        """The present values of the real inputs."""
        x = np.empty(len(self._real))
        for name, places in self._by_component("target").items():
            batch = self._instances[name].batch(self.connections[self._real[k]].target.variable.name for k in places)
            x[places] = batch.get()
        return x

    def _jacobian(self) -> np.ndarray:
        """dg/dx by the directional derivatives of the components, at the present inputs."""
        found = np.zeros((len(self._real), len(self._real)))
        targets = self._by_component("target")
        for name, rows in self._by_component("source").items():
            outputs = list(dict.fromkeys(self.connections[self._real[k]].source.variable.name for k in rows))
            place = [outputs.index(self.connections[self._real[k]].source.variable.name) for k in rows]
            for column in targets.get(name, []):
                known = self.connections[self._real[column]].target.variable.name
                try:
                    change = self._instances[name].directional_derivative(outputs, [known], [1.0])
                except (FmuError, UnsupportedError) as error:
                    raise _NoDerivativesError from error
                found[rows, column] = np.array(change)[place]
        return np.where(self._feeds.T, found, 0.0)

    def _check_is_regular(self, problem: FixedPoint, x: np.ndarray) -> None:
        """Raise SingularLoopError if difference quotients show that the solution is one of infinitely many."""
        value, columns = problem.value(x), []
        for k, scale in enumerate(problem.scale(x)):
            moved = x.copy()
            moved[k] += _INCREMENT * scale
            columns.append((problem.value(moved) - value) / (moved[k] - x[k]))
        problem.value(x)
        inverse(np.eye(len(x)) - np.column_stack(columns), _CONDITION)

    def _by_component(self, end: str) -> dict[str, list[int]]:
        """Positions of real connections by the component at this end."""
        found: dict[str, list[int]] = {}
        for position, k in enumerate(self._real):
            found.setdefault(getattr(self.connections[k], end).component.name, []).append(position)
        return found

    def _error(self, what: str, remedy: str) -> AlgebraicLoopError:
        times = {instance.time for each in self.connections if (instance := self._instances[each.source.component.name]).time is not None}
        when = f" at {max(times):.12g} s" if times else ""  # type: ignore[type-var]
        return AlgebraicLoopError(
            f"the values of these connections{when} depend on each other without delay (an algebraic loop), and {what}: {self}. {remedy}"
        )

    def __str__(self) -> str:
        return ", ".join(map(str, self.connections))


def _nominal(connection: Connection) -> float:
    """Of the target, or else of the source; 1 is what a variable has that declares none."""
    return next(
        (abs(each) for each in (connection.target.variable.nominal, connection.source.variable.nominal) if abs(each) not in (0, 1)), 1.0
    )
