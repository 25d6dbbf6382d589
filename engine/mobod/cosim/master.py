"""Master: runs the FMUs of a network together."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import final

from mobod.cosim.algorithms.algorithm import ALGORITHMS
from mobod.cosim.algorithms.one_by_one import OneByOne
from mobod.cosim.communication import CommunicationPoints
from mobod.cosim.component import Component
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.dependencies import step_order
from mobod.cosim.exchange.fixed_steps import FixedSteps
from mobod.cosim.initialization import initialize
from mobod.cosim.network import Network
from mobod.cosim.run import Run, Steps, check_last_step
from mobod.cosim.signals.signals import Signals
from mobod.errors import InputError, UnknownNameError
from mobod.real_numbers import real_number
from mobod.simulate.table import Table

_FEEDTHROUGH = ("direct", "delayed")


@final
class Master:
    """Runs a network of FMUs with a fixed communication step.

        results = Master(network, step=0.01, algorithm="gauss-seidel").run(until=5.0)
        results["pendulum.lower.q"]; results.to_csv("run.csv")

    step       s        time between communication points, at which values are exchanged
    algorithm           "jacobi": all FMUs step with the values from before the step; "gauss-seidel": they step one after another, each
                        with the newest values
    input_order         of inputs that are real and continuous: 0: held in a step; 1 or 2: lines or parabolas through the last values of
                        the outputs. A component that takes no derivatives of inputs gets the mean over the step
    order               names of all FMUs in the order in which they step; default: each FMU after those that it gets values from
    feedthrough         "direct": outputs that depend directly on inputs are read after these, and algebraic loops are solved, at each
                        communication point; "delayed": outputs are read only after steps, so that each direct dependency delays by a
                        step. Initial values are consistent in both cases
    tolerance  ()       relative tolerance for FMUs that control their own error; default: that of each FMU
    threads             largest number of threads in which FMUs step at the same time with "jacobi", where that is faster; default: the
                        number of cores. Results have the same bits

    Each run loads the FMUs anew and frees them at its end, also after an error.
    """

    def __init__(
        self,
        network: Network,
        *,
        step: float = 0.01,
        algorithm: str = "jacobi",
        input_order: int = 0,
        order: Sequence[str] | None = None,
        feedthrough: str = "direct",
        tolerance: float | None = None,
        threads: int | None = None,
    ) -> None:
        if algorithm not in ALGORITHMS:
            raise UnknownNameError("algorithm", algorithm, ALGORITHMS)
        if order is not None and algorithm == "jacobi":
            raise InputError("an order was given, but with the algorithm 'jacobi' all FMUs step with the same values. Use 'gauss-seidel'.")
        if feedthrough not in _FEEDTHROUGH:
            raise UnknownNameError("feedthrough", feedthrough, _FEEDTHROUGH)
        tolerance = None if tolerance is None else real_number(tolerance, "Master: tolerance")
        if tolerance is not None and not 0 < tolerance < 1:
            raise InputError(f"the relative tolerance is {tolerance}. Give a number between 0 and 1.")
        self.network = network
        self.step = real_number(step, "Master: step")
        if input_order not in (0, 1, 2):
            raise InputError(f"Master: input_order is 0, 1 or 2, not {input_order!r}.")
        self._algorithm = ALGORITHMS[algorithm]
        self._input_order = input_order
        self._order = None if order is None else list(order)
        if threads is not None and not (real_number(threads, "Master: threads") >= 1):
            raise InputError(f"Master: threads must be a positive whole number, not {threads!r}.")
        self._is_delayed = feedthrough == "delayed"
        if threads is not None and not (real_number(threads, "Master: threads") >= 1):
            raise InputError(f"Master: threads must be a positive whole number, not {threads!r}.")
        self._tolerance = tolerance
        self._threads = threads

    def run(
        self,
        until: float,
        *,
        start: float = 0.0,
        outputs: Sequence[str] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Table:
        """Run from start to until (s). Returns the outputs at each communication point, named `component.variable`.

        outputs   variables to record, of any causality; default: all outputs of all FMUs
        progress  called with the number of steps done and the total number of steps: after the first step, some fifty times a second, and at
                  the end

        The last step is shorter if until - start is no multiple of the step. An FMU may end the run earlier: see `Run.until`.

        Raises InputError, UnknownNameError, FmuError if a call of an FMU fails, and AlgebraicLoopError for a loop without a
        solution, or with infinitely many.
        """
        start, until = real_number(start, "Master.run: start"), real_number(until, "Master.run: until")
        check_last_step(self.network, CommunicationPoints(start, until, self.step))  # check before FMUs are loaded
        with self.start(start, stop=until, outputs=outputs) as run:
            return run.until(until, progress=progress)

    def start(self, time: float = 0.0, *, stop: float | None = None, outputs: Sequence[str] | None = None) -> Run:
        """Load and initialize the FMUs and return a Run, which can be stepped, changed and saved.

        time     s   start time
        stop     s   stop time that is passed to the FMUs, some of which refuse to step beyond it; default: no stop time is passed
        outputs      variables to record, as in `run`

        Raises the same errors as `run`.
        """
        time = real_number(time, "Master.start: time")
        stop = None if stop is None else real_number(stop, "Master.start: stop")
        network = self.network.copy()
        components = network.components
        if not components:
            raise InputError("the network has no FMU. Add one.")
        if outputs is None:
            outputs = [f"{component.name}.{output}" for component in components.values() for output in component.model.recorded]
        columns = {name: network.ports(name) for name in outputs}
        order = self._step_order(network)

        with ExitStack() as stack:
            instances = {name: stack.enter_context(self._instance(component)) for name, component in components.items()}
            initialize(network, instances, start=time, stop=stop, tolerance=self._tolerance)
            signals = Signals(network.connections, instances, is_delayed=self._is_delayed)
            ordered = {name: instances[name] for name in order}
            algorithm = self._algorithm(network.connections, ordered, signals, self._input_order)
            operations = algorithm.operations()
            recorded = [variable for of in columns.values() for variable in of]
            steps: Steps = OneByOne(algorithm)
            if operations is not None:
                steps = FixedSteps(network.connections, ordered, operations, recorded, self._threads)
            return Run(network, instances, steps, algorithm, signals, columns, time, self.step, stack.pop_all())

    def _instance(self, component: Component) -> ComponentInstance:
        if self._input_order and component.model.capabilities.input_order:
            return component.model.instance(component.name, varies_inputs=True)
        return component.model.instance(component.name)

    def _step_order(self, network: Network) -> list[str]:
        if self._order is None:
            return step_order(network.components.values(), network.connections)
        for name in self._order:
            if name not in network.components:
                raise UnknownNameError("FMU of the network", name, network.components)
        if sorted(self._order) != sorted(network.components):
            raise InputError(f"the order {', '.join(self._order)} must name each FMU once: {', '.join(network.components)}.")
        return self._order
