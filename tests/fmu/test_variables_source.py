"""variables.c agrees with the table of variables."""

import ctypes
from dataclasses import replace
from math import inf

from mobod.fmu.interface import make_interface
from mobod.fmu.variables import Settable
from mobod.fmu.variables_source import variables_c
from mobod.native_sources import native_folders
from mobod.runtime.compiler import build_library

# what model.h declares
ASK = """
#include "model.h"
#define ASK __attribute__((visibility("default")))

ASK const char *model_name(void);
ASK const char *token(void);
ASK double tolerance(void);
ASK int n_variables(void);
ASK const char *name(int i);
ASK void numbers(int i, int *n);
ASK void bounds(int i, double *bounds);

const char *model_name(void) { return mobod_interface.model_name; }
const char *token(void) { return mobod_interface.token; }
double tolerance(void) { return mobod_interface.tolerance; }
int n_variables(void) { return mobod_interface.n_variables; }
const char *name(int i) { return mobod_interface.variables[i].name; }
void numbers(int i, int *n)
{
    const Variable *v = mobod_interface.variables + i;
    n[0] = v->at, n[1] = v->stage, n[2] = v->invalidates, n[3] = v->settable, n[4] = v->type;
}
void bounds(int i, double *bounds)
{
    bounds[0] = mobod_interface.variables[i].least, bounds[1] = mobod_interface.variables[i].greatest;
}
"""
SETTABLE = [Settable.NEVER, Settable.BEFORE_START, Settable.ANY_TIME]  # in the order of model.h
TYPES = ["real", "boolean", "integer"]  # likewise
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def test_the_compiled_table_equals_the_interface(free_body):
    model_name = 'a "Free" body \\ Körper, what??/ 7'  # quotes, a backslash, not ASCII, a trigraph, a digit after an escape
    free_body.variables = [
        replace(v, type="integer", minimum=-1.0, maximum=4.0) if v.name == "seal.holds" else v for v in free_body.variables
    ]
    interface = make_interface(free_body, model_name, inputs=["wind.force"], outputs=["upper arm.R_GB", "upper arm.q"])

    sources = {"variables.c": variables_c(interface), "ask.c": ASK}
    library = ctypes.CDLL(str(build_library("table", sources, include_directories=native_folders(), flags=WARNINGS)))
    for text in (library.model_name, library.token, library.name):
        text.restype = ctypes.c_char_p
    library.tolerance.restype = ctypes.c_double

    assert library.model_name().decode() == model_name
    assert library.token().decode() == interface.token
    assert library.tolerance() == interface.tolerance
    assert library.n_variables() == len(interface.rows)
    for i, row in enumerate(interface.rows):
        numbers = (ctypes.c_int * 5)()
        library.numbers(i, numbers)
        assert library.name(i).decode() == row.name
        assert list(numbers) == [row.at, row.stage, row.invalidates, SETTABLE.index(row.settable), TYPES.index(row.type)]
        bounds = (ctypes.c_double * 2)()
        library.bounds(i, bounds)
        assert list(bounds) == [-inf if row.minimum is None else row.minimum, inf if row.maximum is None else row.maximum]
