"""FmuComponentModel: an FMU as a component, for co-simulation or for model exchange."""

from collections.abc import Iterable, Mapping, Set
from functools import cached_property
from typing import final

from fmpy.model_description import Unit, Unknown

from mobod.cosim.component_model import ComponentCapabilities, ComponentInstance
from mobod.cosim.connections.terminals import Terminals, terminals_of_fmu
from mobod.cosim.connections.unit_names import unit_of_fmu
from mobod.cosim.fmu_entries import FmuEntries
from mobod.cosim.instance import Instance
from mobod.cosim.variable import Kind, NetworkVariable
from mobod.errors import FmuFileError, UnsupportedError
from mobod.fmi.loading import Interface
from mobod.fmi.message_file import MessageFile
from mobod.importer.fmu_model import FmuModel
from mobod.importer.variable import ForeignVariable

_KINDS: dict[type, Kind] = {float: "float", int: "integer", bool: "boolean", str: "string"}


@final
class FmuComponentModel:
    """A `ComponentModel`.

    fmu
    interface
    entries    its single numbers
    variables  by the names of entries

    sizes: structural parameters that differ from their start values

    Raises UnsupportedError for an FMU with clocks, or without a library for this platform; FmuFileError for a variable that cannot be read.
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
        self.entries = FmuEntries(fmu, sizes)
        self.origin = str(fmu.path)
        of_sizes = [f"{name}={size}" for name, size in sorted(self.entries.sizes.items())]
        self.identity = " ".join([fmu.description.guid, *(["model-exchange"] if self._is_exchange else []), *of_sizes])
        self._units: dict[str, Unit] = {unit.name: unit for unit in fmu.description.unitDefinitions}
        try:
            self.variables = {name: self._variable(name, *place) for name, place in self.entries.places.items()}
        except (TypeError, ValueError, OverflowError) as error:
            raise FmuFileError(f"{fmu.path}: its modelDescription.xml has a variable that cannot be read: {error}.") from error
        self.recorded = [
            name
            for name, each in fmu.variables.items()
            if each.causality == "output" and each.kind is not None and each.description.alias is None
        ]
        self.capabilities = self._capabilities()

    @property
    def _is_exchange(self) -> bool:
        return self.interface == "model-exchange"

    def inputs_of(self, output: str, *, at_start: bool) -> Set[str]:
        """All inputs, unless the model description declares which."""
        variable, _ = self.entries.places[output]
        if at_start and variable.description.initial == "exact":
            return set()
        description = self.fmu.description
        declared = self._declared(variable, description.initialUnknowns if at_start else description.outputs)
        inputs = {name for name, each in self.variables.items() if each.causality == "input"}
        return inputs if declared is None else inputs & declared

    def restructured(self, sizes: Mapping[str, int]) -> "FmuComponentModel":
        return FmuComponentModel(self.fmu, self.interface, {**self.entries.sizes, **sizes})

    @cached_property
    def terminals(self) -> Terminals:
        return terminals_of_fmu(self.fmu.archive)

    def instance(self, name: str, *, varies_inputs: bool = False, log_file: MessageFile | None = None) -> ComponentInstance:
        if self._is_exchange:
            from mobod.cosim.exchange_instance import ExchangeInstance  # loads what integrates Systems

            return ExchangeInstance(self.entries, name, log_file)
        return Instance(self, name, log_file, varies_inputs=varies_inputs)

    def _variable(self, entry: str, variable: ForeignVariable, position: int) -> NetworkVariable:
        description, kind = variable.description, variable.kind
        assert kind is not None  # entries have no others
        declared = description.declaredType
        is_whole = kind.python_type is int
        return NetworkVariable(
            name=entry,
            kind="enumeration" if variable.type == "Enumeration" else _KINDS[kind.python_type],
            type=variable.type,
            causality=variable.causality,
            variability=variable.variability,
            initial=description.initial,
            unit=unit_of_fmu(variable.unit, self._units) if variable.unit else None,
            is_relative=bool(description.relativeQuantity or (declared is not None and declared.relativeQuantity)),
            nominal=float(description.nominal or 1.0),
            minimum=variable.minimum,
            maximum=variable.maximum,
            items=variable.items,
            lowest=kind.lowest if is_whole else 0,
            highest=kind.highest if is_whole else 0,
            array=entry.rpartition("[")[0] if variable.is_array else None,
            key=(variable.type, variable.reference, position),
        )

    def _declared(self, variable: ForeignVariable, unknowns: Iterable[Unknown]) -> set[str] | None:
        """The names of the entries on which a variable depends; None if that is not declared."""
        for unknown in unknowns:
            if unknown.variable is variable.description and unknown.dependencies is not None:
                known = {str(each.name) for each in unknown.dependencies}
                return {name for name, (each, _) in self.entries.places.items() if each.name in known}
        return None

    def _capabilities(self) -> ComponentCapabilities:
        def can(name: str) -> bool:
            return self.fmu.can(self.interface, name)

        saves, exchange = can("canGetAndSetFMUstate"), self._is_exchange
        return ComponentCapabilities(
            variable_steps=exchange or can("canHandleVariableCommunicationStepSize"),
            saves_state=saves,
            saves_bytes=saves and can("canSerializeFMUstate"),
            directional_derivatives=can("providesDirectionalDerivative"),
            once_per_process=can("canBeInstantiatedOnlyOncePerProcess") and self.fmu.archive.isolation is None,
            input_order=2 if exchange or can("providesIntermediateUpdate") or can("canInterpolateInputs") else 0,
            handles_events="event mode" if exchange or can("hasEventMode") else "inside",
            logs=True,
        )
