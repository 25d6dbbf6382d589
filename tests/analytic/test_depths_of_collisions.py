"""A warning names compliant contacts of convex shapes that are deep, and the depth. There is none in test_energy_of_collisions.py, where
warnings are errors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.cosim import FmuFile
from mobod.errors import IntegrationError, MobodWarning
from tests.fmu.stepped import start

SPEEDS = [1.0, 2.0, 3.0, 0.3, 0.2, 0.0]


def falling_hull(stiffness, *, dissipation=0.0, friction=0.0):
    """A hull of 16 cm and 1 kg that falls on a box."""
    system = mb.MultibodySystem("fall")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=9.81)
    hull = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], np.eye(3) * 0.004), name="hull")
    points = np.random.default_rng(0).normal(size=(30, 3)) * 0.08
    mb.CompliantContact(
        forces,
        matter.ground,
        mb.contact.Box([1, 1, 0.1]),
        hull,
        mb.contact.ConvexMesh.hull_of(points),
        X_B1S1=mb.Transform(p=[0, 0, -0.1]),
        material1=mb.ContactMaterial(stiffness=stiffness, dissipation=dissipation, dynamic_friction=friction),
        name="ground on hull",
    )
    hull.set_default_q([1, 0, 0, 0, 0, 0, 0.3])
    state = system.realize_topology()
    hull.set_u(state, SPEEDS)
    return system, state, hull


def is_of_depth(message):
    return "'ground on hull' has been" in message and "m deep" in message


def test_a_deep_collision_warns_with_the_pair_and_the_depth():
    system, state, _ = falling_hull(1e4)

    with pytest.warns(MobodWarning, match="m deep"):
        results = mb.Simulation(system, accuracy=1e-6, backend="interpreted").run(state, until=0.4)

    (message,) = filter(is_of_depth, results.warnings)
    assert 0.04 < float(message.split("has been ")[1].split()[0]) < 0.08  # m, though only the start and the end are reported


def test_a_shallow_collision_keeps_the_energy_without_a_word():
    system, state, _ = falling_hull(3e6)

    results = mb.Simulation(system, accuracy=1e-8, backend="interpreted").run(state, until=0.4)

    assert not any(map(is_of_depth, results.warnings))
    assert_allclose(np.diff(results["energy"]), 0, atol=2e-4 * 3)


def test_a_run_that_stops_in_a_deep_contact_says_so():
    system, state, _ = falling_hull(1e4, dissipation=1.0, friction=0.4)

    with pytest.raises(IntegrationError, match=r"'ground on hull' has been 0\.0\d* m deep"):
        mb.Simulation(system, accuracy=1e-8, backend="interpreted").run(state, until=0.5)


def test_stepped_runs_and_runs_that_go_on_warn_of_their_own_depths():
    system, state, _ = falling_hull(1e4)
    simulation = mb.Simulation(system, accuracy=1e-6, backend="interpreted")

    run = simulation.start(state)
    for _ in range(40):
        run.step(0.01)
    with pytest.warns(MobodWarning, match="m deep"):
        history = run.history()
    later = simulation.run(run.state.copy(), until=0.41)

    assert sum(map(is_of_depth, history.warnings)) == 1
    assert not any(map(is_of_depth, later.warnings))


def test_runs_of_an_ensemble_warn_each_for_itself():
    system, state, hull = falling_hull(1e4)
    gentle = state.copy()
    hull.set_u(gentle, [1.0, 2.0, 3.0, 0.3, 0.2, 2.0])
    options = {"accuracy": 1e-6, "backend": "interpreted"}

    with pytest.warns(MobodWarning, match="run 1: .* m deep"):
        results = mb.Ensemble(system, [gentle, state], **options).run(until=0.27)
    stepped = mb.Ensemble(system, [gentle, state], **options)
    with pytest.warns(MobodWarning, match="run 1: .* m deep"):
        stepped.step(0.27)

    assert [(number, is_of_depth(message)) for number, message in results.warnings] == [(1, True)]
    assert [(number, is_of_depth(message)) for number, message in stepped.warnings] == [(1, True)]


@pytest.mark.slow
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_an_fmu_logs_it_once(tmp_path, version):
    system, _, _ = falling_hull(1e4)
    path = mb.export_fmu(system, tmp_path / "hull.fmu", inputs=[], outputs=["hull.q"], fmi_version=version, code="interpreted")

    with start(FmuFile(path)) as instance:
        for k in range(40):
            instance.step(0.01 * k, 0.01)
        logged = [line.message for line in instance.log.lines if line.status == "warning"]

    assert sum(map(is_of_depth, logged)) == 1
