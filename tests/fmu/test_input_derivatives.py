"""Inputs that change within communication steps: by derivatives (FMI 2.0), or by values at intermediate times (FMI 3.0)."""

import ctypes
from typing import NamedTuple

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave, fmi3IntermediateUpdateCallback
from scipy.integrate import solve_ivp

import mobod as mb

STEP, UNTIL = 0.01, 2.0
TIMES = np.linspace(0, UNTIL, 201)


class Driven(NamedTuple):
    """A pendulum of 1 kg at 1 m, driven by a torque sin 5 t, in both versions; and its angles, by SciPy."""

    fmus: dict
    angles: np.ndarray


@pytest.fixture(scope="module")
def driven(tmp_path_factory):
    folder = tmp_path_factory.mktemp("driven")
    system = mb.MultibodySystem("driven")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    body = mb.RigidBody(mb.MassProperties(mass=1.0, com=[0, -1, 0], inertia=mb.Inertia(np.diag([1.0, 0, 1.0]))))
    pin = mb.Pin(matter.ground, body, name="pin")
    mb.MobilityForce(forces, pin, name="motor")
    state = system.realize_topology()
    pin.set_q(state, 0.3)
    fmus = {
        version: mb.export_fmu(
            system, folder / f"{version}.fmu", state=state, inputs=["motor.force"], outputs=["pin.q", "pin.u"], fmi_version=version,
            code="interpreted",
        )
        for version in ("2.0", "3.0")
    }  # fmt: skip
    angles = solve_ivp(
        lambda t, y: [y[1], -9.81 * np.sin(y[0]) + np.sin(5 * t)], (0, UNTIL), [0.3, 0], rtol=1e-12, atol=1e-13, t_eval=TIMES
    )
    return Driven(fmus, angles.y[0])


def start_2(fmu):
    description = fmpy.read_model_description(str(fmu))
    slave = FMU2Slave(
        guid=description.guid, unzipDirectory=fmpy.extract(str(fmu)), modelIdentifier=description.coSimulation.modelIdentifier,
        instanceName="slave",
    )  # fmt: skip
    slave.instantiate()
    slave.setupExperiment(startTime=0.0, tolerance=1e-9)
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    return slave, {variable.name: variable.valueReference for variable in description.modelVariables}


def set_derivatives(slave, reference, values):
    for order, value in enumerate(values, start=1):
        slave.setRealInputDerivatives([reference], [order], [value])


@pytest.mark.fast("1-1e-05-0.0001", "2-0-1e-06")
@pytest.mark.parametrize(("n_derivatives", "least", "most"), [(0, 1e-3, 1e-2), (1, 1e-5, 1e-4), (2, 0, 1e-6)])
def test_each_derivative_of_an_input_adds_an_order(driven, n_derivatives, least, most):
    slave, references = start_2(driven.fmus["2.0"])
    errors = []
    for i, time in enumerate(TIMES[:-1]):
        slave.setReal([references["motor.force"]], [np.sin(5 * time)])
        set_derivatives(slave, references["motor.force"], [5 * np.cos(5 * time), -25 * np.sin(5 * time)][:n_derivatives])
        slave.doStep(time, STEP)
        errors.append(slave.getReal([references["pin.q"]])[0] - driven.angles[i + 1])
    assert least <= np.abs(errors).max() < most
    slave.freeInstance()


def test_derivatives_apply_to_the_next_step_alone_and_are_part_of_saved_states(driven):
    slave, references = start_2(driven.fmus["2.0"])
    force = references["motor.force"]
    slave.setReal([force], [1.0])
    set_derivatives(slave, force, [10.0, 4.0])
    saved = slave.getFMUState()
    slave.doStep(0.0, 0.1)
    assert slave.getReal([force])[0] == pytest.approx(1 + 10 * 0.1 + 4 * 0.1**2 / 2, rel=1e-15)
    first = slave.getReal(list(references.values())[:8])
    slave.doStep(0.1, 0.1)
    assert slave.getReal([force])[0] == pytest.approx(2.02, rel=1e-15)
    slave.setFMUState(saved)
    slave.doStep(0.0, 0.1)
    assert slave.getReal(list(references.values())[:8]) == first
    slave.freeFMUState(saved)
    slave.freeInstance()


