/* The order of the sweeps: what is computed when, and what must be computed anew. */
#ifndef MOBOD_TREE_H
#define MOBOD_TREE_H

#include "model.h"
#include "state.h"

/* Each of these returns 0, or the result of the kernel that stopped it. What the sweeps of a State compute is of no meaning once one was
 * stopped: State.stopped says so, and no other is begun. */

/* compute everything up to a stage that has not been computed yet; where a kernel stops it, the stages before its own are realized */
int realize(const Model *model, State *state, int stage);

/* Do one sweep; or how w, which it has been done on, changes when the entries of dw that it reads do. */
int run_sweep(const Model *model, const Sweep *sweep, State *state);
int run_tangents(const Model *model, const Sweep *sweep, double *w, double *dw);

/* something changed that a stage depends on: it and all after it must be realized anew */
void invalidate(State *state, int stage);

/* How w, which has been computed up to last_stage, changes when the entries of dw [n_w] that no stage computes do: the others of dw, from
 * first_stage to last_stage. */
int realize_changes(const Model *model, double *w, double *dw, int first_stage, int last_stage);

#endif
