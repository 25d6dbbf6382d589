#include "coordinate_changes.h"

#include "evaluation.h"
#include "projection.h"
#include "rows.h"
#include "tree.h"

Outcome normalize_directions(const Model *model, State *state, double time, Integration *result) {
    int no_direction = normalize_quaternions(model, state->w);
    if (no_direction < 0)
        return INTEGRATED;
    result->culprit = no_direction;
    result->time = time;
    return result->outcome = ZERO_QUATERNION;
}

Outcome move_coordinates(const Model *model, State *state, const double *du, Integration *result) {
    double *w = state->w;
    RowWorkspace change = row_workspace(model->rows, w);
    for (int k = 0; k < model->rows->nu; k++)
        change.row[k] = -du[k];
    subtract_N_du(model, state, &change, w + model->rows->q);
    invalidate(state, STAGE_POSITION);
    return normalize_directions(model, state, w[model->time_at], result);
}
