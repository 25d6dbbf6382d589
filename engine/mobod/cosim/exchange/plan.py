"""Plan: the tables of a network in C, and the work that C leaves to Python."""

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, final

import numpy as np

from mobod.c_calls import CCalls
from mobod.cosim.component import ComponentVariable
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection
from mobod.cosim.exchange.direct import DirectInstance, direct, direct_run, finish_step_of_system
from mobod.cosim.exchange.numbers import numbers_of_simulation
from mobod.cosim.exchange.transfer import Transfer, split
from mobod.cosim.variable import Kind, Value
from mobod.fmi.loaded_fmu import LoadedFmu
from mobod.importer.step_outcome import StepOutcome
from mobod.runtime.library import constant, doubles, enumerators, ffi, ints, runtime

if TYPE_CHECKING:
    from mobod.simulate.stepped_run import SteppedRun

_AS_NUMBER = ("float", "boolean")  # kinds that the host keeps as numbers
_CONVERT: dict[Kind, type] = {"float": float, "boolean": bool, "integer": int, "enumeration": int, "string": str}

T = TypeVar("T")


@final
@dataclass(frozen=True)
class Phase:
    """A part of a communication step. The fields are in the order in which the work is done, except n_beside and call.

    values    indices of the connections whose values are set
    writes    indices of the transfers that write inputs
    steps     indices of the members that step; the first n_beside of them may step at the same time
    reads     indices of the transfers that read outputs
    call      a function that is called before the members step
    """

    values: Sequence[int] = ()
    writes: Sequence[int] = ()
    steps: Sequence[int] = ()
    reads: Sequence[int] = ()
    n_beside: int = 0
    call: Callable[[], object] | None = None


