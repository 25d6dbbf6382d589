"""The master: it runs the FMUs of a network together."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from typing import final

from mobod.cosim.communication import CommunicationPoints
from mobod.cosim.exchange import Exchange
from mobod.cosim.initialization import initialize
from mobod.cosim.instance import Instance
from mobod.cosim.jacobi import jacobi
from mobod.cosim.network import Network
from mobod.cosim.recorder import Recorder
from mobod.errors import InputError, UnknownNameError
from mobod.simulate.table import Table

Algorithm = Callable[[Exchange, Iterable[Instance], float, float], None]

ALGORITHMS: dict[str, Algorithm] = {"jacobi": jacobi}


@final
class Master:
    """Runs a network with a fixed communication step.

        results = Master(network, step=0.01).run(until=5.0)
        results["pendulum.lower.q"]; results.to_csv("run.csv")

    step       s        between the points at which values are exchanged
    algorithm           what the FMUs know of each other during a step; a name in ALGORITHMS
    tolerance  ()       the relative one, for FMUs with an error control of their own; theirs if left out

    Each run loads the FMUs anew and frees them at its end, also after an error.
    """

    def __init__(self, network: Network, *, step: float = 0.01, algorithm: str = "jacobi", tolerance: float | None = None) -> None:
        if algorithm not in ALGORITHMS:
            raise UnknownNameError("algorithm", algorithm, ALGORITHMS)
        if tolerance is not None and not 0 < tolerance < 1:
            raise InputError(f"the relative tolerance is {tolerance}. Give a number between 0 and 1.")
        self.network = network
        self.step = float(step)
        self._advance = ALGORITHMS[algorithm]
        self._tolerance = tolerance

    def run(
        self,
        until: float,
        *,
        start: float = 0.0,
        outputs: Sequence[str] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Table:
        """Run from start to until (s); returns the outputs, named `component.variable`, at each communication point.

        outputs   the variables to record, of any causality; all outputs of all FMUs if left out
        progress  called after each step with the number of steps done and of all steps

        The last step is shorter if until - start is no multiple of the step. Errors: InputError, UnknownNameError; FmuError from an FMU's
        call; MobodError for an algebraic loop at the start.
        """
        points = CommunicationPoints(float(start), float(until), float(self.step))
        self._check_last_step(points)
        components = self.network.components
        if not components:
            raise InputError("the network has no FMU. Add one.")
        if outputs is None:
            outputs = [f"{component.name}.{output}" for component in components.values() for output in component.outputs]
        ports = [self.network.port(name) for name in dict.fromkeys(outputs)]

        with ExitStack() as stack:
            instances = {name: stack.enter_context(Instance(component.file, name)) for name, component in components.items()}
            initialize(self.network, instances, start=start, stop=until, tolerance=self._tolerance)
            exchange = Exchange(self.network.connections, instances)
            recorder = Recorder(ports, instances, points.times)
            recorder.record(0)
            steps = len(points.times) - 1
            for k, time in enumerate(points.times[:-1].tolist()):
                # full steps all have the very same size, for FMUs that can do no other
                self._advance(exchange, instances.values(), time, self.step if k < steps - 1 else points.last_step)
                recorder.record(k + 1)
                if progress is not None:
                    progress(k + 1, steps)
        return recorder.table()

    def _check_last_step(self, points: CommunicationPoints) -> None:
        rigid = [
            f"'{component.name}'"
            for component in self.network.components.values()
            if not component.file.description.coSimulation.canHandleVariableCommunicationStepSize
        ]
        if rigid and not points.is_even:
            raise InputError(
                f"the last step, until {points.times[-1]} s, would take {points.last_step:g} s in place of {self.step} s, and these FMUs "
                f"can take steps of one size alone: {', '.join(rigid)}. Let the run be a whole number of steps."
            )
