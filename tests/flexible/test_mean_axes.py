"""Flexible bodies whose shapes are relative to their mean axes: frame='mean'."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

import mobod as mb
from mobod.cosim import FmuFile
from mobod.errors import InputError
from tests.flexible.bodies import SECTION
from tests.flexible.frame_elements import beam
from tests.fmu.stepped import start, walk
from tests.unit.files.test_model_file import same_bytes

LENGTH = 1.7
SLENDER = SECTION | {"kappa": None, "rotary": False}
ENDS = {"start": 0, "end": 2}
SECTION_OF_BEAM = mb.Section(**{name: SECTION[name] for name in ("A", "Iy", "Iz", "J")})
MATERIAL = mb.Material(E=SECTION["E"], G=SECTION["G"], density=SECTION["rho"])


def free_frequencies(n):
    """Hz of a free beam that bends: roots of cosh x cos x = 1."""
    roots = [brentq(lambda x: np.cos(x) - 1 / np.cosh(x), (k + 0.4) * np.pi, (k + 0.6) * np.pi) for k in range(1, n + 1)]
    moments = (SECTION["Iz"], SECTION["Iy"])
    found = [x**2 * np.sqrt(SECTION["E"] * I / (SECTION["rho"] * SECTION["A"])) / LENGTH**2 for x in roots for I in moments]
    return np.sort(found) / (2 * np.pi)


def test_a_free_beam_has_the_frequencies_of_the_closed_form():
    """20 elements: 2e-5 at the fourth one. A FlexibleBeam has rotary inertia too: 1e-3."""
    M, K, nodes = beam(LENGTH, 20, **SLENDER)
    modal = mb.ModalData.from_matrices(M, K, nodes, {"start": 0, "end": 20}, frame="mean", modes=4)
    assert_allclose(modal.frequencies, free_frequencies(2), rtol=2e-5)
    assert_allclose(modal.free_frequencies, modal.frequencies, rtol=1e-9)
    assert "of the free body" in modal.report()
    reduced = mb.ModalData.from_reduced(*beam(LENGTH, 1, **SLENDER)[:2], {"start": [0, 0, 0], "end": [LENGTH, 0, 0]}, frame="mean")
    # of one element: omega^2 = 720 EI / (rho A L^4), in place of 500.6
    assert_allclose(reduced.frequencies[:2], free_frequencies(1) * np.sqrt(720 / 500.5639), rtol=1e-6)
    for stiffened in (True, False):
        body = mb.FlexibleBeam(
            LENGTH, SECTION_OF_BEAM, MATERIAL, shear=False, modes=4, frame="mean", geometric_stiffening=stiffened, elements=12
        )
        assert_allclose(body.modal.frequencies, free_frequencies(2), rtol=2e-3)
        assert_allclose(body.modal.interfaces["start"].X.p, 0, atol=1e-12)


def loaded(frame, size=1.0):
    """A beam of two elements with all its 12 modes, loads on its ends, and a body on one of them."""
    M, K, nodes = beam(LENGTH, 2, **SECTION)
    inboard = {"frame": "mean"} if frame == "mean" else {"inboard": "start"}
    system = mb.MultibodySystem("wing")
    matter = mb.MatterSubsystem(system)
    loads = mb.DiscreteForces(mb.ForceSubsystem(system), matter, name="loads")
    X_BM = mb.Transform(mb.spatial.rotation_z(0.4), [0.3, 0.1, -0.2]) if frame == "mean" else None
    body = mb.Free(
        matter.ground, mb.FlexibleBody(mb.ModalData.from_matrices(M, K, nodes, ENDS, modes=12, **inboard)), X_BM=X_BM, name="beam"
    )
    inertia = mb.Inertia(np.diag([0.03, 0.05, 0.06])).shifted([0.1, 0, -0.2], mass=0.4)
    mb.Ball(body.interface("end"), mb.MassProperties(0.4, [0.1, 0, -0.2], inertia), name="ball")
    state = system.realize_topology()
    body.set_q_to_fit_transform(state, body.X_BM)
    loads.set_body_force(state, body.interface("start"), size * np.array([1, 2, 3, 4, 5, 6.0]))
    loads.set_body_force(state, body.interface("end"), size * np.array([3, 1, 2, -6, 4, -5.0]))
    return system, body, state


def test_interfaces_and_their_children_accelerate_as_relative_to_an_inboard_interface():
    """At rest, where both descriptions are exact."""
    found = []
    for frame in ("inboard", "mean"):
        system, body, state = loaded(frame)
        system.realize(state, mb.Stage.ACCELERATION)
        found.append([each.A_GB(state) for each in (body.interface("start"), body.interface("end"), system.matter.body("ball"))])
    assert_allclose(found[1], found[0], rtol=1e-8, atol=1e-8 * np.abs(found[0]).max())


@pytest.mark.parametrize("kind", ["core", "beam"])
def test_free_flight_keeps_momentum_to_round_off(kind):
    if kind == "core":
        system, body, state = loaded("mean")
        state = system.realize_topology()
    else:
        system = mb.MultibodySystem()
        given = mb.FlexibleBeam(LENGTH, SECTION_OF_BEAM, MATERIAL, modes=3, frame="mean")
        body = mb.Free(mb.MatterSubsystem(system).ground, given, name="beam")
        state = system.realize_topology()
    body.set_u(state, [1.0, 2.0, -1.5, 0.1, 0.2, 0.3])
    body.set_eta_dot(state, np.sin(1 + np.arange(body.body.modal.n)))
    final = mb.Simulation(system, integrator="DOP853", accuracy=1e-13).run(state, until=0.01).final_state
    before, after = (system.matter.momentum_about_ground_origin(realized(system, each)) for each in (state, final))
    assert_allclose(after, before, atol=1e-12 * np.abs(before).max())
    energies = [system.energy(realized(system, each)) for each in (state, final)]
    assert_allclose(energies[1], energies[0], rtol=1e-11)


def realized(system, state):
    system.realize(state, mb.Stage.VELOCITY)
    return state


def test_joints_and_constraints_are_on_interfaces():
    modal = mb.ModalData.from_matrices(*beam(LENGTH, 2, **SECTION), ENDS, frame="mean", modes=3)
    system = mb.MultibodySystem()
    matter = mb.MatterSubsystem(system)
    with pytest.raises(InputError, match=r"Pin 'arm' has 1 degrees of freedom.*which no joint can hold. Take a Free"):
        mb.Pin(matter.ground, mb.FlexibleBody(modal), name="arm")
    wing = mb.Free(matter.ground, mb.FlexibleBody(modal), name="wing")
    for make in (
        lambda: mb.Weld(wing, mb.MassProperties.point(1.0, [0, 0, 0]), name="load"),
        lambda: mb.BallConstraint(matter.ground, [0, 0, 0], wing, [0, 0, 0], name="load"),
    ):
        with pytest.raises(
            InputError, match=r"'load'.* the frame of 'wing' has its mean axes, on which there is no material.*'start', 'end'"
        ):
            make()
    mb.BallConstraint(matter.ground, [0, 0, 0], wing.interface("end"), [0, 0, 0])
    system.realize_topology()
    with pytest.raises(InputError, match="coupling is not 0"):
        mb.ModalData(**{**vars(mb.ModalData.from_matrices(*beam(LENGTH, 2, **SECTION), ENDS, inboard="start", modes=3)), "inboard": None})


def test_files_keep_the_frame(tmp_path):
    modal = mb.ModalData.from_matrices(*beam(LENGTH, 2, **SECTION), ENDS, frame="mean", modes=3)
    modal.write(tmp_path / "wing.npz")
    read = mb.ModalData.read(tmp_path / "wing.npz")
    assert read.frame == "mean"
    assert_allclose(read.interfaces["start"].shapes, modal.interfaces["start"].shapes, rtol=0, atol=0)
    np.savez(tmp_path / "matrices.npz", **dict(zip(("M", "K", "nodes"), beam(LENGTH, 2, **SECTION), strict=True)))
    again = mb.ModalData.read(tmp_path / "matrices.npz", ENDS, frame="mean", modes=3)
    assert_allclose(again.frequencies, modal.frequencies, rtol=1e-12)
    system = mb.MultibodySystem("wing")
    ground = mb.MatterSubsystem(system).ground
    mb.Free(ground, mb.FlexibleBody(modal), name="wing")
    mb.Free(ground, mb.FlexibleBeam(LENGTH, SECTION_OF_BEAM, MATERIAL, modes=2, frame="mean"), name="rod")
    same_bytes(system, tmp_path)
    wing, rod = (each["flexible"] for each in json.loads((tmp_path / "one.json").read_text())["bodies"])
    assert (wing["modal"]["frame"], rod["frame"]) == ("mean", "mean")
    assert "inboard" not in wing["modal"]


@pytest.mark.slow
@pytest.mark.parametrize("code", ["compiled", "interpreted"])
def test_an_fmu_moves_as_the_run(tmp_path, code):
    system, _body, state = loaded("mean", size=0.5)
    times = np.linspace(0, 0.01, 6)
    results = mb.Simulation(system, accuracy=1e-8).run(state, until=times[-1], report_every=times[1])
    path = mb.export_fmu(system, tmp_path / "wing.fmu", outputs=["beam.end.p_GB", "beam.start.deflection"], state=state, code=code)
    with start(FmuFile(path), tolerance=1e-8) as instance:
        found = walk(instance, times, ["beam.end.p_GB[2]", "beam.start.deflection[6]"])
    expected = np.column_stack([results["beam.end.p_GB"][:, 1], results["beam.start.deflection"][:, 5]])
    assert_allclose(found, expected[1:], rtol=1e-5, atol=1e-7)
