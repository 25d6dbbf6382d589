"""Limits of URDF joints: initial coordinates, rest and stops."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.cosim import FmuFile, Instance
from mobod.errors import UnsupportedError
from mobod.files import ModelFileWarning
from tests.unit.files.conftest import joint
from tests.unit.files.test_urdf import bar

ARM = Path(__file__).resolve().parents[3] / "examples" / "arm.urdf"
PRISMATIC = '<axis xyz="0 0 1"/><limit lower="-0.02" upper="0.04" effort="5" velocity="1"/>'


def test_limits_are_rigid_with_the_files_bounds(urdf):
    system = mb.load_urdf(urdf(joint()))
    state = system.realize_topology()
    limits = system.matter.body("pin").limits[0]
    assert (limits.bounds(state), limits.restitution(state)) == ((-1.0, 2.0), 0.0)


def test_a_missing_effort_is_allowed_for_rigid_limits(urdf):
    """The largest double stands for an unlimited effort; an elastic stop cannot be derived from it."""
    file = urdf(joint(content='<limit lower="-1" upper="2" effort="1.7e308" velocity="4"/>'))
    assert mb.load_urdf(file).matter.body("pin").limits
    with pytest.raises(UnsupportedError, match="'pin' has limits from -1 to 2 rad without a stop_stiffness"):
        mb.load_urdf(file, limits="stops")


@pytest.mark.parametrize(("bounds", "start"), [((0.1, 2.0), 0.1), ((-2.0, -0.3), -0.3)])
def test_a_joint_that_cannot_be_at_zero_starts_at_its_nearest_limit_with_a_warning(urdf, bounds, start):
    file = urdf(joint(content=f'<limit lower="{bounds[0]}" upper="{bounds[1]}" effort="1" velocity="1"/>'))
    with pytest.warns(ModelFileWarning, match=rf"line 11: joint 'pin': 0 is outside of its limits, from .* rad. It begins at {start} rad"):
        system = mb.load_urdf(file)
    assert system.matter.body("pin").default_q.tolist() == [start]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ignored = mb.load_urdf(file, limits="ignore")
    assert ignored.matter.body("pin").default_q.tolist() == [0.0]


def fingers(urdf, mimic):
    links = '<link name="base"/>' + bar("left") + bar("right")
    left = joint("prismatic", PRISMATIC, name="left", child="left")
    return urdf(joint("prismatic", PRISMATIC + mimic, name="right", child="right") + left, links)


def test_a_mimic_joint_starts_at_the_value_of_its_leader(urdf):
    system = mb.load_urdf(fingers(urdf, '<mimic joint="left" multiplier="-0.5" offset="0.015"/>'))
    assert system.matter.body("right").default_q.tolist() == [0.015]
    with pytest.warns(ModelFileWarning, match=r"joint 'right' follows 'left' and so begins at 0.05 m, outside of its limits, from -0.02"):
        mb.load_urdf(fingers(urdf, '<mimic joint="left" offset="0.05"/>'))


def test_two_coupled_fingers_rest_on_both_limits(urdf):
    """Both limits and the mimic are redundant rows."""
    system = mb.load_urdf(fingers(urdf, '<mimic joint="left"/>'))
    final = mb.Simulation(system, accuracy=1e-8, backend="interpreted").run(system.realize_topology(), until=0.3).final_state
    system.realize(final, mb.Stage.ACCELERATION)
    for name in ("left", "right"):
        assert_allclose(system.matter.body(name).q(final), [-0.02], atol=1e-9)
        assert_allclose(system.matter.body(name).u(final), [0.0], atol=1e-9)
    forces = [system.matter.body(name).limit_force(final)[0] for name in ("left", "right")]
    assert_allclose(sum(forces), 2 * 2.5 * mb.forces.gravity.STANDARD_GRAVITY, rtol=1e-8)  # the weight of both


@pytest.mark.slow
def test_an_arm_falls_on_its_stops_and_so_does_its_fmu(tmp_path):
    system = mb.load_urdf(ARM)
    state = system.realize_topology()
    limited = [body.name for body in system.matter.bodies if body.nq == 1 and body.limits]
    assert limited == ["waist", "shoulder_lift", "elbow", "forearm_roll", "wrist_bend"]
    results = mb.Simulation(system, accuracy=1e-8).run(state, until=1.0)
    stopped = {event.name.split(".")[0] for event in results.events if "_limit" in event.name}
    assert "shoulder_lift" in stopped
    final = results.final_state
    system.realize(final, mb.Stage.ACCELERATION)

    outputs = [f"{name}.{what}" for name in limited for what in ("q", "limit.engaged", "limit.distance")]
    file = FmuFile(mb.export_fmu(system, tmp_path / "arm.fmu", name="arm", outputs=outputs))
    with Instance(file, "arm") as instance:
        instance.set_up(0.0, None, 1e-8)
        instance.enter_initialization()
        instance.exit_initialization()
        least = np.inf
        for step in range(10):
            instance.step(step / 10, 0.1)
            least = min(least, *(float(instance.get(f"{name}.limit.distance")) for name in limited))
        assert least > -1e-6  # nothing has gone beyond its stop: a hundred times the tolerance
        for name in limited:
            body = system.matter.body(name)
            assert_allclose(instance.get(f"{name}.q"), body.q(final), atol=1e-5)
            assert int(instance.get(f"{name}.limit.engaged")) == body.engaged(final)[0]


@pytest.mark.parametrize(("effort", "expected"), [("30", (-30.0, 30.0)), ("0", None), ("1.7e308", None)])
def test_a_motor_declares_the_effort_of_its_joint_and_is_not_cut_at_it(urdf, effort, expected):
    system = mb.load_urdf(urdf(joint(content=f'<limit lower="-1" upper="2" effort="{effort}" velocity="4"/>')))
    state = system.realize_topology()
    (motor,) = [each for each in system.variables(state) if each.name.endswith("_motor.force")]
    assert motor.declared_range == expected
    system.set_value(state, motor.name, 31.0)
    assert system.value(state, motor.name) == 31.0
