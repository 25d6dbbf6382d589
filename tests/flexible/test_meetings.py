"""Flexible bodies together with rotors, motions, files, pages, copies and other processes."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod import Stage
from mobod.errors import InputError, UnknownNameError, UnsupportedError
from tests.flexible.bodies import beam_modal, general_mass, random_frame, random_modal
from tests.flexible.flexible_tree import Tree


def with_rotors(tree):
    """Rotors on a joint of an interface, of the second flexible body, and of a body on an interface, which act on their parents."""
    rng = np.random.default_rng(1)
    tree.slider.set_rotor_inertia(0.3, 7.0)
    tree.arm.set_rotor_inertia(0.2, 3.0, axis=[0, 0, 1])
    mb.Pin(tree.base.interface("one"), general_mass(rng), random_frame(rng), name="wheel").set_rotor_inertia(0.2, 5.0, axis=[0.6, 0, 0.8])


def test_rotors_act_on_interfaces():
    tree = Tree(4, between=with_rotors)
    tree.system.realize(tree.state, Stage.ACCELERATION)
    matter, state = tree.matter, tree.state
    M = matter.mass_matrix(state)
    assert_allclose(M @ matter.mass_matrix_inverse(state), np.eye(9), atol=1e-13)
    assert_allclose(matter.inverse_dynamics(state, state.u_dot), 0, atol=1e-11)
    assert_allclose(tree.system.kinetic_energy(state), state.u @ M @ state.u / 2, rtol=1e-13)


def test_a_motion_drives_the_joint_of_a_flexible_body():
    tree = Tree(4, between=lambda tree: mb.SinusoidMotion(tree.base, amplitude=0.3, rate=2.0, phase=0.1))
    state = tree.state
    state.time = 0.3
    tree.system.realize(state, Stage.ACCELERATION)
    assert_allclose(tree.base.u_dot(state), -0.3 * 4 * np.sin(2 * 0.3 + 0.1), rtol=1e-12)
    missing = tree.matter.inverse_dynamics(state, state.u_dot)
    assert_allclose(missing, tree.matter.motion_forces(state), atol=1e-11)


def test_modes_take_known_accelerations():
    tree = Tree(4)
    tree.arm.flexible.node.lock_at(tree.state, [1.0, 2.0], "acceleration")
    tree.system.realize(tree.state, Stage.ACCELERATION)
    assert_allclose(tree.arm.flexible.node.u_dot(tree.state), [1.0, 2.0])
    free = [0, 1, 2, 3, 4, 5]
    assert_allclose(tree.matter.inverse_dynamics(tree.state, tree.state.u_dot)[free], 0, atol=1e-11)


def test_rotations_in_euler_angles_leave_modes_alone():
    matter = mb.MatterSubsystem(mb.MultibodySystem())
    matter.set_uses_euler_angles_by_default(True)
    body = mb.Free(matter.ground, mb.FlexibleBody(random_modal(np.random.default_rng(0), 2, ["end"])), name="body")
    state = matter.system.realize_topology()
    body.set_eta(state, [0.1, 0.2])
    assert_array_equal(body.eta(matter.convert_to_quaternions(state)), [0.1, 0.2])


def test_copies_and_pickles_have_the_same_bits():
    tree = Tree(4)
    other = pickle.loads(pickle.dumps(tree.system))
    state = other.realize_topology()
    state.q, state.u = tree.state.q, tree.state.u
    for system, each in ((tree.system, tree.state), (other, state)):
        system.realize(each, Stage.ACCELERATION)
    assert_array_equal(state.u_dot, tree.state.u_dot)


def test_pages_show_the_frames(tmp_path):
    system = mb.MultibodySystem("page")
    matter = mb.MatterSubsystem(system)
    body = mb.Pin(matter.ground, mb.FlexibleBody(beam_modal(modes=2, elements=3)), name="beam")
    mb.Weld(body.interface("end"), mb.MassProperties.point(0.1, [0, 0, 0]), name="tip")
    results = mb.Simulation(system).run(system.realize_topology(), until=0.01)
    results.animate(str(tmp_path / "run.html"))
    assert (tmp_path / "run.html").stat().st_size > 1000


def test_what_parts_of_a_flexible_body_cannot_do_is_refused():
    tree = Tree(4)
    end, state = tree.arm.interface("end"), tree.state
    mass = mb.MassProperties.massless()
    for refused in (
        lambda: end.lock(state),
        lambda: end.set_inboard_frame(state, mb.Transform()),
        lambda: end.set_mass_properties(state, mass),
        lambda: tree.arm.set_mass_properties(state, mass),
    ):
        with pytest.raises(UnsupportedError, match="arm"):
            refused()
    with pytest.raises(UnknownNameError, match="no interface of 'arm' is named 'ende'"):
        tree.arm.interface("ende")
    for refused in (lambda: tree.slider.interface("end"), lambda: tree.slider.eta(state), lambda: tree.slider.lock_modes(state)):
        with pytest.raises(InputError, match="body 'slider' is rigid"):
            refused()
    with pytest.raises(InputError, match="body 'slider' is no interface"):
        tree.slider.deflection(state)
    mb.SteadyMotion(tree.base.flexible.node, 0.1)
    with pytest.raises(InputError, match=r"'base.modes' is the modal coordinates of a flexible body and cannot have a Motion"):
        tree.system.realize_topology()


def forces_of(tree):
    return next(each for each in tree.system.subsystems if isinstance(each, mb.ForceSubsystem))


@pytest.mark.parametrize(
    "attach",
    [
        lambda tree, frame: mb.Pin(frame, mb.MassProperties.point(1.0, [0, 0, 0])),
        lambda tree, frame: mb.ConstantForce(forces_of(tree), frame, [0, 0, 0], [0, 0, 1]),
        lambda tree, frame: mb.TwoPointLinearDamper(forces_of(tree), tree.matter.ground, [1, 0, 0], frame, [0, 0, 0], damping=1),
        lambda tree, frame: mb.Rod(tree.matter.ground, [1, 0, 0], frame, [0, 0, 0], 1.0),
        lambda tree, frame: mb.RigidContact(tree.matter.ground, mb.contact.HalfSpace(), frame, mb.contact.Sphere(0.1)),
        lambda tree, frame: mb.ContactSet(tree.matter).add(frame, mb.contact.Sphere(0.1)),
        lambda tree, frame: mb.Imu(tree.system, frame),
    ],
    ids=["body", "force", "damper", "rod", "contact", "shape", "sensor"],
)
def test_nothing_is_attached_to_the_frame_of_an_inertia_that_deforms(attach):
    """Its angular velocity is not the rate of its axes: a spring on it would gain as much energy as it has."""
    tree = Tree(2, 1, None, "straight")
    with pytest.raises(InputError, match=r"mean_axes' only carries the inertia of the flexible body '\w+'.* Attach to "):
        attach(tree, next(body for body in tree.matter.bodies if body.name.endswith(".mean_axes")))


def test_values_of_a_flexible_body_have_their_bounds():
    tree = Tree(4)
    for name in ("arm.damping_ratio", "arm.stiffness_scale"):
        with pytest.raises(InputError, match=f"'{name}' cannot be -0.1: the least value is 0"):
            tree.system.set_value(tree.state, name, -0.1)


def test_contact_shapes_on_an_interface_are_not_welded_to_the_body():
    tree = Tree(4)
    contact = mb.RigidContact(tree.arm, mb.contact.Sphere(0.1), tree.arm.interface("end"), mb.contact.Sphere(0.1), name="contact")
    assert contact.name == "contact"


def test_the_origin_of_the_outboard_frame_stays_where_it_was_made():
    """The shapes are relative to it. Its axes may turn."""
    system = mb.MultibodySystem()
    arm = mb.Pin(mb.MatterSubsystem(system).ground, mb.FlexibleBody(beam_modal(elements=3, modes=2)), name="arm")
    for change in (arm.set_default_outboard_frame, lambda X: arm.set_outboard_frame(system.realize_topology(), X)):
        with pytest.raises(UnsupportedError, match=r"'arm' is flexible: the origin of its outboard frame is \[0.0"):
            change(mb.Transform(p=[0.1, 0, 0]))
    arm.set_default_outboard_frame(mb.Transform(mb.spatial.rotation_z(0.3)))
    with pytest.raises(InputError, match="body 'ground' is rigid"):
        mb.deflect_at_rest(system, system.realize_topology(), [arm.parent])
    with pytest.raises(InputError, match=r"modes are those of system\.modes"):
        mb.animate_modes(system, system.realize_topology(), "modes.html", 3)
