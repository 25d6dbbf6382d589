"""Model exchange: errors of an importer's steps at contacts that rest free at zero, and at slips that begin: docs/decisions/233."""

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from scipy.spatial.transform import Rotation

import mobod as mb
from tests.fmu.bouncing_sphere import sphere
from tests.fmu.test_friction_fmus import SteppedImporter

EVERY, UNTIL = 0.02, 0.6  # s
CAPSULE, ROUND = mb.contact.Capsule(0.05, 0.1), mb.contact.Sphere(0.1)
ACROSS = mb.Transform(np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]]), p=[0, 0, -0.1])
PAIRS = {  # the shape of Ground, its pose, that of the body, and q: rotations about x, y, z, then the place
    "capsule on box": (mb.contact.Box([0.3, 0.3, 0.1]), mb.Transform(p=[0, 0, -0.1]), CAPSULE, (1.2, 0.2, 0.1, 0.1, 0, 0.2)),
    "capsules": (mb.contact.Capsule(0.1, 0.3), ACROSS, mb.contact.Capsule(0.05, 0.2), (0.024, 0.9, -0.711, 0.05, 0.02, 0.3)),
    "sphere on box": (mb.contact.Box([0.3, 0.3, 0.1]), mb.Transform(p=[0, 0, -0.1]), ROUND, (0.1, 0.2, 0.3, 0.25, 0.1, 0.2)),
    "spheres": (mb.contact.Sphere(0.2), mb.Transform(p=[0, 0, -0.2]), ROUND, (0.1, 0.2, 0.3, 0.05, 0.02, 0.2)),
    "capsule": (mb.contact.HalfSpace(), mb.Transform(), CAPSULE, (0.4, 0.9, 0.1, 0, 0, 0.3)),
    "ellipsoid": (mb.contact.HalfSpace(), mb.Transform(), mb.contact.Ellipsoid([0.1, 0.07, 0.05]), (0.5, 0.2, 0.1, 0, 0, 0.3)),
    "box": (mb.contact.HalfSpace(), mb.Transform(), mb.contact.Box([0.1, 0.07, 0.05]), (0.3, 0.5, 0.1, 0, 0, 0.3)),
    "disc": (mb.contact.HalfSpace(), mb.Transform(), mb.contact.Cylinder(0.1, 0.05), (0.3, 0.5, 0.1, 0, 0, 0.3)),
}
SPEEDS = (1.0, 2.0, 0, 1.0, 0.1, 0)


def thrown(name, restitution, friction, speeds=SPEEDS):
    """A body that is thrown on a fixed shape."""
    ground, X_BS, shape, place = PAIRS[name]
    system = mb.MultibodySystem("thrown")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=9.81)
    body = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], np.eye(3) * 0.004), name="b")
    options = {"static_friction": friction, "restitution": restitution, "name": "contact"}
    if name == "capsule on box":
        options["in_fixed_steps"] = False
    mb.RigidContact(matter.ground, ground, body, shape, X_B1S1=X_BS, **options)
    state = system.realize_topology()
    body.set_q(state, [*Rotation.from_euler("xyz", place[:3]).as_quat(scalar_first=True), *place[3:]])
    body.set_u(state, list(speeds))
    return system, state


def exported(system, state, folder, version="2.0"):
    path = folder / "it.fmu"
    return mb.export_fmu(system, path, outputs=["b.u"], state=state, fmi_version=version, code="interpreted", reference=False)


def by_cvode(path, tolerance):
    """(n, 6) speeds at all reports, of an importer that does not tell the FMU its tolerance, and the number of events."""
    output = [f"b.u[{i + 1}]" for i in range(6)]
    run = fmpy.simulate_fmu(
        path, fmi_type="ModelExchange", stop_time=UNTIL, output_interval=EVERY, relative_tolerance=tolerance, output=output, timeout=60
    )  # fmt: skip
    n_reports = round(UNTIL / EVERY) + 1
    at = [np.flatnonzero(np.abs(run["time"] - EVERY * number) < 1e-9)[-1] for number in range(n_reports)]
    return np.column_stack([run[name] for name in output])[at], (len(run) - n_reports) / 2


@pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-8])
def test_a_capsule_that_leaves_an_edge_has_no_events_by_errors_of_the_importer(tolerance, tmp_path):
    """The first steps after the contact has opened are of low order: they took it below zero up to 6,000 times in 0.1 s."""
    system, state = thrown("capsule on box", 0.3, 0.4)
    right = mb.Simulation(system, accuracy=1e-10, backend="interpreted").run(state, until=UNTIL, report_every=EVERY)["b.u"]
    u, n_events = by_cvode(exported(system, state, tmp_path), tolerance)
    assert n_events <= 60  # 14, those of one drop of a quaternion at each report, and a few while the noise widens
    assert np.abs(u[-1] - right[-1]).max() <= 2000 * tolerance  # each impact magnifies the errors of the flight before it


def test_slips_that_begin_have_no_events_by_errors_of_the_importer(tmp_path):
    system, state = thrown("capsules", 0.0, 0.4, (0.036, 1.352, -1.144, 0.808, -0.339, -0.046))
    right = mb.Simulation(system, accuracy=1e-10, backend="interpreted").run(state, until=UNTIL, report_every=EVERY)["b.u"]
    u, n_events = by_cvode(exported(system, state, tmp_path), 1e-4)
    assert n_events <= 60
    assert np.abs(u[-1] - right[-1]).max() <= 0.2


CASES = [(name, *case) for name in PAIRS for case in ((0.3, 0.4), (0.0, 0.4), (0.5, None))]
MANY_EVENTS = [("box", 0.3, 0.4), ("disc", 0.5, None)]  # 374 at 1e-4, 558 at 1e-8: the cause is not known


@pytest.mark.slow
@pytest.mark.parametrize(("name", "restitution", "friction"), CASES)
def test_thrown_bodies_reach_the_motion_of_a_run_at_all_tolerances(request, name, restitution, friction, tmp_path):
    """One impact of two capsules magnifies errors of the flight to 6,000 tolerances; the tolerance of the FMU, 1e-6, decides when a bounce
    has died out, at 5e-6 rad/s."""
    system, state = thrown(name, restitution, friction)
    right, other = (
        mb.Simulation(system, accuracy=accuracy, backend="interpreted").run(state, until=UNTIL, report_every=EVERY)["b.u"]
        for accuracy in (1e-10, 1e-8)
    )
    spread = 100 * np.abs(other - right).max()  # of a motion that magnifies errors without bound
    counts = []
    for version in ("2.0", "3.0"):
        path = exported(system, state, tmp_path, version)
        for tolerance in (1e-4, 1e-6, 1e-8, 1e-10):
            u, n_events = by_cvode(path, tolerance)
            counts.append(n_events)
            assert np.median(np.abs(u - right).max(axis=1)) <= 1e4 * tolerance + 1e-5 + spread, (version, tolerance)
    if (name, restitution, friction) in MANY_EVENTS:
        request.applymarker(pytest.mark.xfail(strict=True, reason="more events than the motion has"))
    assert max(counts) <= 300


def test_events_of_a_contact_without_end_are_an_error_that_names_it(tmp_path, monkeypatch):
    """An importer that stands still after a step of 1 s: it moves the sphere to the plane again after each impact."""
    system, state = sphere(restitution=0.5)
    path = mb.export_fmu(system, tmp_path / "it.fmu", outputs=["ball.u"], state=state, code="interpreted", reference=False)
    logged, callbacks, instantiate = [], fmpy.fmi2.fmi2CallbackFunctions(), fmpy.fmi2.FMU2Model.instantiate
    callbacks.logger = fmpy.fmi2.fmi2CallbackLoggerTYPE(lambda *of_message: logged.append(of_message[4].decode()))
    callbacks.allocateMemory = fmpy.fmi2.fmi2CallbackAllocateMemoryTYPE(fmpy.calloc)
    callbacks.freeMemory = fmpy.fmi2.fmi2CallbackFreeMemoryTYPE(fmpy.free)
    monkeypatch.setattr(fmpy.fmi2.FMU2Model, "instantiate", lambda model: instantiate(model, callbacks=callbacks))
    importer, n_events = SteppedImporter(path), 0
    y, model = importer.states(), importer.model

    def strike():
        importer.time = 1.0 + 8e-10 * n_events
        model.setTime(importer.time)
        y[6], y[12] = 0.1 - 1e-14, -1.0
        importer.set_states(y)
        model.completedIntegratorStep()
        model.enterEventMode()
        importer.update()

    for _ in range(1000):
        strike()
        n_events += 1
    with pytest.raises(FMICallException):
        strike()
    assert "1000 events of 'contact.point'" in logged[-1]
