#include "own_errors.h"

#include "elementary.h"
#include "factor.h"
#include "rows.h"
#include "tree.h"

#include <stddef.h>

/* the parts of a block's workspace */
typedef struct {
    Factors factors;
    double *solution; /* [m] */
    double *change;   /* [n] */
} OwnWorkspace;

static OwnWorkspace own_workspace(const OwnErrors *block, double *w) {
    double *start = w + block->workspace;
    OwnWorkspace work = {.factors.reals = start};
    start += factor_reals(block->n, block->m);
    work.factors.order = (int *)(void *)start; /* doubles are aligned for integers */
    work.solution = start + block->n;          /* an integer needs no more memory than a double */
    work.change = work.solution + block->m;
    return work;
}

/* set `solution` to the shortest change of the unknowns that changes the errors by `change` [n]; 0 if a number is not finite */
static int shortest(const OwnErrors *block, OwnWorkspace *work, const double *w, const double *change) {
    return factor_rows(&work->factors, block->n, block->m, w + block->jacobian, rank_tolerance(block->n)) == FACTORED &&
           solve_rows(&work->factors, change, work->solution) == FACTORED;
}

static Projection project_own_level(const Model *model, State *state, double tolerance, double goal, int most_iterations, int of_velocity) {
    const OwnErrorTable *table = model->own_errors;
    int stage = of_velocity ? STAGE_VELOCITY : STAGE_POSITION;
    double before = INFINITY;
    Projection result = {.allowed = tolerance, .of_velocity = of_velocity};

    for (int iteration = 0;; iteration++) {
        realize(model, state, stage);
        result.error = 0;
        for (int i = 0; i < table->n_blocks; i++)
            for (int k = 0; table->blocks[i].of_velocity == of_velocity && k < table->blocks[i].n; k++) {
                double size = fabs(state->w[table->blocks[i].errors + k]);
                if (!(size <= result.error)) {
                    result.error = size;
                    result.constraint = i;
                }
            }
        result.is_done = result.error <= tolerance;
        /* near the solution each iteration squares the error: an iteration that does not reduce it has reached round-off, or diverges */
        if (result.error <= goal || !(result.error < before) || iteration == most_iterations)
            return result;
        before = result.error;
        for (int i = 0; i < table->n_blocks; i++) {
            const OwnErrors *block = table->blocks + i;
            if (block->of_velocity != of_velocity)
                continue;
            OwnWorkspace work = own_workspace(block, state->w);
            if (!shortest(block, &work, state->w, state->w + block->errors)) {
                result.is_done = 0;
                return result;
            }
            for (int k = 0; k < block->m; k++)
                state->w[block->unknowns + k] -= work.solution[k];
        }
        invalidate(state, stage);
    }
}

double largest_own_error(const Model *model, const State *state) {
    double error = 0;
    for (int i = 0; model->own_errors && i < model->own_errors->n_blocks; i++)
        error = fmax(error, largest(state->w + model->own_errors->blocks[i].errors, model->own_errors->blocks[i].n));
    return error;
}

Projection project_own(const Model *model, State *state, double tolerance, double goal, int most_iterations) {
    if (!model->own_errors)
        return (Projection){.is_done = 1};
    Projection of_q = project_own_level(model, state, tolerance, goal, most_iterations, 0);
    return of_q.is_done ? project_own_level(model, state, tolerance, goal, most_iterations, 1) : of_q;
}

void remove_own_normal_part(const Model *model, State *state, double *error) {
    const OwnErrorTable *table = model->own_errors;
    if (!table)
        return;
    realize(model, state, STAGE_VELOCITY);
    for (int i = 0; i < table->n_blocks; i++) {
        const OwnErrors *block = table->blocks + i;
        OwnWorkspace work = own_workspace(block, state->w);
        const double *J = state->w + block->jacobian;
        double *own = error + (block->unknowns - model->y_at);
        for (int row = 0; row < block->n; row++) {
            work.change[row] = 0;
            for (int k = 0; k < block->m; k++)
                work.change[row] += J[row * block->m + k] * own[k];
        }
        if (shortest(block, &work, state->w, work.change))
            for (int k = 0; k < block->m; k++)
                own[k] -= work.solution[k];
    }
    invalidate(state, STAGE_POSITION);
}
