"""Forces of contact: impacts with known restitution, energy books, friction, outputs, and errors."""

from math import log

import fmpy
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

import mobod as mb
from mobod import Stage, contact
from mobod.errors import InputError, UnsupportedError

MASS = 0.7
WALL = contact.HalfSpace.frame([1, 0, 0])  # its normal is x
ROUND = mb.ContactMaterial(2e6, 0.3, 0.6, 0.4, 0.1)


def rail():
    """A mass on a slider along x, to the right of a wall at x = 0."""
    system = mb.MultibodySystem("rail")
    cart = mb.Slider(mb.MatterSubsystem(system).ground, mb.MassProperties.point(MASS, [0, 0, 0]), name="cart")
    return system, cart, mb.ForceSubsystem(system)


def ball_on_wall(system, cart, forces, **more):
    return mb.CompliantContact(
        forces, cart.matter.ground, contact.HalfSpace(), cart, contact.Sphere(0.1), X_B1S1=WALL, **{"material1": ROUND, **more}
    )


def with_heat(system, forces):
    loss = mb.measures.Custom(system, forces.power_dissipation, stage=Stage.DYNAMICS, unit="W", name="loss")
    mb.measures.Integrate(system, loss, initial=0.0, name="heat")


def exact_restitution(a):
    return brentq(lambda e: a * (1 + e) - log((1 + a) / (1 - e * a)), 1e-9, min(1, 1 / a) - 1e-12, xtol=1e-14)


def bounced(system, cart, v, radius=0.1):
    state = system.realize_topology()
    cart.set_q(state, radius + 0.01 * v)
    cart.set_u(state, -v)
    simulation = mb.Simulation(system, accuracy=1e-13, integrator="DOP853", max_step=2e-4, backend="interpreted")
    return simulation.run(state, until=0.04, report_every=5e-4)


@pytest.mark.parametrize("v", [0.3, 2.0, 9.0])
@pytest.mark.parametrize(
    ("shape", "normal", "factor"),
    [(contact.Sphere(0.1), None, 1.5), (contact.Ellipsoid([0.1, 0.2, 0.35]), None, 1.5), (contact.Sphere(0.1), "linear", 1.0)],
    ids=["sphere", "ellipsoid", "linear"],
)
def test_the_restitution_of_an_impact_is_that_of_hunt_and_crossley(v, shape, normal, factor):
    system, cart, forces = rail()
    material = mb.ContactMaterial(2e6, 0.3)
    wall = mb.CompliantContact(
        forces, cart.matter.ground, contact.HalfSpace(), cart, shape, material1=material, X_B1S1=WALL, normal=normal, name="wall"
    )
    with_heat(system, forces)
    results = bounced(system, cart, v)
    assert_allclose(results["cart.u"][-1] / v, exact_restitution(factor * 0.3 * v), rtol=1e-6)
    assert_allclose(results["energy"] + results["heat.value"], MASS * v**2 / 2, rtol=1e-8)
    assert wall.default_material2 == material


def test_the_energy_that_is_released_without_a_force_is_lost():
    """A spring pulls the ball away faster than the surface can follow: the force is cut while the shapes still overlap."""
    system, cart, forces = rail()
    ball_on_wall(system, cart, forces, material1=mb.ContactMaterial(1e5, 3.0), name="wall")
    mb.MobilityLinearSpring(forces, cart, stiffness=4e4, q_zero=0.12)
    with_heat(system, forces)
    state = system.realize_topology()
    cart.set_q(state, 0.09)
    start = mb.Simulation(system, accuracy=1e-11, integrator="DOP853", max_step=1e-4, backend="interpreted")
    results = start.run(state, until=0.01, report_every=1e-4)
    is_cut = (results["wall.normal_force"] == 0) & (results["wall.distance"] < -1e-4)
    assert is_cut.sum() > 3
    assert (results["wall.power_dissipation"][is_cut] > 0).all()
    total = results["energy"] + results["heat.value"]
    assert_allclose(total, total[0], rtol=1e-8)


