"""Two seconds of a stiff mechanism by mobod, as an FMU, and by CVODE with the same derivatives and no less error."""

import ctypes
from functools import partial

import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Slave
from fmpy.sundials import CVodeSolver

import mobod as mb
from benchmarks.harness import Bench, Columns, Measure, calls, case
from mobod.compilation.native.native_model import NativeModel
from mobod.compilation.native.native_run import NativeRun, open_native
from mobod.compilation.source.model_source import generate, start_values

UNTIL = 2.0  # s
ACCURACY = 1e-6
_TOLERANCES = (1e-6, 3e-7, 1e-7, 3e-8, 1e-8, 3e-9, 1e-9, 3e-10, 1e-10)  # of CVODE; the benchmark uses the first that is accurate enough


def mounted_pendulum() -> tuple[mb.MultibodySystem, mb.State]:
    """A pendulum on a block in a rubber mount of 1e6 N/m and 2e4 N s/m: rates of 1.6e5 1/s and 50 1/s, and a pendulum with a period of
    about 1 s.
    """
    system = mb.MultibodySystem("mounted_pendulum")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0])
    block = mb.Bushing(matter.ground, mb.MassProperties(2.0, [0, 0, 0], mb.Inertia(np.diag([0.1, 0.12, 0.15]))), name="block")
    mb.LinearBushing(forces, matter.ground, block, stiffness=1e6, damping=2e4, name="mount")
    rod = mb.MassProperties(1.0, [0, -0.5, 0], mb.Inertia(np.diag([0.34, 0.01, 0.34])))
    mb.Pin(block, rod, X_PF=mb.Transform(p=[0.05, -0.1, 0.02]), name="pendulum")
    state = system.realize_topology()
    system.set_value(state, "pendulum.q", 0.4)
    return system, state


@case("runs", "2 s of a stiff pendulum", peers=("CVODE",))
def simulation(bench: Bench) -> Columns:
    system, state = mounted_pendulum()
    ours = mb.Simulation(system, ACCURACY, backend="compiled")
    return {
        "compiled": lambda: calls(lambda: ours.run(state, UNTIL)),
        "CVODE": partial(_cvode, bench, system, state, _error(system, state, ours.run(state, UNTIL).final_state.y)),
    }


@case("runs", "2 s of a stiff pendulum as an FMU", peers=("CVODE",))
def fmu(bench: Bench) -> Columns:
    system, state = mounted_pendulum()
    slave, states = _slave_of(bench, system, state)

    def run() -> np.ndarray:
        slave.reset()
        slave.setupExperiment(startTime=0.0, tolerance=ACCURACY)
        slave.enterInitializationMode()
        slave.exitInitializationMode()
        slave.doStep(currentCommunicationPoint=0.0, communicationStepSize=UNTIL)
        return np.array(slave.getReal(states))

    return {"compiled": lambda: calls(run), "CVODE": partial(_cvode, bench, system, state, _error(system, state, run()))}


def _error(system: mb.MultibodySystem, state: mb.State, y: np.ndarray) -> float:
    """The error of coordinates and speeds at the end."""
    exact = mb.Simulation(system, 1e-11, integrator="Rodas5P").run(state, UNTIL).final_state.y
    return float(np.abs(y - exact)[: state.layout.n_q + state.layout.n_u].max())


def _cvode(bench: Bench, system: mb.MultibodySystem, state: mb.State, error: float) -> Measure:
    """With the largest tolerance whose error is not larger."""
    run = bench.open(open_native(NativeModel(generate(system, state)), start_values(state), ACCURACY))
    tolerance = next(each for each in _TOLERANCES if _error(system, state, by_cvode(run, state, each)) <= error)
    return calls(lambda: by_cvode(run, state, tolerance))


def by_cvode(run: NativeRun, state: mb.State, tolerance: float) -> np.ndarray:
    """y at the end, integrated by CVODE; the derivatives are computed by the compiled model, called from Python."""
    y, now = np.array(state.y), [0.0]
    bytes_of_y = 8 * len(y)

    def get_x(x: "ctypes._Pointer[ctypes.c_double]", _: int) -> None:
        ctypes.memmove(x, y.ctypes.data, bytes_of_y)

    def set_x(x: "ctypes._Pointer[ctypes.c_double]", _: int) -> None:
        ctypes.memmove(y.ctypes.data, x, bytes_of_y)

    def get_dx(dx: "ctypes._Pointer[ctypes.c_double]", _: int) -> None:
        rates = run.rates(now[0], y)
        ctypes.memmove(dx, rates.ctypes.data, bytes_of_y)

    def get_nominals(nominals: "ctypes._Pointer[ctypes.c_double]", n: int) -> None:
        np.ctypeslib.as_array(nominals, (n,))[:] = 1.0

    def set_time(time: float) -> None:
        now[0] = time

    solver = CVodeSolver(
        len(y), 0, get_x, set_x, get_dx, None, get_nominals, set_time, None, 0.0, relativeTolerance=tolerance, maxNumSteps=100_000
    )
    solver.step(0.0, UNTIL)
    return y


def _slave_of(bench: Bench, system: mb.MultibodySystem, state: mb.State) -> tuple[FMU2Slave, list[int]]:
    """An FMU instance, and the value references of its states in the order of y."""
    path = mb.export_fmu(system, bench.folder / "mounted.fmu", outputs=[], state=state)
    unpacked = fmpy.extract(str(path), unzipdir=str(bench.folder / "mounted"))
    description = fmpy.read_model_description(unpacked)
    slave = FMU2Slave(
        guid=description.guid,
        unzipDirectory=unpacked,
        modelIdentifier=description.coSimulation.modelIdentifier,
        instanceName="mounted",
    )
    slave.instantiate()
    bench.stack.callback(slave.freeInstance)
    bench.stack.callback(slave.terminate)
    return slave, [each.variable.derivative.valueReference for each in description.derivatives]
