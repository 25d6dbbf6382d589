/* The rows of constraints over Numbers with several lanes. */
#define MOBOD_LANES MOBOD_WIDTH /* of this library */
#include "consistency_arithmetic.h"
#include "lanes_trial.h"
#include "multiplier_arithmetic.h"
#include "multipliers.h"

/* whether a flag is the same in all lanes */
static int is_alike(Number flag) { return number_all(number_equal(flag, NUMBER(flag[0]))); }

int are_alike(const RowTable *table, const Number *w) {
    for (int i = 0; i < table->n_blocks; i++)
        if (!is_alike(w[table->blocks[i].enabled]))
            return 0;
    for (int i = 0; i < table->n_joints; i++)
        if (table->joints[i].known_level >= 0 && !is_alike(w[table->joints[i].known_level]))
            return 0;
    return 1;
}

int run_elimination_on_lanes(const void *context, Call *call, const int *at) {
    const RowTable *table = context;
    const Lanes *lanes = call->host;
    (void)at;
    if (!lanes->rows_are_alike)
        return NOT_OVER_LANES;
    const RowWorkspace work = workspace_in(table, lanes->w);
    eliminate_enabled(table, lanes->w, work.z, work.D_E);
    return 0;
}

/* Solve for the multipliers of a part. Returns 0 if lanes need different work. may_contradict: the lanes in which rows may contradict each
 * other. */
static int solve_part_on_lanes(const RowTable *table, const RowPart *part, Number *w, RowWorkspace *work, WholeSystem whole,
                               Number *may_contradict) {
    const int n = take_active(table, part, w, work);
    if (n == 0)
        return 1;
    find_right_sides(table, part, w, work->D_eps, work->b);
    if (factor_A(table, part, w, work, n, whole) != FACTORED || solve_A(work, n, work->b, work->b) != FACTORED)
        return 0;
    place_multipliers(work, n, work->b, w + table->multipliers);
    if (work->factors.rank < n)
        *may_contradict = number_or(*may_contradict, find_contradicting(table, part, w, work, n, whole.largest_size, NUMBER(0.0)));
    return 1;
}

/* whether lanes can have the forces that rows carry: those that are given, while no row is an equation */
static int can_carry(const RowTable *table, const Number *w) {
    int any_carries = 0;
    for (int c = 0; c < table->n_carried; c++) {
        const CarriedRow *row = table->blocks[table->carried[c]].carried;
        if (number_any(number_equal(w[row->flag], NUMBER((double)CARRIES_SLIP))))
            return 0;
        any_carries |= number_any(w[row->flag]);
    }
    return !any_carries || !has_equations(table, w);
}

/* the multipliers of rows that carry given forces, and 0 elsewhere; see add_carried */
static void place_given(const RowTable *table, Number *w) {
    for (int c = 0; c < table->n_carried; c++) {
        const RowBlock *block = table->blocks + table->carried[c];
        const Number flag = w[block->carried->flag];
        if (number_any(flag))
            w[table->multipliers + block->first] = number_where(flag, -w[block->carried->given], w[table->multipliers + block->first]);
    }
}

int run_multipliers_on_lanes(const void *context, Call *call, const int *at) {
    const RowTable *table = context;
    Lanes *lanes = call->host;
    Number *w = lanes->w, may_contradict = NUMBER(0.0);
    (void)at;
    if (!lanes->rows_are_alike || !can_carry(table, w))
        return NOT_OVER_LANES;
    RowWorkspace work = workspace_in(table, w);
    const WholeSystem whole = whole_system(table, w, &work);
    multiply_all_by_D_inverse(table, w, w + table->eps, work.D_eps);
    memset(work.misses, 0, (size_t)table->n_rows * sizeof(Number));
    memset(w + table->multipliers, 0, (size_t)table->n_rows * sizeof(Number));
    for (int i = 0; i < table->n_parts; i++)
        if (!solve_part_on_lanes(table, table->parts + i, w, &work, whole, &may_contradict))
            return NOT_OVER_LANES;
    for (int k = 0; k < MOBOD_LANES; k++)
        lanes->lanes[k].is_unusual |= may_contradict[k] != 0;
    place_given(table, w);
    apply_multipliers(table, w);
    return 0;
}
