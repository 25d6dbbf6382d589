"""Step: a part of a sweep that decides by values, such as a rank or an active set; so it is not recorded but written in Python and in C."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, final

import numpy as np

from mobod.errors import UnsupportedError
from mobod.runtime.tables import Element, Struct
from mobod.scalar.slot import Slot


@dataclass(frozen=True)
class StepInC:
    """A step as kernels of fmu_src/native/kernel.h.

    header           declares the functions
    kernel, tangent  their names
    context          their table
    """

    header: str
    kernel: str
    tangent: str
    context: Struct | Element


class Step(ABC):
    """Reads its inputs and sets its outputs in the flat array w of a State; it stands among the rows of a sweep."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What it does, in a few words."""

    @property
    @abstractmethod
    def inputs(self) -> tuple[Slot, ...]:
        """All that it reads."""

    @property
    @abstractmethod
    def outputs(self) -> tuple[Slot, ...]:
        """All that it sets; each may depend on every input."""

    @abstractmethod
    def run(self, w: np.ndarray) -> None:
        """Set the outputs."""

    @abstractmethod
    def run_tangent(self, w: np.ndarray, dw: np.ndarray) -> None:
        """Set in dw the changes of the outputs, to first order, when the inputs change by dw; the step has been done on w."""

    @abstractmethod
    def in_c(self, tables: Mapping[str, Any]) -> StepInC:
        """The functions of the runtime that do the step; `tables`: those of the model, by the names of fields of Model."""


class PythonStep(Step, ABC):
    """A step that may call anything: it reads a State, adds to what is in w, and has neither derivatives nor C."""

    @abstractmethod
    def run_on(self, state: Any, w: np.ndarray) -> None:
        """Set the outputs in w from what the State knows; w is the State's own array or a copy of it."""

    @final
    def run(self, w: np.ndarray) -> NoReturn:
        self._refuse("done without a State")

    @final
    def run_tangent(self, w: np.ndarray, dw: np.ndarray) -> NoReturn:
        self._refuse("differentiated")

    @final
    def in_c(self, tables: Mapping[str, Any]) -> NoReturn:
        self._refuse("done in C")

    def _refuse(self, what: str) -> NoReturn:
        raise UnsupportedError(f"{self.name} runs as Python (recordable = False), and cannot be {what}.")


def run_step(step: Step, w: np.ndarray, state: Any) -> None:
    """Do a step of either kind; state: whose numbers w holds, None where only numbers are known."""
    if isinstance(step, PythonStep) and state is not None:
        step.run_on(state, w)
    else:
        step.run(w)
