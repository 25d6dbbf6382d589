"""export_fmu: writes a System as a Functional Mock-up Unit."""

# Decision: docs/decisions/085-export-without-outputs.md

from collections.abc import Iterable
from pathlib import Path
from typing import Literal, TypedDict

from mobod.compilation.source.model_source import GeneratedModel, generate
from mobod.compilation.source.scales import checked_scales, scales_with
from mobod.contact.fixed_steps_only import check_error_control
from mobod.errors import InputError, MobodWarning, UnsupportedError
from mobod.fmu.bounded_work import with_largest_work
from mobod.fmu.documentation.explanation import explain
from mobod.fmu.documentation.reference import Reference, make_reference
from mobod.fmu.export_progress import Progress, export_progress
from mobod.fmu.exported_model import ExportedSteps
from mobod.fmu.interface import Arrays, Interface, make_interface
from mobod.fmu.names import Spelling
from mobod.fmu.native_export import Code, write_native_fmu
from mobod.fmu.platforms import platform_names
from mobod.fmu.python.export import write_python_fmu
from mobod.fmu.python.instance import PythonInstance
from mobod.fmu.python.model import PythonModel, python_model
from mobod.fmu.python.system_pickle import unpickle_system
from mobod.fmu.variables import FmiVersion
from mobod.runtime.integrators import AUTO, FIXED_STEP_METHODS, INTEGRATORS, Integrator, checked_max_steps, checked_step
from mobod.simulate.bounded_steps import check_bounded_system, checked_bounded
from mobod.simulate.limits import AmbiguousImpacts, Impacts, checked_ambiguous_impacts, checked_impacts
from mobod.simulate.step_options import StepOptions
from mobod.simulate.velocity_level.fixed_steps import INTEGRATOR, ConstraintsAt, EngagementRule, checked_fixed_steps
from mobod.simulate.velocity_level.supported import checked_matter
from mobod.simulate.velocity_level.tolerances import row_tolerances
from mobod.system import State, System
from mobod.system.boundary import checked_system
from mobod.system.names import check_characters


