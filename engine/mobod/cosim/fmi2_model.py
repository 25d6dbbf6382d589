"""Fmi2Model: an FMU for co-simulation by FMI 2.0 as a component."""

from collections.abc import Iterable, Mapping, Set
from functools import cached_property
from typing import final

from fmpy.model_description import ModelVariable, Unknown

from mobod.cosim.component_model import ComponentCapabilities
from mobod.cosim.connections.terminals import Terminals, terminals_of_fmu
from mobod.cosim.fmu_file import FmuFile
from mobod.cosim.instance import Instance
from mobod.cosim.variable import Kind, NetworkVariable
from mobod.errors import FmuFileError, InputError
from mobod.fmi.message_file import MessageFile

_KINDS: dict[str, Kind] = {
    "Real": "float",
    "Integer": "integer",
    "Enumeration": "enumeration",
    "Boolean": "boolean",
    "String": "string",
}


@final
class Fmi2Model:
    """A `ComponentModel`. file: the FMU"""

    noun = "FMU"

    def __init__(self, file: FmuFile) -> None:
        self.file = file
        self.origin = str(file.path)
        self.identity: str = file.description.guid
        try:
            self.variables = {name: self._variable(variable) for name, variable in file.variables.items()}
        except (TypeError, ValueError, OverflowError) as error:
            raise FmuFileError(f"{file.path}: its modelDescription.xml has a variable that cannot be read: {error}.") from error
        self.recorded = [name for name, variable in self.variables.items() if variable.causality == "output"]
        promised = file.description.coSimulation
        self.capabilities = ComponentCapabilities(
            variable_steps=promised.canHandleVariableCommunicationStepSize,
            saves_state=promised.canGetAndSetFMUstate,
            saves_bytes=promised.canGetAndSetFMUstate and promised.canSerializeFMUstate,
            directional_derivatives=promised.providesDirectionalDerivative,
            once_per_process=promised.canBeInstantiatedOnlyOncePerProcess and file.archive.isolation is None,
            input_order=2 if promised.canInterpolateInputs else 0,
            logs=True,
        )

    def inputs_of(self, output: str, *, at_start: bool) -> Set[str]:
        """All inputs, unless the model description declares which."""
        variable = self.file.variables[output]
        if at_start and variable.initial == "exact":
            return set()
        description = self.file.description
        declared = _declared(variable, description.initialUnknowns if at_start else description.outputs)
        inputs = {name for name, each in self.variables.items() if each.causality == "input"}
        return inputs if declared is None else inputs & declared

    def restructured(self, sizes: Mapping[str, int]) -> "Fmi2Model":
        raise InputError(f"{self.origin}: FMI 2.0 has no structural parameters, but {', '.join(sizes)} was given.")

    @cached_property
    def terminals(self) -> Terminals:
        return terminals_of_fmu(self.file.archive)

    def instance(self, name: str, *, varies_inputs: bool = False, log_file: MessageFile | None = None) -> Instance:
        return Instance(self.file, name, log_file)

    def _variable(self, variable: ModelVariable) -> NetworkVariable:
        declared = variable.declaredType
        return NetworkVariable(
            name=variable.name,
            kind=_KINDS[variable.type],
            type=variable.type,
            causality=variable.causality,
            variability=variable.variability,
            initial=variable.initial,
            unit=self.file.unit(variable),
            is_relative=bool(variable.relativeQuantity or (declared is not None and declared.relativeQuantity)),
            nominal=float(variable.nominal or 1.0),
            minimum=_bound(variable.min, None if declared is None else declared.min),
            maximum=_bound(variable.max, None if declared is None else declared.max),
            items={} if declared is None else {item.name: int(item.value) for item in declared.items},
            key=(variable.type, variable.valueReference),
        )


def _bound(own: str | None, declared: str | None) -> float | None:
    """Of a variable, or of its type if it has none itself."""
    text = own or declared
    return None if text is None else float(text)


def _declared(variable: ModelVariable, unknowns: Iterable[Unknown]) -> set[str] | None:
    """The names of the variables on which one depends; None if that is not declared."""
    for unknown in unknowns:
        if unknown.variable is variable and unknown.dependencies is not None:
            return {str(known.name) for known in unknown.dependencies}
    return None