def test_kelvin_and_voigt_with_the_damping_of_the_exact_restitution():
    system, cart, forces = rail()
    k, b = 3e4, 60.0
    material = mb.ContactMaterial(2 * k, b / k)  # two equal ones in series
    ball_on_wall(system, cart, forces, material1=material, normal="kelvin_voigt", name="wall")
    with_heat(system, forces)
    results = bounced(system, cart, 2.0)
    zeta = b / (2 * np.sqrt(k * MASS))
    e = np.exp(-2 * zeta * np.arccos(zeta) / np.sqrt(1 - zeta**2))
    assert_allclose(results["cart.u"][-1] / 2.0, e, rtol=1e-5)  # the force jumps where contact begins, within a step
    assert_allclose(results["energy"] + results["heat.value"], MASS * 2.0**2 / 2, rtol=1e-5)


def test_the_smooth_force_bounces_with_its_energy_accounted_for():
    system, cart, forces = rail()
    mb.SmoothSphereHalfSpaceForce(
        forces, cart.matter.ground, cart, radius=0.1, X_B1S1=WALL, stiffness=2e6, dissipation=0.3, constant_contact_force=1e-9, name="wall"
    )
    with_heat(system, forces)
    state = system.realize_topology()
    cart.set_q(state, 0.15)
    cart.set_u(state, -2.0)
    results = mb.Simulation(system, accuracy=1e-11, integrator="DOP853", backend="interpreted").run(state, until=0.06, report_every=1e-3)
    assert 0.5 < results["cart.u"][-1] / 2.0 < 0.9
    total = results["energy"] + results["heat.value"]
    assert_allclose(total, total[0], rtol=1e-8)


# friction
def slope(tilt, friction, **more):
    """A box of 2 kg on a plane, with gravity tilted by this angle."""
    system = mb.MultibodySystem("slope")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[np.sin(tilt), 0, -np.cos(tilt)], magnitude=9.81)
    box = mb.Free(matter.ground, mb.MassProperties(2.0, [0, 0, 0], mb.Inertia.box(mass=2.0, size=[0.4, 0.4, 0.2])), name="box")
    material = mb.ContactMaterial(1e5, 5.0, 0.6, 0.5)
    plane = mb.CompliantContact(
        forces,
        matter.ground,
        contact.HalfSpace(),
        box,
        contact.Box([0.2, 0.2, 0.1]),
        material1=material,
        friction=friction,
        name="plane",
        **more,
    )
    state = system.realize_topology()
    box.set_q(state, [1, 0, 0, 0, 0, 0, 0.1 - 2.0 * 9.81 * np.cos(tilt) / (4 * 5e4)])
    return system, box, plane, state


@pytest.mark.slow
def test_bristles_hold_a_box_on_a_slope_below_its_angle_of_friction_and_not_above_it():
    for tilt, holds in ((0.4, True), (0.6, False)):  # atan(0.6) = 0.540
        system, _box, _plane, state = slope(tilt, "lugre", bristle_stiffness=2e4, bristle_damping=100.0)
        results = mb.Simulation(system, integrator="Rodas5P", accuracy=1e-7, backend="interpreted").run(state, until=1.0, report_every=0.25)
        moved = results["box.q"][:, 4]
        if holds:
            assert abs(moved[-1] - moved[-2]) < 1e-7
            assert_allclose(results["plane.friction_force"][-1].reshape(8, 3).sum(axis=0)[0], -2.0 * 9.81 * np.sin(tilt), rtol=1e-3)
        else:
            a = 9.81 * (np.sin(tilt) - 0.5 * np.cos(tilt))
            u = results["box.u"][:, 3]
            assert_allclose(u[-1] - u[-2], a / 4, rtol=1e-3)


@pytest.mark.fast(1)
@pytest.mark.parametrize("friction", ["step5", "hollars", "stribeck"])
def test_regularised_friction_creeps_on_a_slope_and_slides_at_its_dynamic_coefficient(friction):
    system, _, _, state = slope(0.4, friction, transition_speed=0.01)
    results = mb.Simulation(system, integrator="Rodas5P", accuracy=1e-7, backend="interpreted").run(state, until=0.5)
    assert 1e-4 < results["box.u"][-1][3] < 0.01
    system, box, _plane, state = slope(0.4, friction, transition_speed=0.01)
    box.set_u(state, [0, 0, 0, 3.0, 0, 0])
    results = mb.Simulation(system, integrator="Rodas5P", accuracy=1e-7, backend="interpreted").run(state, until=0.3)
    expected = 3.0 + 9.81 * (np.sin(0.4) - 0.5 * np.cos(0.4)) * 0.3
    assert_allclose(results["box.u"][-1][3], expected, rtol=1e-3)


