#include "projected_changes.h"

#include "elementary.h"
#include "projection.h"
#include "scales.h"
#include "tree.h"

#include <string.h>

void normalize_changes(const Model *model, const double *raw, double *y) {
    for (int i = 0; i < model->n_quaternions; i++) {
        const double *e = raw + (model->quaternions[i] - model->y_at);
        double *of_e = y + (model->quaternions[i] - model->y_at), squares = 0, along = 0;
        for (int j = 0; j < 4; j++) {
            squares += e[j] * e[j];
            along += e[j] * of_e[j];
        }
        for (int j = 0; j < 4; j++)
            of_e[j] = (of_e[j] - e[j] * along / squares) / sqrt(squares);
    }
}

/* the changes of the errors of enabled constraints relative to their scales */
static void changes_of_errors(const Model *model, const double *w, const double *dw, int of_velocity, double *errors) {
    const RowTable *table = model->rows;
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        int rows = block->n_position + (of_velocity ? block->n_velocity : 0);
        for (int row = 0; w[block->enabled] != 0 && row < rows; row++)
            errors[block->first + row] = dw[(of_velocity ? block->velocity_errors : block->position_errors) + row] /
                                         (of_velocity ? scale_of_rate(model, block->first + row) : scale_of_row(model, block->first + row));
    }
}

void project_changes(const Model *model, State *state, double *dw, double *y, FindTangents *find_tangents, void *owner) {
    const RowTable *table = model->rows;
    if (!table)
        return;
    const size_t bytes = (size_t)y_size(model) * sizeof(double);
    double *of_u = y + (table->u - model->y_at);
    realize(model, state, STAGE_VELOCITY);
    RowWorkspace work = row_workspace(table, state->w);
    double distance;
    scaled_rows(model, state, &work, &distance);
    memcpy(dw + model->y_at, y, bytes);
    find_tangents(owner, STAGE_TIME, STAGE_POSITION);
    changes_of_errors(model, state->w, dw, 0, work.errors);
    if (solve_for_scaled_du(model, state, &work, distance, 0))
        subtract_N_du(model, state, &work, y + (table->q - model->y_at));

    realize(model, state, STAGE_VELOCITY);
    memcpy(dw + model->y_at, y, bytes);
    find_tangents(owner, STAGE_TIME, STAGE_VELOCITY);
    scaled_matrix(model, state, 1, &work);
    changes_of_errors(model, state->w, dw, 1, work.errors);
    if (solve_for_scaled_du(model, state, &work, distance, 1))
        for (int i = 0; i < table->nu; i++)
            of_u[i] -= work.row[i];
}
