"""FmuComponentModel: an FMU of FMI 3.0 for co-simulation, or of FMI 2.0 or 3.0 for model exchange, as a component."""

import math
from collections.abc import Iterable, Mapping, Set
from functools import cached_property
from typing import final

from fmpy.model_description import Unit, Unknown

from mobod.cosim.component_model import ComponentCapabilities, ComponentInstance
from mobod.cosim.connections.terminals import Terminals, terminals_of_fmu
from mobod.cosim.connections.unit_names import unit_of_fmu
from mobod.cosim.fmi3_instance import Fmi3Instance
from mobod.cosim.variable import Kind, NetworkVariable, Value, entry_names
from mobod.errors import InputError, UnsupportedError
from mobod.fmi.loaded_fmu import Interface
from mobod.fmi.message_file import MessageFile
from mobod.importer.fmu_model import FmuModel
from mobod.importer.variable import ForeignVariable

_KINDS: dict[type, Kind] = {float: "float", int: "integer", bool: "boolean", str: "string"}


@final
class FmuComponentModel:
    """A `ComponentModel`.

    fmu
    interface
    sizes      structural parameters that differ from their start values
    places     of each variable by name: the FMU's variable, and the position of the entry in it

    Raises UnsupportedError for an FMU with clocks, or without a library for this platform.
    """

    noun = "FMU"

    def __init__(self, fmu: FmuModel, interface: Interface, sizes: Mapping[str, int] | None = None) -> None:
        clocks = [each.name for each in fmu.variables.values() if each.type == "Clock"]
        if clocks:
            raise UnsupportedError(
                f"{fmu.path}: it has clocks, which mobod does not activate: {', '.join(clocks[:8])}. Export the model without clocks."
            )
        fmu.archive.library(fmu.identifier(interface))
        self.fmu = fmu
        self.interface = interface
        self.sizes = dict(sizes or {})
        self.origin = str(fmu.path)
        self.identity = " ".join([fmu.description.guid, interface, *(f"{name}={size}" for name, size in sorted(self.sizes.items()))])
        self.places: dict[str, tuple[ForeignVariable, int]] = {}
        self.variables: dict[str, NetworkVariable] = {}
        self._units: dict[str, Unit] = {unit.name: unit for unit in fmu.description.unitDefinitions}
        for name, variable in fmu.variables.items():
            if variable.kind is not None:
                self._add(name, variable)
        self.recorded = [
            name
            for name, each in fmu.variables.items()
            if each.causality == "output" and each.kind is not None and each.description.alias is None
        ]
        self.capabilities = self._capabilities(fmu.capabilities(interface))

    def inputs_of(self, output: str, *, at_start: bool) -> Set[str]:
        """All inputs, unless the model description declares which."""
        variable, _ = self.places[output]
        if at_start and variable.description.initial == "exact":
            return set()
        description = self.fmu.description
        declared = self._declared(variable, description.initialUnknowns if at_start else description.outputs)
        inputs = {name for name, each in self.variables.items() if each.causality == "input"}
        return inputs if declared is None else inputs & declared

    def restructured(self, sizes: Mapping[str, int]) -> "FmuComponentModel":
        return FmuComponentModel(self.fmu, self.interface, {**self.sizes, **sizes})

    @cached_property
    def terminals(self) -> Terminals:
        return terminals_of_fmu(self.fmu.archive)

    def instance(self, name: str, *, varies_inputs: bool = False, log_file: MessageFile | None = None) -> ComponentInstance:
        if self.interface == "model-exchange":
            from mobod.cosim.exchange_instance import ExchangeInstance  # loads what integrates Systems

            return ExchangeInstance(self, name, log_file)
        varies = varies_inputs and self.capabilities.input_order > 0
        return Fmi3Instance(self, name, varies_inputs=varies, log_file=log_file)

    def elements(self, values: Mapping[str, Value]) -> dict[str, list[Value]]:
        """Values by the names of entries as lists of all elements of the FMU's variables. Entries that are not given have the FMU's start
        values. Raises InputError if it has none.
        """
        found: dict[str, list[Value]] = {}
        for name, value in values.items():
            variable, position = self.places[name]
            if variable.name not in found:
                size = math.prod(self.shape(variable))
                own = variable.start_values or []
                if len(own) != size and not all(entry in values for entry in self._names_of(variable)):
                    raise InputError(f"'{variable}' of {self.origin} has no start value for each of its {size} entries. Set all of them.")
                found[variable.name] = list(own) if len(own) == size else [value] * size
            found[variable.name][position] = value
        return found

    def shape(self, variable: ForeignVariable) -> tuple[int, ...]:
        return self.fmu.shape(variable, dict(self.sizes))

    def _names_of(self, variable: ForeignVariable) -> list[str]:
        return entry_names(variable.name, self.shape(variable)) if variable.is_array else [variable.name]

    def _add(self, name: str, variable: ForeignVariable) -> None:
        entries = entry_names(name, self.shape(variable)) if variable.is_array else [name]
        assert variable.kind is not None
        kind: Kind = "enumeration" if variable.items else _KINDS[variable.kind.python_type]
        declared = variable.description.declaredType
        is_whole = variable.kind.python_type is int
        for position, entry in enumerate(entries):
            self.places[entry] = variable, position
            self.variables[entry] = NetworkVariable(
                name=entry,
                kind=kind,
                type=variable.type,
                causality=variable.causality,
                variability=variable.variability,
                initial=variable.description.initial,
                unit=unit_of_fmu(variable.unit, self._units) if variable.unit else None,
                is_relative=bool(variable.description.relativeQuantity or (declared is not None and declared.relativeQuantity)),
                nominal=float(variable.description.nominal or 1.0),
                minimum=variable.minimum,
                maximum=variable.maximum,
                items=variable.items,
                lowest=variable.kind.lowest if is_whole else 0,
                highest=variable.kind.highest if is_whole else 0,
                array=name if variable.is_array else None,
                key=(variable.type, variable.reference, position),
            )

    def _declared(self, variable: ForeignVariable, unknowns: Iterable[Unknown]) -> set[str] | None:
        """The names of the entries on which a variable depends; None if that is not declared."""
        for unknown in unknowns:
            if unknown.variable is variable.description and unknown.dependencies is not None:
                known = {str(each.name) for each in unknown.dependencies}
                return {name for name, (each, _) in self.places.items() if each.name in known}
        return None

    def _capabilities(self, declared: Mapping[str, bool | float | str]) -> ComponentCapabilities:
        def has(*names: str) -> bool:
            return any(declared.get(name) is True for name in names)

        saves = has("canGetAndSetFMUState", "canGetAndSetFMUstate")
        exchange = self.interface == "model-exchange"
        return ComponentCapabilities(
            variable_steps=exchange or has("canHandleVariableCommunicationStepSize"),
            saves_state=saves,
            saves_bytes=saves and has("canSerializeFMUState", "canSerializeFMUstate"),
            directional_derivatives=has("providesDirectionalDerivatives", "providesDirectionalDerivative"),
            once_per_process=has("canBeInstantiatedOnlyOncePerProcess") and self.fmu.archive.isolation is None,
            input_order=2 if exchange or has("providesIntermediateUpdate") else 0,
            handles_events="event mode" if exchange or has("hasEventMode") else "inside",
            logs=True,
        )
