"""Recording of event handlers into their programs (program.py)."""

# Decision: docs/decisions/067-recorded-handlers.md

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError, RecordingError, StageError
from mobod.runtime.library import runtime
from mobod.scalar import Expr, Scalar, Slot, Tape, minimum, where
from mobod.scalar.recording import Recording, as_recorded, reachable
from mobod.system.boundary import checked_stage
from mobod.system.events.handler_actions import NEVER, HandlerActions
from mobod.system.events.memory_guard import guarded
from mobod.system.events.program import Action, DrawNormalNumbers, EventFunction, EventProgram, Project, Realize
from mobod.system.stage import Stage
from mobod.system.state.handles import STAGE_OF_KIND, ContinuousVariable, DiscreteVariable
from mobod.system.state.layout import Layout
from mobod.system.state.reading import Reader
from mobod.system.state.recorded_state import RecordedState, probe
from mobod.system.state.state_owner import AnySystem


def record_handler(
    handle: Callable[[Any, HandlerActions], None],
    actions: type["RecordedActions"],
    guard: Sequence[object],
    system: AnySystem,
    layout: Layout,
    stage: Stage,
    about: str,
    *,
    direction: Slot,
    scheduled: Slot,
    terminates: Slot,
    number: int,
) -> EventProgram:
    """Record a handler as a Program.

    actions     what it may ask for
    guard       the object and functions whose attributes and variables must not change during recording
    direction   slot of the direction of the crossing
    scheduled   slot of the time at which the handler is to be called
    terminates  slot that receives the number of the event that ends the run

    Raises RecordingError, which names what cannot be recorded, and StageError for values that are not known at its stage.
    """
    recorder = _Recorder(system, layout, stage, about)
    event = actions(recorder, direction, scheduled, terminates, number)
    with guarded(guard, about):
        recorder.run(lambda: handle(RecordedHandlerState(recorder), event))
    return recorder.program()


def record_time(
    function: Callable[[Any], ArrayLike], guard: Sequence[object], system: AnySystem, layout: Layout, stage: Stage, about: str, to: Slot
) -> EventProgram:
    """A Program that sets a number to the result of a function of the State."""
    recorder = _Recorder(system, layout, stage, about)
    with guarded(guard, about):
        recorder.run(lambda: recorder.write(to, _as_time(function(RecordedHandlerState(recorder)), about), None))
    return recorder.program()


def reader_of(about: str, stage: Stage) -> Reader:
    """A Reader that allows all variables, and computed values up to a stage."""
    return Reader(about=about, stage=stage, variables=Stage.REPORT)


class RecordedHandlerState(RecordedState):
    """Stand-in for a State while a handler is recorded. It can be set; reads return what was set before, or what the runtime computed from
    it.
    """

    can_be_set = True

    def __init__(self, recorder: "_Recorder"):
        super().__init__(recorder.system, recorder.layout, reader_of(recorder.about, recorder.stage), {})
        self._recorder = recorder

    @property
    def reader(self) -> Reader:
        """What may be read now. Setting a variable invalidates later stages."""
        return reader_of(self._recorder.about, self._recorder.stage)

    @reader.setter
    def reader(self, value: Reader) -> None:
        """Ignored: the recorder determines what may be read."""

    def _at(self, slot: Slot) -> Any:
        return self._recorder.read(slot)

    @property
    def time(self) -> Scalar:
        """Time, s."""
        return self.view(self.layout.time)

    @time.setter
    def time(self, value: Scalar) -> None:
        raise InputError(
            f"{self.reader.about}: it sets the time, which only the integrator may change. To be called at a later time, use "
            "event.schedule(time)."
        )

    @property
    def q(self) -> np.ndarray:
        return np.asarray(self.view(self.layout.q))

    @q.setter
    def q(self, value: ArrayLike) -> None:
        self.write(self.layout.q, value, "q", Stage.POSITION)

    @property
    def u(self) -> np.ndarray:
        return np.asarray(self.view(self.layout.u))

    @u.setter
    def u(self, value: ArrayLike) -> None:
        self.write(self.layout.u, value, "u", Stage.VELOCITY)

    @property
    def z(self) -> np.ndarray:
        return np.asarray(self.view(self.layout.z))

    @z.setter
    def z(self, value: ArrayLike) -> None:
        self.write(self.layout.z, value, "z", Stage.DYNAMICS)

    def write(self, slot: Slot, value: ArrayLike, name: str, invalidates: Stage) -> None:
        """Set a part of q, u or z, or of a numeric discrete variable."""
        self._recorder.write(slot, as_numbers(value, slot.shape, f"{self.reader.about}: '{name}'"), invalidates)

    def set(self, variable: DiscreteVariable | ContinuousVariable, value: Any) -> None:
        """Set a variable to a number, a boolean or an array of numbers."""
        if isinstance(variable, ContinuousVariable):
            self.write(self.layout.slot(variable), value, variable.name, STAGE_OF_KIND[variable.kind])
            return
        if variable.invalidates == Stage.MODEL:
            raise StageError(
                f"{self.reader.about}: it sets '{variable.name}', which invalidates MODEL. Such a variable decides which other variables "
                "exist and "
                "cannot be set during a run."
            )
        if variable.shape is None:
            raise RecordingError(
                f"{self.reader.about}: it sets discrete variable '{variable.name}', which is not numeric, so that this cannot be "
                "recorded. Store numbers in it, or set recordable = False."
            )
        if variable.is_boolean:
            value = where(value, 1.0, 0.0)
        self.write(self.layout.slot(variable), value, variable.name, variable.invalidates)


