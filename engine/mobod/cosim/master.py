"""Master: runs the FMUs of a network together."""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from os import PathLike
from typing import final

from mobod.arguments.real_numbers import real_number
from mobod.cosim.algorithms.algorithm import AlgorithmChoice, algorithm_choice
from mobod.cosim.algorithms.bond_account import BondAccount
from mobod.cosim.algorithms.choices import Choices, adaptive_steps, begin_component
from mobod.cosim.algorithms.one_by_one import OneByOne
from mobod.cosim.algorithms.rollback import check_can_return
from mobod.cosim.algorithms.shortened import Shortened
from mobod.cosim.communication import CommunicationPoints
from mobod.cosim.component import ComponentVariable
from mobod.cosim.dependencies import step_order
from mobod.cosim.exchange.steps_in_c import StepsInC
from mobod.cosim.initialization import initialize
from mobod.cosim.network import Network
from mobod.cosim.run import Run, Steps, check_last_step
from mobod.cosim.signals.signals import Signals
from mobod.cosim.step_sizes.control import AdaptiveSteps, CoupledRun, StepControl
from mobod.cosim.step_sizes.error_estimate import ErrorEstimate
from mobod.errors import InputError, UnknownNameError
from mobod.fmi.log_file import LogFile
from mobod.fmi.message_file import message_file
from mobod.simulate.table import Table

_log = logging.getLogger("mobod")
DEFAULT_STEP = 0.01  # s
_FEEDTHROUGH = ("direct", "delayed")


