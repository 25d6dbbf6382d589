"""load_mjcf: what the elements of an MJCF file become, against MuJoCo at one general state, and its options."""

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import InputError, ModelFileError, UnknownNameError, UnsupportedError
from mobod.files import Finding, ModelFileWarning
from mobod.files.findings import Findings
from mobod.files.mjcf.compiled_names import CompiledNames
from mobod.files.mjcf.mujoco_package import OLDEST, mujoco
from mobod.files.mjcf.mujoco_state import mujoco_joints, set_mujoco_state, speeds_from_mujoco
from mobod.files.mjcf.softness import softness

# two joints on a body, ref, springref, armature, a ball, a fixed body, gravity compensation of a part, drives of all kinds, a tendon
MIXED = """<mujoco model="mixed"><compiler angle="radian"/><option gravity="0.2 -0.1 -9.5"/>
<default><geom contype="0" conaffinity="0"/></default>
<worldbody><body name="base" pos="0 0 1"><freejoint/><geom type="box" size="0.2 0.1 0.05" mass="3"/>
<body name="arm" pos="0.2 0 0" gravcomp="0.7">
<joint name="yaw" axis="0 0 1" ref="0.3" stiffness="2" springref="0.1" damping="0.2"/>
<joint name="lift" type="slide" axis="0 1 1" pos="0.1 0 0" ref="-0.05" armature="0.4" range="-0.3 0.2"/>
<geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0.1" mass="0.8"/><site name="tip" pos="0.3 0 0.1" euler="0.2 0.4 0"/>
<body name="hand" pos="0.3 0 0.1" euler="0 0.3 0"><joint name="wrist" type="ball" damping="0.05" armature="0.01"/>
<geom type="sphere" size="0.05" pos="0.05 0 0.02" mass="0.3"/>
<body name="plate" pos="0.1 0 0" euler="0.4 0 0"><geom type="box" size="0.05 0.03 0.01" mass="0.1"/></body></body></body></body></worldbody>
<tendon><fixed name="both" stiffness="5" damping="0.3" springlength="-0.1 0.1"><joint joint="yaw" coef="0.3"/>
<joint joint="lift" coef="-1.5"/></fixed></tendon>
<actuator><position name="yaw" joint="yaw" kp="20" kv="1.5" ctrlrange="-1 1" forcerange="-15 15"/>
<velocity name="rate" joint="lift" kv="4"/>
<general name="pull" tendon="both" gear="2" gaintype="affine" gainprm="3 0.5 -0.2" biastype="affine" biasprm="0.2 -1 -0.4"/>
<motor name="jet" site="tip" gear="1 0 0.5 0 0.1 0"/><motor name="twist" joint="wrist" gear="0.1 0.2 -0.3"/>
<motor name="roll" jointinparent="wrist" gear="-0.2 0.1 0.4"/>
<position name="slow" joint="lift" kp="30" timeconst="0.1"/></actuator>
<sensor><gyro site="tip" name="gyro"/><accelerometer site="tip" name="imu"/><subtreecom body="arm" name="com"/>
<actuatorfrc actuator="pull" name="pulling"/></sensor>
<keyframe><key name="up" qpos="0 0 2 1 0 0 0 0.5 0.1 1 0 0 0" ctrl="0.2 0 0 0 0 0 0.1" act="0.05"/></keyframe></mujoco>"""
ARM = """<mujoco model="arm"><worldbody>
<body name="link"><joint name="hinge" axis="0 1 0" range="20 90" frictionloss="0.1"/>
<geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0" condim="{condim}"/>
{inside}</body>{world}</worldbody>{more}</mujoco>"""


@pytest.fixture
def mjcf(tmp_path):
    """Writes a file, the text of ARM with these parts, or a whole text."""

    def make(text: str = ARM, name: str = "robot.xml", **parts: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text.format(**{"condim": "3", "inside": "", "world": "", "more": "", **parts}) if text == ARM else text)
        return path

    return make


def loaded(path, **options) -> tuple[mb.MultibodySystem, tuple[Finding, ...]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelFileWarning)
        system = mb.load_mjcf(path, **options)
    return system, caught[0].message.findings if caught else ()


def kinds(findings) -> set[str]:
    return {each.kind for each in findings}


def elements(system) -> dict:
    return {each.name: each for part in system.subsystems for each in (*getattr(part, "elements", ()), *getattr(part, "measures", ()))}


@pytest.fixture(scope="module")
def mixed():
    """The System, MuJoCo's model and data at a general state, and the State of the same coordinates."""
    mj = mujoco()
    m = mj.MjModel.from_xml_string(MIXED)
    m.opt.disableflags |= int(mj.mjtDisableBit.mjDSBL_LIMIT)
    data = mj.MjData(m)
    random = np.random.default_rng(5)
    mj.mj_integratePos(m, data.qpos, 0.7 * random.normal(size=m.nv), 1.0)
    data.qvel[:], data.ctrl[:], data.act[:] = random.normal(size=m.nv), random.uniform(-1.2, 1.2, m.nu), 0.3
    mj.mj_forward(m, data)
    system, findings = loaded(m)
    state, names = system.realize_topology(), CompiledNames(m, Findings(Path("x"), strict=False))
    joints, made = mujoco_joints(m, names, system), elements(system)
    set_mujoco_state(state, joints, data.qpos, data.qvel)
    drives = [made[name] for name in names.actuators]
    for drive, command in zip(drives, data.ctrl, strict=True):
        drive.set_command(state, command)
    system.set_value(state, "slow.activation", 0.3)
    system.realize(state, mb.Stage.REPORT)
    return system, state, speeds_from_mujoco(state, joints, data.qpos, m.nv), drives, m, data, findings


