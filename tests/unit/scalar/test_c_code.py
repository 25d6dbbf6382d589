"""The C code of recorded functions."""

import re

import numpy as np

from mobod.native_sources import native_file
from mobod.scalar.c_code import c_function
from mobod.scalar.operations import OPERATIONS
from mobod.scalar.recording import record


def text_of(function):
    return c_function(record(function, [np.full(2, np.nan)], about="function"), "function")


def test_operations_call_only_functions_for_one_and_for_several_lanes():
    called = {name for operation in OPERATIONS.values() for name in re.findall(r"(\w+)\(", operation.c)}
    for header in ("number.h", "lanes_number.h"):
        text = native_file(header).read_text(encoding="utf-8")
        assert called <= set(re.findall(r"(?:Number |#define )(number_\w+)\(", text)), header


def test_sine_and_cosine_of_one_angle_are_one_call():
    text = text_of(lambda x: (np.cos(x[0]) * x[1], np.sin(x[0]) + np.cos(x[0])))
    assert text.count("number_sincos(") == 1
    assert "number_sin(" not in text
    assert "number_cos(" not in text


def test_sine_and_cosine_of_different_angles_are_separate_calls():
    text = text_of(lambda x: (np.cos(x[0]), np.sin(x[1])))
    assert "number_sincos(" not in text
    assert text.count("number_sin(") == text.count("number_cos(") == 1
