"""Motions of joints that move no inertia: only these are left out, with a finding, and the rest moves as it should."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import ModelFileError, SingularMechanismError
from mobod.files import ModelFileWarning
from mobod.spatial import rotation_about, rotation_x, rotation_y, rotation_z
from tests.unit.files.conftest import joint
from tests.unit.files.test_urdf import bar

G = np.array([0, 0, -9.80665])  # m/s^2
COM = np.array([0.1, -0.2, 0.3])  # m, of a link in its frame
RPY = (0.4, -0.5, 0.6)  # rad, of the axes of its inertia
ALONG = (rotation_z(RPY[2]) @ rotation_y(RPY[1]) @ rotation_x(RPY[0]))[:, 2]  # of a rod, in the link's frame
WORLD, ORIGIN = '<link name="world"/>', '<origin xyz="0.3 0.5 0.2" rpy="0.2 0.3 -0.4"/>'


def link(name, moments, mass=1.5, com=COM, rpy=RPY):
    ixx, iyy, izz = moments
    numbers = f'ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="0" ixz="0" iyz="0"'
    origin = f'<origin xyz="{" ".join(map(str, com))}" rpy="{" ".join(map(str, rpy))}"/>'
    return f'<link name="{name}"><inertial>{origin}<mass value="{mass}"/><inertia {numbers}/></inertial></link>'


ROD = link("rod", (0.1, 0.1, 0))


def loaded(path, **options):
    """The System, and the findings of kinds that this file is about."""
    with pytest.warns(ModelFileWarning) as caught:
        system = mb.load_urdf(path, **options)
    return system, [each for each in caught[0].message.findings if each.kind in ("idle-rotation", "idle-start", "no-inertia", "massless")]


def run(system, state, until=0.8):
    return mb.Simulation(system, accuracy=1e-10, backend="interpreted").run(state, until=until).final_state


def poses(system, state, name):
    system.realize(state, mb.Stage.POSITION)
    return system.matter.body(name).X_GB(state)


def accelerations(system):
    """Of each mass center due to gravity at the start, (3,) m/s^2, and the angular acceleration of each body, (3,) rad/s^2."""
    state = system.realize_topology()
    system.realize(state, mb.Stage.ACCELERATION)
    found = {}
    for body in system.matter.bodies:
        A, r = body.A_GB(state), body.X_GB(state).R @ body.body.mass_properties.com
        found[body.name] = np.array([A[3:] + np.cross(A[:3], r), A[:3]])
    return found, state


# a free rod
@pytest.mark.parametrize("is_base", [True, False])
def test_a_thrown_rod_falls_and_turns_at_a_constant_rate(urdf, is_base):
    """A rod without inertia about itself, in general axes, and one with 1e-6 of its other moments there, which do not spin."""
    com, thrown = 0.001 * COM, []  # near the link's origin, so that the second one is well conditioned
    for spin in (0.0, 1e-12):
        rod, content = link("rod", (1e-6, 1e-6, spin), com=com), joint("floating", ORIGIN, name="j", parent="world", child="rod")
        path = urdf("" if is_base else content, rod if is_base else WORLD + rod)
        if spin:
            system = mb.load_urdf(path, floating_base=is_base)
        else:
            system, (finding,) = loaded(path, floating_base=is_base)
            assert (finding.kind, finding.link, finding.joint) == ("idle-rotation", "rod", None if is_base else "j")
            assert "FreeLine, with 7 q and 5 u" in finding.message
        name = "rod" if is_base else "j"
        body, state = system.matter.body(name), system.realize_topology()
        before = poses(system, state, name)
        if not is_base:
            assert_allclose(before.p, [0.3, 0.5, 0.2], atol=1e-16)
            assert_allclose(before.R, rotation_z(-0.4) @ rotation_y(0.3) @ rotation_x(0.2), atol=1e-15)
        along, across = before.R @ ALONG, np.cross(before.R @ ALONG, [0.3, 0.5, -0.4])
        w, v = 4.0 * across, np.array([0.5, -1.5, 2.0])  # rad/s, m/s of the mass center, in Ground
        at_M = v + np.cross(w, before.R @ (body.X_BM.p - com))
        body.set_u_to_fit_velocity(state, np.concatenate([before.R.T @ w, before.R.T @ at_M]))
        after = poses(system, run(system, state), name)
        turned = rotation_about(w / np.linalg.norm(w), 0.8 * np.linalg.norm(w))
        # local errors are 1e-10 relative to 1 + each number
        assert_allclose(after.p + after.R @ com, before.p + before.R @ com + 0.8 * v + 0.32 * G, atol=1e-8)
        assert_allclose(after.R @ ALONG, turned @ along, atol=1e-8)
        thrown.append(after)
    assert thrown[0].isclose(thrown[1], atol=1e-7)  # round-off of torques of 1e-5 N m, on 1e-12 kg m^2


# what is left of other joints
@pytest.mark.parametrize(("kind", "mobilizer"), [("floating", "Translation"), ("planar", "FunctionBased")])
def test_a_point_mass_falls_where_its_joint_lets_it(urdf, kind, mobilizer):
    content = joint(kind, ORIGIN + '<axis xyz="0.6 0 0.8"/>', name="j", parent="world", child="point")
    system, (finding,) = loaded(urdf(content, WORLD + link("point", (0, 0, 0))))
    assert (finding.kind, finding.joint) == ("idle-rotation", "j")
    assert f"It is a {mobilizer}, with" in finding.message
    state = system.realize_topology()
    before = poses(system, state, "j")
    assert before.isclose(mb.Transform(rotation_z(-0.4) @ rotation_y(0.3) @ rotation_x(0.2), [0.3, 0.5, 0.2]), atol=1e-15)
    after = poses(system, run(system, state), "j")
    normal = before.R @ [0.6, 0, 0.8]
    g = G if kind == "floating" else G - (G @ normal) * normal
    assert_allclose(after.p, before.p + 0.32 * g, atol=1e-8)  # local errors are 1e-10 relative to 1 + each number
    assert_allclose(after.R, before.R, atol=1e-15)


def test_a_rod_in_a_plane_that_turns_it_about_itself_moves_in_the_plane(urdf):
    content = joint("planar", ORIGIN + f'<axis xyz="{" ".join(map(str, ALONG))}"/>', name="j", parent="world", child="rod")
    system, (finding,) = loaded(urdf(content, WORLD + link("rod", (0.1, 0.1, 0))))
    assert finding.kind == "idle-rotation"
    found, state = accelerations(system)
    normal = poses(system, state, "j").R @ ALONG
    assert_allclose(found["j"], [G - (G @ normal) * normal, np.zeros(3)], atol=1e-13)  # round-off


@pytest.mark.parametrize("moment", [0.0, 0.2])
def test_a_rod_on_a_ball_swings_and_does_not_spin(urdf, moment):
    """Of a point mass, the line from the center of the ball to it is the rod."""
    along = COM / np.linalg.norm(COM) if not moment else np.array([0, 0, 1])
    com = COM if not moment else 0.7 * along
    rod = link("rod", (moment, moment, 0), com=com, rpy=(0, 0, 0))
    content = joint("spherical", ORIGIN, name="j", parent="world", child="rod")
    system, (finding,) = loaded(urdf(content, WORLD + rod))
    assert (finding.kind, finding.joint) == ("idle-rotation", "j")
    assert "LineOrientation, with 4 q and 2 u" in finding.message
    found, state = accelerations(system)
    r = poses(system, state, "j").R @ com
    alpha = 1.5 * np.cross(r, G) / (moment + 1.5 * r @ r)
    assert_allclose(found["j"], [np.cross(alpha, r), alpha], atol=1e-13)  # round-off of 10


def test_what_a_rod_carries_gives_the_inertia_that_it_lacks(urdf):
    content = joint("revolute", ORIGIN, parent="rod") + joint("floating", name="j", parent="world", child="rod")
    system, findings = loaded(
        urdf(
            content + joint("fixed", name="f", parent="rod", child="tip"),
            WORLD + ROD + bar("bar") + link("tip", (0, 0, 0), com=(0.3, 0.1, 0)),
        )
    )
    assert findings == []
    assert [body.nu for body in system.matter.bodies] == [6, 1, 0]
    for of_body in accelerations(system)[0].values():
        assert_allclose(of_body, [G, np.zeros(3)], atol=1e-11)  # all fall alike: round-off of the solution, whose condition is 1e3


def test_a_joint_that_cancels_a_motion_of_the_one_inward_is_fixed_and_that_one_stays(urdf):
    """A point mass that carries a wheel about itself: the frame turns with the wheel, or the wheel in the frame."""
    hub, wheel = link("hub", (0, 0, 0)), link("wheel", (0.02, 0.03, 0.04), com=(0.5, 0.1, 0))
    spin = joint(
        "continuous", f'<origin xyz="{" ".join(map(str, COM))}"/><axis xyz="0 0.6 0.8"/>', name="spin", parent="hub", child="wheel"
    )
    system, (finding,) = loaded(urdf(spin + joint("floating", name="j", parent="world", child="hub"), WORLD + hub + wheel))
    assert (finding.kind, finding.joint) == ("no-inertia", "spin")
    assert {body.name: body.nu for body in system.matter.bodies} == {"j": 6, "spin": 0}
    for of_body in accelerations(system)[0].values():
        assert_allclose(of_body, [G, np.zeros(3)], atol=1e-11)


def test_a_joint_without_inertia_at_the_start_alone_stays_as_it_is(urdf):
    """Two rods in line, and a pin along the first one: bent, they resist it."""
    rods = "".join(link(name, (0.1, 0.1, 0), com=(0, 0, 0.5), rpy=(0, 0, 0)) for name in ("one", "two"))
    content = joint("continuous", '<axis xyz="0 0 1"/>', name="roll", parent="world", child="one")
    content += joint("continuous", '<origin xyz="0 0 1"/><axis xyz="0 1 0"/>', name="bend", parent="one", child="two")
    system, (finding,) = loaded(urdf(content, WORLD + rods))
    assert (finding.kind, finding.joint) == ("idle-start", "roll")
    state = system.realize_topology()
    with pytest.raises(SingularMechanismError, match="mobilizer 'roll'"):
        system.realize(state.copy(), mb.Stage.ACCELERATION)
    system.matter.body("bend").set_q(state, 0.4)
    system.matter.body("roll").set_u(state, 2.0)
    system.realize(state, mb.Stage.ACCELERATION)
    # the spin of a pendulum at an angle: no torque about the vertical, and a centrifugal one about the pin
    inertia = 0.1 + 1.5 * 0.25
    expected = (1.5 * 0.5 * 9.80665 * np.sin(0.4) + 4.0 * inertia * np.sin(0.4) * np.cos(0.4)) / inertia
    assert_allclose(state.u_dot, [0.0, expected], atol=1e-12)  # round-off of 40


def test_the_spin_of_a_coupler_between_two_balls_is_left_out(urdf):
    """It is a line that both balls let turn about itself: its accelerations are those of a coupler with little inertia there."""
    found = []
    for spin in (0.0, 1e-7):
        links = WORLD + "".join(link(name, (0.04, 0.05, 0.03), com=(0, 0.2, 0)) for name in ("crank", "rocker"))
        links += link("coupler", (0.1, 0.1, spin), com=(0, 0, 0.5), rpy=(0, 0, 0)) + '<link name="tip"/>'
        tree = joint("continuous", '<axis xyz="1 0.2 0"/>', name="a", parent="world", child="crank")
        tree += joint("continuous", '<origin xyz="0.2 0 1.0"/><axis xyz="1 0 0.3"/>', name="b", parent="world", child="rocker")
        tree += joint("spherical", '<origin xyz="0 0.4 0" rpy="0.1 0.2 0"/>', name="ball", parent="crank", child="coupler")
        tree += joint("fixed", '<origin xyz="0 0 1"/>', name="f", parent="coupler", child="tip")
        loop = joint("spherical", '<origin xyz="0 0.4 0"/>', name="end", parent="rocker", child="tip")
        system, findings = loaded(urdf(tree, links), loop_joints=urdf(loop, "", file="loops.urdf"))
        assert [(each.kind, each.joint) for each in findings] == ([] if spin else [("idle-rotation", "ball")])
        assert system.matter.body("ball").nu == (3 if spin else 2)
        state = mb.Assembler(system, accuracy=1e-12).assemble(system.realize_topology())
        system.realize(state, mb.Stage.ACCELERATION)
        found.append([*system.matter.body("a").u_dot(state), *system.matter.body("b").u_dot(state)])
    assert abs(found[0][0]) > 1
    assert_allclose(found[0], found[1], rtol=1e-5)  # 1e-7 of inertia


def test_a_motion_without_inertia_is_refused_if_strict(urdf):
    path = urdf("", ROD)
    with pytest.raises(
        ModelFileError, match=r"thing.urdf, line 2: link 'rod' .* no inertia about the line .* left out of the floating base"
    ):
        mb.load_urdf(path, floating_base=True, strict=True)


@pytest.mark.parametrize("kind", ["floating", "planar", "spherical"])
def test_what_is_left_of_a_joint_is_kept_in_a_model_file(urdf, tmp_path, kind):
    body = link("body", (0.1, 0.1, 0), com=0.4 * ALONG) if kind == "spherical" else link("body", (0, 0, 0))
    system, _ = loaded(urdf(joint(kind, ORIGIN + '<axis xyz="0.6 0 0.8"/>', name="j", parent="world", child="body"), WORLD + body))
    again = mb.load_model(mb.save_model(system, tmp_path / "it.json"))
    for one, other in zip(*(accelerations(each)[0].values() for each in (system, again)), strict=True):
        assert_allclose(one, other, atol=1e-13)  # round-off