def test_the_mass_matrix_and_the_accelerations_are_those_of_mujoco(mixed):
    system, state, T, _, m, data, findings = mixed
    M = np.zeros((m.nv, m.nv))
    mujoco().mj_fullM(m, data, M)
    assert_allclose(T.T @ system.matter.mass_matrix(state) @ T, M, atol=1e-14)  # round-off of the largest entry, 4
    u_dot = np.concatenate([np.atleast_1d(body.u_dot(state)) for body in system.matter.bodies])
    assert_allclose(np.linalg.solve(T, u_dot), data.qacc_smooth, rtol=1e-10, atol=1e-10 * np.abs(data.qacc_smooth).max())
    assert kinds(findings) == {"name"}  # the actuator 'yaw' has the name of a joint


def test_the_forces_of_actuators_and_the_sensors_are_those_of_mujoco(mixed):
    system, state, _, drives, _, data, _ = mixed
    assert_allclose([drive.applied_force(state) for drive in drives], data.actuator_force, rtol=1e-12, atol=1e-13)
    for name, size in (("gyro", 3), ("imu", 3), ("com", 3), ("pulling", 1)):
        its = data.sensor(name).data
        assert_allclose(np.atleast_1d(system.value(state, f"{name}.value")), its, rtol=1e-11, atol=1e-11 * np.abs(its).max())
        assert len(its) == size


def test_actuators_are_inputs_with_their_ranges(mixed):
    system, state = mixed[:2]
    inputs = {each.name: each for each in system.variables(state) if each.role == "input"}
    assert list(inputs) == [
        "yaw_actuator.command",
        "rate.command",
        "pull.command",
        "jet.command",
        "twist.command",
        "roll.command",
        "slow.command",
    ]
    assert inputs["yaw_actuator.command"].declared_range == (-1.0, 1.0)
    assert inputs["yaw_actuator.command"].units == ("rad",)


def test_a_keyframe_gives_coordinates_commands_and_activations(mjcf):
    system, _ = loaded(mjcf(MIXED), keyframe="up")
    state = system.realize_topology()
    wanted = {"yaw.q": 0.5, "lift.q": 0.1, "base_joint1.q": [1, 0, 0, 0, 0, 0, 2], "yaw_actuator.command": 0.2, "slow.activation": 0.05}
    for name, value in wanted.items():
        assert_allclose(system.value(state, name), value)
    with pytest.raises(UnknownNameError, match="up"):
        mb.load_mjcf(mjcf(MIXED), keyframe="down")


def test_a_start_outside_of_a_range_is_moved_with_a_finding(mjcf):
    system, findings = loaded(mjcf())
    assert system.matter.bodies[0].default_q[0] == pytest.approx(np.deg2rad(20 + 0.07))  # a thousandth of the range inside
    assert {"start", "soft"} <= kinds(findings)


def test_a_command_begins_in_its_range_in_which_mujoco_takes_it(mjcf):
    more = '<actuator><position name="drive" joint="hinge" kp="2" ctrlrange="0.4 1.3"/></actuator>'
    keyframe = '<keyframe><key name="up" qpos="0.9" ctrl="1.8"/></keyframe>'
    for name, command in ((None, 0.4), ("up", 1.3)):
        system, _ = loaded(mjcf(more=more + keyframe), keyframe=name)
        assert system.value(system.realize_topology(), "drive.command") == command


# a four-bar linkage, a parallelogram at qpos0, whose rocker has a range
FOUR_BAR = """<mujoco model="four-bar"><compiler angle="radian"/><default><geom contype="0" conaffinity="0"/></default><worldbody>
<body name="crank"><joint name="crank" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0 0 0.3" mass="0.5"/>
<body name="coupler" pos="0 0 0.3"><joint name="coupler" axis="0 1 0"/>
<geom type="capsule" size="0.02" fromto="0 0 0 0.5 0 0" mass="0.7"/></body></body>
<body name="rocker" pos="0.5 0 0"><joint name="rocker" axis="0 1 0" range="{range}"/>
<geom type="capsule" size="0.02" fromto="0 0 0 0 0 0.3" mass="0.5"/></body>
</worldbody><equality><connect body1="coupler" body2="rocker" anchor="0.5 0 0"/></equality></mujoco>"""


def test_a_start_whose_loops_or_ranges_do_not_hold_is_assembled(mjcf):
    """qpos0 is outside of the range: moved into it alone, the rocker breaks the loop, which would move it out again."""
    system, findings = loaded(mjcf(FOUR_BAR.replace("{range}", "0.4 0.9")))
    (message,) = [each.message for each in findings if "closed loops" in each.message]
    assert "'coupler' by 0.4" in message
    q = {body.name: float(body.default_q[0]) for body in system.matter.bodies}
    crank, coupler, rocker = (q[name] for name in ("crank", "coupler", "rocker"))
    assert_allclose([crank, coupler], [rocker, -rocker], atol=1e-8)  # it stays a parallelogram; the Assembler's accuracy is 1e-9
    assert 0.4 <= rocker < 0.9
    mb.Simulation(system, accuracy=1e-6).run(system.realize_topology(), until=0.1)


def test_where_no_start_satisfies_loops_and_ranges_a_finding_says_so(mjcf):
    apart = FOUR_BAR.replace("{range}", "0.4 0.9").replace('body2="rocker"', 'body2="world"')
    locked = apart.replace('name="coupler" axis="0 1 0"', 'name="coupler" axis="0 1 0" range="0.3 0.5"').replace("fromto", "FROMTO", 1)
    locked = locked.replace("FROMTO", "fromto").replace('name="crank" axis="0 1 0"', 'name="crank" axis="0 1 0" range="0.5 0.6"')
    _, findings = loaded(mjcf(locked))
    assert any(each.kind == "start" and each.message.startswith("no start was found") for each in findings)