def export_fmu(
    system: System,
    path: str | Path,
    *,
    fmi_version: FmiVersion = "2.0",
    kind: Literal["native", "python"] = "native",
    inputs: Iterable[str] | None = None,
    outputs: Iterable[str] | None = None,
    platforms: str | Iterable[str] = "host",
    state: State | None = None,
    name: str | None = None,
    names: Spelling = "structured",
    arrays: Arrays | None = None,
    integrator: Integrator = AUTO,
    step: float | None = None,
    engagement: EngagementRule | None = None,
    position_iterations: int | None = None,
    constraints_at: ConstraintsAt | None = None,
    bounded: bool = False,
    impacts: Impacts = "simultaneous",
    ambiguous_impacts: AmbiguousImpacts = "warn",
    max_steps: int | None = None,
    code: Code = "auto",
    reference: bool = True,
    progress: Progress | bool | None = None,
    length_scale: float | None = None,
    time_scale: float | None = None,
    mass_scale: float | None = None,
) -> Path:
    """Write a System as a Functional Mock-up Unit (FMU), for co-simulation and model exchange.

    fmi_version
             '2.0' or '3.0'. In FMI 3.0 vectors are arrays; co-simulation has Event Mode, early return and intermediate updates
    kind     'native': runs without Python; 'python': needs a Python with mobod, and supports elements that cannot be recorded
    code     of a native FMU. 'compiled': by a C compiler; 'interpreted': bytecode, which needs no compiler, gives the same numbers and is
             4 to 5 times slower; 'auto': compiled if a compiler is found, else interpreted with a warning in the log. A compiled and an
             interpreted FMU can restore each other's saved states
    inputs   names of variables and parameters that a master sets while it steps: 'motor.force', 'wind.force[2]'
    outputs  names of states, derivatives and results that a master reads: 'lower.q', 'lower.p_GB'.
             If neither inputs nor outputs are given, a MobodWarning is issued; outputs=[] declares that none are wanted
    platforms
             'host': this machine; 'all'; or a list of these and of linux64, win64, darwin64 (macOS on both processors), aarch64-linux,
             aarch64-darwin and aarch64-windows. 'all' does not include aarch64-windows. The names of FMI 3.0, such as
             x86_64-windows, are accepted too
    state    the start values; default: the default State
    name     of the model; default: the System's name
    names    of the FMU's variables. 'structured': as in mobod, 'lower.q[1]'; 'flat': identifiers, 'lower_q_1', for tools that need them.
             inputs and outputs are given by structured names in any case
    arrays   vectors and matrices in FMI 3.0. 'whole': each is one variable, an array; 'scalars': each entry is a variable, 'lower.p_GB[1]',
             for tools that read one number a variable; default: 'scalars' with flat names, else 'whole'. FMI 2.0 has scalars alone
    returns  the path of the file
    integrator
             'auto': variable steps by the method that suits the system, with the tolerance that the master requests; the others as in
             Simulation; some take fixed steps, for real time, such as 'RK4'. All but 'velocity_level' are start values of the FMU's
             parameter numerics.integrator, which a master can change before the start. Other parameters of the integration are
             numerics.tolerance, numerics.constraint_tolerance, numerics.largest_step and numerics.fixed_step
    step     s, of methods with fixed steps: start value of the parameter numerics.fixed_step; of 'velocity_level': the step. A
             communication step consists of such steps; the last one may be shorter
    engagement, position_iterations, constraints_at
             options of 'velocity_level', as in Simulation
    bounded  whether steps have bounded work, for hard real time, as in Simulation: of 'RK4', 'SemiImplicitEuler' and 'velocity_level'. The
             FMU has outputs numerics.overrun and, beside it, what the last step has left by unit; it has no model exchange
    impacts  as in Simulation, in co-simulation and in model exchange
    ambiguous_impacts
             as in Simulation. 'warn' (default): a warning in the FMU's log; 'error': the communication step fails
    max_steps
             start value of the FMU's Integer parameter max_steps, which a master can change at any time: the largest number of integration
             steps that one communication step may try, rejected steps included. If it needs more, it is discarded with a message that gives
             the time reached. Steps of 'velocity_level' are counted beforehand, and the call is refused. Default: a million
    reference
             whether the FMU contains results of its default experiment, which are computed now, with limited work. If that fails, a warning
             is logged, and the page says why there are none

    length_scale, time_scale, mass_scale
             as in Simulation. The nominal values of the states follow from them
    progress what is called with a line for each platform that is being compiled: progress=print. True: lines on standard error; default:
             the same, if it is a terminal and there are several platforms

    documentation/index.html describes the FMU, and extra/org.mobod/scene.json lets viewers draw its motion (docs/concepts/scene.md).

    Interpreted FMUs need no compiler, on any platform, if mobod was installed from a wheel of a release. For compiled ones
    the package ziglang (extra `compiler`) compiles for every platform; its Linux binaries need glibc 2.17 or newer. Without it, or if CC is
    set, any C compiler makes the binary of this machine. A warning is logged if that binary needs a newer glibc. The first export for a
    platform takes longer because C libraries are compiled once, about a minute for Windows; for all it takes 170 s of processor time.

    A Python FMU contains the System and the code of your own elements. It runs on x86_64 under Linux and Windows ('all'). Its
    documentation/externalDependencies.txt lists what it needs: the same version of mobod and, if it contains code, of Python.

    Raises UnsupportedError for elements that cannot be exported, UnknownNameError for unknown names, InputError for variables of the wrong
    kind, CompileError if the C code does not compile, NoCompilerError if no compiler supports a platform.
    """
    checked_system(system, "export_fmu", System)
    _check_choice("fmi_version", fmi_version, "2.0", "3.0")
    _check_choice("kind", kind, "native", "python")
    _check_choice("names", names, "structured", "flat")
    if arrays is not None:
        _check_choice("arrays", arrays, "whole", "scalars")
    _check_choice("code", code, "compiled", "interpreted", "auto")
    if kind == "python" and code != "auto":
        raise InputError(f"export_fmu: code='{code}' applies only to native FMUs. Remove it, or use kind='native'.")
    if kind == "python" and fmi_version != "2.0":
        raise UnsupportedError("export_fmu: Python FMUs are of FMI 2.0. Use fmi_version='2.0', or kind='native'.")
    if kind == "python" and bounded:
        raise UnsupportedError("export_fmu: Python FMUs have no bounded work. Use kind='native', or remove bounded=True.")
    platforms = platform_names(platforms)
    options = exported_options(
        "export_fmu",
        system,
        integrator=integrator,
        step=step,
        engagement=engagement,
        position_iterations=position_iterations,
        constraints_at=constraints_at,
        bounded=bounded,
        impacts=impacts,
        ambiguous_impacts=ambiguous_impacts,
        max_steps=max_steps,
        length_scale=length_scale,
        time_scale=time_scale,
        mass_scale=mass_scale,
    )
    state = system.realize_topology() if state is None else state
    fixed_steps = exported_steps("export_fmu", system, state, options)
    name = check_characters(system.name if name is None else name, "a model")
    chosen_inputs, chosen_outputs = () if inputs is None else inputs, () if outputs is None else outputs
    path = Path(path)
    if path.suffix.lower() != ".fmu":
        raise InputError(f"'{path}': the name of an FMU ends with .fmu. Write '{path}.fmu'.")
    if not path.parent.is_dir():
        raise InputError(f"'{path}': the folder '{path.parent}' does not exist. Create it first.")
    model = python_model(system, state, options.scales) if kind == "python" else generate(system, state, scales=options.scales)
    interface = make_interface(
        model,
        name,
        inputs=chosen_inputs,
        outputs=chosen_outputs,
        options=options,
        fixed_steps=fixed_steps,
        fmi_version=fmi_version,
        names=names,
        arrays=arrays,
    )
    if isinstance(model, GeneratedModel):
        interface = with_largest_work(interface, model)
    results = _reference(model, interface, system, state) if reference else None
    explanation = explain(system, state, interface, results)
    if isinstance(model, PythonModel):
        write_python_fmu(model, interface, state, path, platforms=platforms, explanation=explanation)
    else:
        with export_progress(progress, several_platforms="all" in platforms or len(platforms) > 1):
            write_native_fmu(model, interface, path, platforms=platforms, code=code, explanation=explanation)
    if inputs is None and outputs is None:
        MobodWarning.warn(
            f"{path.name}: the FMU has no inputs and no outputs, so it cannot be connected to other models. Choose them by name: "
            f"export_fmu(..., {_suggestion(system, state)}). If none are wanted, set outputs=[]."
        )
    return path


