"""The same networks in libcosim and Ecos, if the packages libcosimpy and ecospy (with libtbb12 of Debian) are installed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

Connections = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class OtherRun:
    """step: takes a number of steps; value: of a real output, by its name in the network"""

    step: Callable[[int], object]
    value: Callable[[str], float]


@contextmanager
def libcosim_run(fmus: Mapping[str, Path], connections: Connections, step: float) -> Iterator[OtherRun]:
    """A run with inputs of order 0. Raises ImportError."""
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
    from libcosimpy.CosimObserver import CosimObserver
    from libcosimpy.CosimSlave import CosimLocalSlave

    log_output_level(CosimLogLevel.WARNING)
    execution = CosimExecution.from_step_size(step_size=round(step * 1e9))  # ns
    index = {name: execution.add_local_slave(CosimLocalSlave(fmu_path=str(path), instance_name=name)) for name, path in fmus.items()}
    references = {
        f"{name}.{variable.name.decode()}": variable.reference
        for name, slave in index.items()
        for variable in execution.slave_variables(slave)
    }

    def place(variable: str) -> tuple[int, int]:
        return index[variable.partition(".")[0]], references[variable]

    for source, target in connections:
        execution.connect_real_variables(*place(source), *place(target))
    observer = CosimObserver.create_last_value()
    execution.add_observer(observer)

    def value(variable: str) -> float:
        slave, reference = place(variable)
        return float(observer.last_real_values(slave_index=slave, variable_references=[reference])[0])

    yield OtherRun(lambda n: execution.step(step_count=n), value)


def import_ecos() -> Any:
    """The module ecospy. Raises ImportError if it is missing, or the library libtbb12 that it loads."""
    try:
        return import_module("ecospy")
    except OSError as error:  # its library cannot be loaded
        raise ImportError(f"ecospy: {error}") from error


@contextmanager
def ecos_run(fmus: Mapping[str, Path], connections: Connections, step: float) -> Iterator[OtherRun]:
    """A run with inputs of order 0. Raises ImportError."""
    ecos = import_ecos()
    with ecos.EcosSimulationStructure() as structure:
        for name, path in fmus.items():
            structure.add_model(name, str(path))
        for source, target in connections:
            structure.make_real_connection(source.replace(".", "::", 1), target.replace(".", "::", 1))
        with ecos.EcosSimulation(structure=structure, step_size=step) as simulation:
            simulation.init()
            yield OtherRun(simulation.step, lambda variable: simulation.get_real(variable.replace(".", "::", 1)))