def test_a_load_compresses_a_compliant_limit_as_much_as_a_soft_one(mjcf):
    """1 kg rests at 0.3672 mm with MuJoCo's default: d of solimp at this depth, K = m d k / (1 - d)."""
    soft = softness(np.array([0.02, 1.0]), np.array([0.9, 0.95, 0.001, 0.5, 2.0]))
    assert soft.depth == pytest.approx(3.672e-4, abs=1e-7)
    joint = '<joint name="z" type="slide" axis="0 0 1" range="0 1"/>'
    mass = f'<mujoco><worldbody><body>{joint}<geom size="0.1" mass="{{}}"/></body></worldbody></mujoco>'
    for kg in (1, 10):
        system, findings = loaded(mjcf(mass.format(kg)), soft="compliant")
        state = system.realize_topology()
        system.matter.bodies[0].set_q(state, -soft.depth)
        system.realize(state, mb.Stage.ACCELERATION)
        assert system.matter.bodies[0].u_dot(state)[0] == pytest.approx(0, abs=1e-6)  # of 9.81
        assert "soft" not in kinds(findings)


TENDON = """<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="a" type="slide" axis="0 0 1"/><geom size="0.1" mass="2"/></body>
<body pos="0 1 0"><joint name="b" type="slide" axis="0 0 1"/><geom size="0.1" mass="0.5"/></body></worldbody>
<tendon><fixed name="cord" range="-0.2 0.4"><joint joint="a" coef="0.5"/><joint joint="b" coef="-2"/></fixed></tendon></mujoco>"""


def test_a_range_of_a_fixed_tendon_is_rigid_elastic_or_left_out(mjcf):
    path = mjcf(TENDON)
    system, findings = loaded(path)
    limits = elements(system)["cord"].limits
    assert [float(limits.default_parameter(name)) for name in ("lower", "upper")] == [-0.2, 0.4]
    assert not limits.compliant_rows
    assert "soft" in kinds(findings)
    assert "tendon" not in kinds(findings)
    assert elements(loaded(path, limits="ignore")[0])["cord"].limits is None


@pytest.mark.parametrize("side", [-1, 1])
def test_a_load_compresses_a_compliant_range_of_a_tendon_as_much_as_a_soft_one(mjcf, side):
    """Forces along the coefficients that accelerate the free length by 9.81 m/s^2: the length rests at the depth of the soft row."""
    system, findings = loaded(mjcf(TENDON), soft="compliant")
    assert "soft" not in kinds(findings)
    soft = softness(np.array([0.02, 1.0]), np.array([0.9, 0.95, 0.001, 0.5, 2.0]))
    load = 9.81 / (0.5**2 / 2 + 2**2 / 0.5)  # N, by the effective mass of the length
    one, other = system.matter.bodies
    forces = next(each for each in system.subsystems if isinstance(each, mb.ForceSubsystem))
    for body, coefficient in ((one, 0.5), (other, -2.0)):
        mb.MobilityConstantForce(forces, body, force=side * coefficient * load, name=f"{body.name}_load")
    state = system.realize_topology()
    other.set_q(state, ((-0.2, 0.4)[side > 0] + side * soft.depth) / -2.0)
    system.realize(state, mb.Stage.ACCELERATION)
    assert_allclose([one.u_dot(state)[0], other.u_dot(state)[0]], 0.0, atol=1e-6)  # of 9.81


@pytest.mark.parametrize(
    ("parts", "kind", "what"),
    [
        ({"more": '<option density="1.2" viscosity="0.00002"/>'}, "fluid", "density 1.2"),
        ({"more": '<actuator><muscle name="m" joint="hinge" lengthrange="0 1"/></actuator>'}, "actuator", "muscle"),
        ({"more": '<tendon><spatial name="cord"><site site="a"/><site site="b"/></spatial></tendon>'}, "tendon", "'cord' is spatial"),
        (
            {"more": '<tendon><fixed name="f" range="0.5 1" limited="true"><joint joint="hinge" coef="1"/></fixed></tendon>'},
            "tendon",
            "begins with the length 0.35",
        ),
        ({"world": '<body name="m" mocap="true"/>'}, "mocap", "'m'"),
        ({"world": '<body><joint type="ball" stiffness="3"/><geom size="0.1"/></body>'}, "spring", "ball"),
    ],
)
def test_what_is_left_out_is_a_finding_and_refused_if_strict(mjcf, parts, kind, what):
    path = mjcf(inside='<site name="a"/>', **{**parts, "world": parts.get("world", "") + '<site name="b"/>'})
    _, findings = loaded(path)
    (message,) = [each.message for each in findings if each.kind == kind]
    assert what in message
    with pytest.raises(ModelFileError, match=str(path)):
        mb.load_mjcf(path, strict=True)


def test_strict_takes_a_file_whose_soft_constraints_alone_become_rigid(mjcf):
    _, findings = loaded(mjcf(), strict=True)
    assert kinds(findings) == {"soft", "start", "ignored"}


def test_contacts_have_the_larger_friction_or_that_of_the_higher_priority(mjcf):
    world = '<geom name="floor" type="plane" size="5 5 1" friction="0.3"/><body name="ball" pos="0 0 1"><freejoint/>{}</body>'
    for geom, friction in (
        ('<geom size="0.1" friction="0.8"/>', 0.8),
        ('<geom size="0.1" friction="0.1"/>', 0.3),
        ('<geom size="0.1" friction="0.1" priority="1"/>', 0.1),
        ('<geom size="0.1" friction="0.8" condim="1"/>', 0.8),
        ('<geom size="0.1" friction="0.8" condim="1" priority="2"/>', 0.0),
    ):
        system, _ = loaded(mjcf(f"<mujoco><worldbody>{world.format(geom)}</worldbody></mujoco>"), contact="rigid")
        (contact,) = [each for each in system.matter.constraints if isinstance(each, mb.RigidContact)]
        assert contact.equations.friction[0] == friction, geom


