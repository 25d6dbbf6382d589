"""Trial: a test run of one FMU by itself."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Self, final

import numpy as np
from fmpy.model_description import ModelVariable

from mobod.cosim.batch import Value
from mobod.cosim.fmu_file import FmuFile
from mobod.cosim.instance import Instance, SimulationEndedError
from mobod.cosim.validation_report import Experiment


@final
@dataclass(frozen=True, eq=False)
class OutputValues:
    """The outputs at a communication point: (n,) real numbers, and the others; each in the order of the model description."""

    reals: np.ndarray
    others: list[Value]

    def is_same(self, other: "OutputValues") -> bool:
        """Whether all bits are equal; 0.0 and -0.0 differ."""
        return self.reals.tobytes() == other.reals.tobytes() and self.others == other.others


Rows = list[OutputValues]


@final
class Trial:
    """An instance that is ready to step, with the start values and inputs of its model description.

    parts  number of its own steps in each step of the experiment; a power of two, so that times are exactly equal

    A context manager that frees the instance. Raises FmuError if a call fails.
    """

    def __init__(self, file: FmuFile, experiment: Experiment, parts: int) -> None:
        self._experiment = experiment
        self._parts = parts
        self._step = experiment.step / parts
        self.ended: SimulationEndedError | None = None
        with ExitStack() as stack:
            self.instance = stack.enter_context(Instance(file, f"{file.path.stem}, steps of {self._step:g} s"))
            self.instance.set_up(experiment.start, experiment.stop, experiment.tolerance)
            self.instance.enter_initialization()
            self.instance.exit_initialization()
            self._resources = stack.pop_all()
        self._reals = self.instance.batch(name for name, variable in output_variables(file) if variable.type == "Real")
        self._others = self.instance.batch(name for name, variable in output_variables(file) if variable.type != "Real")
        self._clock = next((name for name, variable in file.variables.items() if variable.causality == "independent"), None)

    def row(self) -> OutputValues:
        """The present outputs. Raises FmuError for a value that is not finite."""
        return OutputValues(self._reals.get_reals(), self._others.get())

    def walk(self, first: int, last: int, progress: Callable[[float], None] | None = None) -> Rows:
        """Step from the communication point with number `first` to number `last`. Returns the outputs at each point after the first.

        progress  called at each point with the finished part of these steps

        There are fewer points if the FMU ends the simulation; `ended` is then True.
        """
        rows: Rows = []
        for point in range(first, last):
            try:
                for k in range(point * self._parts, (point + 1) * self._parts):
                    self.instance.step(self._experiment.start + k * self._step, self._step)
            except SimulationEndedError as ended:
                self.ended = ended
                return rows
            self._check_clock(self._experiment.start + (point + 1) * self._experiment.step)
            rows.append(self.row())
            if progress is not None:
                progress((point + 1 - first) / (last - first))
        return rows

    def _check_clock(self, time: float) -> None:
        if self._clock is None:
            return
        shown = self.instance.get(self._clock)
        # tolerance for the round-off of an FMU that sums its steps
        if not isinstance(shown, float) or abs(shown - time) > 1e-6 * self._experiment.step:
            raise self.instance.failure("fmi2DoStep", f"did not end at its communication point: '{self._clock}' is {shown}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._resources.__exit__(kind, error, traceback)


def output_variables(file: FmuFile) -> list[tuple[str, ModelVariable]]:
    return [(name, variable) for name, variable in file.variables.items() if variable.causality == "output"]
