"""SystemModel: a System as a component of a network, without an FMU."""

import hashlib
from collections.abc import Mapping, Sequence, Set
from functools import cached_property
from typing import final

from mobod.compilation.calls.dependencies import OffsetSets
from mobod.compilation.source.start_dependencies import StartDependencies
from mobod.cosim.component_model import ComponentCapabilities
from mobod.cosim.connections.terminals import Terminals
from mobod.cosim.connections.unit_names import unit_named
from mobod.cosim.system_instance import SystemInstance
from mobod.cosim.variable import Kind, NetworkVariable
from mobod.errors import InputError, UnknownNameError
from mobod.fmu.description.terminals import terminals
from mobod.fmu.python.model import dependencies
from mobod.simulate.simulation import Simulation
from mobod.system import CatalogueVariable, Stage, State, System, check_state
from mobod.version import mobod_version

_KINDS: dict[str, Kind] = {"real": "float", "boolean": "boolean", "integer": "integer"}


@final
class SystemModel:
    """A `ComponentModel` of a System: its inputs, parameters, states and results by their names, `motor.force`, `lower.p_GB[2]`.

    system
    state       at which runs start, a copy
    simulation  its options; None: those of a Simulation with the accuracy that the master asks for
    places      of each variable by name: the System's variable, and the number of the entry in it
    recorded    default: the states

    Raises UnknownNameError for an output that does not exist; InputError.
    """

    noun = "System"

    def __init__(
        self, system: System, state: State | None = None, simulation: Simulation | None = None, outputs: Sequence[str] | None = None
    ) -> None:
        if isinstance(outputs, str):
            raise InputError(f"outputs is a list of names. Write outputs=['{outputs}'].")
        if state is None:
            state = system.realize_topology()
        check_state(state, system)
        self.system = system
        self.state = state.copy()
        self.simulation = simulation
        self.origin = f"System '{system.name}'"
        self.places: dict[str, tuple[CatalogueVariable, int]] = {}
        self.variables: dict[str, NetworkVariable] = {}
        arrays = set()
        for variable in system.variables(self.state):
            names = variable.entry_names()
            arrays |= {variable.name} if len(names) > 1 else set()
            for entry, name in enumerate(names):
                self.places[name] = variable, entry
                self.variables[name] = _variable(variable, entry, name)
        if outputs is None:
            outputs = [variable.name for variable, entry in self.places.values() if variable.role == "state" and entry == 0]
        for name in outputs:
            if name not in self.variables and name not in arrays:
                raise UnknownNameError(f"variable of System '{system.name}'", name, [*self.variables, *arrays])
        self.recorded = list(outputs)
        self.capabilities = ComponentCapabilities(
            saves_state=True,
            saves_bytes=True,
            directional_derivatives=not any(each.why_not_recordable() for each in system.subsystems),
            input_order=2,
        )

    @cached_property
    def identity(self) -> str:
        """A hash of its variables and of the size of a State: states of another structure are refused."""
        content = [mobod_version(), self.system.name, str(len(self.state.values))]
        content += [f"{name} {variable.slot.offset} {variable.type}" for name, (variable, _) in self.places.items()]
        return hashlib.sha256("\n".join(content).encode()).hexdigest()

    def inputs_of(self, output: str, *, at_start: bool) -> Set[str]:
        """By the equations; values that plain Python computes depend on all inputs."""
        variable, entry = self.places[output]
        offset = list(variable.slot.offsets)[entry]
        if variable.role in ("parameter", "input") or (variable.role == "state" and not at_start):
            return set()
        sets = self._dependencies_at_start if at_start else self._dependencies
        mask = sets.masks[offset]
        known = {each for i, each in enumerate(sets.independent) if mask >> i & 1}
        inputs = [(name, list(each.slot.offsets)[k]) for name, (each, k) in self.places.items() if each.role == "input"]
        return {name for name, at in inputs if at in known}

    @cached_property
    def _dependencies(self) -> OffsetSets:
        return dependencies(self.system, self.state).of(self._offsets)

    @cached_property
    def _dependencies_at_start(self) -> OffsetSets:
        known = dependencies(self.system, self.state)
        return StartDependencies(self.system, self.state.layout, known).of(self._offsets)

    @property
    def _offsets(self) -> list[int]:
        return [offset for variable, entry in self.places.values() if entry == 0 for offset in variable.slot.offsets]

    @cached_property
    def terminals(self) -> Terminals:
        variables = {variable.name for variable, _ in self.places.values()}
        members = {each.name: {name: f"{each.name}.{end}" for end, name in each.members.items()} for each in terminals(self.system)}
        return {terminal: {name: each for name, each in of.items() if each in variables} for terminal, of in members.items()}

    def restructured(self, sizes: Mapping[str, int]) -> "SystemModel":
        raise InputError(f"{self.origin} has no structural parameters, but {', '.join(sizes)} was given.")

    def instance(self, name: str, *, varies_inputs: bool = False) -> SystemInstance:
        return SystemInstance(self, name)


def _variable(variable: CatalogueVariable, entry: int, name: str) -> NetworkVariable:
    causality = {"input": "input", "parameter": "parameter"}.get(variable.role, "output")
    tunable = variable.invalidates is not None and variable.invalidates > Stage.MODEL
    variability = "continuous" if variable.type == "real" else "discrete"
    if causality == "parameter":
        variability = "tunable" if tunable else "fixed"
    unit = variable.unit(entry)
    least, greatest = variable.declared_range or (variable.minimum, variable.maximum)
    return NetworkVariable(
        name=name,
        kind=_KINDS[variable.type],
        type={"real": "Float64", "boolean": "Boolean", "integer": "Int32"}[variable.type],
        causality=causality,
        variability=variability,
        initial="exact" if variable.role == "state" or (variable.role == "parameter" and tunable) else None,
        unit=unit_named(unit) if variable.type == "real" else None,
        minimum=least,
        maximum=greatest,
        array=variable.name if len(variable.entry_names()) > 1 else None,
        key=(variable.name, entry),
    )