def coefficients(contact) -> tuple[float, ...]:
    """Against sliding, spin and rolling."""
    names = ("torsional_friction", "rolling_friction")
    if isinstance(contact, mb.CompliantContact):
        return (contact.default_material1.static_friction, *(getattr(contact, f"default_{name}") for name in names))
    of_moments = (float(contact.default_parameter(name)) if name in contact.moments else 0.0 for name in names)
    return (contact.equations.friction[0], *of_moments)


def test_contacts_of_condim_4_and_6_have_friction_against_spin_and_rolling(mjcf):
    """Of a pair the larger condim and the larger coefficient of each kind count, or those of the higher priority."""
    floor = '<geom name="floor" type="plane" size="5 5 1" friction="0.3 0.02 0.003" {}/>'
    ball = '<body name="ball" pos="0 0 1"><freejoint/><geom name="ball" size="0.1" friction="0.8 0.01 0.004" {}/></body>'
    for of_floor, of_ball, found in (
        ('condim="3"', 'condim="3"', (0.8, 0.0, 0.0)),
        ('condim="4"', 'condim="1"', (0.8, 0.02, 0.0)),
        ('condim="3"', 'condim="6"', (0.8, 0.02, 0.004)),
        ('condim="6" priority="1"', 'condim="1"', (0.3, 0.02, 0.003)),
        ('condim="6"', 'condim="4" priority="1"', (0.8, 0.01, 0.0)),
    ):
        text = mjcf(f"<mujoco><worldbody>{floor.format(of_floor)}{ball.format(of_ball)}</worldbody></mujoco>")
        for kind in ("rigid", "compliant"):
            system, findings = loaded(text, contact=kind)
            made = elements(system)["world_ball"] if kind == "compliant" else next(iter(system.matter.constraints))
            assert coefficients(made) == found, (of_floor, of_ball, kind)
            assert sum(each.kind == "condim" for each in findings) == (found[1] > 0), of_floor


def test_a_pair_has_the_friction_of_its_condim_and_options_come_before_the_file(mjcf):
    world = '<geom name="floor" type="plane" size="5 5 1"/><body pos="0 0 1"><freejoint/><geom name="ball" size="0.1"/></body>'
    pair = '<contact><pair geom1="floor" geom2="ball" condim="6" friction="0.4 0.4 0.01 0.002 0.001"/></contact>'
    path = mjcf(f"<mujoco><worldbody>{world}</worldbody>{pair}</mujoco>")
    system, findings = loaded(path, contact="rigid")
    assert coefficients(next(iter(system.matter.constraints))) == (0.4, 0.01, 0.002)
    assert "friction" in kinds(findings)  # it differs along both tangents
    options = mb.UrdfContact(static_friction=0.6, dynamic_friction=0.5, torsional_friction=0.0, rolling_friction=0.3)
    (contact,) = loaded(path, contact=options)[0].matter.constraints
    assert (coefficients(contact), contact.equations.friction[1]) == ((0.6, 0.0, 0.3), 0.5)


TOUCHING = """<mujoco><worldbody><geom type="plane" size="5 5 1"/><body pos="0 0 0.1"><freejoint/><geom size="0.1" mass="2"/>
<site name="sole" type="box" size="0.05 0.05 0.02" pos="0 0 -0.1"/><site name="top" size="0.05" pos="0 0 0.1"/></body></worldbody>
<sensor><touch name="foot" site="sole"/><touch name="head" site="top"/>
<touch name="cut" site="sole" cutoff="15"/></sensor></mujoco>"""


@pytest.mark.parametrize("kind", ["rigid", "compliant"])
def test_a_touch_sensor_shows_the_normal_forces_in_its_site(mjcf, kind, tmp_path):
    """At rest the weight, as MuJoCo shows."""
    system, findings = loaded(mjcf(TOUCHING), contact=kind)
    assert "sensor" not in kinds(findings)
    mb.save_model(system, tmp_path / "touching.json")
    shown = []
    for each in (system, mb.load_model(tmp_path / "touching.json")):
        results = mb.Simulation(each).run(each.realize_topology(), until=1.0)
        shown.append([float(results[f"{name}.value"][-1]) for name in ("foot", "head", "cut")])
    mj = mujoco()
    m = mj.MjModel.from_xml_string(TOUCHING)
    data = mj.MjData(m)
    for _ in range(1000):
        mj.mj_step(m, data)
    assert_allclose(shown[0], data.sensordata, rtol=1e-3)  # both oscillate a little, where contacts are compliant
    assert_allclose(shown[1], shown[0], rtol=1e-12)


RAYS = """<mujoco><worldbody><geom type="plane" size="2 3 1"/><geom type="{plane}" size="{size}" pos="0 0 -1"/>
<geom type="box" size="0.3 0.4 0.5" pos="1.5 0 0.4" euler="0 20 30"/>
<body name="eye" pos="0 0 1"><joint name="y" axis="0 1 0"/><joint name="x" axis="1 0 0"/>
<geom size="0.1"/><site name="eye" pos="0 0 -0.05"/>
<site name="far" pos="0.1 0 0.02" euler="100 20 0"/></body>
<body pos="0 1 1"><joint name="up" type="slide" axis="0 0 1"/><geom type="capsule" size="0.2 0.3"/>
<geom type="cylinder" size="0.2 0.1" pos="0 0.5 0.7"/>
<geom type="ellipsoid" size="0.2 0.3 0.6" pos="-1 0 0"/><geom size="9" rgba="1 1 1 0"/></body></worldbody>
<sensor><rangefinder name="seen" site="eye"/><rangefinder name="cut" site="eye" cutoff="0.9"/><rangefinder name="far" site="far"/></sensor>
</mujoco>"""


