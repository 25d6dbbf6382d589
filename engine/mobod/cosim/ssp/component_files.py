"""The FMUs of an SSP: those of a network's components, and those that mobod makes of Systems and tables."""

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import final

from mobod.cosim.component import Component
from mobod.cosim.fmu_model import FmuComponentModel
from mobod.cosim.ssp.source_fmu import source_fmu
from mobod.cosim.system_model import SystemModel
from mobod.cosim.table_source import TableSource
from mobod.errors import UnsupportedError
from mobod.fmu.export import export_fmu
from mobod.fmu.names import structured_name
from mobod.fmu.native_export import Code


@final
class ComponentFiles:
    """The FMUs of components by their names in an SSP.

    connected  names of outputs that are connected, by component
    platforms, code
               of the FMUs that are made
    """

    def __init__(self, connected: dict[str, set[str]], platforms: str | Iterable[str], code: Code) -> None:
        self.files: dict[str, bytes] = {}
        self._connected = connected
        self._platforms = platforms
        self._code = code
        self._names: dict[Path, str] = {}

    def add(self, component: Component) -> str:
        """Add the FMU of a component, and return its name. Raises UnsupportedError for one of which there is no FMU."""
        model = component.model
        if isinstance(model, FmuComponentModel):
            path = model.fmu.path
            if path not in self._names:
                self._names[path] = self._new_name(path.stem)
                self.files[self._names[path]] = path.read_bytes()
            return self._names[path]
        name = self._new_name(component.name)
        with tempfile.TemporaryDirectory(prefix="mobod_") as folder:
            path = Path(folder) / "made.fmu"
            if isinstance(model, TableSource):
                source_fmu(model, Path(name).stem, path, platforms=self._platforms, code=self._code)
            elif isinstance(model, SystemModel):
                self._export(component, model, path)
            else:
                raise UnsupportedError(
                    f"component '{component.name}' ({model.origin}) cannot be written into an SSP: it is no FMU, System or table. Make an "
                    "FMU of it, or leave it out."
                )
            self.files[name] = path.read_bytes()
        return name

    def _export(self, component: Component, model: SystemModel, path: Path) -> None:
        inputs = [name for name, variable in model.variables.items() if variable.causality == "input"]
        recorded = [each for name in model.recorded for each in (port.variable.name for port in component.ports(name))]
        outputs = dict.fromkeys([*recorded, *sorted(self._connected.get(component.name, ()))])
        options = {} if model.simulation is None else model.simulation.export_options()
        export_fmu(
            model.system,
            path,
            inputs=inputs,
            outputs=outputs,
            state=model.state,
            platforms=self._platforms,
            code=self._code,
            reference=False,
            **options,
        )

    def _new_name(self, stem: str) -> str:
        """resources/plant.fmu, of letters that are in no URI anything else."""
        safe = "".join(each if each.isascii() and (each.isalnum() or each in "_-") else "_" for each in stem)
        safe = safe if safe[:1].isalpha() else f"fmu_{safe}"
        name, k = f"resources/{safe}.fmu", 1
        while name in self.files:
            k += 1
            name = f"resources/{safe}_{k}.fmu"
        return name


def fmu_variable(component: Component, name: str, *, is_start: bool = False) -> str:
    """The name in its FMU of a component's variable. is_start: of what sets its start value"""
    model = component.model
    if not isinstance(model, SystemModel):
        return name
    variable, _ = model.places[name]
    if is_start and variable.role == "state":
        name = f"{variable.name}_start{name.removeprefix(variable.name)}"
    return structured_name(name)
