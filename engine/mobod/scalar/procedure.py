"""Procedure: a part of a sweep that decides by values, such as a rank or an active set; so it is not recorded: the C runtime does it."""

# Decision: docs/decisions/015-steps-of-a-sweep.md

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NoReturn, final

import numpy as np

from mobod.errors import MobodError, UnsupportedError
from mobod.runtime.tables import Struct
from mobod.scalar.slot import Slot


@dataclass(frozen=True)
class ProcedureInC:
    """A procedure as kernels of fmu_src/native/tables/kernel.h.

    header                    declares the functions
    kernel, tangent, adjoint  names of the functions
    context                   table for the functions
    """

    header: str
    kernel: str
    tangent: str
    adjoint: str
    context: Struct


class Procedure(ABC):
    """A part of a sweep that is not recorded. It reads its inputs and sets its outputs in the flat array w of a State."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What it does, in a few words."""

    @property
    @abstractmethod
    def inputs(self) -> tuple[Slot, ...]:
        """The slots of everything that it reads."""

    @property
    @abstractmethod
    def outputs(self) -> tuple[Slot, ...]:
        """The slots of everything that it sets. Each output may depend on every input."""

    @property
    def workspace(self) -> tuple[Slot, ...]:
        """Slots of temporary values, which nothing else reads."""
        return ()

    @property
    def begins_repeated_part(self) -> bool:
        """Whether the rows after it may be done again (REPEAT_FROM_HERE in fmu_src/native/tables/kernel.h)."""
        return False

    @property
    def why_no_tangent(self) -> str | None:
        """Why the outputs have no tangent; None if they have one."""
        return None

    @abstractmethod
    def in_c(self) -> ProcedureInC:
        """The functions of the runtime that run the procedure."""

    @property
    def finite(self) -> Slot | None:
        """The output that is not finite if the procedure fails; None: the procedure cannot fail."""
        return None

    def problem(self, w: np.ndarray) -> MobodError | None:
        """The error in the outputs after the procedure has run on w; None if there is none, or if it is explained elsewhere."""
        return None


class PythonProcedure(Procedure, ABC):
    """A procedure that calls Python code, which may read anything in a State. It has no tangent and cannot become C."""

    @property
    @abstractmethod
    def reached(self) -> Any:
        """The Stage to which the State is realized for it."""

    @property
    def realizing(self) -> tuple[int, Any, frozenset[int]] | None:
        """If it belongs to the realization of a stage: the subsystem, the stage, and the subsystems that have reached that stage."""
        return None

    @abstractmethod
    def run_on(self, state: Any, w: np.ndarray) -> None:
        """Set the outputs in w. w is the State's own array or a copy of it."""

    def refuse(self, what: str) -> NoReturn:
        """Raise UnsupportedError: the procedure cannot be `what`."""
        raise UnsupportedError(f"{self.name} runs as Python (recordable = False), and cannot be {what}.")

    @final
    def in_c(self) -> NoReturn:
        self.refuse("done in C")