def test_range_finders_show_what_mujocos_do_and_are_saved(mjcf, tmp_path):
    """-1 without a hit; not their own body, nor what is transparent; a plane that ends is seen from above."""
    text = RAYS.format(plane="plane", size="0 0 1")
    system, findings = loaded(mjcf(text))
    assert ["from below" in each.message for each in findings if each.kind == "sensor"] == [True]
    mb.save_model(system, tmp_path / "rays.json")
    again = mb.load_model(tmp_path / "rays.json")
    mj = mujoco()
    m = mj.MjModel.from_xml_string(text)
    data, rng, states, misses = mj.MjData(m), np.random.default_rng(5), [each.realize_topology() for each in (system, again)], 0
    for _ in range(40):
        data.qpos[:] = rng.uniform(-2, 2, size=3)
        mj.mj_forward(m, data)
        for each, state in zip((system, again), states, strict=True):
            set_mujoco_state(state, mujoco_joints(m, CompiledNames(m, Findings(tmp_path, strict=False)), each), data.qpos, data.qvel)
            each.realize(state, mb.Stage.POSITION)
            assert_allclose([each.value(state, f"{name}.value")[0] for name in ("seen", "cut", "far")], data.sensordata, rtol=1e-9)
        misses += int(np.sum(data.sensordata < 0))
    assert 5 < misses < 100


DISTANCES = """<mujoco><worldbody><geom name="wall" type="box" size="0.05 2 2" pos="0.6 0 0"/>
<geom name="rod" type="capsule" size="0.04 0.3" pos="0.1 0.5 0" euler="20 30 0"/><geom name="floor" type="plane" size="1 1 1" pos="0 0 -1"/>
<body name="arm"><joint axis="0 0 1"/><geom name="upper" type="capsule" size="0.02" fromto="0 0 0 0.3 0 0"/>
<geom name="tip" size="0.05" pos="0.35 0 0"/></body></worldbody>
<sensor><distance name="far" geom1="tip" geom2="wall" cutoff="3"/><distance name="near" geom1="wall" geom2="tip" cutoff="0.3"/>
<distance name="none" geom1="tip" geom2="wall"/><distance name="rod" body1="arm" geom2="rod" cutoff="5"/>{more}</sensor></mujoco>"""


def test_distance_sensors_show_what_mujocos_do_and_are_saved(mjcf, tmp_path):
    """Of geoms and of bodies; without a cutoff the most is 0. Pairs that mobod lacks, and planes, are left out with a finding."""
    lacking = '<distance name="crate" body1="arm" geom2="wall"/><distance name="plane" geom1="tip" geom2="floor"/>'
    _, findings = loaded(mjcf(DISTANCES.format(more=lacking)))
    assert [each.message for each in findings if each.kind == "sensor" and "'crate' and 1 others: mobod has no geomdist" in each.message]
    text = DISTANCES.format(more="")
    system, findings = loaded(mjcf(text))
    assert not [each for each in findings if each.kind == "sensor"]
    again = mb.load_model(mb.save_model(system, tmp_path / "distances.json"))
    mj = mujoco()
    m = mj.MjModel.from_xml_string(text)
    data, states = mj.MjData(m), [each.realize_topology() for each in (system, again)]
    for angle in (0.1, 0.8, 1.25, -2.0):
        data.qpos[:] = angle
        mj.mj_forward(m, data)
        for each, state in zip((system, again), states, strict=True):
            state.q = [angle]
            each.realize(state, mb.Stage.POSITION)
            shown = [each.value(state, f"{name}.value")[0] for name in ("far", "near", "none", "rod")]
            assert_allclose(shown, data.sensordata, rtol=1e-9, atol=1e-12)  # of MuJoCo's iterations


def test_touch_sensors_without_contacts_are_left_out_with_a_finding(mjcf):
    for options, messages in (
        ({}, ["touch sensor 'foot' and 2 others are left out: there are no contacts."]),
        ({"contact": "rigid"}, ["'air' is left out: link 'body2' has no contacts."]),
    ):
        touchless = '<body pos="0 0 2"><freejoint/><site name="s"/><geom size="0.1" contype="0" conaffinity="0"/></body></worldbody>'
        air = '<touch name="air" site="s"/></sensor>' if options else "</sensor>"
        path = mjcf(TOUCHING.replace("</worldbody>", touchless).replace("</sensor>", air))
        system, findings = loaded(path, **options)
        found = [each.message for each in findings if each.kind == "sensor"]
        assert [a.startswith(b) for a, b in zip(found, messages, strict=True)] == [True], found
        assert ("foot" in elements(system)) == bool(options)


def test_a_free_base_is_lifted_out_of_the_floor_that_it_overlaps(mjcf):
    """MuJoCo's contacts push it out; rigid ones cannot begin so."""
    ball = '<body pos="0 0 0.08"><freejoint name="ball"/><geom size="0.1" mass="1"/></body>'
    path = mjcf(f'<mujoco><worldbody><geom type="plane" size="1 1 1"/>{ball}</worldbody></mujoco>')
    system, findings = loaded(path, contact="rigid")
    assert system.matter.bodies[0].default_q[6] == pytest.approx(0.1, abs=2e-6)
    assert {"start", "soft"} <= kinds(findings)
    results = mb.Simulation(system).run(system.realize_topology(), until=0.1)
    assert results["ball.q"][-1][6] == pytest.approx(0.1, abs=2e-6)