def test_fixed_steps_that_are_short_give_the_same_slide():
    system, box, _plane, state = slope(0.4, "stribeck", transition_speed=0.05)
    box.set_u(state, [0, 0, 0, 3.0, 0, 0])
    finals = [
        mb.Simulation(system, backend="interpreted", **options).run(state, until=0.05).final_state.y
        for options in ({"integrator": "Rodas5P", "accuracy": 1e-9}, {"integrator": "RK4", "step": 1e-4})
    ]
    assert_allclose(finals[1], finals[0], atol=1e-5)


def test_two_balls_push_each_other_apart_at_the_point_nearer_to_the_stiffer_one():
    system = mb.MultibodySystem("balls")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mass = mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.sphere(mass=1.0, radius=0.1))
    one, other = mb.Free(matter.ground, mass, name="one"), mb.Free(matter.ground, mass, name="other")
    hard = mb.ContactMaterial(1e9, 0.1, 0.5)
    pair = mb.HuntCrossleyForce(
        forces,
        one,
        contact.Sphere(0.1),
        other,
        contact.Capsule(0.05, 0.3),
        material1=hard,
        material2=ROUND,
        X_B1S1=mb.Transform(p=[0.1, 0, 0]),
    )
    state = system.realize_topology()
    other.set_q(state, [1, 0, 0, 0, 0.249, 0, 0.2])
    system.realize(state, Stage.DYNAMICS)
    assert_allclose(pair.distance(state), [-0.001], rtol=1e-12)
    assert_allclose(pair.contact_point(state)[0], [0.2 - 0.001 * ROUND.stiffness ** (2 / 3) / (1e6 + 2e6 ** (2 / 3)), 0, 0], atol=1e-5)
    share = 2e6 ** (2 / 3) / (2e6 ** (2 / 3) + 1e9 ** (2 / 3))
    modulus, radius = share**1.5 * 1e9, 1 / (1 / 0.1 + 1 / 0.05)
    assert_allclose(pair.normal_force(state), [4 / 3 * modulus * np.sqrt(radius) * 0.001**1.5], rtol=1e-11)
    F, _ = pair.calc_force_contribution(state)
    assert F[2][3] > 0 > F[1][3]
    assert_allclose(F[1][3:], -F[2][3:])
    assert pair.feature_names == ("point",)


def test_an_ellipsoid_has_its_radius_of_curvature_unless_simbodys_is_wanted():
    system, cart, forces = rail()
    ends = (forces, cart.matter.ground, contact.HalfSpace(), cart, contact.Ellipsoid([0.1, 0.2, 0.35]))
    right = mb.HuntCrossleyForce(*ends, material1=ROUND, X_B1S1=WALL)
    as_simbody = mb.HuntCrossleyForce(*ends, material1=ROUND, X_B1S1=WALL, effective_radius="simbody")
    state = system.realize_topology()
    cart.set_q(state, 0.099)
    system.realize(state, Stage.DYNAMICS)
    ratio = right.normal_force(state) / as_simbody.normal_force(state)
    assert_allclose(ratio, np.sqrt(0.2 * 0.35 / 0.1 / np.sqrt(0.2 * 0.35)), rtol=1e-12)


# parameters and materials
def softest(material1, material2):
    """A user's combination: the softer one's stiffness, the larger friction."""
    larger = mb.scalar.maximum(material1.dynamic_friction, material2.dynamic_friction)
    softer = mb.scalar.minimum(material1.stiffness, material2.stiffness)
    return mb.ContactMaterial(softer, material1.dissipation, larger, larger)


