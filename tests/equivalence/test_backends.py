"""One text, three evaluations: NumPy itself, bytecode, and compiled C give the same numbers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod import Stage
from tests.equivalence.compiled_system import CompiledSystem
from tests.laws.mechanisms import random_mechanism

# the three do the same operations but for reordered sums and the libraries' sines, each right to some 1e-16; accelerations, and
# the reactions which follow from them, feel ten of these times the condition of the mass matrix
ROUND_OFF = 1e-13
EPS = np.finfo(float).eps


def values_in_python(mechanism, state):
    return {variable.name: mechanism.system.value(state, variable) for variable in mechanism.system.variables(state)}


@pytest.fixture(scope="module", params=[41, 42], ids=lambda seed: f"mechanism{seed}")
def mechanism(request):
    return random_mechanism(request.param)


@pytest.fixture(scope="module")
def compiled(mechanism):
    return CompiledSystem(mechanism.system)


@pytest.fixture
def rng():
    return np.random.default_rng(4)


def condition(mechanism, state):
    """Of the mass matrix, its rows and columns divided by the roots of its diagonal: units do not matter to round-off."""
    mechanism.system.realize(state, Stage.DYNAMICS)
    M = mechanism.matter.mass_matrix(state)
    size = np.sqrt(M.diagonal())
    return np.linalg.cond(M / np.outer(size, size))


def assert_same(actual, expected, condition):
    assert actual.keys() == expected.keys()
    for name, value in expected.items():
        is_acceleration = name.endswith((".u)", ".alpha_GB", ".a_GB", ".reaction", ".motion.force"))
        tolerance = max(ROUND_OFF, 10 * EPS * condition) if is_acceleration else ROUND_OFF
        assert_allclose(actual[name], value, rtol=0, atol=tolerance * max(1, np.abs(value).max()), err_msg=name)


@pytest.mark.parametrize("moved", [False, True], ids=["free", "moved"])
@pytest.mark.parametrize("which", range(3))
def test_compiled_c_gives_the_numbers_of_the_virtual_machine(mechanism, compiled, rng, which, moved):
    for _ in range(which + 1):
        state = mechanism.random_state(rng, moved=moved)
    assert_same(compiled.values(state), values_in_python(mechanism, state), condition(mechanism, state))


def test_compiled_c_follows_parameters_inputs_and_switches(mechanism, compiled, rng):
    state = mechanism.random_state(rng)
    before = compiled.values(state)
    mechanism.forces["Gravity"].set_magnitude(state, 3.3)
    mechanism.forces["Gravity"].set_down_direction(state, [0.3, 0.5, -0.9])
    mechanism.forces["MobilityForce"].set_force(state, -7.1)
    mechanism.forces["GlobalDamper"].disable(state)
    for body in mechanism.bodies:
        if isinstance(body, mb.Ellipsoid):
            body.set_radii(state, rng.uniform(0.3, 1.2, size=3))
        if isinstance(body, mb.SphericalCoords):
            body.set_azimuth_offset(state, rng.normal())
        if isinstance(body, mb.Screw):
            body.set_pitch(state, rng.normal())
    after = compiled.values(state)

    assert_same(after, values_in_python(mechanism, state), condition(mechanism, state))
    assert any(not np.allclose(after[name], before[name]) for name in after if name.startswith("der("))


@pytest.mark.parametrize("moved", [False, True], ids=["free", "moved"])
def test_the_numpy_text_gives_the_numbers_of_the_virtual_machine(mechanism, rng, moved):
    state = mechanism.random_state(rng, moved=moved)
    expected = values_in_python(mechanism, state)
    v = rng.normal(size=len(state.u))
    product, missing = mechanism.matter.multiply_by_mass_matrix(state, v), mechanism.matter.inverse_dynamics(state, v)

    mechanism.system.as_text = True
    try:
        as_text = state.copy()
        assert_same(values_in_python(mechanism, as_text), expected, condition(mechanism, state))
        assert_same(
            {"M v": mechanism.matter.multiply_by_mass_matrix(as_text, v), "forces": mechanism.matter.inverse_dynamics(as_text, v)},
            {"M v": product, "forces": missing},
            condition=1.0,
        )
    finally:
        mechanism.system.as_text = False


@pytest.mark.parametrize("moved", [False, True], ids=["free", "moved"])
def test_simulations_by_text_and_by_the_virtual_machine_agree(mechanism, rng, moved):
    state = mechanism.random_state(rng, moved=moved)
    simulation = mb.Simulation(mechanism.system, accuracy=1e-8)
    recorded = simulation.run(state, until=state.time + 0.02)
    mechanism.system.as_text = True
    try:
        text = simulation.run(state, until=state.time + 0.02)
    finally:
        mechanism.system.as_text = False
    assert_allclose(text.y[-1], recorded.y[-1], atol=1e-10)  # steps chosen alike: round-off grows little in so short a time


def test_the_state_realizes_to_the_same_bits_again(mechanism, rng):
    state = mechanism.random_state(rng)
    mechanism.system.realize(state, Stage.REPORT)
    first = state.values.copy()
    state.invalidate(Stage.INSTANCE)
    mechanism.system.realize(state, Stage.REPORT)
    assert first.tobytes() == state.values.tobytes()
