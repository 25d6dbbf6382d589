/* The order of the sweeps: what is computed when, and what must be computed anew. */
#ifndef MOBOD_TREE_H
#define MOBOD_TREE_H

#include "model.h"
#include "state.h"

/* compute everything up to a stage that has not been computed yet */
void realize(const Model *model, State *state, int stage);

/* something changed that a stage depends on: it and all after it must be realized anew */
void invalidate(State *state, int stage);

#endif