class RecordedActions(HandlerActions):
    """The actions of a handler that is being recorded.

    about  names its function, for messages
    """

    def __init__(self, recorder: "_Recorder", direction: Slot, scheduled: Slot, terminates: Slot, number: int):
        self._recorder, self._scheduled, self._terminates, self._number = recorder, scheduled, terminates, float(number)
        self._direction = direction
        self.about = recorder.about

    @property
    def direction(self) -> Scalar:
        return self._recorder.read(self._direction)

    def terminate_when(self, condition: Scalar | np.bool_) -> None:
        before = self._recorder.read(self._terminates)
        self._recorder.write(self._terminates, as_numbers(where(condition, self._number, before), (), self.about), None)

    def schedule(self, time: Scalar) -> None:
        self._recorder.write(self._scheduled, _as_time(time, f"{self.about}: the time that it schedules"), None)

    def realize(self, stage: Stage | str) -> None:
        stage = checked_stage(stage, f"{self.about}: realize")
        if not Stage.INSTANCE <= stage <= Stage.ACCELERATION:
            raise InputError(f"{self.about}: it realizes {stage.name}; there are INSTANCE to ACCELERATION.")
        self.ask(Realize(stage), reached=max(stage, self._recorder.stage))

    def project(self) -> None:
        self.ask(Project(), reached=Stage.VELOCITY)

    def normal_numbers(self, n: int, *, seed: Scalar, sample: Scalar, name: str) -> np.ndarray:
        """(n,) numbers of the standard normal distribution: the same for the same arguments, independent for others.

        seed    whole, 0 to 2^32 - 1
        sample  whole: the number of the sample
        name    of the element that draws them
        """
        text = name.encode()
        high, low = divmod(runtime().mobod_hash_of_bytes(text, len(text)), 2**32)
        draw = self.keep(np.array([seed, sample, float(high), float(low)], dtype=object))
        results = self._recorder.layout.reserve((n,))
        self.ask(DrawNormalNumbers(draw, results), reached=self._recorder.stage)
        return self._recorder.read(results)

    def ask(self, action: Action, reached: Stage) -> None:
        """Have the runtime act at this place of the handler; reached: the stage of the State afterwards."""
        self._recorder.act(action, reached)

    def keep(self, array: np.ndarray) -> Slot:
        """Where recorded numbers lie that an action needs."""
        slot = self._recorder.layout.reserve(array.shape)
        self._recorder.write(slot, array, None)
        return slot


@dataclass
class _Segment:
    """The recorded operations between two actions, by offsets into w.

    symbols  for the numbers of w at its beginning
    writes   the numbers that it sets
    """

    symbols: dict[int, Expr] = field(default_factory=dict)
    writes: dict[int, Expr] = field(default_factory=dict)
    invalidates: Stage = Stage.REPORT
    action: Action | None = None