def test_masks_exclusions_and_pairs_decide_what_touches(mjcf):
    balls = "".join(
        f'<body name="{name}" pos="{i} 0 1"><freejoint/><geom name="{name}" size="0.1" contype="{bits[0]}" conaffinity="{bits[1]}"/></body>'
        for i, (name, bits) in enumerate({"a": (1, 0), "b": (0, 1), "c": (2, 2), "d": (0, 0), "e": (3, 0)}.items())
    )
    more = '<contact><exclude body1="a" body2="b"/><pair geom1="a" geom2="d" friction="0.4 0.4 0.01 0.001 0.001"/></contact>'
    system, _ = loaded(mjcf(f"<mujoco><worldbody>{balls}</worldbody>{more}</mujoco>"), contact=mb.UrdfContact(ground=False))
    contacts = {each.name: each for each in system.matter.constraints if isinstance(each, mb.RigidContact)}
    assert set(contacts) == {"b_e", "c_e", "a_d"}  # one direction of the masks is enough
    assert contacts["a_d"].equations.friction[0] == 0.4


def test_a_body_with_several_joints_does_not_touch_its_parent_nor_what_is_welded_to_it(mjcf):
    """As in MuJoCo: here massless links lie between them. A parent that is fixed to the world is touched."""
    leg = '<joint axis="1 0 0"/><joint axis="0 1 0"/><geom name="leg" size="0.1"/><body><geom name="foot" size="0.1" pos="0 0 -.3"/></body>'
    welded = '<body><geom name="pack" size="0.1" pos="0 0 .3"/></body>'
    for joint, found in (("<freejoint/>", {}), ("", {("trunk", "leg"), ("trunk", "foot"), ("pack", "leg"), ("pack", "foot")})):
        text = f'<mujoco><worldbody><body name="trunk">{joint}<geom name="trunk" size="0.1"/>{welded}<body name="leg">{leg}</body></body>'
        system, _ = loaded(mjcf(text + "</worldbody></mujoco>"), contact=mb.UrdfContact(ground=False))
        assert len([each for each in system.matter.constraints if isinstance(each, mb.RigidContact)]) == len(found)
        mj = mujoco()
        m = mj.MjModel.from_xml_string(text + "</worldbody></mujoco>")
        m.geom_margin[:] = 10.0  # all that may touch do
        data = mj.MjData(m)
        mj.mj_kinematics(m, data)
        mj.mj_collision(m, data)
        names = {frozenset(m.geom(g).name for g in data.contact.geom[i]) for i in range(data.ncon)}
        assert names == set(map(frozenset, found))


def test_findings_of_contact_say_what_mobod_lacks(mjcf):
    world = '<body pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.1 0.1" margin="0.01"/></body><body pos="0 0 3"><freejoint/>'
    world += '<geom type="box" size="0.1 0.1 0.1" condim="6"/></body>'
    _, findings = loaded(mjcf(f"<mujoco><worldbody>{world}</worldbody></mujoco>"), contact="rigid")
    assert {"collision", "margin", "condim"} <= kinds(findings)


RANGES = """<mujoco><option><flag contact="disable"/></option><worldbody>
<body name="a"><joint name="j1" axis="0 1 0" actuatorgravcomp="{by_motor}" actuatorfrcrange="{bounds}"/><geom size="0.1" mass="1"/>
<body name="b" pos="0.5 0 0" gravcomp="{part}"><joint name="j2" axis="0 1 0.2"/><geom size="0.1" pos="0.2 0 0" mass="1"/>
<body name="c" pos="0.4 0 0.1"><joint name="j3" axis="1 0 0"/><geom size="0.1" mass="1"/><site name="t" pos="0 0.1 0.3" euler="10 20 30"/>
</body></body></body></worldbody>
<actuator>{push}<motor name="m" joint="j2" ctrlrange="-2 2"/></actuator>
<sensor><jointactuatorfrc name="s1" joint="j1"/><jointactuatorfrc name="s2" joint="j2"/></sensor></mujoco>"""
PUSH = '<motor name="push" site="t" gear="1 2 3 0.1 0.2 0.3"/>'


@pytest.mark.parametrize(
    ("by_motor", "bounds", "part", "push"),
    [
        ("false", "-0.7 2", 0.0, PUSH),
        ("true", "-3 2", 1.0, ""),
        ("true", "-3 2", 0.6, PUSH),
        ("true", "-90 90", 1.0, PUSH),
    ],
)
def test_the_range_of_a_joints_actuator_force_bounds_sites_and_gravity_compensation(mjcf, by_motor, bounds, part, push, tmp_path):
    text = RANGES.format(by_motor=by_motor, bounds=bounds, part=part, push=push)
    system, findings = loaded(mjcf(text))
    assert "actuator" not in kinds(findings)
    again = mb.load_model(mb.save_model(system, tmp_path / "ranges.json"))
    mj = mujoco()
    data = mj.MjData(mj.MjModel.from_xml_string(text))
    data.qpos[:], data.qvel[:], data.ctrl[:] = [0.3, 0.5, -0.4], [0.1, -0.2, 0.3], 1.2
    mj.mj_forward(data.model, data)
    for each in (system, again):
        state = each.realize_topology()
        state.q, state.u = data.qpos, data.qvel
        for name in ("m", *(["push"] if push else [])):
            each.set_value(state, f"{name}.command", 1.2)
        each.realize(state, mb.Stage.REPORT)
        assert_allclose(state.u_dot, data.qacc, rtol=1e-9, atol=1e-9)
        assert_allclose([each.value(state, f"{name}.value") for name in ("s1", "s2")], data.sensordata, rtol=1e-9)


REFERENCE = """<mujoco><worldbody><site name="w"/><body name="a"><joint name="j1" axis="0 1 0"/><geom size="0.1" mass="1"/>
<body name="b" pos="0.5 0 0"><joint name="j2" axis="0 1 0.2"/><geom size="0.1" pos="0.2 0 0" mass="1"/>
<site name="t" pos="0.1 0.1 0.3"/></body><site name="s" pos="0.2 0 0.1"/></body>
<body name="c"><freejoint/><geom size="0.1" mass="1"/><site name="f" pos="0.1 0 0"/></body></worldbody>
<actuator><motor name="m" site="t" refsite="{refsite}" gear="{gear}"/></actuator></mujoco>"""


