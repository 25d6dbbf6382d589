"""Runs, modes and equilibria of flexible bodies: conservation, frequencies, statics; and all ways to run give the same."""

import warnings
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod import Stage
from mobod.flexible import ModalData, ModalInterface
from tests.flexible.bodies import SECTION, random_modal
from tests.flexible.flexible_tree import Tree
from tests.flexible.frame_elements import beam
from tests.flexible.test_modal_data import LENGTH, bending, slender


def test_free_flight_keeps_momentum_and_energy():
    """Undamped, 1 s: momentum to round-off of the sums, energy to the accuracy of the run times its oscillations."""
    system = mb.MultibodySystem()
    matter = mb.MatterSubsystem(system)
    body = mb.Free(matter.ground, mb.FlexibleBody(random_modal(np.random.default_rng(3), 3, ["end"], damped=False)), name="body")
    state = system.realize_topology()
    body.set_u(state, [2.0, -1.0, 1.5, 0.1, 0.2, -0.3])
    body.set_eta(state, [0.1, -0.1, 0.05])
    body.set_eta_dot(state, [-0.3, 0.4, 0.2])
    final = mb.Simulation(system, accuracy=1e-11).run(state, until=1.0).final_state
    for each in (state, final):
        system.realize(each, Stage.VELOCITY)
    momenta = [matter.momentum_about_ground_origin(each) for each in (state, final)]
    assert_allclose(*momenta, rtol=0, atol=1e-10 * np.abs(momenta[0]).max())
    assert_allclose(system.energy(final), system.energy(state), rtol=1e-9)


def test_speeds_of_interfaces_have_the_accuracy_of_the_run():
    """Errors of modal speeds are relative to a speed of the System, not to the highest that a deflection by the whole body would have."""
    system = mb.MultibodySystem()
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=9.81)
    data = mb.FlexibleBeam(0.7, mb.Section.rectangle(0.03, 0.016), mb.Material(E=7e10, nu=0.3, density=2700), elements=6, frame="mean")
    body = mb.Free(matter.ground, data, name="body")
    state = system.realize_topology()
    body.set_u(state, [0.5, 2, -3, 1, 0, 0])
    V = []
    for accuracy in (1e-10, 1e-6):
        final = mb.Simulation(system, accuracy=accuracy, backend="interpreted").run(state, until=0.05).final_state
        system.realize(final, Stage.VELOCITY)
        V.append(body.interface("end").V_GB(final))
    assert_allclose(V[1], V[0], rtol=0, atol=1e-3)  # 300 periods of the fastest mode, whose rotation is 6 rad at its scale


@pytest.mark.parametrize(
    ("hub_mass", "hub_inertia", "half_width", "length", "EI", "density", "symmetric", "antisymmetric"),
    [
        (400.0, 120.0, 0.8, 5.0, 1200.0, 1.5, [4.022728839424122, 25.01640963724764], [6.088497116491566, 25.90709951307757]),
        (50.0, 8.0, 0.4, 4.0, 300.0, 0.9, [4.176346956099789, 25.472754474378366], [9.255612411787032, 28.271007666148574]),
    ],
)
def test_a_satellite_has_the_frequencies_of_its_panels_on_a_free_hub(
    hub_mass, hub_inertia, half_width, length, EI, density, symmetric, antisymmetric
):
    """Frequencies of Ritz's method with 14 polynomials, to 1e-8. Six modes of 16 elements: 1e-4. Bending in the plane; stiff otherwise."""
    E, A = 7e10, 1e-3
    section = {"E": E, "G": E, "rho": density / A, "A": A, "Iy": 100 * EI / E, "Iz": EI / E, "J": 100 * EI / E, "rotary": False}
    M, K, nodes = beam(length, 16, **section)
    panel = mb.FlexibleBody(ModalData.from_matrices(M, K, nodes, {"root": 0}, inboard="root", modes=6))
    system = mb.MultibodySystem()
    matter = mb.MatterSubsystem(system)
    inertia = mb.Inertia(np.diag([hub_inertia] * 3))
    hub = mb.Planar(matter.ground, mb.MassProperties(hub_mass, [0, 0, 0], inertia), name="hub")
    mb.Weld(hub, panel, mb.Transform(p=[half_width, 0, 0]), name="right")
    mb.Weld(hub, panel, mb.Transform(mb.spatial.rotation_z(np.pi), [-half_width, 0, 0]), name="left")
    found = system.modes(system.realize_topology()).frequencies
    for expected in (*symmetric, *antisymmetric):
        assert np.abs(found / expected - 1).min() < 1e-4


