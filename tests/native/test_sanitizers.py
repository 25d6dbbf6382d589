"""The C runtime with the sanitizers, without constraints and with them."""

import numpy as np
import pytest

import mobod as mb
from mobod.native_sources import native_folders
from mobod.spatial import from_body_xyz
from tests.analytic.linkage import linkage
from tests.flexible.bodies import beam_modal
from tests.native.pile_of_shapes import add_pile
from tests.native.sanitized import check_clean, check_driver_is_clean, sanitized_runtime
from tests.native.slave import HERE
from tests.reference.stops import read, slotted_hinge

pytestmark = pytest.mark.slow  # to compile under the sanitizers takes long


@pytest.fixture(scope="module")
def runtime(tmp_path_factory):
    return sanitized_runtime(tmp_path_factory.mktemp("runtime"))


def test_the_sanitizers_find_nothing_in_the_runtime(runtime, tmp_path):
    sources = [HERE / f"{name}.c" for name in ("model_pendulum", "variables_pendulum", "driver")]
    check_driver_is_clean(["-g", "-O1", *(f"-I{folder}" for folder in native_folders()), f"-I{HERE}", *sources], runtime, tmp_path)


def add_compliant_bodies(matter):
    """Adds a body on a plane that is compliant in both directions, with a slider on it that falls on a compliant stop."""
    mass = mb.MassProperties(1.2, [0.1, 0, 0], np.diag([0.1, 0.2, 0.3]))
    free = mb.Free(matter.ground, mass, name="free")
    slider = mb.Slider(free, mass, X_PF=mb.Transform(from_body_xyz([0, 0, np.pi / 2])), name="slider")
    slider.set_limits(-0.05, 0.05, compliance=1e-3, damping=5.0)
    plane = mb.PlaneConnectorCoupling([0, 1, 0])
    plane.constraint(0).compliance, plane.constraint(0).damping = 1e-3, 20.0
    mb.CouplingJoint(plane, free, matter.ground, X_AC=mb.Transform(p=[0.1, 0, 0]), X_BD=mb.Transform(), name="plane")


@pytest.mark.parametrize("integrator", ["auto", "Rodas5P"])
def test_the_sanitizers_find_nothing_in_constraints(integrator, runtime, tmp_path):
    made = linkage()
    outputs = ["ball1.multiplier", "ball2.position_error", "rod.velocity_error", "crank2.reaction", "energy"]
    fmu = mb.export_fmu(made.system, tmp_path / "linkage.fmu", outputs=outputs, code="compiled", state=made.state, integrator=integrator)

    check_clean(fmu, "constrained_driver.c", runtime, tmp_path)


def test_the_sanitizers_find_nothing_in_unilateral_rows(runtime, tmp_path):
    """Impacts, rest, release, tuning and unsatisfiable rows; one impact would gain energy by Newton's law."""
    system, hinge = slotted_hinge(read("exact_custom_joint_demo_e0")["params"], restitution=0.3)
    hinge.set_limits(-3.5, 0.5, 0.9, coordinate=1)
    add_compliant_bodies(system.matter)
    outputs = ["hinge.q", "hinge.limit_0.force", "hinge.limit_1.engaged", "hinge.limit_1.distance", "energy"]
    fmu = mb.export_fmu(system, tmp_path / "slotted.fmu", outputs=outputs, code="compiled")

    check_clean(fmu, "contacts_driver.c", runtime, tmp_path)


@pytest.mark.parametrize("rule", ["artisynth", "predictive"])
def test_the_sanitizers_find_nothing_in_fixed_steps(rule, runtime, tmp_path):
    system, hinge = slotted_hinge(read("exact_custom_joint_demo_e0")["params"], restitution=0.3)
    hinge.set_limits(-3.5, 0.5, 0.9, coordinate=1)
    add_compliant_bodies(system.matter)
    outputs = ["hinge.q", "hinge.limit_0.force", "hinge.limit_1.engaged", "hinge.limit_1.impulse", "energy"]
    options = {"integrator": "velocity_level", "step": 0.002, "engagement": rule}
    fmu = mb.export_fmu(system, tmp_path / "slotted.fmu", outputs=outputs, code="compiled", **options)

    check_clean(fmu, "contacts_driver.c", runtime, tmp_path)


def test_the_sanitizers_find_nothing_in_slots(runtime, tmp_path):
    """Impacts, rest, release and saved states of shapes that fall on each other, whose points of contact change."""
    system, hinge = slotted_hinge(read("exact_custom_joint_demo_e0")["params"], restitution=0.3)
    hinge.set_limits(-3.5, 0.5, 0.9, coordinate=1)
    add_pile(system.matter)
    outputs = ["hinge.q", "hinge.limit_0.force", "pile0.n_points", "pile1.distance", "pile2.force", "energy"]
    fmu = mb.export_fmu(system, tmp_path / "pile.fmu", outputs=outputs, code="compiled", integrator="velocity_level", step=0.005)

    check_clean(fmu, "contacts_driver.c", runtime, tmp_path)


def test_the_sanitizers_find_nothing_in_fixed_steps_with_only_bilateral_constraints(runtime, tmp_path):
    made = linkage()
    outputs = ["ball1.multiplier", "ball2.position_error", "rod.velocity_error", "crank2.reaction", "energy"]
    fmu = mb.export_fmu(
        made.system, tmp_path / "linkage.fmu", outputs=outputs, code="compiled", state=made.state, integrator="velocity_level", step=0.002
    )

    check_clean(fmu, "constrained_driver.c", runtime, tmp_path)


def test_the_sanitizers_find_nothing_in_rows_of_flexible_bodies(runtime, tmp_path):
    """More modes than speeds of any joint, with a limit, a rod and a compliant stop through its interface."""
    system, hinge = slotted_hinge(read("exact_custom_joint_demo_e0")["params"], restitution=0.3)
    hinge.set_limits(-3.5, 0.5, 0.9, coordinate=1)
    matter, mass = system.matter, mb.MassProperties(1.2, [0.1, 0, 0], np.diag([0.1, 0.2, 0.3]))
    beam = mb.Pin(matter.ground, mb.FlexibleBody(beam_modal(modes=8, elements=4), damping_ratio=0.02), name="beam")
    mb.Rod(beam.interface("end"), [0, 0, 0], matter.ground, [1.7, -0.5, 0.0], 0.5, name="rod")
    arm = mb.Pin(beam.interface("end"), mass, name="arm")
    arm.set_limits(-0.2, 0.3, 0.5)
    mb.Slider(arm, mass, name="slider").set_limits(-0.05, 0.05, compliance=1e-3, damping=5.0)
    outputs = ["hinge.q", "hinge.limit_0.force", "hinge.limit_1.engaged", "hinge.limit_1.distance", "energy"]
    fmu = mb.export_fmu(system, tmp_path / "slotted.fmu", outputs=outputs, code="compiled")

    check_clean(fmu, "contacts_driver.c", runtime, tmp_path)