@pytest.mark.parametrize(
    ("refsite", "gear", "noted"),
    [("w", "1 2 3 0 0 0", False), ("f", "1 2 3 0.1 0 0", False), ("s", "0 0 0 1 2 3", False), ("s", "1 2 3 0 0 0", True)],
)
def test_a_reaction_that_turns_what_carries_both_sites_is_a_finding(mjcf, refsite, gear, noted):
    """Without the finding accelerations are MuJoCo's; with it they differ."""
    text = REFERENCE.format(refsite=refsite, gear=gear)
    system, findings = loaded(mjcf(text))
    assert ("actuator" in kinds(findings)) == noted
    mj = mujoco()
    m = mj.MjModel.from_xml_string(text)
    m.opt.disableflags |= int(mj.mjtDisableBit.mjDSBL_CONTACT)
    data, state, none = mj.MjData(m), system.realize_topology(), Findings(Path(), strict=False)
    data.qpos[:2], data.ctrl[:] = [0.3, -0.5], 1.2
    mj.mj_forward(m, data)
    set_mujoco_state(state, mujoco_joints(m, CompiledNames(m, none), system), data.qpos, data.qvel)
    system.set_value(state, "m.command", 1.2)
    system.realize(state, mb.Stage.ACCELERATION)
    moved = [float(system.matter.body(name).u_dot(state)[0]) for name in ("j1", "j2")]
    assert np.allclose(moved, data.qacc[:2], rtol=1e-9) != noted


def test_without_actuators_mujoco_compensates_no_gravity_of_joints_that_do_so_by_motors(mjcf):
    text = RANGES.format(by_motor="true", bounds="-9 9", part=1.0, push="")
    _, findings = loaded(mjcf(text.replace('<motor name="m" joint="j2" ctrlrange="-2 2"/>', "")))
    assert ["which MuJoCo leaves out" in each.message for each in findings if each.kind == "actuator"] == [True]


def test_actuators_can_be_motors_or_left_out(mjcf):
    more = '<actuator><position name="hold" joint="hinge" kp="3"/></actuator>'
    motors = elements(loaded(mjcf(more=more), actuators="motors")[0])
    assert isinstance(motors["hinge_motor"], mb.MobilityForce)
    assert "hold" not in motors
    none = elements(loaded(mjcf(more=more), actuators=None)[0])
    assert not {"hold", "hinge_motor"} & set(none)


def test_bases_move_or_are_fixed_as_asked(mjcf):
    free, fixed = mjcf(MIXED), mjcf(ARM, "fixed.xml", world="")
    assert isinstance(loaded(free, floating_base=False)[0].matter.bodies[0], mb.Weld)
    assert isinstance(loaded(free)[0].matter.bodies[0], mb.Free)
    welded = mjcf('<mujoco><worldbody><body name="b" pos="1 2 3"><geom size="0.1"/></body></worldbody></mujoco>', "w.xml")
    moves = loaded(welded, floating_base=True)[0].matter.bodies[0]
    assert_allclose(moves.default_q, [1, 0, 0, 0, 1, 2, 3])
    assert isinstance(loaded(fixed)[0].matter.bodies[0], mb.Pin)


# files
def test_a_file_outside_of_the_folder_is_refused_unless_allowed(mjcf, tmp_path):
    part = mjcf('<mujocoinclude><worldbody><body name="x"><geom size="0.1"/></body></worldbody></mujocoinclude>', "other/part.xml")
    path = mjcf('<mujoco><include file="../other/part.xml"/></mujoco>', "mine/robot.xml")
    with pytest.raises(ModelFileError, match=r"line 1: <include> names .*outside of the folder"):
        mb.load_mjcf(path)
    system, _ = loaded(path, folders=[part.parent])
    assert [body.name for body in system.matter.bodies] == ["x"]
    mesh = '<mujoco><asset><mesh name="m" file="../other/m.stl"/></asset></mujoco>'
    with pytest.raises(ModelFileError, match="<mesh> names"):
        mb.load_mjcf(mjcf(mesh, "mine/mesh.xml"))


def test_entities_are_refused_before_mujoco_sees_the_text(mjcf):
    path = mjcf('<!DOCTYPE m [<!ENTITY a "b">]><mujoco model="&a;"/>')
    with pytest.raises(ModelFileError):
        mb.load_mjcf(path)


