"""What a recorded event handler does: a sequence of recorded functions, with actions of the runtime between them."""

# Decision: docs/decisions/120-actions-of-elements.md

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

from mobod.runtime.library import constant
from mobod.runtime.tables import Struct
from mobod.scalar import Slot
from mobod.scalar.recording import Recording
from mobod.system.stage import Stage
from mobod.system.state.layout import Layout


@final
@dataclass(frozen=True)
class EventFunction:
    """A recorded function that maps numbers of w to numbers of w.

    inputs, outputs  slots of the recording's arrays
    invalidates      the earliest stage that must be realized again afterwards
    """

    recording: Recording
    inputs: tuple[Slot, ...]
    outputs: tuple[Slot, ...]
    invalidates: Stage


class Action(ABC):
    """What a recorded handler asks of the runtime; elements may add others."""

    @abstractmethod
    def in_c(self, layout: Layout) -> Struct:
        """`Instruction` of event_table.h."""


@final
@dataclass(frozen=True)
class Realize(Action):
    """To a stage."""

    stage: Stage

    def in_c(self, layout: Layout) -> Struct:
        return Struct("Instruction", kind=constant("DO_REALIZE"), number=int(self.stage))


@final
@dataclass(frozen=True)
class Project(Action):
    """To where the constraints hold."""

    def in_c(self, layout: Layout) -> Struct:
        return Struct("Instruction", kind=constant("DO_PROJECT"))


@final
@dataclass(frozen=True)
class DrawNormalNumbers(Action):
    """Random numbers by draw_normal_numbers of fmu_src/native/random/normal_numbers.h. draw: where what it reads is."""

    draw: Slot
    results: Slot

    def in_c(self, layout: Layout) -> Struct:
        return Struct(
            "Instruction",
            kind=constant("DO_DRAW"),
            number=self.results.offset,
            at=self.draw.offset,
            n_writes=self.results.size,
            writes=None,
        )


@final
@dataclass(frozen=True)
class EventProgram:
    """What a recorded handler does, in order.

    stage  w is realized to this stage before
    """

    stage: Stage
    steps: tuple[EventFunction | Action, ...]

    @property
    def functions(self) -> list[EventFunction]:
        return [step for step in self.steps if isinstance(step, EventFunction)]

    @property
    def actions(self) -> list[Action]:
        return [step for step in self.steps if isinstance(step, Action)]
