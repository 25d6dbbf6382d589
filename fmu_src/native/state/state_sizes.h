/* The sizes of the coordinates and speeds of a State, relative to their scales. */
#ifndef MOBOD_STATE_SIZES_H
#define MOBOD_STATE_SIZES_H

#include "scales.h"
#include "state.h"

/* 1 plus the largest coordinate, or speed, relative to its scale */
double size_of_q(const Model *model, const State *state);
double size_of_u(const Model *model, const State *state);

#endif