def test_materials_combine_by_a_function_of_the_user(tmp_path):
    system, cart, forces = rail()
    hard = mb.ContactMaterial(5e6, 0.3, 0.9)
    wall = ball_on_wall(system, cart, forces, material2=hard, combination=softest, name="wall")
    state = system.realize_topology()
    cart.set_q(state, 0.099)
    system.realize(state, Stage.DYNAMICS)
    assert_allclose(wall.normal_force(state), [4 / 3 * 2e6 * np.sqrt(0.1) * 0.001**1.5], rtol=1e-11)
    path = tmp_path / "wall.json"
    mb.save_model(system, path)
    loaded = mb.load_model(path, allow_imports=True)
    again = loaded.realize_topology()
    loaded.set_value(again, "cart.q", 0.099)
    loaded.realize(again, Stage.DYNAMICS)
    assert_allclose(loaded.value(again, "wall.normal_force"), wall.normal_force(state), rtol=0)


def test_materials_can_be_changed_in_a_state_and_by_name():
    system, cart, forces = rail()
    wall = ball_on_wall(system, cart, forces, name="wall")
    state = system.realize_topology()
    assert (wall.material1(state), wall.default_material2) == (ROUND, ROUND)
    softer = mb.ContactMaterial(1e5, 0.1, 0.3)
    assert wall.set_material2(state, softer).material2(state) == softer
    system.set_value(state, "wall.stiffness1", 1e5)
    assert wall.material1(state).stiffness == 1e5
    variable = system.variable(state, "wall.stiffness1")
    assert (variable.role, variable.units) == ("parameter", ("Pa",))
    wall.set_default_material1(softer)
    assert wall.default_material1 == softer
    with pytest.raises(InputError, match=r"'wall.stiffness1' cannot be 0.0 Pa: it must be greater than 0"):
        wall.set_parameter(system.realize_topology(), "stiffness1", 0.0)


def test_materials_have_defaults_and_are_checked():
    assert mb.ContactMaterial(1e6) == mb.ContactMaterial(1e6, 0.0, 0.0, 0.0, 0.0)
    assert mb.ContactMaterial(1e6, static_friction=0.7).dynamic_friction == 0.7
    assert mb.ContactMaterial(1e6, dynamic_friction=0.7).static_friction == 0.7
    for wrong, message in (
        ({"stiffness": 0.0}, "ContactMaterial: stiffness cannot be 0.0 Pa: it must be greater than 0"),
        ({"stiffness": 1.0, "dissipation": -1.0}, "ContactMaterial: dissipation cannot be -1.0 s/m"),
        ({"stiffness": 1.0, "dynamic_friction": -0.1}, "ContactMaterial: .*_friction cannot be -0.1"),
        ({"stiffness": 1.0, "viscous_friction": np.nan}, "ContactMaterial: viscous_friction cannot be nan"),
        ({"stiffness": 1.0, "static_friction": 0.3, "dynamic_friction": 0.4}, "static_friction, 0.3, is below dynamic_friction, 0.4"),
    ):
        with pytest.raises(InputError, match=message):
            mb.ContactMaterial(**wrong)


def test_features_have_outputs_of_their_own():
    system, _box, plane, state = slope(0.0, "step5")
    system.realize(state, Stage.DYNAMICS)
    assert plane.n_features == len(plane.feature_names) == 8
    assert_allclose(plane.normal_force(state).sum(), 2.0 * 9.81, rtol=1e-12)
    assert (plane.normal_force(state) > 0).sum() == 4
    units = {
        "distance": "m",
        "normal_force": "N",
        "friction_force": "N",
        "slip_speed": "m/s",
        "contact_point": "m",
        "power_dissipation": "W",
    }
    for name, unit in units.items():
        variable = system.variable(state, f"plane.{name}")
        assert variable.units == (unit,)
        assert_allclose(system.value(state, variable), getattr(plane, name)(state), rtol=0)
    plane.disable(state)
    system.realize(state, Stage.DYNAMICS)
    assert not plane.normal_force(state).any()