@final
class Plan:
    """Transfers over connections between instances, and the order in which C does them.

    connections
    values       (connections,)  as their targets take them, in C
    others       those of texts and of integers of 64 bits, by number of the connection
    numbers      (n,)  outputs, as they were read
    objects      those of texts and of integers of 64 bits, by place

    Transfers are added first, those of reading before those of writing; then `close` makes the tables. A context manager around calls of C.
    """

    def __init__(self, connections: Sequence[Connection], instances: Mapping[str, ComponentInstance]) -> None:
        self.connections = list(connections)
        self.values = np.zeros(len(self.connections))
        self.others: dict[int, Value] = {}
        self.numbers = np.zeros(0)
        self.objects: dict[int, Value] = {}
        self._names = list(instances)
        self._instances = list(instances.values())
        self._direct: list[DirectInstance | None] = [direct(each) for each in self._instances]
        self._runs: list[SteppedRun | None] = [direct_run(each) for each in self._instances]
        self._transfers: list[tuple[int, Transfer, list[int]]] = []  # member, transfer, and places or connections
        self._places: dict[tuple[str, str], int] = {}  # by component and variable
        self._n_places = 0
        self._functions: list[Callable[[], object]] = []  # that C calls
        self._calls = CCalls()
        self._kept: list[object] = []  # memory that C uses

    # making
    def read_from(self, component: str, variables: Sequence[ComponentVariable]) -> list[int]:
        """Add transfers that read variables. Returns their numbers."""
        kinds = {each.variable.name: each.variable.kind for each in variables}
        member, first_number = self._names.index(component), len(self._transfers)
        for transfer in split(self._instances[member], self._direct[member], list(kinds), is_write=False):
            places = self._places_of(component, transfer)
            for name, place in zip(transfer.names, places, strict=True):
                self._places[component, name] = place
                if transfer.is_by_host and kinds[name] not in _AS_NUMBER:
                    self.objects[place] = 0
            self._transfers.append((member, transfer, places))
        return list(range(first_number, len(self._transfers)))

    def _places_of(self, component: str, transfer: Transfer) -> list[int]:
        """Places of variables that are read: the same for two names of one element, and in all transfers."""
        places: dict[int, int] = {}  # by position
        for name, position in zip(transfer.names, transfer.positions, strict=True):
            if (component, name) in self._places:
                places[position] = self._places[component, name]
        for position in sorted(set(transfer.positions) - set(places)):
            places[position] = self._n_places
            self._n_places += 1
        return [places[position] for position in transfer.positions]

    def write_to(self, component: str, connections: Sequence[int]) -> list[int]:
        """Add transfers that write the values of connections, given by their numbers. Returns the numbers of the transfers."""
        targets = {self.connections[k].target.variable.name: k for k in connections}
        member, first_number = self._names.index(component), len(self._transfers)
        only_host = [name for name, k in targets.items() if self.place(self.connections[k].source) in self.objects]
        for transfer in split(self._instances[member], self._direct[member], list(targets), is_write=True, only_host=only_host):
            self._transfers.append((member, transfer, [targets[name] for name in transfer.names]))
        return list(range(first_number, len(self._transfers)))

    def place(self, variable: ComponentVariable) -> int:
        """Where a variable that is read is among `numbers` or `objects`."""
        return self._places[variable.component.name, variable.variable.name]

    def _is_read(self, variable: ComponentVariable) -> bool:
        return (variable.component.name, variable.variable.name) in self._places

    def may_step_beside(self, component: str) -> bool:
        """Whether C may step it in any thread, at the same time as others."""
        instance = self._direct[self._names.index(component)]
        is_system = self._runs[self._names.index(component)] is not None
        return is_system or (instance is not None and not instance.loaded.runs_python)

    def member(self, component: str) -> int:
        """The number of a component."""
        return self._names.index(component)

    def close(self, phases: Sequence[Phase], transferring: Phase, columns: Sequence[int] = ()) -> None:
        """Make the tables.

        phases        of each step
        transferring  what `read` and `write` do
        columns       places of the numbers in a row
        """
        self.numbers = np.zeros(self._n_places)
        self._taken_from: dict[int, list[int]] = {}
        for k, connection in enumerate(self.connections):
            if self._is_read(connection.source):  # others are passed by a function
                self._taken_from.setdefault(self.place(connection.source), []).append(k)
        self.others = {k: 0 for place in self.objects for k in self._taken_from.get(place, ())}
        self._handle = ffi.new_handle(self)
        self._members = ffi.new("ExchangeMember[]", len(self._names))
        plan = self._plan = ffi.new("ExchangePlan *")
        plan.n_members, plan.members = len(self._names), self._members
        plan.transfers = self._keep(ffi.new("Transfer[]", len(self._transfers)))
        plan.numbers, plan.values = doubles(self.numbers), doubles(self.values)
        plan.n_phases, plan.phases = len(phases), self._keep(ffi.new("ExchangePhase[]", len(phases) + 1))
        self._transferring = plan.phases + len(phases)
        plan.n_columns, plan.columns = len(columns), self._ints(columns)
        setattr(plan, "from", self._ints([self.place(each.source) if self._is_read(each.source) else 0 for each in self.connections]))
        plan.factors = self._doubles([each.factor for each in self.connections])
        plan.shifts = self._doubles([each.shift for each in self.connections])
        plan.is_plain = self._ints([int(each.is_plain) for each in self.connections])
        plan.do_by_host, plan.host = _DO_BY_HOST, self._handle
        plan.ticket = constant("NO_TICKET")
        for k, (member, transfer, at) in enumerate(self._transfers):
            self._describe(plan.transfers[k], member, transfer, at)
        for phase, made in zip([*phases, transferring], plan.phases[0 : len(phases) + 1], strict=True):
            for name in ("values", "writes", "steps", "reads"):
                setattr(made, f"n_{name}", len(getattr(phase, name)))
                setattr(made, name, self._ints(getattr(phase, name)))
            made.n_beside, made.call = phase.n_beside, -1
            if phase.call is not None:
                made.call = len(self._functions)
                self._functions.append(phase.call)
        stepping = {member for phase in phases for member in phase.steps}
        for member in stepping:
            self._describe_step(self._members[member], self._direct[member])
        by_c = {member for member, transfer, _ in self._transfers if not transfer.is_by_host}
        for member in stepping | by_c:
            instance = self._direct[member]
            if instance is not None:
                made = self._members[member]
                made.component, made.next_event = ffi.cast("void *", instance.loaded.component), inf
                made.time = ffi.cast("double *", ctypes.addressof(instance.loaded.log.time_in_c))
        self._systems = [(made, run) for made, run in zip(self._members, self._runs, strict=True) if run is not None]
        called = [(self._members[k], each) for k, each in enumerate(self._direct) if each is not None and k in stepping | by_c]
        self._by_c = [instance for _, instance in called]
        self._isolated = [instance for instance in self._by_c if instance.loaded.is_isolated]
        self._with_events = [(member, instance) for member, instance in called if instance.uses_events]
        self._n_ends = self._last_kept = -1  # when all FMUs were last seen alive, and without exceptions of their callbacks

    def _describe(self, made: Any, member: int, transfer: Transfer, at: Sequence[int]) -> None:
        made.member = member
        instance = self._direct[member]
        if transfer.is_by_host:
            return
        if transfer.of_system is not None:
            made.of_simulation = self._keep(numbers_of_simulation(transfer.of_system, self._kept))
        elif instance is not None:
            pointer = ffi.cast(f"Fmi{instance.fmi_version}Transfer *", instance.loaded.address(transfer.function))
            setattr(made, f"call{instance.fmi_version}", pointer)
            made.n_references = len(transfer.references)
            made.references = self._keep(ffi.new("unsigned[]", list(transfer.references)))
        made.type, made.n = constant(transfer.stored), transfer.n
        elements = [-1] * transfer.n
        for position, place in zip(transfer.positions, at, strict=True):
            elements[position] = place
        first = elements[0]
        if (
            not transfer.is_write
            and transfer.stored == "STORED_FLOAT64"
            and elements == list(range(first, first + transfer.n))
            and first >= 0
        ):
            made.buffer = doubles(self.numbers) + first
            return
        made.buffer = self._keep(ffi.new("double[]", transfer.n))
        made.at = self._ints(elements)

    def _describe_step(self, made: object, instance: DirectInstance | None) -> None:
        if instance is not None:
            version = instance.fmi_version
            setattr(made, f"step{version}", ffi.cast(f"Fmi{version}DoStep *", instance.loaded.address(f"fmi{version}DoStep")))

    def _keep(self, memory: T) -> T:
        self._kept.append(memory)
        return memory

    def _ints(self, numbers: Sequence[int]) -> object:
        return self._keep(ints(np.array(numbers, dtype=np.int32)))

    def _doubles(self, numbers: Sequence[float]) -> object:
        return self._keep(doubles(np.array(numbers, dtype=float)))

    # using
    def read(self) -> None:
        """Read outputs, and set the values of connections. Raises errors of components."""
        with self:
            runtime().exchange_read(self._plan, self._transferring)

    def write(self) -> None:
        """Write inputs. Raises errors of components."""
        with self:
            runtime().exchange_write(self._plan, self._transferring)

    def advance(self, times: np.ndarray, step: float, rows: np.ndarray) -> int:
        """Take steps of equal size from these communication points and fill their rows, within a `with`. Returns their number."""
        done: int = runtime().exchange_advance(self._plan, len(times), doubles(times), step, doubles(rows))
        return done

    def help(self) -> None:
        """Step members in this thread, while another one is in `advance`, until `end_help`."""
        runtime().exchange_help(self._plan)

    def end_help(self) -> None:
        self._plan.helpers_end = 1

    def use_threads(self, wanted: bool) -> None:
        """Whether the next `advance` has others that help."""
        self._plan.uses_threads, self._plan.helpers_end = wanted, 0

    def __enter__(self) -> Self:
        """Around calls of C. The end raises what callbacks have raised."""
        n_ends = LoadedFmu.n_ends
        for instance in self._isolated if n_ends == self._n_ends else self._by_c:
            instance.loaded.check_alive(f"fmi{instance.fmi_version}DoStep")
        self._n_ends = n_ends
        for member, instance in self._with_events:
            member.next_event = instance.next_event
        for member, run in self._systems:
            member.simulation, member.progress = run.native.handle, run.native.progress
        self._calls.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._note_steps_of_systems()
        try:
            self._calls.__exit__(kind, error, traceback)
        finally:
            if CCalls.last_kept != self._last_kept:
                self._last_kept = CCalls.last_kept
                for instance in self._by_c:
                    instance.loaded.log.calls.raise_kept()

    def _note_steps_of_systems(self) -> None:
        for _, run in self._systems:
            run.note_steps()

    # what C leaves to Python
    def do_by_host(self, task: int, number: int, detail: int, time: float, step: float) -> bool:
        """Returns whether it is done, and C goes on."""
        with self._calls.callback():
            _TASKS[task](self, number, detail, time, step)
            return True
        return False

    def _transfer(self, number: int, _detail: int, _time: float, _step: float) -> None:
        member, transfer, at = self._transfers[number]
        assert transfer.batch is not None
        if transfer.is_write:
            transfer.batch.set([self.value(k) for k in at])
            self._update(member)
            return
        for place, value in zip(at, transfer.batch.get_finite(), strict=True):
            if place not in self.objects:
                self.numbers[place] = value
                continue
            self.objects[place] = value
            for k in self._taken_from.get(place, ()):
                self.others[k] = value

    def value(self, connection: int) -> Value:
        """The value of a connection, as its target takes it."""
        if connection in self.others:
            return self.others[connection]
        value: Value = _CONVERT[self.connections[connection].target.variable.kind](self.values[connection])
        return value

    def set_value(self, connection: int, value: Value) -> None:
        """Set the value of a connection, as its target takes it."""
        if connection in self.others:
            self.others[connection] = value
        else:
            self.values[connection] = value

    def _call(self, number: int, _detail: int, _time: float, _step: float) -> None:
        self._note_steps_of_systems()
        self._functions[number]()
        for member in range(len(self._instances)):
            self._update(member)

    def _take_step(self, number: int, _detail: int, time: float, step: float) -> None:
        self._instances[number].step(time, step)
        self._update(number)

    def _judge_step(self, number: int, _detail: int, time: float, step: float) -> None:
        instance, made = self._direct[number], self._members[number]
        if instance is None:
            finish_step_of_system(self._instances[number], time, step, is_under_way=made.status == constant("STATUS_UNDER_WAY"))
            return
        instance.finish_step(time, step, StepOutcome(made.status, made.needs_event, made.ends, made.is_early, made.reached))
        self._update(number)

    def _judge_transfer(self, number: int, status: int, _time: float, _step: float) -> None:
        member, transfer, _ = self._transfers[number]
        self._of_fmu(member).check(transfer.function, status)

    def _refuse_not_finite(self, number: int, position: int, _time: float, _step: float) -> None:
        member, transfer, _ = self._transfers[number]
        name = transfer.names[list(transfer.positions).index(position)]
        instance = self._of_fmu(member)
        causality = instance.direct_variable(name).causality
        made = self._plan.transfers[number]
        value = ffi.cast("double *" if transfer.stored == "STORED_FLOAT64" else "float *", made.buffer)[position]
        what = f"is {value}. Check its inputs and parameters, or what the exporting tool says of this variable"
        raise instance.failure(f"{causality} '{name}'", what)

    def _of_fmu(self, member: int) -> DirectInstance:
        """An instance that C calls."""
        instance = self._direct[member]
        assert instance is not None
        return instance

    def _update(self, member: int) -> None:
        """Tell C what it must know of an instance after Python has called it."""
        instance = self._direct[member]
        if instance is not None and instance.uses_events:
            self._members[member].next_event = instance.next_event


def _do_by_host(handle: object, *arguments: int) -> int:
    plan: Plan = ffi.from_handle(handle)
    return 0 if plan.do_by_host(*arguments) else 1


_DO_BY_HOST = ffi.callback("HostOfExchange", _do_by_host, error=1)
_METHODS = {
    "HOST_TRANSFERS": Plan._transfer,
    "HOST_CALLS": Plan._call,
    "HOST_STEPS": Plan._take_step,
    "HOST_JUDGES_STEP": Plan._judge_step,
    "HOST_JUDGES_TRANSFER": Plan._judge_transfer,
    "HOST_FINDS_NOT_FINITE": Plan._refuse_not_finite,
}
_TASKS = {number: _METHODS[name] for name, number in enumerators("HostTask").items()}
