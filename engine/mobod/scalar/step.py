"""Step: a part of a sweep that decides by values, such as a rank or an active set; so it is not recorded but written in Python and in C."""

from abc import ABC, abstractmethod

import numpy as np

from mobod.scalar.slot import Slot


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
    def c_code(self, name: str) -> str:
        """C that defines the tables of the step and `name`, a Kernel of model.h."""

    @abstractmethod
    def c_tangent(self, name: str) -> str:
        """C that defines `name`, a Tangent of model.h."""
