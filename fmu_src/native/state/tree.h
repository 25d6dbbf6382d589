/* The order of the sweeps: which stages are computed when, and which must be computed again. */
#ifndef MOBOD_TREE_H
#define MOBOD_TREE_H

#include "model.h"
#include "state.h"

/* Each of these returns 0, or the result of the kernel that stopped it. After that, results of the State's sweeps have no meaning:
 * State.stopped is set, and no other sweep begins. */

/* Compute all stages up to `stage` that are not realized yet. If a kernel stops a sweep, the stages before it are realized. */
int realize(const Model *model, State *state, int stage);

/* Do one sweep; or compute the changes of its results in dw from the entries of dw that it reads. w must contain the results of the
 * sweep. */
int run_sweep(const Model *model, const Sweep *sweep, State *state);
int run_tangents(const Model *model, const Sweep *sweep, double *w, double *dw);

/* a value changed on which `stage` depends: it and all later stages must be realized again */
void invalidate(State *state, int stage);

/* The changes of w, which is computed up to last_stage: from the entries of dw [n_w] that no stage computes, compute the others, from
 * first_stage to last_stage. */
int realize_changes(const Model *model, double *w, double *dw, int first_stage, int last_stage);

/* The transposed operation, for models with adjoints: dw contains adjoints of any entries. Afterwards those of the entries that no stage
 * computes are complete. */
int realize_adjoints(const Model *model, double *w, double *dw, int first_stage, int last_stage);

#endif
