#include "projection.h"

#include "constraint_matrix.h"
#include "elementary.h"
#include "own_errors.h"
#include "projection_arithmetic.h"
#include "tree.h"

#include <string.h>

/* the projection of errors of subsystems continues until they are at most this part of the tolerance */
static const double OVERSHOOT = 0.1;

/* a State with its model */
typedef struct {
    const Model *model;
    State *state;
} Owner;

static void realize_owner(void *owner, int stage) { realize(((Owner *)owner)->model, ((Owner *)owner)->state, stage); }
static void invalidate_owner(void *owner, int stage) { invalidate(((Owner *)owner)->state, stage); }

static RowsInW rows_in(Owner *owner) { return (RowsInW){owner->model, owner->state->w, owner, realize_owner, invalidate_owner}; }

void subtract_N_du(const Model *model, State *state, RowWorkspace *work, double *q_like) {
    Owner owner = {model, state};
    const RowsInW rows = rows_in(&owner);
    subtract_rates(&rows, work, 0, q_like);
}

/* see project_level */
static Projection project_one_level(const Model *model, State *state, double tolerance, int of_velocity, double *distance) {
    Owner owner = {model, state};
    const RowsInW rows = rows_in(&owner);
    ProjectedLevel level;
    project_level(&rows, tolerance, of_velocity, distance, &level);
    Projection result = {level.is_done != 0, level.constraint, level.error, of_velocity, {0, 0}};
    result.first[of_velocity] = level.first;
    return result;
}

/* project onto the constraints of the bodies */
static Projection project_rows(const Model *model, State *state, double tolerance) {
    if (!model->rows)
        return (Projection){.is_done = 1};
    double distance;
    Projection of_q = project_one_level(model, state, tolerance, 0, &distance);
    if (!of_q.is_done)
        return of_q;
    Projection of_u = project_one_level(model, state, tolerance, 1, &distance);
    of_u.first[0] = of_q.first[0];
    return of_u;
}

Projection project(const Model *model, State *state, double tolerance) {
    Projection of_rows = project_rows(model, state, tolerance);
    if (!of_rows.is_done)
        return of_rows;
    Projection own = project_own(model, state, tolerance, OVERSHOOT * tolerance, MOST_ITERATIONS);
    own.constraint += model->rows ? model->rows->n_blocks : 0;
    memcpy(own.first, of_rows.first, sizeof own.first);
    return own;
}

Projection project_positions(const Model *model, State *state, double tolerance) {
    double distance;
    return project_one_level(model, state, tolerance, 0, &distance);
}

Projection project_velocities(const Model *model, State *state, double tolerance) {
    const RowTable *table = model->rows;
    int worst;
    if (!table)
        return (Projection){.is_done = 1};
    realize(model, state, STAGE_VELOCITY);
    RowWorkspace work = row_workspace(table, state->w);
    constraint_errors(table, state->w, 0, work.errors, &worst);
    int n = constraint_matrix(table, state->w, 0, work.z, work.G);
    double distance = distance_of_errors(n, table->nu, work.G, work.errors);
    return project_one_level(model, state, tolerance, 1, &distance);
}

Singularity singularity(const Model *model, State *state) {
    Owner owner = {model, state};
    const RowsInW rows = rows_in(&owner);
    Singularity result;
    find_singularity(&rows, &result.distance, &result.inaccuracy);
    return result;
}

double largest_constraint_error(const Model *model, State *state) {
    double error = 0;
    int ignored;
    realize(model, state, STAGE_VELOCITY);
    for (int of_velocity = 0; model->rows && of_velocity <= 1; of_velocity++)
        error = fmax(error, constraint_errors(model->rows, state->w, of_velocity, row_workspace(model->rows, state->w).errors, &ignored));
    return fmax(error, largest_own_error(model, state));
}

int has_constraints(const Model *model) { return model->rows || model->own_errors; }

const char *constraint_name(const Model *model, int constraint) {
    int n_rows = model->rows ? model->rows->n_blocks : 0;
    return constraint < n_rows ? model->rows->blocks[constraint].name : model->own_errors->blocks[constraint - n_rows].name;
}

void remove_normal_part(const Model *model, State *state, double *error) {
    Owner owner = {model, state};
    const RowsInW rows = rows_in(&owner);
    if (model->rows)
        remove_normal_part_in(&rows, error);
    remove_own_normal_part(model, state, error);
}