class _Recorder:
    """The tape, and the known values of w at the present point of the handler."""

    def __init__(self, system: AnySystem, layout: Layout, stage: Stage, about: str):
        self.system, self.layout, self.about = system, layout, about
        self.start_stage = self.stage = stage
        self._tape = Tape(about)
        self._segments = [_Segment()]

    def run(self, function: Callable[[], object]) -> None:
        probe(function, self.about)

    def read(self, slot: Slot) -> Any:
        segment = self._segments[-1]
        array = np.empty(slot.size, dtype=object)
        for i in range(slot.size):
            offset = slot.offset + i
            if offset in segment.writes:
                array[i] = segment.writes[offset]
            else:
                if offset not in segment.symbols:
                    segment.symbols[offset] = self._tape.symbol(f"w{offset}_{len(self._segments)}")
                array[i] = segment.symbols[offset]
        array = array.reshape(slot.shape)
        array.flags.writeable = False
        return array[()]

    def write(self, slot: Slot, array: np.ndarray, invalidates: Stage | None) -> None:
        segment = self._segments[-1]
        recorded = as_recorded(self._tape, array)
        segment.writes.update(zip(range(slot.offset, slot.offset + slot.size), recorded.flat, strict=True))
        if invalidates is not None:
            segment.invalidates = min(segment.invalidates, invalidates)
            self.stage = min(self.stage, invalidates.previous())

    def act(self, action: Action, reached: Stage) -> None:
        self._segments[-1].action = action
        self._segments.append(_Segment())
        self.stage = reached

    def program(self) -> EventProgram:
        kept = self._kept_values()
        steps: list[EventFunction | Action] = []
        for number, segment in enumerate(self._segments):
            if function := self._function(number, segment, kept):
                steps.append(function)
            if segment.action is not None:
                steps.append(segment.action)
        return EventProgram(self.start_stage, tuple(steps))

    def _kept_values(self) -> dict[int, Slot]:
        """Slots that keep the values of symbols, by their number, for later segments."""
        kept: dict[int, Slot] = {}
        earlier: set[int] = set()
        for segment in self._segments:
            for number in reachable(self._tape, segment.writes.values()):
                if number in earlier and number not in kept:
                    kept[number] = self.layout.reserve(())
            earlier.update(symbol.number for symbol in segment.symbols.values())
        return kept

    def _function(self, number: int, segment: _Segment, kept: dict[int, Slot]) -> EventFunction | None:
        own = {symbol.number: offset for offset, symbol in segment.symbols.items()}
        writes = dict(segment.writes)
        writes.update((kept[symbol].offset, self._tape.expr(symbol)) for symbol in own if symbol in kept)
        if not writes:
            return None
        used = set(reachable(self._tape, writes.values()))
        inputs = {offset: symbol for symbol, offset in own.items() if symbol in used}
        inputs |= {slot.offset: symbol for symbol, slot in kept.items() if symbol in used and symbol not in own}
        reads = {offset: self._tape.expr(symbol) for offset, symbol in inputs.items()}
        (from_slots, arguments), (to_slots, results) = _in_ranges(reads), _in_ranges(writes)
        recording = Recording(self._tape, tuple(arguments), tuple(results))
        return EventFunction(recording, tuple(from_slots), tuple(to_slots), segment.invalidates)


def _as_time(value: ArrayLike, what: str) -> np.ndarray:
    """The time as an array of one number; infinity becomes NEVER."""
    return np.asarray(minimum(as_numbers(value, (), what)[()], NEVER), dtype=object)


def as_numbers(value: ArrayLike, shape: tuple[int, ...], what: str) -> np.ndarray:
    """Recorded or plain numbers in the given shape. A shape of one number accepts a single number."""
    array = np.asarray(value, dtype=object)
    if array.shape != shape and not (array.size == 1 and int(np.prod(shape)) == 1):
        raise InputError(f"{what} has shape {shape}, but a value of shape {array.shape} was given.")
    return array.reshape(shape)


def _in_ranges(entries: dict[int, Expr]) -> tuple[list[Slot], list[np.ndarray]]:
    """Groups entries, by offset, into slots of adjacent offsets and the arrays for these."""
    slots: list[Slot] = []
    arrays: list[np.ndarray] = []
    run: list[int] = []

    def close() -> None:
        if run:
            slots.append(Slot(run[0], (len(run),)))
            array = np.empty(len(run), dtype=object)
            array[:] = [entries[offset] for offset in run]
            arrays.append(array)
            run.clear()

    for offset in sorted(entries):
        if run and offset != run[-1] + 1:
            close()
        run.append(offset)
    close()
    return slots, arrays
