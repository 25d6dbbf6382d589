"""export_fmu: a System becomes a Functional Mock-up Unit."""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from mobod.compile.model_source import generate
from mobod.errors import InputError, UnsupportedError
from mobod.fmu.exported_model import ExportedSteps
from mobod.fmu.native_export import write_native_fmu
from mobod.fmu.python_export import write_python_fmu
from mobod.fmu.python_instance import METHOD
from mobod.simulate.unilateral_rows import UnilateralRows
from mobod.simulate.velocity_level.fixed_steps import INTEGRATOR, EngagementRule, FixedSteps, checked_fixed_steps
from mobod.simulate.velocity_level.run import checked_matter
from mobod.simulate.velocity_level.tolerances import row_tolerances
from mobod.system import State, System
from mobod.system.boundary import checked_system


def export_fmu(
    system: System,
    path: str | Path,
    *,
    fmi_version: Literal["2.0"] = "2.0",
    kind: Literal["native", "python"] = "native",
    inputs: Iterable[str] = (),
    outputs: Iterable[str] = (),
    platforms: Iterable[str] = ("host",),
    state: State | None = None,
    name: str | None = None,
    integrator: str = METHOD,
    step: float | None = None,
    engagement: EngagementRule | None = None,
    position_iterations: int | None = None,
) -> Path:
    """Write a System as a Functional Mock-up Unit for co-simulation.

    kind     'native': compiled, runs without Python; 'python': runs in a Python that has mobod, and takes elements that cannot become C
    inputs   names of settable quantities and parameters that a master sets while it steps: 'motor.force', 'wind.force[2]'
    outputs  names of states, derivatives and results that it reads: 'lower.q', 'lower.p_GB'
    state    the start values; the default State if left out
    name     of the model; the System's if left out
    returns  the path of the file
    integrator
             'RK45': steps as long as the tolerance allows that a master asks for; 'velocity_level': fixed ones, for limits, see Simulation
    step, engagement, position_iterations
             of 'velocity_level', as in Simulation. A communication step is made of such steps, the last of which may be shorter

    A Python FMU carries the System as it is, with the code of your own elements, and works on x86_64 under Linux and Windows. What it needs
    there stands in its documentation/externalDependencies.txt: the same version of mobod and, if it carries code, of Python.

    Raises UnsupportedError for what cannot be exported, UnknownNameError for a name that is not there, InputError for one of the
    wrong kind, CompileError where the C does not compile.
    """
    checked_system(system, "export_fmu")
    _check_choice("fmi_version", fmi_version, "2.0")
    _check_choice("kind", kind, "native", "python")
    if isinstance(platforms, str):
        raise InputError(f"platforms: a list of names is wanted, not one name. Write platforms=['{platforms}'].")
    for target in platforms:
        _check_choice("platform", target, "host")
    if integrator not in (METHOD, INTEGRATOR):
        raise InputError(f"export_fmu: there is no integrator '{integrator}' in FMUs. There are: {METHOD}, {INTEGRATOR}.")
    steps = checked_fixed_steps("export_fmu", integrator, step, engagement, position_iterations)
    state = system.realize_topology() if state is None else state
    fixed_steps = None if steps is None else _exported_steps(system, state, steps)
    name = system.name if name is None else name
    if kind == "python":
        return write_python_fmu(system, state, Path(path), name, inputs=inputs, outputs=outputs, fixed_steps=fixed_steps)
    return write_native_fmu(generate(system, state), Path(path), name, inputs=inputs, outputs=outputs, fixed_steps=fixed_steps)


def _exported_steps(system: System, state: State, steps: FixedSteps) -> ExportedSteps:
    checked_matter(system, state, with_reporters=False)
    return ExportedSteps(steps, tuple(row_tolerances(UnilateralRows(system, state)).tolist()))


def _check_choice(what: str, chosen: str, *there_is: str) -> None:
    if chosen not in there_is:
        are = "is" if len(there_is) == 1 else "are"
        known = "' and '".join(there_is)
        raise UnsupportedError(f"{what} '{chosen}' is not supported yet. There {are} '{known}'.")