class SteppingArguments(TypedDict, total=False):
    """The arguments of export_fmu that say how it steps."""

    integrator: Integrator
    step: float | None
    engagement: EngagementRule | None
    position_iterations: int | None
    constraints_at: ConstraintsAt | None
    bounded: bool
    impacts: Impacts
    ambiguous_impacts: AmbiguousImpacts
    max_steps: int | None
    length_scale: float | None
    time_scale: float | None
    mass_scale: float | None


def exported_options(
    function: str,
    system: System,
    *,
    integrator: Integrator = AUTO,
    step: float | None = None,
    engagement: EngagementRule | None = None,
    position_iterations: int | None = None,
    constraints_at: ConstraintsAt | None = None,
    bounded: bool = False,
    impacts: Impacts = "simultaneous",
    ambiguous_impacts: AmbiguousImpacts = "warn",
    max_steps: int | None = None,
    length_scale: float | None = None,
    time_scale: float | None = None,
    mass_scale: float | None = None,
) -> StepOptions:
    """The options of steps, checked. function: for messages; others as in export_fmu."""
    if integrator not in (*INTEGRATORS, INTEGRATOR):
        there_are = ", ".join((*INTEGRATORS, INTEGRATOR))
        raise InputError(f"{function}: there is no integrator '{integrator}'. Valid names: {there_are}.")
    steps = checked_fixed_steps(function, integrator, step, engagement, position_iterations, constraints_at)
    fixed_step = checked_step(step, integrator, function) if integrator in FIXED_STEP_METHODS else 0.0
    checked_impacts(function, impacts)
    checked_ambiguous_impacts(function, ambiguous_impacts)
    most_steps = checked_max_steps(max_steps, function)
    given = checked_scales(function, length_scale=length_scale, time_scale=time_scale, mass_scale=mass_scale)
    return StepOptions(
        scales=scales_with(system, given),
        integrator=integrator,
        max_steps=most_steps,
        step=fixed_step,
        impacts=impacts,
        ambiguous_is_an_error=ambiguous_impacts == "error",
        fixed_steps=steps,
        is_bounded=checked_bounded(function, bounded, integrator),
    )


def _reference(model: PythonModel | GeneratedModel, interface: Interface, system: System, state: State) -> Reference | str:
    """Reference results of a copy of the model."""

    def new_instance(limited: Interface) -> PythonInstance:
        if isinstance(model, PythonModel):
            return PythonInstance(*unpickle_system(model.pickled.data), limited)
        return PythonInstance(system, state.copy(), limited, model)

    return make_reference(interface, len(model.start), new_instance)


def _suggestion(system: System, state: State) -> str:
    """'inputs=['motor.force'], outputs=['upper.q']' for a System with such variables."""
    first: dict[str, str] = {}
    for variable in system.variables(state):
        first.setdefault(variable.role, variable.name)
    chosen = {"inputs": first.get("input"), "outputs": first.get("state", first.get("output"))}
    return ", ".join(f"{kind}=['{name}']" for kind, name in chosen.items() if name is not None)


def exported_steps(function: str, system: System, state: State, options: StepOptions) -> ExportedSteps | None:
    """The steps at velocity level; None: there are none. Raises UnsupportedError if a part of the System does not support such steps, or
    no others."""
    steps = options.fixed_steps
    if options.is_bounded:
        check_bounded_system(function, system, state)
    if steps is None:
        check_error_control(system, function)
        return None
    checked_matter(system, state, steps.size, with_reporters=False)
    return ExportedSteps(steps, tuple(row_tolerances(system).tolist()))


def _check_choice(what: str, chosen: str, *there_is: str) -> None:
    if chosen not in there_is:
        are = "is" if len(there_is) == 1 else "are"
        known = "' and '".join(there_is)
        raise UnsupportedError(f"{what} '{chosen}' is not supported yet. There {are} '{known}'.")
