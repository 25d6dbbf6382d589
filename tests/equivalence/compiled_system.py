"""The C of a System, realized from the values of a State by the sweeps of the native runtime."""

import ctypes

import numpy as np

from mobod.compile.compiler import build_library
from mobod.compile.model_source import generate
from mobod.native_sources import native_sources

DRIVER_C = """
/* Realizes a State anew from the values of its variables. */
#include "tree.h"

#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

EXPORT int n_w(void) { return mobod_model.n_w; }

EXPORT int realize_all(double *w) {
    State *state = calloc(1, state_size(&mobod_model));
    if (!state)
        return 0;
    memcpy(state->w, w, (size_t)mobod_model.n_w * sizeof(double));
    state->realized = STAGE_EMPTY;
    realize(&mobod_model, state, STAGE_REPORT);
    memcpy(w, state->w, (size_t)mobod_model.n_w * sizeof(double));
    free(state);
    return 1;
}
"""

RUNTIME = ["model.h", *(f"{name}.{suffix}" for name in ("state", "tree", "multipliers", "consistency", "factor") for suffix in "hc")]


class CompiledSystem:
    """The generated C of a System with the sweeps of the native runtime."""

    def __init__(self, system):
        self.model = generate(system)
        wanted = [offset for variable in self.model.variables for offset in offsets(variable.slot)]
        runtime = {name: (native_sources() / name).read_text() for name in RUNTIME}
        sources = {**runtime, **self.model.source(wanted), "driver.c": DRIVER_C}
        self._library = ctypes.CDLL(str(build_library("sweeps", sources)))

    def values(self, state):
        """name -> value of every catalogued variable, computed in C from the variables of the State."""
        w = self.realized(state)
        return {variable.name: w[variable.slot.slice].reshape(variable.slot.shape) for variable in self.model.variables}

    def realized(self, state):
        """w, computed in C from the variables of the State."""
        w = np.full(self._library.n_w(), np.nan)  # nothing computed in Python is handed over
        w[: len(self.model.start)] = self.model.start
        inputs = [variable.slot for variable in self.model.variables if variable.role in ("state", "parameter", "input")]
        for slot in (state.layout.time, *inputs):
            w[slot.slice] = state.values[slot.slice]
        assert self._library.realize_all(w.ctypes.data_as(ctypes.POINTER(ctypes.c_double))) == 1
        return w


def offsets(slot):
    return range(slot.offset, slot.offset + slot.size)