@final
class Master:
    """Runs a network of FMUs.

        results = Master(network, step=0.01, algorithm="gauss-seidel").run(until=5.0)
        results["pendulum.lower.q"]; results.to_csv("run.csv")

    step       s        time between communication points, at which values are exchanged; of adaptive steps the first one. Default: that
                        of the SSP that the network was read from, if it has one, else 0.01
    algorithm           "jacobi": all FMUs step with the values from before the step; "gauss-seidel": they step one after another, each
                        with the newest values; "waveform" or a WaveformIteration: steps are repeated until values at their end fit;
                        "newton" or a NewtonIteration: the same by Newton's method
    adaptive            Richardson, PredictorCorrector or EnergyResidual: steps of variable size; or a tolerance: Richardson if all FMUs
                        can save their state, else EnergyResidual if there is a bond, else PredictorCorrector; default: fixed steps
    input_order         of inputs that are real and continuous: 0: held in a step; 1 or 2: lines or parabolas through the last values of
                        the outputs. A component that takes no derivatives of inputs gets the mean over the step. Default: 0; 1 if steps
                        are repeated until values fit; 2 with Richardson and PredictorCorrector
    order               names of all FMUs in the order in which they step; default: each FMU after those that it gets values from
    feedthrough         "direct": outputs that depend directly on inputs are read after these, and algebraic loops are solved, at each
                        communication point; "delayed": outputs are read only after steps, so that each direct dependency delays by a
                        step. Initial values are consistent in both cases
    tolerance  ()       relative tolerance for FMUs that control their own error; default: that of each FMU, or with adaptive steps a
                        hundredth of their tolerance
    own_steps           steps (s) of FMUs by name that differ from `step`: a whole part of it, or a multiple of it. Then the FMU steps when
                        the others have come to the end of its step, with the inputs from the start, and its outputs stay until then
    threads             largest number of threads in which FMUs step at the same time with "jacobi" and fixed steps, where that is faster;
                        default: the number of cores. Results have the same bits
    estimate_error      whether to take each fixed step as a whole, and then as two halves, whose difference is the column coupling_error
    shorten_discarded   whether to save all states before each fixed step, and take a step in halves that an FMU discards

    Each run loads the FMUs again and frees them at its end, also after an error.
    """

    def __init__(
        self,
        network: Network,
        *,
        step: float | None = None,
        algorithm: str | AlgorithmChoice = "jacobi",
        adaptive: AdaptiveSteps | float | None = None,
        input_order: int | None = None,
        order: Sequence[str] | None = None,
        feedthrough: str = "direct",
        tolerance: float | None = None,
        own_steps: Mapping[str, float] | None = None,
        threads: int | None = None,
        estimate_error: bool = False,
        shorten_discarded: bool = False,
    ) -> None:
        self._algorithm = algorithm_choice(algorithm)
        if order is not None and self._algorithm.name != "gauss-seidel":
            raise InputError(
                f"an order was given, but with the algorithm '{self._algorithm.name}' all FMUs step with the same values. Use "
                "'gauss-seidel'."
            )
        UnknownNameError.check("feedthrough", feedthrough, _FEEDTHROUGH)
        tolerance = None if tolerance is None else real_number(tolerance, "Master: tolerance")
        if tolerance is not None and not 0 < tolerance < 1:
            raise InputError(f"the relative tolerance is {tolerance}. Give a number between 0 and 1.")
        self.network = network
        declared = None if network.ssp is None else network.ssp.structure.step
        self.step = real_number(step, "Master: step") if step is not None else declared or DEFAULT_STEP
        if input_order not in (None, 0, 1, 2):
            raise InputError(f"Master: input_order is 0, 1 or 2, not {input_order!r}.")
        if adaptive is not None and (estimate_error or shorten_discarded):
            raise InputError(
                "Master: estimate_error and shorten_discarded are for fixed steps. Adaptive steps do both if they are repeated."
            )
        self._adaptive = adaptive
        self._input_order = input_order
        self._estimates, self._shortens = estimate_error, shorten_discarded
        self._order = None if order is None else list(order)
        if threads is not None and not (real_number(threads, "Master: threads") >= 1):
            raise InputError(f"Master: threads must be a positive whole number, not {threads!r}.")
        self._threads = threads
        self._own_steps = {name: real_number(each, f"Master: own_steps['{name}']") for name, each in (own_steps or {}).items()}
        self._is_delayed = feedthrough == "delayed"
        self._tolerance = tolerance

    def run(
        self,
        until: float,
        *,
        start: float = 0.0,
        outputs: Sequence[str] | None = None,
        progress: Callable[[int, int], None] | None = None,
        pace: float | None = None,
        csv: str | PathLike[str] | None = None,
        log: str | PathLike[str] | LogFile | None = None,
    ) -> Table:
        """Run from start to until (s). Returns the outputs at each communication point, named `component.variable`.

        outputs   variables to record, of any causality; default: all outputs of all FMUs
        progress, pace, csv
                  as in `Run.until`
        log       file for the messages of FMUs, as in `start`

        The last step is shorter if until - start is no multiple of the step. An FMU may end the run earlier: see `Run.until`.

        Raises InputError, UnknownNameError, FmuError if a call of an FMU fails, and AlgebraicLoopError for a loop without a
        solution, or with infinitely many.
        """
        start, until = real_number(start, "Master.run: start"), real_number(until, "Master.run: until")
        points = CommunicationPoints(start, until, self.step)
        if self._adaptive is None:
            check_last_step(self.network, points)  # check before FMUs are loaded
        with self.start(start, stop=until, outputs=outputs, log=log) as run:
            return run.until(until, progress=progress, pace=pace, csv=csv)

    def start(
        self,
        time: float = 0.0,
        *,
        stop: float | None = None,
        outputs: Sequence[str] | None = None,
        log: str | PathLike[str] | LogFile | None = None,
    ) -> Run:
        """Load and initialize the FMUs and return a Run, which can be stepped, changed and saved.

        time     s   start time
        stop     s   stop time that is passed to the FMUs, some of which refuse to step beyond it; default: no stop time is passed
        outputs      variables to record, as in `run`
        log          file for all messages of FMUs from now until the run is closed, each with the time and the FMU; or a LogFile, which
                     chooses some. Default: none, and FMUs are asked to log failures alone. With a log no steps are taken in C

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
        choices = self._choices(network)
        _log.info("%s", choices)

        with ExitStack() as stack:
            log_file = stack.enter_context(message_file(log))
            instances = {
                name: stack.enter_context(
                    begin_component(component, choices.input_order, step=self.step, own_step=self._own_steps.get(name), log_file=log_file)
                )
                for name, component in components.items()
            }
            initialize(network, instances, start=time, stop=stop, tolerance=choices.tolerance)
            signals = Signals(network.connections, instances, is_delayed=self._is_delayed)
            ordered = {name: instances[name] for name in order}
            algorithm = choices.algorithm.begin(network.connections, ordered, signals, choices.input_order)
            extra: dict[str, tuple[str, Callable[[], float]]] = {}  # columns of the run itself
            if network.bonds:
                account = algorithm = BondAccount(algorithm, network.bonds, network.connections, signals, choices.input_order)
                extra |= {f"{bond.name}.energy": ("J", account.reader(k)) for k, bond in enumerate(network.bonds)}
            if self._shortens or (choices.algorithm.repeats_steps and choices.adaptive is None):
                algorithm = Shortened(algorithm, instances, signals)
            coupling = CoupledRun(
                instances=ordered,
                variables={name: component.model.variables for name, component in components.items()},
                recorded={
                    name: [each.variable.name for of in component.model.recorded for each in component.ports(of)]
                    for name, component in components.items()
                },
                connections=network.connections,
                bonds=network.bonds,
                signals=signals,
                algorithm=algorithm,
                order=choices.input_order,
                step=self.step,
            )
            return Run(
                network,
                coupling,
                self._steps(choices, coupling, columns, extra, is_logged=log_file is not None),
                str(choices),
                columns,
                extra,
                time,
                stack.pop_all(),
            )

    def _steps(
        self,
        choices: Choices,
        coupling: CoupledRun,
        columns: Mapping[str, Sequence[ComponentVariable]],
        extra: dict[str, tuple[str, Callable[[], float]]],
        *,
        is_logged: bool,
    ) -> Steps | StepControl:
        if choices.adaptive is not None:
            control = choices.adaptive.begin(coupling)
            if control.error is not None:
                extra["coupling_error"] = ("", lambda: control.error or 0.0)
            return control
        operations = coupling.algorithm.operations()
        if operations is None or is_logged:  # each message has the time of its step
            return OneByOne(coupling.algorithm)
        recorded = [variable for of in columns.values() for variable in of]
        return StepsInC(coupling.connections, coupling.instances, operations, recorded, self._threads)

    def _choices(self, network: Network) -> Choices:
        adaptive: AdaptiveSteps | None = None
        if self._estimates:
            adaptive = ErrorEstimate()
        elif self._adaptive is not None:
            adaptive = adaptive_steps(self._adaptive, network)
        if self._shortens:
            check_can_return(network.components, "shorten_discarded")
        for name in self._own_steps:
            UnknownNameError.check("FMU of the network", name, network.components)
        if self._own_steps and (adaptive is not None or self._algorithm.repeats_steps or self._shortens):
            raise InputError("Master: own_steps are for fixed steps that are taken once.")
        return Choices.of(network, self._algorithm, adaptive, self._input_order, self._tolerance)

    def _step_order(self, network: Network) -> list[str]:
        if self._order is None:
            return step_order(network.components.values(), network.connections)
        for name in self._order:
            UnknownNameError.check("FMU of the network", name, network.components)
        if sorted(self._order) != sorted(network.components):
            raise InputError(f"the order {', '.join(self._order)} must name each FMU once: {', '.join(network.components)}.")
        return self._order