@pytest.mark.slow
def test_a_beam_between_supports_has_its_frequencies():
    """Clamped at its start and pinned at its end by a constraint: roots of tan x = tanh x."""
    M, K, nodes = slender()
    modal = ModalData.from_matrices(M, K, nodes, {"start": 0, "end": 10}, inboard="start")
    system = mb.MultibodySystem()
    matter = mb.MatterSubsystem(system)
    body = mb.Weld(matter.ground, mb.FlexibleBody(modal), name="beam")
    mb.PointInPlane(matter.ground, [0, 1, 0], 0.0, body.interface("end"), [0, 0, 0], name="guide")
    found = system.modes(system.realize_topology()).frequencies_hz
    for root in (3.9266023120479185, 7.068582745628732):
        assert np.abs(found / bending([root])[0] - 1).min() < 2e-3  # 12 shapes


def sagging(modes=2, elements=4):
    system = mb.MultibodySystem("sag")
    matter = mb.MatterSubsystem(system)
    gravity = mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=9.81, name="gravity")
    M, K, nodes = slender(elements)
    modal = ModalData.from_matrices(M, K, nodes, {"start": 0, "end": elements}, inboard="start", modes=modes)
    body = mb.Pin(matter.ground, mb.FlexibleBody(modal, damping_ratio=0.02), mb.Transform(mb.spatial.rotation_x(-np.pi / 2)), name="body")
    tip = mb.Weld(body.interface("end"), mb.MassProperties.point(0.2, [0, 0, 0]), name="tip")
    return system, body, tip, gravity


def test_the_deflection_at_rest_is_that_of_a_beam_under_its_weight_and_a_load():
    """One cubic element with consistent mass, and all its shapes, deflect at the end as a beam does."""
    system, body, *_ = sagging(modes=None, elements=1)
    state = system.realize_topology()
    body.set_u(state, 0.3)
    mb.deflect_at_rest(system, state, [body])
    EI, q = SECTION["E"] * SECTION["Iz"], SECTION["rho"] * SECTION["A"] * 9.81
    expected = q * LENGTH**4 / (8 * EI) + 0.2 * 9.81 * LENGTH**3 / (3 * EI)
    deflection = body.interface("end").deflection(state)
    assert_allclose(np.abs(deflection[4]), expected, rtol=1e-9)
    assert body.u(state) == 0.3
    assert not body.eta_dot(state).any()
    body.set_u(state, 0.0)
    system.realize(state, Stage.ACCELERATION)
    body.lock(state)
    system.realize(state, Stage.ACCELERATION)
    assert np.abs(body.flexible.node.u_dot(state)).max() < 1e-9


def test_deflect_at_rest_refuses_rigid_bodies_and_constrained_modes():
    system, body, tip, _ = sagging(modes=4)
    with pytest.raises(mb.errors.InputError, match="body 'tip' is rigid"):
        mb.deflect_at_rest(system, system.realize_topology(), [tip])
    mb.PointInPlane(body.matter.ground, [0, 0, 1], 0.0, tip, [0, 0, 0], name="guide")
    with pytest.raises(mb.errors.UnsupportedError, match="constraint 'guide' acts on the modes"):
        mb.deflect_at_rest(system, system.realize_topology(), [body])


def test_an_equilibrium_has_the_deflection_at_rest():
    system, body, *_ = sagging(modes=4)
    state = system.realize_topology()
    body.lock(state)
    found = mb.find_equilibrium(system, state)
    mb.deflect_at_rest(system, state)
    assert_allclose(body.eta(found), body.eta(state), atol=1e-8 * np.abs(body.eta(state)).max())


def test_gravity_that_spares_a_flexible_body_spares_its_mass():
    system, body, tip, gravity = sagging(modes=4)
    state = system.realize_topology()
    for each in (body, tip):
        gravity.set_body_is_excluded(state, each, True)
    system.realize(state, Stage.ACCELERATION)
    assert not state.u_dot.any()
    assert gravity.body_is_excluded(state, body)


# in general states these soft bodies turn faster than their lowest frequency allows
TURNING = pytest.mark.filterwarnings("ignore:.*turn:mobod.errors.MobodWarning")


