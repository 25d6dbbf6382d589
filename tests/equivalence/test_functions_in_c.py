"""Functions in C, with derivatives up to the third order; and a sweep whose kinds contain splines, with its tangents."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod import Function
from mobod.compilation.source.model_source import generate
from mobod.functions import Constant, Linear, MultiPoly, Polynomial, Sinusoid, Spline, Step
from mobod.scalar.recording import record
from mobod.system import CatalogueVariable, Stage, Subsystem, System
from tests.equivalence.interpreted import Interpreted
from tests.equivalence.same_in_c import same_in_c

RNG = np.random.default_rng(17)
X = np.linspace(-1.0, 2.0, 9) + RNG.uniform(-0.1, 0.1, 9)
Y = RNG.normal(size=(9, 2))
PERIODIC = np.concatenate([Y[:-1], Y[:1]])

FUNCTIONS = {
    "constant": Constant([1.5, -2.0], n_args=2),
    "linear": Linear([0.3, -1.2, 0.7]),
    "polynomial": Polynomial([0.5, -2.0, 0.3, 1.0]),
    "multi_poly": MultiPoly(2, [(0.7, (3, 1)), (-1.1, (0, 2))]),
    "sinusoid": Sinusoid(1.5, 2.5, 0.3),
    "step": Step([0.2, 1.0], [1.3, -2.0], 1.5, -0.5),
    "own": Function.of(lambda x: np.exp(x[0]) / (2 + np.cos(x[1])), 2),
    "lines": Spline.fit(X, Y[:, 0], degree=1),
    "spline": Spline.fit(X, Y),
    "spline_within": Spline.fit(X, Y, outside="error"),
    "spline_around": Spline.fit(X, PERIODIC, outside="periodic"),
    "smooth_spline": Spline.fit(X, Y[:, 0], smoothing=0.05),
}


def arguments(function):
    """Random arguments, and for splines each knot and points outside."""
    if function.argument_size > 1:
        return [[x] for x in RNG.uniform(-2, 2, size=(20, function.argument_size))]
    return [[np.array([x])] for x in (*np.linspace(-2.5, 3.5, 61), *X, np.nextafter(X[0], -9), np.nextafter(X[-1], 9), np.nan)]


def recordings(function):
    """order -> recording of the value or of the derivative by the first argument."""
    open_x = [np.full(function.argument_size, np.nan)]
    orders = range(min(3, function.max_derivative_order) + 1)
    return {n: record(lambda x, n=n: function.derivative([0] * n, x) if n else function.value(x), open_x, about=str(n)) for n in orders}


def test_functions_and_their_derivatives_are_the_same_in_c():
    samples = {}
    for name, function in FUNCTIONS.items():
        for order, recording in recordings(function).items():
            samples[f"{name}_{order}"] = (recording, arguments(function))

    assert same_in_c(samples)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_recorded_functions_match_their_numpy_code(name):
    function = FUNCTIONS[name]
    recording = recordings(function)[0]
    evaluated = Interpreted(recording)
    for x in arguments(function):
        if name == "spline_within" and not X[0] <= x[0][0] <= X[-1]:
            continue  # the NumPy code raises
        # the same operations in the same order; libm's functions may differ in the last bit
        assert_allclose(evaluated(x)[0], function.value(x[0]), rtol=1e-15, atol=1e-15)


# a sweep


class Camshaft(Subsystem):
    """A parameter angle (3,); lift (3, 2), rate (3, 2): a cam's profile and its derivative at each; total (): of a second, rare cam."""

    def __init__(self, system, profile, other):
        super().__init__(system, "camshaft")
        self.profile, self.twin, self.other = profile, Spline.fit(X, PERIODIC, outside="periodic"), other

    def realize_topology(self, state):
        self.angle = state.allocate_discrete_variable(self, "angle", np.array([0.3, -7.9, 1.6]), Stage.POSITION)
        entries = {"lift": (3, 2), "rate": (3, 2), "total": ()}
        self.entries = {
            name: state.allocate_cache_entry(self, name, Stage.POSITION, shape=shape, computed_by=Stage.POSITION)
            for name, shape in entries.items()
        }

    def tabulate(self, layout):
        angle = layout.slots[self.angle]
        lift, rate, total = (layout.slots[entry] for entry in self.entries.values())
        sweep = self._sweep(layout, Stage.POSITION)
        sweep.clears.append(total)
        for i in range(3):
            profile = self.twin if i == 1 else self.profile  # equal functions: one kind
            sweep.add(follow, [angle[i]], [lift[i], rate[i]], structure=(profile,), constants=layout.constants)
            sweep.add(valued, [angle[i]], [total], structure=(self.other,), constants=layout.constants, adds=(0,))

    def variables(self, layout):
        common = {"stage": Stage.POSITION, "role": "output", "units": ("1",)}
        angle = CatalogueVariable(
            name="angle", slot=layout.slots[self.angle], stage=Stage.MODEL, role="parameter", units=("rad",), description="",
            invalidates=Stage.POSITION,
        )  # fmt: skip
        return [
            angle,
            *(CatalogueVariable(name=name, slot=layout.slots[entry], description="", **common) for name, entry in self.entries.items()),
        ]


def follow(profile, angle):
    return profile.value([angle]), profile.derivative([0], [angle])


def valued(function, angle):
    return function.value([angle])


@pytest.fixture(scope="module")
def camshaft():
    system = System("engine")
    return Camshaft(system, FUNCTIONS["spline_around"], FUNCTIONS["lines"])


@pytest.fixture(scope="module")
def sources(camshaft):
    model = generate(camshaft.system)
    return model, model.source(
        [offset for variable in model.variables for offset in range(variable.slot.offset, variable.slot.offset + variable.slot.size)]
    )


def test_equal_functions_share_a_kind_and_equal_tables_are_defined_once(sources):
    _, files = sources
    for name, kind in (("kernels_1.c", "\nint kernel_"), ("tangents_1.c", "\nint tangent_")):
        text = files[name]
        assert text.count(kind) == 3  # `follow`; `valued`, once that sets the sum and once that adds to it
        # the breakpoints, the same for both; four coefficients of two values, and two of one; derivatives do not need the last of each
        tables = {line.split()[3] for line in text.splitlines() if line.startswith("static const double table_")}
        assert text.count("static const double table_") == len(tables)
        assert len(tables) == (1 + 8 + 2 if name == "kernels_1.c" else 1 + 6 + 1)