# errors
@pytest.mark.parametrize(
    ("more", "error", "message"),
    [
        ({"transition_speed": 0.0}, InputError, "'wall.transition_speed' cannot be 0.0 m/s: it must be greater than 0"),
        ({"material1": 2e6}, InputError, "'wall': material1 is a ContactMaterial, not float"),
        ({"material2": "rubber"}, InputError, "'wall': material2 is a ContactMaterial, not str"),
        ({"X_B2S2": [0, 0, 1]}, InputError, "CompliantContact: X_B2S2 is a Transform, not list"),
        ({"normal": "hard"}, InputError, "normal"),
        ({"friction": "dry"}, InputError, "friction"),
        ({"combination": "larger"}, InputError, "'wall': combination is a function of two materials"),
        ({"bristle_stiffness": 0.0}, InputError, "'wall.bristle_stiffness' cannot be 0.0 1/m"),
        ({"shape2": contact.HalfSpace()}, UnsupportedError, "no distance between a HalfSpace and a HalfSpace"),
        ({"shape2": 0.1}, InputError, "A contact is between shapes of mobod.contact"),
        ({"shape2": contact.Box([1, 1, 1]), "normal": "hertz"}, UnsupportedError, "touch at edges or corners"),
    ],
)
def test_invalid_contacts_are_refused(more, error, message):
    _system, cart, forces = rail()
    arguments = {"body1": cart.matter.ground, "shape1": contact.HalfSpace(), "body2": cart, "shape2": contact.Sphere(0.1)}
    with pytest.raises(error, match=message):
        mb.CompliantContact(forces, **{**arguments, "material1": ROUND, "X_B1S1": WALL, "name": "wall", **more})
    assert forces.elements == []


def test_contact_within_one_rigid_body_is_refused():
    _system, cart, forces = rail()
    mass = mb.MassProperties.point(1.0, [0, 0, 0])
    bracket, box = mb.Weld(cart, mass, name="bracket"), contact.Box([1, 1, 1])
    for pair in ((cart, cart), (cart, bracket), (cart.matter.ground, mb.Weld(cart.matter.ground, mass, name="post"))):
        with pytest.raises(InputError, match=r"both ends are on body 'cart'|are welded to each other"):
            mb.CompliantContact(forces, pair[0], contact.Sphere(0.1), pair[1], contact.Sphere(0.2), material1=ROUND)
    with pytest.raises(UnsupportedError, match="touch at edges or corners, which have no curvature"):
        mb.HuntCrossleyForce(forces, cart.matter.ground, contact.HalfSpace(), cart, box, material1=ROUND)
    for wrong, message in (
        ({"radius": 0.0}, "Sphere: radius cannot be 0"),
        ({"static_friction": 0.3, "dynamic_friction": 0.4}, "static_friction, 0.3, is below dynamic_friction, 0.4"),
        ({"hertz_smoothing": 0.0}, "'smooth.hertz_smoothing' cannot be 0.0 1/m: it must be greater than 0"),
        ({"center": [0, 0]}, "SmoothSphereHalfSpaceForce: center"),
    ):
        with pytest.raises(InputError, match=message):
            mb.SmoothSphereHalfSpaceForce(forces, cart.matter.ground, cart, **{"radius": 0.1, "stiffness": 1e6, "name": "smooth", **wrong})


@pytest.mark.slow
def test_an_fmu_moves_as_the_simulation(tmp_path):
    system, box, _plane, state = slope(0.4, "lugre", bristle_stiffness=1e3, bristle_damping=50.0)
    box.set_u(state, [0, 0, 0, 0.5, 0.2, 0])
    fmu = mb.export_fmu(
        system, tmp_path / "slope.fmu", code="interpreted", reference=False, outputs=["box.q", "plane.normal_force"], state=state
    )
    expected = mb.Simulation(system, accuracy=1e-9, backend="interpreted").run(state, until=0.1, report_every=0.02)
    run = fmpy.simulate_fmu(
        str(fmu), stop_time=0.1, output_interval=0.02, relative_tolerance=1e-9, start_values={"plane.static_friction1": 0.6}
    )
    assert_allclose(run["box.q[5]"], expected["box.q"][:, 4], atol=1e-7)  # 100 times the accuracy
    assert_allclose(run["plane.normal_force[1]"], expected["plane.normal_force"][:, 0], rtol=1e-4)