def test_output_derivatives_are_exact(driven):
    """Those of the angle and the speed are the speed and the acceleration; that of the acceleration needs the input's rate."""
    slave, references = start_2(driven.fmus["2.0"])
    slave.setReal([references["motor.force"]], [1.0])
    set_derivatives(slave, references["motor.force"], [10.0])
    slave.doStep(0.0, 0.1)
    names = ["pin.q", "pin.u", "der(pin.u)"]
    rates = (ctypes.c_double * 3)()
    slave.fmi2GetRealOutputDerivatives(
        slave.component, (ctypes.c_uint * 3)(*(references[n] for n in names)), 3, (ctypes.c_int * 3)(1, 1, 1), rates
    )
    q, u, u_dot = slave.getReal([references[name] for name in names])
    np.testing.assert_allclose(rates, [u, u_dot, -9.81 * np.cos(q) * u + 10.0], rtol=1e-13)
    with pytest.raises(FMICallException):
        slave.fmi2GetRealOutputDerivatives(slave.component, (ctypes.c_uint * 1)(references["pin.q"]), 1, (ctypes.c_int * 1)(2), rates)
    slave.freeInstance()


@pytest.mark.parametrize(
    ("name", "order", "value"),
    [("pin.q", 1, 1.0), ("gravity.magnitude", 1, 1.0), ("motor.force", 3, 1.0), ("motor.force", 0, 1.0), ("motor.force", 1, np.nan)],
)
def test_other_derivatives_are_refused(driven, name, order, value):
    slave, references = start_2(driven.fmus["2.0"])
    with pytest.raises(FMICallException):
        slave.setRealInputDerivatives([references[name]], [order], [value])
    slave.freeInstance()


class Intermediate:
    """An instance of FMI 3.0 whose input is sin 5 t at each time at which it asks for it."""

    def __init__(self, fmu, *, sets_input=True, returns_at=np.inf):
        description = fmpy.read_model_description(str(fmu))
        self.references = {variable.name: variable.valueReference for variable in description.modelVariables}
        self.slave = FMU3Slave(
            guid=description.guid, unzipDirectory=fmpy.extract(str(fmu)), modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName="slave",
        )  # fmt: skip
        self.ends, self.returns_at, self.refused = [], returns_at, []
        self.callback = fmi3IntermediateUpdateCallback(self.update)  # kept alive
        force = [self.references["motor.force"]] if sets_input else []
        self.slave.instantiate(intermediateUpdate=self.callback, requiredIntermediateVariables=force, earlyReturnAllowed=True)
        self.slave.enterInitializationMode(startTime=0.0, tolerance=1e-9)
        self.slave.exitInitializationMode()

    def update(self, _environment, time, sets, gets, is_end, can_return, returns, return_time):
        if sets:
            self.slave.setFloat64([self.references["motor.force"]], [np.sin(5 * time)])
        if gets:
            (angle,) = self.slave.getFloat64([self.references["pin.q"]])
            self.ends.append((time, angle))
        assert (bool(sets), bool(gets)) == (not is_end, bool(is_end))
        if can_return and time < self.returns_at:
            returns[0], return_time[0] = True, self.returns_at

    def step(self, time, step):
        return self.slave.doStep(time, step)


def test_inputs_at_intermediate_times_are_as_accurate_as_the_integration(driven):
    instance = Intermediate(driven.fmus["3.0"])
    for i in range(10):  # communication steps that are twenty times as long
        instance.step(i * 0.2, 0.2)
        (angle,) = instance.slave.getFloat64([instance.references["pin.q"]])
        assert angle == pytest.approx(driven.angles[20 * (i + 1)], abs=2e-8)
    times, _ = np.array(instance.ends).T
    assert np.all(np.diff(times) > 0)
    assert times[-1] == pytest.approx(UNTIL)
    assert len(times) > 10
    instance.slave.freeInstance()


def test_the_importer_ends_a_step_early(driven):
    instance = Intermediate(driven.fmus["3.0"], sets_input=False, returns_at=0.07)
    assert tuple(instance.step(0.0, 1.0)) == (False, False, True, 0.07)
    assert instance.slave.getFloat64([instance.references["time"]]) == [0.07]
    instance.returns_at = np.inf
    instance.slave.freeInstance()