@pytest.fixture(scope="module")
def tree():
    return Tree(3)


@pytest.mark.slow
@TURNING
def test_compiled_code_gives_the_bits_of_the_interpreter(tree):
    runs = [mb.Simulation(tree.system, accuracy=1e-6, backend=each).run(tree.state, until=0.2) for each in ("interpreted", "compiled")]
    assert_array_equal(runs[0].final_state.y, runs[1].final_state.y)


@TURNING
def test_members_of_an_ensemble_have_the_bits_that_they_have_alone(tree):
    states = []
    for k in range(3):
        state = tree.state.copy()
        state.u = tree.state.u * (1 + 0.1 * k)
        states.append(state)
    together = mb.Ensemble(tree.system, states, accuracy=1e-6).run(until=0.1)
    for k, state in enumerate(states):
        alone = mb.Simulation(tree.system, accuracy=1e-6).run(state, until=0.1)
        assert_array_equal(together.final_states[k].y, alone.final_state.y)


def test_tuned_stiffness_and_damping_change_the_run():
    system, body, *_ = sagging(modes=4)
    state = system.realize_topology()
    mb.deflect_at_rest(system, state)
    first = body.eta(state).copy()
    node = body.flexible.node
    node.set_parameter(state, "stiffness_scale", 4.0)
    mb.deflect_at_rest(system, state)
    assert_allclose(body.eta(state), first / 4, rtol=1e-3, atol=1e-9)
    assert node.parameter(state, "damping_ratio") == 0.02
    with pytest.raises(mb.errors.InputError):
        node.set_parameter(state, "stiffness_scale", 0.0)


def test_small_bodies_in_other_units_take_the_same_steps():
    """Errors of modes are relative to the body's size: a beam in mm and t takes as many steps as one in m and kg."""
    counts = []
    for length in (1.0, 1e3):
        system = mb.MultibodySystem()
        matter = mb.MatterSubsystem(system)
        mass = 1e-3 if length > 1 else 1.0
        section = SECTION | {
            "E": SECTION["E"] * mass / length, "G": SECTION["G"] * mass / length, "rho": SECTION["rho"] * mass / length**3,
            "A": SECTION["A"] * length**2, **{name: SECTION[name] * length**4 for name in ("Iy", "Iz", "J")},
        }  # fmt: skip
        M, K, nodes = beam(LENGTH * length, 4, **section)
        modal = ModalData.from_matrices(M, K, nodes, {"start": 0, "end": 4}, inboard="start", modes=3)
        body = mb.Pin(matter.ground, mb.FlexibleBody(modal), name="body")
        state = system.realize_topology()
        body.set_eta(state, np.full(3, 0.02 * modal.scale))
        body.set_u(state, 0.5)
        counts.append(mb.Simulation(system, accuracy=1e-6).run(state, until=0.3).steps)
    assert counts[0] == counts[1]


def test_runs_beyond_linear_deformation_warn():
    system, body, *_ = sagging(modes=4)
    state = system.realize_topology()
    lowest = 2 * np.pi * body.flexible.modal.frequencies[0]
    body.set_u(state, 0.5 * lowest)
    body.set_eta(state, [0, 4.0, 0, 0])
    with pytest.warns(mb.MobodWarning) as found:
        results = mb.Simulation(system, accuracy=1e-4).run(state, until=0.02)
    words = [str(each.message) for each in found]
    assert any("'body' turns at" in each and "first angular frequency" in each for each in words)
    assert any("'body.end' is turned by" in each and "Linear shapes hold to about 0.2 rad" in each for each in words)
    assert list(results.warnings) == words


@pytest.mark.parametrize(("times", "words"), [(0.9, None), (1.1, "Linear shapes hold to about 0.1 of it")])
def test_runs_beyond_a_tenth_of_the_size_warn(times, words):
    """A mode along the beam, which turns nothing."""
    system = mb.MultibodySystem()
    matter = mb.MatterSubsystem(system)
    modal = random_modal(np.random.default_rng(2), 1, ["end"])
    end = modal.interfaces["end"]
    straight = {"root": modal.interfaces["root"], "end": ModalInterface(end.X, np.concatenate([np.zeros((3, 1)), end.shapes[3:]]))}
    body = mb.Weld(matter.ground, mb.FlexibleBody(replace(modal, interfaces=straight)), name="body")
    state = system.realize_topology()
    body.set_eta(state, [times * 0.1 * modal.size / np.linalg.norm(end.shapes[3:])])
    with nullcontext() if words is None else pytest.warns(mb.MobodWarning, match=f"'body.end' is displaced by .* m at .* {words}"):
        mb.Simulation(system, accuracy=1e-4).run(state, until=0.01)
    run = mb.Simulation(system, accuracy=1e-4).start(state)
    run.step(0.01)
    with nullcontext() if words is None else pytest.warns(mb.MobodWarning, match=f"'body.end' is displaced by .* m at .* {words}"):
        assert bool(run.history().warnings) is (words is not None)


