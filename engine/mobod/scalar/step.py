"""SweepStep: a part of a sweep that decides by values, such as a rank or an active set; so it is not recorded: the C runtime does it."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NoReturn, final

import numpy as np

from mobod.errors import MobodError, UnsupportedError
from mobod.runtime.tables import Struct
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
    context: Struct


class SweepStep(ABC):
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

    @property
    def workspace(self) -> tuple[Slot, ...]:
        """What it writes beside its outputs; of no meaning to others."""
        return ()

    @property
    def why_no_tangent(self) -> str | None:
        """Why it is not known how the outputs change when the inputs do; None if it is."""
        return None

    @abstractmethod
    def in_c(self) -> StepInC:
        """The functions of the runtime that do the step."""

    @property
    def finite(self) -> Slot | None:
        """The output that is not finite where the step has failed; None: the step cannot fail."""
        return None

    def problem(self, w: np.ndarray) -> MobodError | None:
        """What is wrong with the outputs, after the step has been done on w; None if nothing is, or if it is explained elsewhere."""
        return None


class PythonStep(SweepStep, ABC):
    """A step that may call anything: it reads a State, adds to what is in w, and has neither derivatives nor C."""

    @property
    @abstractmethod
    def reached(self) -> Any:
        """The Stage of the State that it reads."""

    @property
    def realizing(self) -> tuple[int, Any, frozenset[int]] | None:
        """Of what belongs to a stage's realization: the subsystem, the stage, and the subsystems that have reached that already."""
        return None

    @abstractmethod
    def run_on(self, state: Any, w: np.ndarray) -> None:
        """Set the outputs in w from what the State knows; w is the State's own array or a copy of it."""

    def refuse(self, what: str) -> NoReturn:
        """Raise UnsupportedError: it cannot be `what`."""
        raise UnsupportedError(f"{self.name} runs as Python (recordable = False), and cannot be {what}.")

    @final
    def in_c(self) -> NoReturn:
        self.refuse("done in C")
