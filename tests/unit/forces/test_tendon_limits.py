"""The range of a fixed tendon: closed forms, the same as limits of a coordinate, saved States, files, derivatives, and errors."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import EventError, InputError, ModelFileError
from mobod.fmu.documentation.mechanism_tables import events, limits_of_motion
from tests.unit.files.test_model_file import same_bits, same_bytes

MASSES, COEFFICIENTS, SPEEDS = np.array([2.0, 3.0]), np.array([1.5, -0.5]), np.array([1.0, -0.3])  # kg, no unit, m/s
LOWER, UPPER, RESTITUTION = -0.2, 0.4, 0.5  # m, m, no unit


def two_carts(**limits):
    """Two masses on rails and a tendon whose length is a combination of their coordinates; and its State, in motion."""
    system = mb.MultibodySystem("carts")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    carts = [mb.Slider(matter.ground, mb.MassProperties.point(mass, [0, 0, 0]), name=f"cart{i}") for i, mass in enumerate(MASSES)]
    tendon = mb.FixedTendon(forces, carts, [0, 0], COEFFICIENTS.tolist(), name="cable")
    tendon.set_limits(**{"lower": LOWER, "upper": UPPER, "restitution": RESTITUTION, **limits})
    state = system.realize_topology()
    for cart, speed in zip(carts, SPEEDS, strict=True):
        cart.set_u(state, speed)
    return system, tendon, state


def simulation(system, accuracy=1e-10, **options):
    return mb.Simulation(system, accuracy, backend="interpreted", **options)


def after_impact(speeds):
    """(speeds, impulse) after an impact at the upper limit, of masses m: m_i du_i = -c_i J, and the rate changes by -(1 + e) times it."""
    rate = COEFFICIENTS @ speeds
    impulse = (1 + RESTITUTION) * rate / (COEFFICIENTS**2 / MASSES).sum()
    return speeds - COEFFICIENTS * impulse / MASSES, impulse


def test_the_range_of_a_tendon_is_kept_by_impacts_of_the_closed_form():
    system, tendon, state = two_carts()
    rate = COEFFICIENTS @ SPEEDS
    first = UPPER / rate
    second = first + (UPPER - LOWER) / (RESTITUTION * rate)
    speeds, impulse = after_impact(SPEEDS)
    results = simulation(system).run(state, until=0.9)
    assert_allclose([each.time for each in results.events], [first], rtol=0, atol=1e-10)  # free flight is exact
    assert_allclose(results.final_state.u, speeds, rtol=1e-12)
    assert tendon.limits.impulse(results.final_state) == pytest.approx(-impulse, rel=1e-12)
    results = simulation(system).run(results.final_state, until=1.1)
    assert_allclose([each.time for each in results.events], [second], rtol=0, atol=1e-10)
    assert_allclose(COEFFICIENTS @ results.final_state.u, RESTITUTION**2 * rate, rtol=1e-12)


@pytest.mark.parametrize("options", [{}, {"integrator": "velocity_level", "step": 0.01}])
@pytest.mark.parametrize("softness", [{}, {"compliance": 2e-3, "damping": 4.0}])
def test_a_tendon_of_one_coordinate_has_limits_as_those_of_the_coordinate(options, softness):
    """With coefficient c the bounds are c times those of the coordinate, its compliance c^2 times, its damping 1 / c^2 times."""
    runs = []
    for c in (None, -2.5):
        system = mb.MultibodySystem("pendulum")
        matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
        mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81)
        arm = mb.Pin(matter.ground, mb.MassProperties.point(1.3, [0.7, 0.1, 0]), name="arm")
        hand = mb.Pin(arm, mb.MassProperties.point(0.4, [0.3, 0, 0]), mb.Transform(p=[0.7, 0, 0]), name="hand")
        if c is None:
            arm.set_limits(-0.9, 0.3, **(softness or {"restitution": 0.4}))
        else:
            tendon = mb.FixedTendon(forces, [arm], [0], [c], unit="rad", name="cable")
            soft = {"compliance": c**2 * 2e-3, "damping": 4.0 / c**2} if softness else {"restitution": 0.4}
            tendon.set_limits(c * 0.3, c * -0.9, **soft)
            tendon.limits.tolerance = abs(c) * system.rotary_limit_tol  # of fixed steps
        state = system.realize_topology()
        hand.set_u(state, 2.0)
        results = simulation(system, 1e-6 if options else 1e-10, **options).run(state, until=1.5, report_every=0.1)
        runs.append((results.final_state.y, results["arm.limit.force"] if c is None else c * results["cable.limit.force"]))
    assert_allclose(runs[1][0], runs[0][0], rtol=0, atol=1e-7)  # several impacts amplify the accuracy of the run
    assert runs[0][1].max() > 1.0  # N m
    assert_allclose(runs[1][1], runs[0][1], rtol=0, atol=1e-6 * runs[0][1].max())


def test_a_start_outside_its_range_is_an_error_that_names_the_tendon():
    system, tendon, state = two_carts()
    state.q = [0.3, -0.2]
    words = r"'cable.upper_limit' .* distance is -0.15 m.*The length of tendon 'cable' is 0.55 m, and its limit is 0.4 m"
    with pytest.raises(EventError, match=words):
        simulation(system).run(state, until=0.1)
    tendon.limits.disable(state)
    assert not simulation(system).run(state, until=0.1).events


def test_other_coefficients_in_a_state_change_the_length_and_its_range():
    system, tendon, state = two_carts()
    system.set_value(state, "cable.coefficients", [2.0, 1.0])
    results = simulation(system).run(state, until=0.3)
    rate = 2.0 * SPEEDS[0] + SPEEDS[1]
    assert_allclose([each.time for each in results.events], [UPPER / rate], rtol=0, atol=1e-10)
    system.realize(results.final_state, mb.Stage.VELOCITY)
    assert tendon.rate(results.final_state) == pytest.approx(-RESTITUTION * rate, rel=1e-12)


def test_a_tendon_that_rests_at_its_range_carries_the_load_also_from_a_saved_state():
    system, tendon, state = two_carts(restitution=0.0)
    mb.MobilityConstantForce(tendon.forces, tendon.bodies[0], force=4.0, name="pull")
    state = system.realize_topology()
    state.u = SPEEDS
    rest = simulation(system).run(state, until=0.5).final_state
    again = mb.State.from_bytes(system, rest.to_bytes())
    system.realize(again, mb.Stage.ACCELERATION)
    assert tendon.limits.engaged(again) == -1
    # l'' = c . (f - c T) / m = 0 with the force 4 N on the first cart
    tension = COEFFICIENTS[0] * 4.0 / MASSES[0] / (COEFFICIENTS**2 / MASSES).sum()
    assert tendon.limits.force(again) == pytest.approx(-tension, rel=1e-9)
    continued = simulation(system).run(again, until=0.7).final_state
    assert continued.y.tobytes() == simulation(system).run(rest, until=0.7).final_state.y.tobytes()


def test_limits_of_tendons_are_restored_from_a_model_file(tmp_path):
    system, tendon, _ = two_carts(compliance=1e-3, damping=5.0, restitution=0.0)
    mb.Servo(tendon.forces, tendon=tendon, control="force", command=2.0, name="winch")
    tendon.limits.set_disabled_by_default(True)
    tendon.limits.tolerance = 1e-5
    loaded = same_bytes(system, tmp_path)
    same_bits(system, loaded, system.realize_topology())
    (found,) = loaded.matter.constraints
    assert (found.tolerance, found.is_disabled_by_default, found.compliant_rows) == (1e-5, True, (0, 1))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"coordinates": [0, 3]}, "/constraints/0/coordinates/1: 'cart1' has no coordinate 3"),
        ({"bodies": ["cart0"]}, "/constraints/0: bodies, coordinates and coefficients are lists of the same length"),
        ({"lower": 1.0}, "/constraints/0: .*the lower bound, 1, is above the upper one, 0.4"),
        ({"coefficients": [1.5, 0.5]}, "/forces/0/elements/0: 'cable.limit' has other terms than tendon 'cable'"),
        ({"tendon": "rope"}, "/forces/0/elements/0/limits: .*Did you mean 'rope.limit'"),
    ],
)
def test_limits_of_tendons_that_do_not_fit_are_refused_with_their_place(tmp_path, changed, message):
    path = mb.save_model(two_carts()[0], tmp_path / "carts.json")
    document = json.loads(path.read_text(encoding="utf-8"))
    document["constraints"][0] |= changed
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ModelFileError, match=message):
        mb.load_model(path)


def test_limits_of_a_tendon_that_does_not_name_them_are_refused(tmp_path):
    path = mb.save_model(two_carts()[0], tmp_path / "carts.json")
    document = json.loads(path.read_text(encoding="utf-8"))
    del document["forces"][0]["elements"][0]["limits"]
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ModelFileError, match=r"/constraints/0: no FixedTendon has these limits. Give tendon 'cable'"):
        mb.load_model(path)


def test_the_derivatives_of_a_motion_with_an_impact_of_a_tendon_are_those_of_its_closed_form():
    system, _, state = two_carts()
    names, until = ["cable.limit.upper", "cable.limit.restitution"], 0.6
    found = mb.sensitivities(simulation(system), state, names, ["cable.length"], until=until, report_every=until)
    rate = COEFFICIENTS @ SPEEDS
    # l = upper - e rate (until - upper / rate)
    expected = [1 + RESTITUTION, -rate * (until - UPPER / rate)]
    assert_allclose(found.derivatives[-1, 0], expected, rtol=1e-9)


def test_the_page_of_an_fmu_lists_the_range_and_its_events():
    system, _, state = two_carts(lower=-np.inf)
    system.realize(state, mb.Stage.POSITION)
    assert limits_of_motion(system, state) == [("cable.length", "", "0.4", "m")]
    assert events(system, state) == [("cable.limit", "limit of a tendon")]


def test_an_equilibrium_at_the_range_of_a_tendon():
    system, tendon, _ = two_carts(lower=-np.inf, restitution=0.0)
    for body, stiffness, rest in zip(tendon.bodies, (50.0, 80.0), (0.6, 0.1), strict=True):
        mb.MobilityLinearSpring(tendon.forces, body, stiffness=stiffness, q_zero=rest, name=f"spring of {body.name}")
    state = mb.find_equilibrium(system, system.realize_topology())
    # least energy with c . q = upper: K (q - rest) + c T = 0
    K, rest, c = np.diag([50.0, 80.0]), np.array([0.6, 0.1]), COEFFICIENTS
    tension = (c @ rest - UPPER) / (c @ np.linalg.solve(K, c))
    assert tension > 1.0
    assert_allclose(state.q, rest - np.linalg.solve(K, c) * tension, atol=1e-8)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"lower": 0.5, "upper": 0.1}, "tendon 'cable': the lower bound, 0.5, is above the upper one, 0.1"),
        ({"restitution": 1.2}, "restitution cannot be 1.2"),
        ({"lower": np.inf, "upper": np.inf}, "no number lies between"),
        ({"restitution": 0.5, "compliance": 1e-3}, "restitution"),
        ({"damping": 3.0}, "damping"),
    ],
)
def test_impossible_ranges_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        two_carts(**arguments)


def test_the_kind_and_the_coefficients_of_a_range_stay():
    _, tendon, _ = two_carts()
    with pytest.raises(InputError, match=r"'cable.limit': the limits are rigid already"):
        tendon.set_limits(0.0, 1.0, compliance=1e-3)
    with pytest.raises(InputError, match=r"its coefficients are those that tendon 'cable' is made with"):
        tendon.limits.set_default_parameter("coefficients", [1.0, 1.0])
    tendon.set_limits(0.0, 1.0, restitution=0.1)
    state = tendon.forces.system.realize_topology()
    assert tendon.limits.bounds(state) == (0.0, 1.0)
