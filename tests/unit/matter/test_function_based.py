"""FunctionBased: joints that it can represent, its exact velocities, and errors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod import functions
from mobod.errors import InputError
from mobod.matter.mobilizers.function_based import FunctionBasedEquations
from mobod.spatial import rotation_about

MASS = mb.MassProperties(1.3, [0.1, -0.2, 0.3], mb.Inertia.sphere(mass=1.3, radius=0.4).shifted([0.1, -0.2, 0.3]))
SELF = functions.Linear([1.0, 0.0])
NONE = [[]] * 6
# the coordinates that each of the six functions is, to be a mobilizer of another kind
TWINS = {
    "Pin": (mb.Pin, [[], [], [0], [], [], []]),
    "Slider": (mb.Slider, [[], [], [], [0], [], []]),
    "Cylinder": (mb.Cylinder, [[], [], [0], [], [], [1]]),
    "Universal": (mb.Universal, [[0], [1], [], [], [], []]),
    "Planar": (mb.Planar, [[], [], [0], [1], [2], []]),
    "Gimbal": (mb.Gimbal, [[0], [1], [2], [], [], []]),
    "Bushing": (mb.Bushing, [[0], [1], [2], [3], [4], [5]]),
    "Translation": (mb.Translation, [[], [], [], [0], [1], [2]]),
}


@pytest.fixture
def ground():
    return mb.MatterSubsystem(mb.MultibodySystem("leg")).ground


def made(ground, functions=(SELF, 0, 0, 0, 0, 0), coordinate_indices=([0], [], [], [], [], []), **options):
    return mb.FunctionBased(ground, MASS, functions=functions, coordinate_indices=coordinate_indices, name="knee", **options)


@pytest.mark.parametrize(("kind", "indices"), TWINS.values(), ids=TWINS)
def test_with_coordinates_as_functions_it_matches_each_simpler_mobilizer(ground, kind, indices):
    body = made(ground, [SELF if each else 0 for each in indices], indices)
    twin = kind(ground, MASS)
    assert body.equations.q_units == twin.equations.q_units
    q, u = np.random.default_rng(8).normal(size=(2, body.nu))
    assert body.equations.X_FM(q).isclose(twin.equations.X_FM(q), atol=1e-15)
    assert_allclose(body.equations.H_FM(q).astype(float), twin.equations.H_FM(q).astype(float), atol=1e-15)
    assert_allclose(body.equations.H_dot_u(q, u), twin.equations.H_dot_u(q, u), atol=1e-14)


def test_one_coordinate_may_be_several_arguments_of_a_function(ground):
    product = functions.MultiPoly(2, [(1.0, [1, 1])])
    body = made(ground, [product, 0, 0, product, 0, 0], [[0, 0], [], [], [1, 0], [], []])
    q = np.array([0.7, -0.4])
    assert body.equations.X_FM(q).isclose(mb.Transform(rotation_about([1, 0, 0], 0.49), [-0.28, 0, 0]), atol=1e-15)
    assert_allclose(body.equations.H_FM(q).astype(float).T, [[1.4, 0, 0, -0.4, 0, 0], [0, 0, 0, 0.7, 0, 0]], atol=1e-15)


def test_users_functions_can_be_used(ground):
    body = made(ground, [0, 0, mb.Function.of(lambda x: 0.02 * np.sin(x[0]) ** 2), 0, 0, 0], [[], [], [0], [], [], []])
    system = body.matter.system
    state = system.realize_topology()
    body.set_q(state, 0.6)
    body.set_u(state, 1.3)
    system.realize(state, mb.Stage.ACCELERATION)
    assert_allclose(body.V_FM(state), [0, 0, 0.02 * np.sin(1.2) * 1.3, 0, 0, 0], atol=1e-16)
    slope, curvature = 0.02 * np.sin(1.2), 0.04 * np.cos(1.2)
    assert_allclose(body.A_GB(state)[2], slope * body.u_dot(state)[0] + curvature * 1.3**2, atol=1e-15)


def test_axes_may_have_any_length(ground):
    axes = [[2, 0, 0], [0, 3, 4], [1, 1, 1], [0, 0, -5], [1e-200, 0, 0], [0, 1e200, 0]]
    equations = made(ground, [SELF] * 6, [[0], [1], [2], [3], [4], [5]], axes=axes).equations
    q = np.array([0.3, -0.4, 0.5, 0.6, 0.7, -0.8])
    R = rotation_about([1, 0, 0], 0.3) @ rotation_about([0, 3, 4], -0.4) @ rotation_about([1, 1, 1], 0.5)
    assert equations.X_FM(q).isclose(mb.Transform(R, [0.7, -0.8, -0.6]), atol=1e-15)


def test_mobilizers_with_equal_functions_are_recorded_once(ground):
    equal = [made_equations() for _ in range(2)]
    assert equal[0] == equal[1]
    assert hash(equal[0]) == hash(equal[1])


def made_equations():
    six = tuple(functions.Sinusoid(0.1 * k, 1.1, 0.2) for k in range(1, 7))
    return FunctionBasedEquations(six, ((0,), (1,), (2,), (0,), (1,), (2,)))


class FirstDerivativeOnly(mb.Function):
    def __init__(self):
        super().__init__(max_derivative_order=1)

    def value(self, x):
        return x[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"functions": [SELF] * 5}, "functions: there are 5. Six are needed: for three rotations, then for three translations"),
        ({"functions": SELF}, "functions is .* Six are needed"),
        ({"coordinate_indices": [[0]] * 7}, "coordinate_indices: there are 7. Six are needed"),
        ({"coordinate_indices": [0] * 6}, r"coordinate_indices\[0\] is 0. A list of coordinate numbers is needed"),
        ({"coordinate_indices": [[6], *NONE[1:]]}, r"coordinate_indices\[0\] is \[6\]. Coordinates are numbered from 0 to at most 5"),
        ({"coordinate_indices": [[-1], *NONE[1:]]}, r"coordinate_indices\[0\] is \[-1\]"),
        ({"coordinate_indices": [[0.5], *NONE[1:]]}, r"coordinate_indices\[0\] is \[0\.5\]. A list of coordinate numbers"),
        ({"coordinate_indices": [[1], *NONE[1:]]}, "nothing depends on coordinate 0. Number the coordinates from 0 without gaps"),
        ({"coordinate_indices": NONE, "functions": [0] * 6}, "no function has a coordinate. .* use a Weld"),
        ({"functions": [0, SELF, 0, 0, 0, 0]}, "function 1 has no coordinates, and is not a constant"),
        ({"functions": [functions.Linear([1, 2, 0]), 0, 0, 0, 0, 0]}, "function 0: function 'Linear' has 2 arguments. 1 are given to it"),
        ({"functions": ["x", 0, 0, 0, 0, 0]}, "function 0 is 'x'. A Function or a number is needed"),
        ({"functions": [SELF, np.nan, 0, 0, 0, 0]}, "function 1 is nan. A Function or a number is needed"),
        ({"functions": [FirstDerivativeOnly(), 0, 0, 0, 0, 0]}, "function 0 needs derivatives of order 2"),
        ({"axes": [[1, 0, 0]] * 3}, "axes: there are 3. Six are needed"),
        ({"axes": [[1, 0, 0]] * 5 + [[0, 0, 0]]}, "axis 5 cannot be the zero vector: it has no direction"),
        ({"axes": [[1, 0]] * 6}, r"axis 0 has shape \(2,\)"),
    ],
)
def test_invalid_functions_and_axes_are_refused_by_name(ground, options, message):
    with pytest.raises(InputError, match=f"FunctionBased 'knee': {message}"):
        made(ground, **options)
    assert ground.matter.n_bodies == 1


def test_a_function_with_several_values_is_refused(ground):
    body = made(ground, [mb.Function.of(lambda x: np.array([x[0], 2 * x[0]])), 0, 0, 0, 0, 0])
    with pytest.raises(InputError, match=r"FunctionBased: function 0 has a value of shape \(2,\). One number is needed"):
        body.equations.X_FM(np.array([0.3]))
