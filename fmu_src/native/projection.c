#include "projection.h"

#include "constraint_matrix.h"
#include "elementary.h"
#include "own_errors.h"
#include "tree.h"

#include <stddef.h>
#include <string.h>

enum { MOST_ITERATIONS = 20 };

/* the projection of errors of subsystems continues until they are at most this part of the tolerance */
static const double OVERSHOOT = 0.1;

static const double ROUND_OFF = 4.440892098500626e-16; /* 2^-51, round-off of errors of rows */

/* q_like += factor * q_dot, for the speeds in w; q_like is the bodies' q or an array of the same layout */
static void add_q_dot(const Model *model, State *state, double factor, double *q_like) {
    const RowTable *table = model->rows;
    const double *q_dot = state->w + model->y_dot_at + (table->q - model->y_at);
    invalidate(state, STAGE_VELOCITY);
    realize(model, state, STAGE_VELOCITY);
    for (int i = 0; i < table->nq; i++)
        q_like[i] += factor * q_dot[i];
}

void subtract_N_du(const Model *model, State *state, RowWorkspace *work, double *q_like) {
    double *u = state->w + model->rows->u;
    size_t bytes = (size_t)model->rows->nu * sizeof(double);
    memcpy(work->kept, u, bytes);
    memcpy(u, work->row, bytes);
    add_q_dot(model, state, -1, q_like);

    /* the prescribed speeds contribute whatever u is: subtract their part */
    int any_known = 0;
    for (int i = 0; i < model->rows->n_joints; i++)
        any_known = any_known || is_known(model->rows->joints + i, state->w);
    if (any_known) {
        memset(u, 0, bytes);
        add_q_dot(model, state, 1, q_like);
    }
    memcpy(u, work->kept, bytes);
    invalidate(state, STAGE_VELOCITY);
}

/* Iterate until the errors are minimal. `distance`, which determines the tolerance of the rank, is set by the projection of positions
 * and used by that of velocities. */
static Projection project_level(const Model *model, State *state, double tolerance, int of_velocity, double *distance) {
    const RowTable *table = model->rows;
    RowWorkspace work = row_workspace(table, state->w);
    double *q = state->w + table->q, *u = state->w + table->u, before = INFINITY;
    Projection result = {.of_velocity = of_velocity};

    for (int iteration = 0;; iteration++) {
        realize(model, state, STAGE_VELOCITY);
        result.error = constraint_errors(table, state->w, of_velocity, work.errors, &result.constraint);
        result.is_done = result.error <= tolerance;
        if (iteration == 0)
            result.first[of_velocity] = result.constraint;
        int n = of_velocity ? 0 : constraint_matrix(table, state->w, 0, work.z, work.G);
        if (!of_velocity)
            *distance = distance_of_errors(n, table->nu, work.G, work.errors);

        /* near the solution each iteration squares the error: an iteration that does not reduce it has reached round-off, or diverges */
        int shrinks = result.error < (result.is_done ? 0.5 : 1) * before;
        if (result.error <= ROUND_OFF || !shrinks || iteration == MOST_ITERATIONS)
            return result;
        before = result.error;
        if (of_velocity)
            n = constraint_matrix(table, state->w, 1, work.z, work.G);
        if (!solve_for_du(table, &work, n, *distance))
            return result;
        if (of_velocity)
            for (int i = 0; i < table->nu; i++)
                u[i] -= work.row[i];
        else
            subtract_N_du(model, state, &work, q);
        invalidate(state, of_velocity ? STAGE_VELOCITY : STAGE_POSITION);
    }
}

/* project onto the constraints of the bodies */
static Projection project_rows(const Model *model, State *state, double tolerance) {
    if (!model->rows)
        return (Projection){.is_done = 1};
    double distance;
    Projection of_q = project_level(model, state, tolerance, 0, &distance);
    if (!of_q.is_done)
        return of_q;
    Projection of_u = project_level(model, state, tolerance, 1, &distance);
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
    return project_level(model, state, tolerance, 0, &distance);
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
    return project_level(model, state, tolerance, 1, &distance);
}

Singularity singularity(const Model *model, State *state) {
    const RowTable *table = model->rows;
    Singularity result = {.distance = 1};
    int worst, nu = table->nu;
    realize(model, state, STAGE_VELOCITY);
    RowWorkspace work = row_workspace(table, state->w);
    int n = constraint_matrix(table, state->w, 0, work.z, work.G), row = 0;
    constraint_errors(table, state->w, 0, work.errors, &worst);
    double from_manifold = distance_of_errors(n, nu, work.G, work.errors), left = ROUND_OFF;

    /* the change of coordinates that would change the error of each row by the size of the largest row of its constraint */
    for (int i = 0; i < table->n_blocks; i++) {
        int n_own = state->w[table->blocks[i].enabled] != 0 ? table->blocks[i].n_position : 0;
        double size = largest(work.G + row * nu, n_own * nu);
        for (int end = row + n_own; row < end; row++) {
            if (size > 0)
                left = fmax(left, fabs(work.errors[row]) / size);
            work.errors[row] = size;
        }
    }
    if (solve_for_du(table, &work, n, from_manifold)) {
        result.distance = 1 / fmax(1, largest(work.row, nu));
        result.inaccuracy = left / (result.distance * result.distance);
    }
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

static void remove_normal_part_of_rows(const Model *model, State *state, double *error) {
    const RowTable *table = model->rows;
    if (!table)
        return;
    RowWorkspace work = row_workspace(table, state->w);
    double *q = state->w + table->q, *of_q = error + (table->q - model->y_at), *of_u = error + (table->u - model->y_at);
    int n_rows = table->n_rows, n, worst;

    /* the change of the position errors along the error of q, by a difference */
    realize(model, state, STAGE_POSITION);
    constraint_errors(table, state->w, 0, work.errors, &worst);
    double *before = work.b;
    memcpy(before, work.errors, (size_t)n_rows * sizeof(double));
    for (int i = 0; i < table->nq; i++)
        q[i] += of_q[i];
    invalidate(state, STAGE_POSITION);
    realize(model, state, STAGE_POSITION);
    constraint_errors(table, state->w, 0, work.errors, &worst);
    for (int i = 0; i < n_rows; i++)
        work.errors[i] -= before[i];
    for (int i = 0; i < table->nq; i++)
        q[i] -= of_q[i];
    invalidate(state, STAGE_POSITION);
    realize(model, state, STAGE_VELOCITY);
    n = constraint_matrix(table, state->w, 0, work.z, work.G);
    double distance = distance_of_errors(n, table->nu, work.G, before);
    if (solve_for_du(table, &work, n, distance))
        subtract_N_du(model, state, &work, of_q);

    /* velocities: the change of the errors is G times the error of u */
    realize(model, state, STAGE_VELOCITY);
    n = constraint_matrix(table, state->w, 1, work.z, work.G);
    for (int i = 0; i < n; i++) {
        work.errors[i] = 0;
        for (int k = 0; k < table->nu; k++)
            work.errors[i] += work.G[i * table->nu + k] * of_u[k];
    }
    if (solve_for_du(table, &work, n, distance))
        for (int k = 0; k < table->nu; k++)
            of_u[k] -= work.row[k];
    invalidate(state, STAGE_POSITION);
}

void remove_normal_part(const Model *model, State *state, double *error) {
    remove_normal_part_of_rows(model, state, error);
    remove_own_normal_part(model, state, error);
}
