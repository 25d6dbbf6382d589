"""NumPy on arrays of Expr gives the numbers of floats, records only necessary operations, and raises where a decision needs a value."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod.errors import RecordingError
from mobod.scalar import Expr, Tape
from mobod.scalar.evaluation import evaluate
from mobod.scalar.recording import record

A = np.array([[0.7, -1.3, 0.4], [0.2, 1.9, -0.6], [-0.8, 0.3, 1.1]])
X = np.array([0.31, -0.72, 0.58])

NUMPY = {
    "sums": lambda x, A: np.array([np.sum(A), np.prod(A), np.mean(x), np.trace(A), A.sum(axis=1) @ x, np.cumsum(x)[-1]]),
    "arithmetic": lambda x, A: (2 - x) / (A + 3) * -x - +(x**2) + 1 / (x - 4),
    "numpy scalars on the left": lambda x, A: np.float64(2) * x[0] + np.float32(0.5) ** x[1] - np.int64(3) / x[2] - np.array(1.7) * x[0],
    "powers": lambda x, A: np.array([x[0] ** 2, x[0] ** -3, x[1] ** 5, x[0] ** 0.5, x[0] ** 1.7, 2.3 ** x[1], x[0] ** x[1], x[0] ** 0]),
    "ufuncs of powers": lambda x, A: np.power(x, 3) + np.square(x) + np.reciprocal(x) + np.power(1.4, x),
    "trigonometric": lambda x, A: np.sin(x) + np.cos(x) * np.tan(x) - np.arcsin(x) / np.arccos(x) + np.arctan(x) * np.arctan2(x, A[0]),
    "exponential": lambda x, A: np.exp(x) + np.log(x * x) + np.sinh(x) * np.cosh(x) - np.tanh(x) + np.sqrt(np.abs(x)) + np.floor(9 * x),
    "products": lambda x, A: A @ x + x @ A + np.dot(A, x) + np.einsum("ij,j->i", A, x) + np.cross(x, A[0]) + np.tensordot(A, x, 1),
    "outer products": lambda x, A: np.outer(x, [1.0, 2.0, 3.0]) + np.kron(A[:1], x[:, None]) + A @ A.T,
    "norms": lambda x, A: np.array([np.linalg.norm(x), np.linalg.norm(A), *np.linalg.norm(A, axis=1), np.vdot(x, A[0])]),
    "building": lambda x, A: np.block([[A, x[:, None]], [np.zeros((1, 3)), 1.0]]) @ np.concatenate([x, [1.0]]) + np.stack([x, -x]).sum(),
    "comparisons": lambda x, A: (
        np.array([x[0] < 0.5, np.float64(0.5) < x[0], x[0] <= x[1], x[0] > x[1], x[0] <= 1, x[0] == 0.31, x[1] != 0.31]) * 2.0
    ),
    "logic": lambda x, A: np.array([(x[0] > 0) & (x[1] > 0), (x[0] > 0) | (x[1] > 0), True & (x[2] > 0), False | (x[1] > 0)]) * 2.0,
}


@pytest.mark.parametrize("name", NUMPY)
def test_numpy_on_recorded_arrays_gives_the_numbers_of_floats(name):
    function = NUMPY[name]
    recording = record(function, [np.full(X.shape, np.nan), np.full(A.shape, np.nan)], about=name)

    (recorded,) = evaluate(recording, [X, A])

    assert_allclose(recorded, function(X, A), rtol=1e-14, atol=1e-15)  # another order of sums and products: a few rounding errors


def test_logical_not_is_recorded():
    (recorded,) = evaluate(record(lambda x: ~(x[0] < 0.5), [np.full(1, np.nan)], about="not"), [np.array([0.3])])

    assert recorded == 0


# what is recorded for one scalar x
SAME = {
    "x + 0": lambda x: x + 0,
    "0 + x": lambda x: 0.0 + x,
    "x - 0": lambda x: x - 0,
    "1 * x": lambda x: np.float64(1) * x,
    "x * 1": lambda x: x * True,
    "x / 1": lambda x: x / 1,
    "-(-x)": lambda x: np.negative(-x),
    "+x": lambda x: +x,
    "x ** 1": lambda x: x**1.0,
    "-1 * -x": lambda x: -1 * -x,
    "0 - -x": lambda x: 0 - -x,
}
ZERO = {"0 * x": lambda x: 0 * x, "x * 0": lambda x: x * 0.0, "0 / x": lambda x: 0 / x, "x - x": lambda x: x - x}


@pytest.mark.parametrize("name", SAME)
def test_zero_terms_and_unit_factors_are_not_recorded(name):
    x = Tape().symbol("x")

    assert SAME[name](x).number == x.number


@pytest.mark.parametrize("name", ZERO)
def test_a_structural_zero_has_priority(name):
    assert ZERO[name](Tape().symbol("x")).value == 0.0


def test_operations_on_constants_are_evaluated_and_follow_ieee_754():
    tape = Tape()
    zero, infinity, three = tape.constant(0.0), tape.constant(math.inf), tape.constant(3.0)

    assert (three * 0.5 + 2**three).value == 9.5
    assert (three / zero).value == math.inf
    assert (-three / zero).value == -math.inf
    for undefined in (zero * infinity, infinity - infinity, zero / zero, (-three).sqrt(), (-three).log(), infinity.sin()):
        assert math.isnan(undefined.value)
    assert (three > 2) + (three > 1) == 2  # conditions are numbers, not booleans
    assert bool(three == 3.0)  # a constant is structure: it may decide
    assert float(three) == 3.0


@pytest.mark.parametrize("exponent", [math.inf, -math.inf, math.nan, 17.0, 1e300, 2.5])
def test_a_power_that_is_not_a_small_whole_number_is_recorded_as_a_power(exponent):
    tape = Tape()

    power = tape.symbol("x") ** exponent

    assert tape.entries[power.number][0] == "power"


def test_infinite_factors_and_terms_are_kept():
    x = Tape().symbol("x")

    for result in (x * math.inf, x + math.nan, x - math.inf, math.inf / x, x**math.nan):
        assert result.value is None
        assert result.number != x.number


def test_equal_operations_are_recorded_once():
    tape = Tape()
    x, y = tape.symbols("x", (2,))

    assert (x * y + np.sin(x)).number == (np.sin(x) + y * x).number
    assert (x - y).number != (y - x).number
    assert tape.constant(0.1).number == tape.constant(np.float64(0.1)).number
    assert tape.constant(math.nan).number == tape.constant(float("nan")).number
    assert tape.constant(0.0).number != tape.constant(-0.0).number


def branch(x):
    return 1.0 if x > 0 else 2.0


def chained_comparison(x):
    return 1.0 if 0 < x < 1 else 2.0


def assign(x):
    result = np.zeros(3)
    result[0] = x
    return result


def loop(x):
    while x < 3:
        x = x + 1
    return x


DECISIONS = {
    "branch": (branch, "where(condition, a, b)"),
    "chained comparison": (chained_comparison, "& | ~ for and, or, not"),
    "loop": (loop, "where(condition, a, b)"),
    "equality": (lambda x: 1.0 if x == 0 else x, "where(condition, a, b)"),
    "inequality": (lambda x: x if x != 0 else 1.0, "where(condition, a, b)"),
    "and": (lambda x: (x > 0) and (x < 1), "& | ~ for and, or, not"),
    "not": (lambda x: not x, "& | ~ for and, or, not"),
    "in": (lambda x: 1.0 if x in [2.0, 3.0] else x, "where(condition, a, b)"),
    "max": (lambda x: max(x, 0.0), "maximum"),
    "min": (lambda x: min(0.0, x), "minimum"),
    "sorted": (lambda x: sorted([x, 1.0])[0], "where(condition, a, b)"),
    "np.maximum": (lambda x: np.maximum(x, 0.0), "maximum or clip from mobod.scalar"),
    "np.clip": (lambda x: np.clip(np.array([x, -x]), 0.0, 1.0), "maximum or clip from mobod.scalar"),
    "np.where": (lambda x: np.where(x > 0, x, 0.0), "where(condition, a, b)"),
    "np.sign": (lambda x: np.sign(np.array([x])), "where(condition, a, b)"),
    "comparison of arrays": (lambda x: np.array([x, x]) < 1.0, "np.less(a, b, dtype=object)"),
    "float": (lambda x: float(x), "NumPy's functions instead of the math module's"),
    "math": (lambda x: math.sin(x), "NumPy's functions instead of the math module's"),
    "assignment": (assign, "np.array([a, b])"),
    "array of floats": (lambda x: np.array([x, 1.0], dtype=float), "np.array([a, b])"),
    "int": (lambda x: int(x), "np.floor records"),
    "index": (lambda x: [1.0, 2.0][x], "where(condition, a, b) chooses by value"),
    "range": (lambda x: sum(range(x)), "where(condition, a, b) chooses by value"),
    "complex": (lambda x: complex(x), "real arithmetic"),
    "complex factor": (lambda x: 1j * x, "real arithmetic"),
    "complex scalar of NumPy": (lambda x: x * np.complex128(1j), "real arithmetic"),
    "complex array": (lambda x: x * np.array([1j, 2.0]), "real arithmetic"),
    "equality with None": (lambda x: 1.0 if x == None else x, "`is None`"),  # noqa: E711 - it is what is tested
    "inequality with a text": (lambda x: 1.0 if x != "free" else x, "compare numbers"),
    "membership beside None": (lambda x: 1.0 if x in (None, "free") else x, "`is None`"),
    "remainder": (lambda x: x % 2, "elementary functions"),
    "round": (lambda x: round(x), "elementary functions"),
    "iteration": (lambda x: list(x), "elementary functions"),
    "np.isfinite": (lambda x: np.isfinite(x), "elementary functions"),
    "np.hypot": (lambda x: np.hypot(x, 1.0), "elementary functions"),
    "np.linalg.inv": (lambda x: np.linalg.inv(np.array([[x, 1], [1, x]])), "elementary functions"),
    "a function of plain and recorded entries": (lambda x: np.sin(np.array([0.3, x])), "entry by entry before plain numbers are mixed in"),
    "arctan2 of a plain number": (lambda x: np.arctan2(1.0, x), "before plain numbers are mixed in"),
    "nothing returned": (lambda x: None, "real numbers"),
    "a text returned": (lambda x: "force", "real numbers"),
}


@pytest.mark.parametrize("name", DECISIONS)
def test_a_decision_by_value_raises_an_error_with_a_remedy(name):
    function, instead = DECISIONS[name]

    with pytest.raises(RecordingError) as caught:
        record(function, [np.full((), np.nan)], about="force 'spring', potential_energy")

    assert str(caught.value).startswith("force 'spring', potential_energy: ")
    assert instead in str(caught.value)


def test_an_error_of_the_function_itself_is_passed_on():
    def wrong(x):
        return x + len(3)

    with pytest.raises(TypeError, match="object of type 'int' has no len") as caught:
        record(wrong, [np.full((), np.nan)], about="wrong")
    assert not isinstance(caught.value, RecordingError)


def test_values_of_two_recordings_cannot_be_mixed():
    ours, theirs = Tape("force 'a'"), Tape("force 'b'")
    x, y = ours.symbol("x"), theirs.symbol("y")

    # also where a fold could have hidden it: y has the number of x, and a term is 0
    for mix in (lambda: x + y, lambda: x - y, lambda: x * y, lambda: ours.constant(0.0) + y, lambda: x == y, lambda: x.arctan2(y)):
        with pytest.raises(RecordingError, match=r"force 'a': a value recorded in force 'b' is used here. Pass it as an argument"):
            mix()


def test_a_scalar_in_an_array_of_objects_keeps_its_type():
    x = Tape().symbols("x", (2, 2))

    assert x.shape == (2, 2)
    assert all(isinstance(entry, Expr) for entry in x.flat)
    assert repr(x[1, 0]) == "Expr(symbol x[1, 0])"
