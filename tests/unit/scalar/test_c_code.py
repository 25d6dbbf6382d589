"""The C code of recorded functions."""

import re

import numpy as np

from mobod.scalar.c_code import c_function
from mobod.scalar.operations import OPERATIONS
from mobod.scalar.recording import record

EXACT = {"fabs", "floor", "sqrt"}  # which elementary.h defines


def text_of(function):
    return c_function(record(function, [np.full(2, np.nan)], about="function"), "function")


def test_operations_call_only_functions_of_the_runtime():
    called = {name for operation in OPERATIONS.values() for name in re.findall(r"(\w+)\(", operation.c)}
    assert {name for name in called if not name.startswith("mobod_")} == EXACT


def test_sine_and_cosine_of_one_angle_are_one_call():
    text = text_of(lambda x: (np.cos(x[0]) * x[1], np.sin(x[0]) + np.cos(x[0])))
    assert text.count("mobod_sincos(") == 1
    assert "mobod_sin(" not in text
    assert "mobod_cos(" not in text


def test_sine_and_cosine_of_different_angles_are_separate_calls():
    text = text_of(lambda x: (np.cos(x[0]), np.sin(x[1])))
    assert "mobod_sincos(" not in text
    assert text.count("mobod_sin(") == text.count("mobod_cos(") == 1