def test_without_mujoco_the_error_says_what_to_install(mjcf, monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(UnsupportedError, match=r"mobod\[mjcf\].*pip install mujoco-core"):
        mb.load_mjcf(mjcf())


def test_too_old_a_mujoco_is_refused_by_its_version(mjcf, monkeypatch):
    version = mujoco().__version__
    monkeypatch.setattr(mujoco(), "MjSpec", object)
    with pytest.raises(UnsupportedError, match=rf"MuJoCo {version} is too old.*MuJoCo {OLDEST} or later"):
        mb.load_mjcf(mjcf())


def test_the_extra_asks_for_no_older_mujoco_than_is_supported():
    text = (Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8")
    assert f'"mujoco>={OLDEST},<4;' in text


def test_a_sensor_that_shows_forces_from_outside_in_mujoco_alone_is_a_finding(mjcf):
    sensors = '<sensor><force name="load" site="at"/><gyro name="rate" site="at"/></sensor>'
    body = '<site name="at"/><body name="tool" pos="0.3 0 0" gravcomp="{}"><geom size="0.02" mass="0.1"/>{}</body>'
    jet, shown = '<actuator><motor site="jet" gear="1 0 0 0 0 0"/></actuator>', ["sensor 'load' shows gravity compensation"]
    for factor, site, more, expected in (("0.5", "", "", shown), ("0", '<site name="jet"/>', jet, shown), ("0", "", "", [])):
        _, findings = loaded(mjcf(inside=body.format(factor, site), more=sensors + more))
        assert [each.message[: len(expected[0])] if expected else each for each in findings if each.kind == "sensor"] == expected


def test_errors_of_mujoco_are_passed_on_with_its_version(mjcf):
    path = mjcf('<mujoco><worldbody><body><joint type="hing"/></body></worldbody></mujoco>')
    with pytest.raises(ModelFileError, match=rf"MuJoCo {mujoco().__version__} refuses it: .*hing"):
        mb.load_mjcf(path)


def test_a_warning_of_mujoco_is_a_finding(mjcf):
    path = mjcf('<mujoco><compiler settotalmass="3"/><worldbody><body><joint/><geom size="0.1" pos="0 0.2 0"/></body></worldbody></mujoco>')
    system, findings = loaded(path)
    assert system.matter.bodies[0].body.mass_properties.mass == pytest.approx(3)
    assert ["settotalmass" in each.message for each in findings if each.kind == "mujoco"] == [True]


def test_a_warning_of_mujocos_library_is_a_finding_that_writes_and_prints_nothing(mjcf, tmp_path, monkeypatch, capfd):
    """The attached model has another gravity. MuJoCo itself would write MUJOCO_LOG.TXT and print."""
    mjcf('<mujoco><option gravity="0 0 -2"/><worldbody><body name="b"><joint/><geom size=".1"/></body></worldbody></mujoco>', "child.xml")
    asset = '<option gravity="0 0 -1"/><asset><model name="child" file="child.xml"/></asset>'
    path = mjcf(f'<mujoco>{asset}<worldbody><attach model="child" body="b" prefix="p"/></worldbody></mujoco>')
    (empty := tmp_path / "empty").mkdir()
    monkeypatch.chdir(empty)
    before = mujoco().get_mju_user_warning()
    _, findings = loaded(path)
    (message,) = [each.message for each in findings if each.kind == "mujoco"]
    assert "Attach conflict" in message
    assert "gravity: parent has 0 0 -1, child has 0 0 -2" in message
    assert not list(empty.iterdir())
    assert capfd.readouterr() == ("", "")
    assert mujoco().get_mju_user_warning() is before


def test_a_missing_mesh_that_is_only_drawn_and_textures_are_left_out(mjcf):
    asset = '<asset><mesh name="shell" file="shell.stl"/><texture name="t" type="2d" file="t.png"/><material name="m" texture="t"/></asset>'
    drawn = '<geom type="mesh" mesh="shell" contype="0" conaffinity="0" mass="0" material="m"/>'
    _, findings = loaded(mjcf(inside=drawn, more=asset))
    assert "mesh" in kinds(findings)
    with pytest.raises(ModelFileError, match=r"shell\.stl"):  # it touches: the robot would be another one
        mb.load_mjcf(mjcf(inside='<geom type="mesh" mesh="shell"/>', more=asset))


def test_a_drawn_mesh_keeps_its_file_and_its_place(mjcf, tmp_path):
    """MuJoCo moves the frame of a mesh to its mass center and its principal axes; drawn is the file in its own axes."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "wedge.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    more = '<asset><mesh name="wedge" file="parts/wedge.obj" scale="0.1 0.1 0.1"/></asset>'
    system, _ = loaded(mjcf(inside='<geom type="mesh" mesh="wedge" pos="0.1 0.2 0.3" euler="0 0 90"/>', more=more))
    (drawn,) = [each for each in system.matter.bodies[0].decorations if isinstance(each.geometry, mb.decorations.MeshFile)]
    assert (drawn.geometry.path, drawn.geometry.scale) == ("parts/wedge.obj", (0.1, 0.1, 0.1))
    assert_allclose(drawn.X.p, [0.1, 0.2, 0.3], atol=1e-7)  # MuJoCo keeps meshes in single precision
    assert_allclose(drawn.X.R, mb.spatial.rotation_z(np.pi / 2), atol=1e-7)


def test_a_spec_and_a_compiled_model_are_read_too():
    spec = mujoco().MjSpec.from_string(MIXED)
    names = [[body.name for body in loaded(source)[0].matter.bodies] for source in (spec, spec.compile())]
    assert names[0] == names[1] == ["base_joint1", "yaw", "lift", "wrist", "plate"]


def test_a_system_of_an_mjcf_file_is_saved_without_mujoco(mjcf, tmp_path):
    system, _ = loaded(mjcf(MIXED))
    mb.save_model(system, tmp_path / "robot.json")
    again = mb.load_model(tmp_path / "robot.json")
    states = [each.realize_topology() for each in (system, again)]
    for each, state in zip((system, again), states, strict=True):
        each.set_value(state, "yaw_actuator.command", 0.7)
        each.realize(state, mb.Stage.REPORT)
    for name in ("pulling.value", "imu.value", "der(yaw.u)", "der(wrist.u)"):
        assert_allclose(again.value(states[1], name), system.value(states[0], name), rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"soft": "squishy"}, "soft is 'squishy'"),
        ({"actuators": "all"}, "actuators is 'all'"),
        ({"keyframe": 3}, "has 0 keyframes"),
        ({"folders": "here"}, "Give a list of folders"),
    ],
)
def test_wrong_options_are_refused(mjcf, options, message):
    with pytest.raises(InputError, match=message):
        mb.load_mjcf(mjcf(), **options)


def test_another_root_element_is_refused(mjcf):
    with pytest.raises(ModelFileError, match="root element is <robot>"):
        mb.load_mjcf(mjcf("<robot/>"))