def three_runs():
    """A System, and States of three runs: without much deformation, turning fast and bent far, and so soft that its own speed is too fast
    for it.
    """
    system, body, *_ = sagging(modes=4)
    lowest = 2 * np.pi * body.flexible.modal.frequencies[0]
    states = []
    for speed, bend, scale in ((0.0, 0.0, 1.0), (0.5, 4.0, 1.0), (0.2, 0.0, 0.3)):
        state = system.realize_topology()
        body.set_u(state, speed * lowest)
        body.set_eta(state, [0, bend, 0, 0])
        body.flexible.node.set_parameter(state, "stiffness_scale", scale)
        states.append(state)
    return system, states


def test_ensembles_warn_as_their_runs_alone_do():
    system, states = three_runs()
    words = []
    for number, state in enumerate(states):
        with warnings.catch_warnings(record=True):
            warnings.simplefilter("always")
            found = mb.Simulation(system, accuracy=1e-6).run(state, until=0.02, report_every=0.005).warnings
        words += [(number, f"run {number}: {each}") for each in found]
    assert {number for number, _ in words} == {1, 2}
    ensemble = mb.Ensemble(system, states, accuracy=1e-6, outputs=["body.q"])
    with pytest.warns(mb.MobodWarning, match="run 1: 'body"):
        results = ensemble.run(until=0.02, report_every=0.005)
    assert sorted(results.warnings) == sorted(words)
    assert results.values.shape == (3, 5, 1)


@pytest.mark.parametrize("options", [{"accuracy": 1e-6}, {"integrator": "velocity_level", "step": 1e-3}], ids=["control", "fixed"])
def test_ensembles_in_steps_warn_once_for_each_run(options):
    system, states = three_runs()
    ensemble = mb.Ensemble(system, states, outputs=["body.q"], **options)
    with pytest.warns(mb.MobodWarning, match=r"run 1: 'body.end' is turned by .* at 0.005 s"):
        ensemble.step(0.005)
    ensemble.step(0.005)  # nothing new
    kinds = [(number, "turns at" in text) for number, text in ensemble.warnings]
    assert sorted(kinds) == [(1, False), (1, True), (2, True)]
    ensemble.reset([1])
    assert [number for number, _ in ensemble.warnings] == [2]
    with pytest.warns(mb.MobodWarning, match=r"run 1: 'body.end' is turned"):
        ensemble.step(0.005, runs=[1])


def test_ensembles_whose_speeds_python_computes_warn_of_fast_rotation():
    """With readings at a rate C reports the states, and not the angular velocities."""
    system, body, *_ = sagging(modes=4)
    mb.Sampled(system, mb.Imu(system, body.interface("end"), name="imu"), 0.005, name="felt")
    state = system.realize_topology()
    body.set_u(state, 0.5 * 2 * np.pi * body.flexible.modal.frequencies[0])
    ensemble = mb.Ensemble(system, [state], accuracy=1e-6)
    with pytest.warns(mb.MobodWarning, match="'body' turns at"):
        ensemble.run(until=0.01)


def test_integrators_agree_on_undamped_modes():
    """Modes that never decay are no stiffness that `auto` finds; its steps follow them."""
    system, body, *_ = sagging(modes=2)
    state = system.realize_topology()
    body.flexible.node.set_parameter(state, "damping_ratio", 0.0)
    body.set_eta(state, [0.0, 0.01])
    first, *others = [
        mb.Simulation(system, accuracy=1e-7, integrator=each).run(state, until=0.2).y[-1] for each in ("auto", "Rodas5P", "DOP853")
    ]
    for each in others:
        assert_allclose(each, first, atol=1e-5 * np.abs(first).max())
