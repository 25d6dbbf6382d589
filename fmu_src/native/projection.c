#include "projection.h"

#include "factor.h"
#include "multipliers.h"
#include "tree.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MOST_ITERATIONS = 20 };

/* a projection goes on until the errors are so much smaller than the tolerance */
static const double OVERSHOOT = 0.1;

/* The parts of the workspace, which lie where those of multipliers.c do and in what is kept behind them. */
typedef struct {
    double *G;      /* [rows][nu] */
    double *z;      /* [n_joints][6] */
    double *errors; /* [rows] */
    double *du;     /* [nu] */
    double *kept;   /* [nu] */
    Factors factors;
} Workspace;

static Workspace workspace_of(const RowTable *table, double *w) {
    size_t m = (size_t)table->n_rows, nu = (size_t)table->nu;
    Workspace work = {.errors = w + table->workspace};
    work.du = work.errors + m;
    work.kept = work.du + nu;
    work.G = work.kept + nu;
    work.z = work.G + m * nu;
    work.factors.reals = work.z + 6 * (size_t)table->n_joints;
    work.factors.order = (int *)(void *)(work.factors.reals + factor_reals(table->n_rows, table->nu));
    return work;
}

/* the errors of enabled constraints, in the order of constraint_matrix; the largest, and whose it is */
static double gather_errors(const RowTable *table, const double *w, int with_velocities, double *errors, int *whose) {
    double largest = 0;
    int n = 0;
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        const double *own = w + (with_velocities ? block->velocity_errors : block->position_errors);
        int rows = block->n_position + (with_velocities ? block->n_velocity : 0);
        for (int row = 0; w[block->enabled] != 0 && row < rows; row++) {
            errors[n++] = own[row];
            if (!(fabs(own[row]) <= largest)) {
                largest = isfinite(own[row]) ? fabs(own[row]) : INFINITY;
                *whose = i;
            }
        }
    }
    return largest;
}

/* du, of least norm, that the rows take to the errors; 0 if they are not finite. w is realized to STAGE_VELOCITY. */
static int solve_for_du(const RowTable *table, Workspace *work, const double *w, int with_velocities) {
    int n = constraint_matrix(table, w, with_velocities, work->z, work->G);
    return factor_rows(&work->factors, n, table->nu, work->G, rank_tolerance(n)) == FACTORED &&
           solve_rows(&work->factors, work->errors, work->du) == FACTORED;
}

/* q or another array like it -= N du; leaves u as it was */
static void subtract_N_du(const Model *model, State *state, Workspace *work, double *q_like) {
    double *u = state->w + model->y_at + model->n_q;
    size_t bytes = (size_t)model->n_u * sizeof(double);
    memcpy(work->kept, u, bytes);
    memcpy(u, work->du, bytes);
    invalidate(state, STAGE_VELOCITY);
    realize(model, state, STAGE_VELOCITY);
    for (int i = 0; i < model->n_q; i++)
        q_like[i] -= state->w[model->y_dot_at + i];
    memcpy(u, work->kept, bytes);
    invalidate(state, STAGE_VELOCITY);
}

static Projection project_level(const Model *model, State *state, double tolerance, int of_velocity) {
    const RowTable *table = model->rows;
    Workspace work = workspace_of(table, state->w);
    int stage = of_velocity ? STAGE_VELOCITY : STAGE_POSITION, n = of_velocity ? model->n_u : model->n_q;
    double *changed = state->w + model->y_at + (of_velocity ? model->n_q : 0), before = INFINITY;
    Projection result = {.of_velocity = of_velocity};

    for (int iteration = 0;; iteration++) {
        realize(model, state, stage);
        result.error = gather_errors(table, state->w, of_velocity, work.errors, &result.constraint);
        result.is_done = result.error <= tolerance;
        /* near the solution each iteration squares the error: one that does not shrink it has met round-off or diverges */
        if (result.error <= OVERSHOOT * tolerance || !(result.error < before) || iteration == MOST_ITERATIONS)
            return result;
        before = result.error;
        realize(model, state, STAGE_VELOCITY);
        if (!solve_for_du(table, &work, state->w, of_velocity))
            return result;
        if (of_velocity)
            for (int i = 0; i < n; i++)
                changed[i] -= work.du[i];
        else
            subtract_N_du(model, state, &work, changed);
        invalidate(state, stage);
    }
}

Projection project(const Model *model, State *state, double tolerance) {
    if (!model->rows)
        return (Projection){.is_done = 1};
    Projection of_q = project_level(model, state, tolerance, 0);
    return of_q.is_done ? project_level(model, state, tolerance, 1) : of_q;
}

void remove_normal_part(const Model *model, State *state, double *error) {
    const RowTable *table = model->rows;
    Workspace work = workspace_of(table, state->w);
    double *q = state->w + model->y_at;
    int n_rows = table->n_rows, whose;

    /* how the position errors change along the error of q, by a difference */
    realize(model, state, STAGE_POSITION);
    gather_errors(table, state->w, 0, work.errors, &whose);
    double *changes = work.G; /* not in use yet, and at least as large */
    memcpy(changes, work.errors, (size_t)n_rows * sizeof(double));
    for (int i = 0; i < model->n_q; i++)
        q[i] += error[i];
    invalidate(state, STAGE_POSITION);
    realize(model, state, STAGE_POSITION);
    gather_errors(table, state->w, 0, work.errors, &whose);
    for (int i = 0; i < n_rows; i++)
        work.errors[i] -= changes[i];
    for (int i = 0; i < model->n_q; i++)
        q[i] -= error[i];
    invalidate(state, STAGE_POSITION);
    realize(model, state, STAGE_VELOCITY);
    if (solve_for_du(table, &work, state->w, 0))
        subtract_N_du(model, state, &work, error);

    /* velocities: how the errors change is G times the error of u */
    realize(model, state, STAGE_VELOCITY);
    int n = constraint_matrix(table, state->w, 1, work.z, work.G);
    for (int i = 0; i < n; i++) {
        work.errors[i] = 0;
        for (int k = 0; k < table->nu; k++)
            work.errors[i] += work.G[i * table->nu + k] * error[model->n_q + k];
    }
    if (factor_rows(&work.factors, n, table->nu, work.G, rank_tolerance(n)) == FACTORED &&
        solve_rows(&work.factors, work.errors, work.du) == FACTORED)
        for (int k = 0; k < table->nu; k++)
            error[model->n_q + k] -= work.du[k];
    invalidate(state, STAGE_POSITION);
}
