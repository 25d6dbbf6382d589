"""Loop: connections whose values depend on each other without delay."""

import logging
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any, final

import numpy as np

from mobod.cosim.component_model import ComponentInstance, TakesTrials
from mobod.cosim.connection import Connection
from mobod.cosim.exchange import Exchange
from mobod.cosim.signals.anderson import Anderson
from mobod.cosim.signals.fixed_point import FixedPoint, NotSolvedError, SingularLoopError
from mobod.cosim.signals.newton import Newton, inverse
from mobod.cosim.variable import Value
from mobod.errors import AlgebraicLoopError, FmuError, MobodError, UnsupportedError

_MOST_ROUNDS = 100  # of values that are no real numbers
_INCREMENT = 2.0**-24  # of a difference quotient, relative
_CONDITION = 1e6  # above which a loop is singular as far as difference quotients show
_log = logging.getLogger("mobod")


class _NoDerivativesError(Exception):
    """A component has no directional derivatives."""


@final
class Loop:
    """An algebraic loop: connections whose values depend on each other.

    Real values are solved for. Integers, booleans and texts are passed until they settle, with the real values solved for each of them,
    and so are real values that events change.

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
        targets = {each.target.component.name: instances[each.target.component.name] for each in of_real}
        self._taking_trials = [each for each in targets.values() if isinstance(each, TakesTrials)]
        models = [connections[k].source.component.model for k in self._real]
        self._has_derivatives = all(model.capabilities.directional_derivatives for model in models)
        self._x: np.ndarray | None  # real values of the last solution
        self._at = self._value = np.zeros(len(self._real))  # those of the last evaluation, and what came back
        self.recall(None)
        self.evaluations = 0  # of the last solution

    def settle(self) -> list[Value]:
        """Solve the loop at the present time. Returns the values of its connections.

        Raises AlgebraicLoopError, and errors of components.
        """
        self.evaluations = 0
        passed: list[Value | None] = [None] * len(self._others)
        for _ in range(_MOST_ROUNDS):
            changed = bool(self._real) and self._solve()
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

    def memory(self) -> dict[str, object]:
        """What the next solution depends on besides the components, as data for JSON."""
        newton, anderson = self._newton, self._anderson
        return {
            "connections": str(self),
            "x": None if self._x is None else self._x.tolist(),
            "uses newton": newton is not None,
            "inverse": None if newton is None or newton.inverse is None else newton.inverse.tolist(),
            "is real": anderson.is_real,
            "x changes": [each.tolist() for each in anderson.x_changes],
            "changes": [each.tolist() for each in anderson.changes],
        }

    def recall(self, memory: Mapping[str, Any] | None) -> None:
        """Take the memory of a loop of the same connections, or none. Raises ValueError, TypeError or KeyError for anything else."""
        n = len(self._real)
        self._x, self._anderson = None, Anderson()
        self._newton = Newton(self._jacobian) if self._has_derivatives else None
        if memory is None:
            return
        if memory["x"] is not None:
            self._x = _array(memory["x"], (n,))
        if not memory["uses newton"]:
            self._newton = None
        if self._newton is not None and memory["inverse"] is not None:
            self._newton.inverse = _array(memory["inverse"], (n, n))
        self._anderson.is_real = bool(memory["is real"])
        self._anderson.x_changes = [_array(each, (n,)) for each in memory["x changes"]]
        self._anderson.changes = [_array(each, (n,)) for each in memory["changes"]]

    def _solve(self) -> bool:
        """Solve for the real values. Returns whether events have changed them: those of instances for which trials are no events."""
        problem = FixedPoint(self._g, self._nominal)
        try:
            with ExitStack() as stack:
                for instance in self._taking_trials:
                    stack.enter_context(instance.trying())
                self._x = x = self._solution(problem)
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
        if not self._taking_trials:
            return False
        before = self._value
        return not problem.is_small(problem.size(self._g(x) - before, x))

    def _solution(self, problem: FixedPoint) -> np.ndarray:
        """By Newton's method with derivatives; else by Anderson acceleration; else by Newton's method with difference quotients."""
        error: SingularLoopError | NotSolvedError | None = None
        if self._newton is not None:
            try:
                return self._newton.solve(problem, self._start())
            except (SingularLoopError, NotSolvedError) as failure:
                # the Jacobian may be singular on the way, or outputs are held until the next step although their derivatives are not 0
                error = failure
            except _NoDerivativesError as failure:  # some FMUs declare derivatives that they do not have in this mode
                _log.info("%s", failure.__cause__)
        start = self._start()
        try:
            x = self._anderson.solve(problem, start)
        except (SingularLoopError, NotSolvedError) as failure:
            error = error or failure
            try:
                x = Newton(self._differences, condition=_CONDITION).solve(problem, start)
            except (SingularLoopError, NotSolvedError):
                raise error from None
        if isinstance(error, SingularLoopError) or self._at_start:
            self._check_is_regular(x)
        if self._newton is not None:
            _log.info("the algebraic loop of %s is solved without derivatives from now on: %r", self, error)
            self._newton = None
        return x

    def _g(self, x: np.ndarray) -> np.ndarray:
        self._at = x
        self._exchange.write(x.tolist())
        self._value = np.array(self._exchange.read(), dtype=float)
        return self._value

    def _start(self) -> np.ndarray:
        """The last solution; the start values of the inputs; or, where values only have to be passed on, the present outputs."""
        if self._x is not None and (self._newton is not None or self._anderson.is_real):
            return self._x
        if self._x is not None:
            return np.array(self._exchange.read(), dtype=float)
        x = np.empty(len(self._real))
        for name, places in self._by_component("target").items():
            batch = self._instances[name].batch(self.connections[self._real[k]].target.variable.name for k in places)
            x[places] = batch.get()
        return x

    def _jacobian(self) -> np.ndarray:
        """dg/dx by the directional derivatives of the components, at the present inputs."""
        found = np.zeros((len(self._real), len(self._real)))
        factors = np.array([self.connections[k].factor for k in self._real])
        sources = self._by_component("source")
        for column, k in enumerate(self._real):
            target = self.connections[k].target
            rows = [row for row in sources.get(target.component.name, []) if self._feeds[column, row]]
            names = [self.connections[self._real[row]].source.variable.name for row in rows]
            outputs = list(dict.fromkeys(names))  # one may be connected to several inputs
            try:
                change = self._instances[target.component.name].directional_derivative(outputs, [target.variable.name], [1.0])
            except (FmuError, UnsupportedError) as error:
                raise _NoDerivativesError from error
            found[rows, column] = factors[rows] * [change[outputs.index(name)] for name in names]
        return found

    def _differences(self) -> np.ndarray:
        """dg/dx by difference quotients at the x of the last evaluation, to which it returns."""
        x, columns = self._at, []
        value = self._g(x)
        for k, scale in enumerate(np.maximum(np.abs(x), self._nominal)):
            moved = x.copy()
            moved[k] += _INCREMENT * scale
            columns.append((self._g(moved) - value) / (moved[k] - x[k]))
        self._g(x)
        return np.column_stack(columns)

    def _check_is_regular(self, x: np.ndarray) -> None:
        """Raise SingularLoopError if difference quotients show that a solution is one of infinitely many."""
        try:
            differences = self._differences()
        except MobodError as error:  # a component may have no value beside the solution
            _log.info("the solution of the algebraic loop of %s cannot be checked: %s", self, error)
            self._g(x)
        else:
            inverse(np.eye(len(x)) - differences, _CONDITION)

    def _by_component(self, end: str) -> dict[str, list[int]]:
        """Positions of real connections by the component at this end."""
        found: dict[str, list[int]] = {}
        for position, k in enumerate(self._real):
            found.setdefault(getattr(self.connections[k], end).component.name, []).append(position)
        return found

    def _error(self, what: str, remedy: str) -> AlgebraicLoopError:
        times = {instance.time for each in self.connections if (instance := self._instances[each.source.component.name]).time is not None}
        when = f" at {max(times):.12g} s" if times else ""
        return AlgebraicLoopError(
            f"the values of these connections{when} depend on each other without delay (an algebraic loop), and {what}: {self}. {remedy}"
        )

    def __str__(self) -> str:
        return ", ".join(map(str, self.connections))


def _array(numbers: object, shape: tuple[int, ...]) -> np.ndarray:
    found = np.array(numbers, dtype=float)
    if found.shape != shape:
        raise ValueError(f"{found.shape} numbers instead of {shape}")
    return found


def _nominal(connection: Connection) -> float:
    """Of the value that the target takes: declared by the target, or else by the source; 1 stands for none."""
    target, source = abs(connection.target.variable.nominal), abs(connection.source.variable.nominal)
    return target if target not in (0, 1) else abs(connection.factor) * (source or 1.0)
