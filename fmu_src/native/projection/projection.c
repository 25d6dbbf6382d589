#include "projection.h"

#include "bounded_steps.h"
#include "elementary.h"
#include "own_errors.h"
#include "projection_arithmetic.h"
#include "scales.h"
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

static int most_iterations(const State *state) { return state->is_bounded ? MOST_CORRECTIONS : MOST_ITERATIONS; }

static RowsInW rows_in(Owner *owner) {
    return (RowsInW){owner->model, owner->state->w, owner, realize_owner, invalidate_owner, most_iterations(owner->state)};
}

void subtract_N_du(const Model *model, State *state, RowWorkspace *work, double *q_like) {
    Owner owner = {model, state};
    const RowsInW rows = rows_in(&owner);
    subtract_rates(&rows, work, 0, q_like);
}

void scaled_matrix(const Model *model, State *state, int of_velocity, RowWorkspace *work) {
    Owner owner = {model, state};
    const RowsInW rows = rows_in(&owner);
    find_scaled_matrix(&rows, of_velocity, work);
}

void scaled_rows(const Model *model, State *state, RowWorkspace *work, double *distance) {
    Owner owner = {model, state};
    const RowsInW rows = rows_in(&owner);
    double largest_error;
    int ignored;
    find_scaled_matrix(&rows, 0, work);
    find_scaled_errors(&rows, 0, work->errors, &largest_error, &ignored);
    *distance = scaled_distance(&rows, work, work->errors);
}

int solve_for_scaled_du(const Model *model, State *state, RowWorkspace *work, double distance, int of_velocity) {
    Owner owner = {model, state};
    const RowsInW rows = rows_in(&owner);
    return factor_G(model->rows, state->w, work, of_velocity, distance) == FACTORED &&
           solve_for_scaled_row(&rows, work, of_velocity, of_velocity) == FACTORED;
}

/* for messages: the error of the row of a constraint that is largest relative to its scale, and its tolerance, in its own unit */
static void use_unit_of_row(const Model *model, const State *state, double tolerance, Projection *result) {
    const int of_velocity = result->of_velocity;
    const RowBlock *block = model->rows->blocks + result->constraint;
    const double *errors = state->w + (of_velocity ? block->velocity_errors : block->position_errors);
    double most = -1;
    for (int row = 0; row < block->n_position + (of_velocity ? block->n_velocity : 0); row++) {
        double size = fabs(errors[row]),
               scale = of_velocity ? scale_of_rate(model, block->first + row) : scale_of_row(model, block->first + row);
        if (!(size / scale <= most)) {
            most = size / scale;
            result->error = size;
            result->allowed = tolerance * scale;
        }
    }
}

void note_constraint_errors(const Model *model, State *state, double tolerance, int of_velocity) {
    const RowTable *table = model->rows;
    const int *is_angle = model->scales ? model->scales->is_angle : NULL;
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        const double *errors = state->w + (of_velocity ? block->velocity_errors : block->position_errors);
        for (int row = 0; row < n_errors(block, state->w, of_velocity); row++) {
            const int line = block->first + row, kind = (of_velocity ? LEFT_SPEED : LEFT_LENGTH) + (is_angle && is_angle[line]);
            if (!(fabs(errors[row]) <= tolerance * (of_velocity ? scale_of_rate(model, line) : scale_of_row(model, line))))
                note_left(state, (LeftKind)kind, fabs(errors[row]));
        }
    }
}

/* see project_level */
static Projection project_one_level(const Model *model, State *state, double tolerance, int of_velocity, double *distance) {
    Owner owner = {model, state};
    const RowsInW rows = rows_in(&owner);
    ProjectedLevel level;
    project_level(&rows, tolerance, of_velocity, distance, &level);
    Projection result = {level.is_done != 0, level.constraint, level.error, tolerance, of_velocity, {0, 0}};
    if (state->is_bounded && (level.is_cut || !result.is_done)) { /* the next step goes on */
        note_constraint_errors(model, state, tolerance, of_velocity);
        note_overrun(state);
        result.is_done = 1;
    }
    if (!result.is_done)
        use_unit_of_row(model, state, tolerance, &result);
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
    Projection own = project_own(model, state, tolerance, OVERSHOOT * tolerance, most_iterations(state));
    if (state->is_bounded && !own.is_done) {
        note_left(state, LEFT_LENGTH, own.error);
        note_overrun(state);
        own.is_done = 1;
    }
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
    if (!table)
        return (Projection){.is_done = 1};
    realize(model, state, STAGE_VELOCITY);
    RowWorkspace work = row_workspace(table, state->w);
    double distance;
    scaled_rows(model, state, &work, &distance);
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
    Owner owner = {model, state};
    const RowsInW rows = rows_in(&owner);
    double error = 0, of_level = 0;
    int ignored;
    realize(model, state, STAGE_VELOCITY);
    for (int of_velocity = 0; model->rows && of_velocity <= 1; of_velocity++) {
        find_scaled_errors(&rows, of_velocity, row_workspace(model->rows, state->w).errors, &of_level, &ignored);
        error = fmax(error, of_level);
    }
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
