"""Removal of the part of an integration error that a projection corrects. Only the C runtime does this."""

import ctypes

import numpy as np

from mobod.compilation.source.model_source import generate
from mobod.native_sources import runtime_sources
from mobod.runtime.compiler import build_library

DRIVER_C = """
/* Removes from an error the part that the projection will correct. */
#include "projection.h"

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

EXPORT int clean(double *w, double *error) {
    State *state = begin(w);
    if (state) {
        remove_normal_part(&mobod_model, state, error);
        free(state);
    }
    return state != NULL;
}
"""


class NormalPart:
    """`remove_normal_part` of projection.h for States of a System."""

    def __init__(self, system):
        self._model = generate(system)
        of_fmus = runtime_sources("compiled")  # without the sources for a host, which only simulations need
        runtime = {name: text for name, text in runtime_sources("library").items() if name in of_fmus}
        self._library = ctypes.CDLL(str(build_library("normal_part", {**runtime, **self._model.bare_source([]), "driver.c": DRIVER_C})))

    def without(self, state, error):
        """(n_y,) the rest of an error of y after the removal."""
        w = np.full(self._library.n_w(), np.nan)  # Python passes no computed values
        w[: len(self._model.start)] = self._model.start
        inputs = [variable.slot for variable in self._model.variables if variable.role in ("state", "parameter", "input")]
        for slot in (state.layout.time, *inputs):
            w[slot.slice] = state.values[slot.slice]
        cleaned = np.array(error)
        assert self._library.clean(_pointer(w), _pointer(cleaned)) == 1
        return cleaned


def _pointer(array):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
