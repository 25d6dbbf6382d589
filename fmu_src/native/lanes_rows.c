/* The rows of constraints over Numbers with several lanes. Only the factorisation, which decides the rank, is done for each lane. */
#define MOBOD_LANES MOBOD_WIDTH /* of this library */
#include "lanes_trial.h"
#include "multipliers.h"
#include "row_arithmetic.h"

/* whether a flag is the same in all lanes */
static int is_alike(Number flag) { return number_all(number_equal(flag, NUMBER(flag[0]))); }

/* whether the same rows are enabled, and the same motions prescribed, in all lanes */
static int are_alike(const RowTable *table, const Number *w) {
    for (int i = 0; i < table->n_blocks; i++)
        if (!is_alike(w[table->blocks[i].enabled]))
            return 0;
    for (int i = 0; i < table->n_joints; i++)
        if (table->joints[i].known_level >= 0 && !is_alike(w[table->joints[i].known_level]))
            return 0;
    return 1;
}

/* the Numbers at the place of a part of the workspace of a State */
static Number *over_lanes(Lanes *lanes, const State *state, const double *part) { return lanes->w + (part - state->w); }

static const State *any_state(const Lanes *lanes) {
    int k = 0;
    while (!lanes->lanes[k].run)
        k++;
    return lanes->lanes[k].run->simulation->state;
}

int run_elimination_on_lanes(const void *context, Call *call, const int *at) {
    const RowTable *table = context;
    Lanes *lanes = call->host;
    (void)at;
    if (!are_alike(table, lanes->w))
        return NOT_OVER_LANES;
    const State *state = any_state(lanes);
    const RowWorkspace work = row_workspace(table, (double *)state->w);
    eliminate_enabled(table, lanes->w, over_lanes(lanes, state, work.z), over_lanes(lanes, state, work.D_E));
    return 0;
}

static void take_from_lane(const Lanes *lanes, int k, double *w, int first, int count) {
    for (int i = first; i < first + count; i++)
        w[i] = lanes->w[i][k];
}

/* whether dependent rows of one lane may contradict each other */
static int may_contradict_in_lane(const Lanes *lanes, int k, const RowTable *table, double *w, RowWorkspace *work) {
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        if (w[block->enabled] == 0)
            continue;
        take_from_lane(lanes, k, w, block->bias, block->n);
        for (int body = 0; body < block->n_bodies; body++) {
            take_from_lane(lanes, k, w, block->motions[2 * body], 6);
            take_from_lane(lanes, k, w, block->motions[2 * body + 1], 6);
            take_from_lane(lanes, k, w, block->on_bodies[3 * body + 2], 6 * block->n);
        }
    }
    return may_contradict(table, w, work);
}

/* Solve for the multipliers of one lane. Returns 0 if its rows are not finite, or may contradict each other. */
static int solve_in_lane(Lanes *lanes, int k, const RowTable *table, const Number *b) {
    State *state = lanes->lanes[k].run->simulation->state;
    double *w = state->w;
    RowWorkspace work = row_workspace(table, w);
    int n = 0;
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        if (w[block->enabled] == 0)
            continue;
        take_from_lane(lanes, k, w, block->position_errors, block->n_position);
        for (int row = 0; row < block->n_position; row++)
            for (int run = 0; run < block->n_runs; run++)
                take_from_lane(lanes, k, w, table->E + (block->first + row) * table->nu + block->runs[2 * run], block->runs[2 * run + 1]);
        for (int row = block->first; row < block->first + block->n; row++)
            work.active[n++] = row;
    }
    for (int i = 0; i < n; i++) {
        work.b[i] = b[i][k];
        for (int j = 0; j < n; j++)
            take_from_lane(lanes, k, w, table->A + work.active[i] * table->n_rows + work.active[j], 1);
    }
    const Dependence dependence = find_multipliers(table, w, &work);
    if (dependence == ROWS_NOT_FINITE || (dependence == ROWS_DEPENDENT && may_contradict_in_lane(lanes, k, table, w, &work)))
        return 0;
    for (int i = 0; i < table->n_rows; i++)
        lanes->w[table->multipliers + i][k] = w[table->multipliers + i];
    return 1;
}

int run_multipliers_on_lanes(const void *context, Call *call, const int *at) {
    const RowTable *table = context;
    Lanes *lanes = call->host;
    (void)at;
    if (!are_alike(table, lanes->w))
        return NOT_OVER_LANES;
    const State *state = any_state(lanes);
    const RowWorkspace work = row_workspace(table, (double *)state->w);
    Number *b = over_lanes(lanes, state, work.b);
    find_right_sides(table, lanes->w, over_lanes(lanes, state, work.D_E), b);
    for (int k = 0; k < MOBOD_LANES; k++)
        if (lanes->lanes[k].run && !solve_in_lane(lanes, k, table, b))
            lanes->lanes[k].is_unusual = 1;
    apply_multipliers(table, lanes->w);
    return 0;
}
