"""The C of a System, realized from the values of a State, and projected, by the native runtime."""

import ctypes

import numpy as np

from mobod.compilation.model_source import generate
from mobod.native_sources import runtime_sources
from mobod.runtime.compiler import build_library

DRIVER_C = """
/* Realizes a State anew from the values of its variables, or projects it. */
#include "projection.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

EXPORT int n_w(void) { return mobod_model.n_w; }

static State *begin(const double *w) {
    State *state = calloc(1, state_size(&mobod_model));
    if (state)
        memcpy(state->w, w, (size_t)mobod_model.n_w * sizeof(double));
    return state;
}

static void end(State *state, double *w) {
    realize(&mobod_model, state, STAGE_REPORT);
    memcpy(w, state->w, (size_t)mobod_model.n_w * sizeof(double));
    free(state);
}

EXPORT int realize_all(double *w) {
    State *state = begin(w);
    if (state)
        end(state, w);
    return state != NULL;
}

EXPORT int project_all(double *w, double tolerance, Projection *projection) {
    State *state = begin(w);
    if (state) {
        *projection = project(&mobod_model, state, tolerance);
        end(state, w);
    }
    return state != NULL;
}

EXPORT int clean(double *w, double *error) {
    State *state = begin(w);
    if (state) {
        remove_normal_part(&mobod_model, state, error);
        end(state, w);
    }
    return state != NULL;
}
"""


def runtime():
    """File name -> text of the C runtime without a host: what simulations share with FMUs."""
    of_fmus = runtime_sources("compiled")
    return {name: text for name, text in runtime_sources("library").items() if name in of_fmus}


class _Projection(ctypes.Structure):
    """As in fmu_src/native/projection.h."""

    _fields_ = (("is_done", ctypes.c_int), ("constraint", ctypes.c_int), ("error", ctypes.c_double), ("of_velocity", ctypes.c_int))


class CompiledSystem:
    """The generated C of a System with the sweeps of the native runtime; without tangents, which nothing here calls."""

    def __init__(self, system):
        self.model = generate(system)
        wanted = [offset for variable in self.model.variables for offset in offsets(variable.slot)]
        sources = {**runtime(), **self.model.bare_source(wanted), "driver.c": DRIVER_C}
        self._library = ctypes.CDLL(str(build_library("sweeps", sources)))

    def values(self, state):
        """name -> value of every catalogued variable, computed in C from the variables of the State."""
        w = self.realized(state)
        return {variable.name: w[variable.slot.slice].reshape(variable.slot.shape) for variable in self.model.variables}

    def realized(self, state):
        """w, computed in C from the variables of the State."""
        w = self._handed_over(state)
        assert self._library.realize_all(_pointer(w)) == 1
        return w

    def projected(self, state, tolerance):
        """w after a projection, and how that went."""
        w, projection = self._handed_over(state), _Projection()
        assert self._library.project_all(_pointer(w), ctypes.c_double(tolerance), ctypes.byref(projection)) == 1
        return w, projection

    def without_normal_part(self, state, error):
        cleaned = np.array(error)
        assert self._library.clean(_pointer(self._handed_over(state)), _pointer(cleaned)) == 1
        return cleaned

    def _handed_over(self, state):
        w = np.full(self._library.n_w(), np.nan)  # nothing computed in Python is handed over
        w[: len(self.model.start)] = self.model.start
        inputs = [variable.slot for variable in self.model.variables if variable.role in ("state", "parameter", "input")]
        for slot in (state.layout.time, *inputs):
            w[slot.slice] = state.values[slot.slice]
        return w


def _pointer(array):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def offsets(slot):
    return range(slot.offset, slot.offset + slot.size)
