"""The tables of NumPy's functions in docs/concepts/recording.md say what is recorded, and what is refused."""

import re
from functools import reduce
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod.errors import RecordingError
from mobod.scalar.evaluation import evaluate
from mobod.scalar.recording import record

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "concepts" / "recording.md").read_text(encoding="utf-8")
RECORDED, REFUSED = (
    [name for row in re.findall(r"^\| (.*) \|$", table, re.MULTILINE)[1:] for name in re.findall(r"`([\w.]+)`", row.split(" | ")[column])]
    for table, column in zip(re.findall(r"(?:^\|.*\n)+", PAGE.partition("## Functions of NumPy")[2], re.MULTILINE), (1, 0), strict=False)
)

X, Y = np.array([0.31, 0.72, 0.58]), np.array([1.3, 0.4, 0.9])
A = np.array([[1.7, -0.3, 0.4], [0.2, 1.9, -0.6], [-0.8, 0.3, 2.1]])
# how a function is called, if not by f(x) or f(x, y)
CALLS = {
    "where": lambda f: lambda x, y, A: f(x[0] > 0, x, y),
    "select": lambda f: lambda x, y, A: f([x > 0], [x]),
    "piecewise": lambda f: lambda x, y, A: f(x, [x > 0], [1.0]),
    "clip": lambda f: lambda x, y, A: f(x, 0.0, 0.5),
    "interp": lambda f: lambda x, y, A: f(x[0], [0.0, 1.0], [2.0, 3.0]),
    "linspace": lambda f: lambda x, y, A: f(0.0, x[0], 3),
    "arange": lambda f: lambda x, y, A: f(0.0, x[0], 0.1),
    "full": lambda f: lambda x, y, A: f(3, x[0]),
    "tensordot": lambda f: lambda x, y, A: f(A, x, 1),
    "einsum": lambda f: lambda x, y, A: f("i,ij,j->", x, A, y),
    "polyval": lambda f: lambda x, y, A: f([1.0, -2.0, 0.5], x),
    "searchsorted": lambda f: lambda x, y, A: f([0.0, 0.5], x),
    "digitize": lambda f: lambda x, y, A: f(x, [0.0, 0.5]),
    "ldexp": lambda f: lambda x, y, A: f(x, 2),
    "array": lambda f: lambda x, y, A: f([x[0], 2.0, x[1]]),
    "linalg.matrix_power": lambda f: lambda x, y, A: f(A, 3),
    **dict.fromkeys(["concatenate", "stack", "hstack", "vstack"], lambda f: lambda x, y, A: f([x, 2 * y])),
    "block": lambda f: lambda x, y, A: f([[A, A]]),
    "reshape": lambda f: lambda x, y, A: f(A, (9,)),
    "take": lambda f: lambda x, y, A: f(x, [2, 0]),
    **dict.fromkeys(["roll", "tile", "repeat"], lambda f: lambda x, y, A: f(x, 2)),
    **dict.fromkeys(["trace", "diag", "tril", "triu", "transpose"], lambda f: lambda x, y, A: f(A)),
    "linalg.solve": lambda f: lambda x, y, A: f(A, x),
    "linalg.lstsq": lambda f: lambda x, y, A: f(A, x),
    **dict.fromkeys(["all", "any", "nonzero", "logical_not"], lambda f: lambda x, y, A: f(x > 0) if x.dtype == float else f(x)),
}
TWO = ["dot", "vdot", "inner", "outer", "cross", "kron", "convolve", "isclose", "allclose", "array_equal"]


def called(name):
    """The function of NumPy as one of x, y and A."""
    function = reduce(getattr, name.split("."), np)
    if name in CALLS:
        return CALLS[name](function)
    if name.startswith("linalg.") and name != "linalg.norm":
        return lambda x, y, A: function(A)
    if name in TWO or (isinstance(function, np.ufunc) and function.nin == 2):
        return lambda x, y, A: function(x, y)
    return lambda x, y, A: function(x)


def recorded(name):
    return record(called(name), [np.full(each.shape, np.nan) for each in (X, Y, A)], about=name)


@pytest.mark.parametrize("name", RECORDED)
def test_what_the_page_calls_recorded_gives_the_numbers_of_floats(name):
    found = np.array([np.asarray(each).ravel() for each in evaluate(recorded(name), [X, Y, A])]).ravel()

    assert_allclose(found, np.ravel(called(name)(X, Y, A)), rtol=1e-13)  # another order of sums, and other elementary functions


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_page_calls_refused_is_an_error_that_names_the_recording(name):
    with np.errstate(invalid="ignore"):  # arccosh below 1
        called(name)(X, Y, np.array(A @ A.T))  # the call is right, of plain numbers
    with pytest.raises(RecordingError, match=rf"^{name}: "):
        recorded(name)


def test_the_page_has_each_elementwise_function_of_real_numbers():
    whole_numbers = {
        np.gcd,
        np.lcm,
        np.left_shift,
        np.right_shift,
        np.bitwise_and,
        np.bitwise_or,
        np.bitwise_xor,
        np.invert,
        np.bitwise_count,
    }
    no_numbers = {np.isnat, np.conjugate}  # of dates; of complex numbers
    all_of_them = {f for f in vars(np).values() if isinstance(f, np.ufunc) and f.signature is None and f not in whole_numbers | no_numbers}

    assert not {f.__name__ for f in all_of_them - {reduce(getattr, name.split("."), np) for name in RECORDED + REFUSED}}
    assert not set(RECORDED) & set(REFUSED)
