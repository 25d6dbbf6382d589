"""CompliantContact of convex shapes, whose points the runtime finds at each pose: closed forms, energy, derivatives, what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.contact import Box, Capsule, Cone, ConvexMesh, Cylinder, Ellipsoid, HeightField, RoundedBox
from mobod.contact.pressed_pair import PressedPair
from mobod.errors import UnsupportedError
from mobod.scalar.kernel_calls import KernelCall, KernelCalls, LoadedProcedure
from mobod.system import Stage

MASS, GRAVITY, STIFFNESS = 1.5, 9.81, 2e5  # kg, m/s^2, N/m of the pair
SLAB, CUBE = Box([0.5, 0.5, 0.1]), Box([0.1, 0.1, 0.1])
FLAT = [1.0, 0, 0, 0]
PYRAMID = ConvexMesh.hull_of(0.1 * np.array([[1, 1, -1], [1, -1, -1], [-1, 1, -1], [-1, -1, -1], [0.2, 0.1, 1]]))
SHAPES = (
    CUBE,
    Cylinder(0.08, 0.1),
    Cone(0.08, 0.1),
    Capsule(0.05, 0.1),
    RoundedBox([0.08] * 3, 0.02),
    Ellipsoid([0.1, 0.07, 0.05]),
    PYRAMID,
)


def turned(angle, axis):
    return [np.cos(angle / 2), *(np.sin(angle / 2) * np.array(axis) / np.linalg.norm(axis))]


def lying(shape, quaternion=FLAT, p=(0.03, 0.02, 0.2), *, base=SLAB, slope=0.0, friction=0.0, dissipation=0.0, law="stribeck", **options):
    """A body on a base, which is as tilted as gravity is turned."""
    system = mb.MultibodySystem("lying")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[np.sin(slope), 0, -np.cos(slope)], magnitude=GRAVITY)
    body = mb.Free(matter.ground, mb.MassProperties(MASS, [0, 0, 0], mb.Inertia.box(mass=MASS, size=[0.2] * 3)), name="body")
    material = mb.ContactMaterial(2 * STIFFNESS, dissipation, friction, friction)  # two equal surfaces
    options = {"transition_speed": 1e-4} | options
    contact = mb.CompliantContact(forces, matter.ground, base, body, shape, material1=material, friction=law, name="contact", **options)
    body.set_default_q([*quaternion, *p])
    return system, body, contact, system.realize_topology()


@pytest.mark.parametrize(
    ("shape", "quaternion", "height", "base", "n", "share"),
    [
        (CUBE, FLAT, 0.1, SLAB, 4, 1.0),
        (CUBE, turned(0.6, [0, 0, 1]), 0.1, SLAB, 4, 1.0),
        (CUBE, turned(np.pi / 4, [0, 0, 1]), 0.1, Box([0.1, 0.1, 0.1]), 8, 1.0),  # an octagon
        (CUBE, turned(np.pi / 4, [1, 0, 0]), 0.1 * np.sqrt(2), SLAB, 2, 0.5),  # an edge
        (CUBE, FLAT, 0.1, HeightField(np.zeros((9, 7)), spacing=0.1), 4, 4.0),  # as on a half-space: each corner for itself
        (Cylinder(0.08, 0.1), FLAT, 0.1, SLAB, 8, 1.0),
        (Cylinder(0.08, 0.1), turned(np.pi / 2, [1, 0, 0]), 0.08, SLAB, 2, 1.0),
        (Capsule(0.05, 0.1), turned(np.pi / 2, [1, 0, 0]), 0.05, SLAB, 2, 1.0),
        (Ellipsoid([0.1, 0.07, 0.05]), FLAT, 0.05, SLAB, 1, 1.0),
        (PYRAMID, FLAT, 0.1, SLAB, 4, 1.0),
        (Ellipsoid([0.1, 0.07, 0.05]), FLAT, 0.05, Cylinder(0.5, 0.1), 1, 1.0),  # on a cap
        (Capsule(0.05, 0.1), turned(np.pi / 2, [1, 0, 0]), 0.05, Cylinder(0.5, 0.1), 2, 1.0),
        (CUBE, turned(np.pi / 4, [1, 0, 0]), 0.1 * np.sqrt(2), Cylinder(0.5, 0.1), 2, 0.5),
    ],
)
def test_points_share_the_stiffness_of_the_pair(shape, quaternion, height, base, n, share):
    depth, top = 0.002, 0.0 if isinstance(base, HeightField) else 0.1
    center = (0.0, 0.0) if n == 8 and shape is CUBE else (0.03, 0.02)
    system, _, contact, state = lying(shape, quaternion, (*center, top + height - depth), base=base)
    system.realize(state, Stage.DYNAMICS)
    force, distance = contact.normal_force(state), contact.distance(state)
    assert (force > 0).sum() == n
    assert_allclose(distance[force > 0], -depth, atol=1e-12)
    assert_allclose(force.sum(), share * STIFFNESS * depth, rtol=1e-9)
    assert_allclose(force @ contact.contact_point(state)[:, :2], force.sum() * np.array(center), atol=1e-9 * STIFFNESS)
    assert_allclose(system.potential_energy(state) - MASS * GRAVITY * (top + height - depth), share * STIFFNESS * depth**2 / 2, rtol=1e-9)


def test_a_box_slides_down_a_box_as_in_closed_form():
    slope, friction = 0.5, 0.3
    depth = MASS * GRAVITY * np.cos(slope) / STIFFNESS
    system, body, contact, state = lying(CUBE, p=(0.03, 0.0, 0.2 - depth), slope=slope, friction=friction)
    moment = friction * MASS * GRAVITY * np.cos(slope) * 0.1  # which tilts the box: friction acts below its center
    tilt = moment / (STIFFNESS * 0.1**2)  # four corners, each with a quarter of the stiffness, 0.1 m from the middle
    body.set_q(state, [*turned(tilt, [0, 1, 0]), 0.03, 0.0, 0.2 - depth])
    body.set_u(state, [0, 0, 0, 0.2, 0, 0])
    system.realize(state, Stage.ACCELERATION)
    expected = GRAVITY * (np.sin(slope) - friction * np.cos(slope))
    assert_allclose(body.u_dot(state)[3:], [expected, 0, 0], atol=1e-3 * GRAVITY)  # the tilt is to first order
    assert_allclose(contact.power_dissipation(state).sum(), friction * MASS * GRAVITY * np.cos(slope) * 0.2, rtol=2e-3)


@pytest.mark.parametrize("gravity", [0.0, 2.0])
def test_an_impact_has_the_restitution_of_the_law(gravity):
    """a (1 + e) = ln((1 + a) / (1 - e a)) without weight; the weight m g takes c v (pi / 2) g / (v w) more, w^2 = k / m, to first order."""
    speed, dissipation = 0.6, 0.3
    system, body, contact, state = lying(CUBE, p=(0.03, 0.02, 0.2), dissipation=dissipation)
    contact.forces.elements[0].set_parameter(state, "magnitude", gravity)
    body.set_u(state, [0, 0, 0, 0, 0, -speed])
    final = mb.Simulation(system, accuracy=1e-9, backend="interpreted").run(state, until=0.01).final_state
    height, rate = body.q(final)[6] - 0.2, body.u(final)[5]
    found = np.sqrt(rate**2 + 2 * gravity * height) / speed  # where contact ends
    a = dissipation * speed
    low, high = 0.5, 0.999
    for _ in range(60):
        e = (low + high) / 2
        low, high = (low, e) if np.log((1 + a) / (1 - e * a)) > a * (1 + e) else (e, high)
    taken = np.pi / 2 * dissipation * gravity / np.sqrt(STIFFNESS / MASS)
    assert height > 0
    assert_allclose(found, e - taken, atol=1e-7 if gravity == 0 else 0.2 * taken)


@pytest.mark.filterwarnings("ignore:.* m deep")  # some become deeper than all pairs keep the energy
@pytest.mark.parametrize("shape", SHAPES, ids=[type(each).__name__ for each in SHAPES])
def test_energy_is_kept_by_what_bounces_and_rolls_off(shape):
    system, body, _, state = lying(shape, turned(0.7, [1, 2, 3]), (0.03, 0.01, 0.35))
    body.set_u(state, [1.0, 2.0, 0.5, 0.1, 0.0, 0.0])
    final = mb.Simulation(system, accuracy=1e-8, backend="interpreted").run(state, until=0.35).final_state
    for each in (state, final):
        system.realize(each, Stage.ACCELERATION)
    assert body.u(final)[5] > 0.5 - 0.35 * GRAVITY  # it has bounced
    assert_allclose(system.energy(final), system.energy(state), rtol=2e-6)


@pytest.mark.parametrize("shape", [Cylinder(0.08, 0.1), Cone(0.08, 0.1)], ids=["cylinder", "cone"])
def test_forces_do_the_work_of_what_is_stored_at_all_tilts(shape):
    """From the cap to the side: the energy is continuous, and its rate is the power of the force, on either shape."""
    ends = (np.arccos(0.98), np.pi / 2 - np.arcsin(0.2))  # of a cap and of the side of the cylinder
    tilts = [0.1, *(end + by for end in ends for by in (-1e-4, 1e-4)), 0.3, 0.7, 1.1, 1.5, 1.9, 2.4, 2.9]
    for swapped in (False, True):
        system = mb.MultibodySystem("rim")
        matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
        body = mb.Free(matter.ground, mb.MassProperties(MASS, [0, 0, 0], mb.Inertia.box(mass=MASS, size=[0.2, 0.25, 0.3])), name="body")
        pair = (body, shape, matter.ground, SLAB) if swapped else (matter.ground, SLAB, body, shape)
        contact = mb.CompliantContact(forces, *pair, material1=mb.ContactMaterial(2 * STIFFNESS), name="contact")
        state = system.realize_topology()
        stored = []
        for tilt in tilts:
            _press(system, body, contact, state, turned(tilt, [1, 2, 0]))
            body.set_u(state, [0.3, -0.5, 0.2, 0.1, 0.3, -0.2])
            system.realize(state, Stage.ACCELERATION)
            stored.append(system.potential_energy(state))
            q_dot, u_dot, energies = body.q_dot(state), body.u_dot(state), []
            for by in (-1e-6, 1e-6):
                moved = state.copy()
                body.set_q(moved, body.q(state) + by * q_dot)
                body.set_u(moved, body.u(state) + by * u_dot)
                system.realize(moved, Stage.DYNAMICS)
                energies.append(system.energy(moved))
            assert_allclose(np.diff(energies) / 2e-6, 0, atol=1e-5)  # W
        assert_allclose(stored[2::2][:2], stored[1::2][:2], rtol=2e-3)


def _press(system, body, contact, state, quaternion):
    """Set the height at which the shapes are 1 mm deep."""
    lower, upper = 0.1, 0.5
    for _ in range(40):
        middle = (lower + upper) / 2
        body.set_q(state, [*quaternion, 0.03, 0.02, middle])
        system.realize(state, Stage.POSITION)
        lower, upper = (middle, upper) if contact.distance(state).min() < -1e-3 else (lower, middle)


def _pressing(shape):
    """A body that presses with a part, and moves."""
    system, body, contact, state = lying(shape, turned(0.9, [3, 2, 1]), friction=0.4, dissipation=0.5, transition_speed=0.05)
    _press(system, body, contact, state, turned(0.9, [3, 2, 1]))
    body.set_u(state, [0.3, -0.5, 0.2, 0.1, 0.3, -0.2])
    return system, body, contact, state


@pytest.mark.parametrize("shape", [CUBE, Cylinder(0.08, 0.1), Ellipsoid([0.1, 0.07, 0.05])], ids=["box", "cylinder", "ellipsoid"])
def test_accelerations_have_the_derivatives_of_differences_and_adjoints_are_transposed(shape):
    system, body, contact, state = _pressing(shape)
    found = mb.forward_dynamics_derivatives(system, state).by_q[:, 4:]  # by the position of the body
    step, columns = 1e-7, []
    for k in range(3):
        ends = []
        for sign in (-1, 1):
            moved, q = state.copy(), body.q(state).copy()
            q[4 + k] += sign * step
            body.set_q(moved, q)
            system.realize(moved, Stage.ACCELERATION)
            ends.append(body.u_dot(moved).copy())
        columns.append((ends[1] - ends[0]) / (2 * step))
    assert_allclose(found, np.array(columns).T, atol=2e-6 * np.abs(found).max())

    (procedure,) = (each for each in contact.forces.sweep(state.layout, Stage.POSITION).calls if isinstance(each, PressedPair))
    inputs, outputs = ([offset for slot in slots for offset in slot.offsets] for slots in (procedure.inputs[:-1], procedure.outputs))
    rng, w = np.random.default_rng(1), state.values.copy()
    tangent, adjoint = np.zeros((2, len(w)))
    tangent[inputs], adjoint[outputs] = rng.normal(size=len(inputs)), rng.normal(size=len(outputs))
    adjoint[procedure.outputs[0].slice][1:] = 0
    weights = adjoint[outputs].copy()
    for form, change in (("tangent", tangent), ("adjoint", adjoint)):
        assert KernelCalls([KernelCall(LoadedProcedure(procedure, form))])(w, change) == 0
    assert_allclose(weights @ tangent[outputs], adjoint[inputs] @ tangent[inputs], rtol=1e-5)
    assert not adjoint[outputs].any()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lying(CUBE, normal="hertz"), "the points of a Box and a Box share one stiffness, in N/m"),
        (lambda: lying(CUBE, law="lugre"), "come and go, so that they have no bristles"),
    ],
)
def test_laws_that_do_not_apply_are_refused(make, message):
    with pytest.raises(UnsupportedError, match=message):
        make()
