/* How the end of a step maps small changes of y: it normalizes quaternions and projects y onto the constraints. */
#ifndef MOBOD_PROJECTED_CHANGES_H
#define MOBOD_PROJECTED_CHANGES_H

#include "model.h"
#include "state.h"

/* the changes of w by the sweeps of these stages, into dw; `owner`: from project_changes */
typedef int FindTangents(void *owner, int first_stage, int last_stage);

/* raw, y: [n_y] y before its quaternions were normalized, and its changes */
void normalize_changes(const Model *model, const double *raw, double *y);

/* Remove from the changes y [n_y] those that violate constraints of the bodies, as project does with y, at a State that satisfies them. dw
 * [n_w] has the changes of all other numbers that no stage from STAGE_TIME on computes. Leaves y of the State unchanged, and nothing
 * realized from STAGE_VELOCITY on. Exact, except for a part in proportion to the distance by which y was projected. */
void project_changes(const Model *model, State *state, double *dw, double *y, FindTangents *find_tangents, void *owner);

#endif
