#include "carried_rows.h"

#include "elementary.h"
#include "lu.h"
#include "row_factors.h"

#include <string.h>

/* a smaller pivot of the equations of slips is practically zero: they are 1 without friction */
static const double JAMMED = 1e-3;

/* whether a row carries the force of a slip that depends on a normal force */
static int depends_on_normal(const RowBlock *block, const double *w) {
    return w[block->carried->flag] == CARRIES_SLIP && block->carried->normal >= 0;
}

/* the multiplier of a row that carries a force which does not depend on multipliers */
static double given_multiplier(const RowBlock *block, const double *w) {
    double flag = w[block->carried->flag];
    return flag == CARRIES_GIVEN ? -w[block->carried->given] : flag == CARRIES_SLIP ? -w[block->carried->slide] : 0;
}

void subtract_carried(const RowTable *table, const RowPart *part, const double *w, RowWorkspace *work) {
    for (int c = 0; c < part->n_carried; c++) {
        const RowBlock *block = table->blocks + part->carried[c];
        if (w[block->carried->flag] == CARRIES_NOTHING || depends_on_normal(block, w))
            continue;
        double multiplier = given_multiplier(block, w);
        if (multiplier != 0)
            add_products_with(table, block, -multiplier, w, w + table->A, work, work->b);
    }
}

void add_forces_of_carried(const RowTable *table, const double *w, double *eps) {
    for (int c = 0; c < table->n_carried; c++) {
        const RowBlock *block = table->blocks + table->carried[c];
        if (w[block->carried->flag] == CARRIES_NOTHING || depends_on_normal(block, w))
            continue;
        double multiplier = given_multiplier(block, w);
        add_scaled(path_of(table, block, w), eps, -multiplier, w + table->E + block->first * table->nu);
    }
}

/* The place of a row among the active ones of its part, or -1 */
static int place_of(const RowWorkspace *work, int n, int row) {
    const int place = work->place[row];
    return place >= 0 && place < n && work->active[place] == row ? place : -1;
}

/* Set work->slips to the columns A^+ W, one for each contact that slips, and places to those of the contacts. Returns the number of these.
 */
static int find_columns(const RowTable *table, const RowPart *part, const double *w, RowWorkspace *work, int n, int *places) {
    const int m = table->most_rows;
    int n_slips = 0;
    for (int c = 0; c < part->n_carried; c++) {
        const RowBlock *block = table->blocks + part->carried[c];
        if (!depends_on_normal(block, w))
            continue;
        int place = place_of(work, n, block->carried->normal), k = 0;
        if (place < 0)
            continue; /* the contact is open */
        while (k < n_slips && places[k] != place)
            k++;
        double *column = work->slips + k * m;
        if (k == n_slips) {
            places[n_slips++] = place;
            memset(column, 0, (size_t)n * sizeof(double));
        }
        add_products_with(table, block, w[block->carried->slide], w, w + table->A, work, column);
    }
    int is_solved = 1;
    for (int k = 0; k < n_slips; k++)
        is_solved = solve_active_rows(work, n, work->slips + k * m, work->slips + k * m) == FACTORED && is_solved;
    return is_solved ? n_slips : -1;
}

/* The least pivot of factored equations, with the sign of their determinant. This is 1 without friction, and goes through zero where the
 * contacts that slip jam together. */
static double least_pivot(int n, const double *factors, const int *pivots) {
    double least = INFINITY, sign = 1;
    for (int k = 0; k < n; k++) {
        double pivot = factors[k * n + k];
        least = fmin(least, fabs(pivot));
        sign = (pivot < 0) == (pivots[k] != k) ? sign : -sign;
    }
    return sign * least;
}

void begin_carried(RowWorkspace *work) {
    work->jam[0] = 1;
    work->jam[1] = -1;
}

/* the least pivot of all parts, and the row of the largest normal force there */

static void note_jam(double *jam, double pivot, int row) {
    if (pivot < jam[0] || jam[1] < 0) {
        jam[0] = pivot;
        jam[1] = row;
    }
}

/* change `multipliers`, which are without slips, by the slips of a part; returns 0 if there is no solution */
static int solve_slips(const RowTable *table, const RowPart *part, const double *w, RowWorkspace *work, int n, double *multipliers) {
    const int m = table->most_rows;
    double *equations = work->slips + m * m, *normals = equations + m * m;
    int *places = work->active + table->n_rows, *pivots = work->factors.order + table->n_rows; /* both have room for 2 n_rows */
    int n_slips = find_columns(table, part, w, work, n, places), largest = 0;
    if (n_slips <= 0)
        return n_slips == 0;
    for (int i = 0; i < n_slips; i++) {
        for (int k = 0; k < n_slips; k++)
            equations[i * n_slips + k] = work->slips[k * m + places[i]] + (i == k);
        normals[i] = multipliers[work->active[places[i]]];
    }
    if (factor_lu(n_slips, equations, pivots) >= 0) {
        note_jam(work->jam, 0, work->active[places[0]]);
        return 0;
    }
    const double least = least_pivot(n_slips, equations, pivots);
    solve_lu(n_slips, equations, pivots, normals);
    for (int i = 0; i < n_slips; i++)
        largest = fabs(normals[i]) > fabs(normals[largest]) ? i : largest;
    note_jam(work->jam, least, work->active[places[largest]]);
    if (!(least > 0))
        return 0;
    for (int k = 0; k < n_slips; k++)
        for (int i = 0; i < n; i++)
            multipliers[work->active[i]] -= work->slips[k * m + i] * normals[k];
    return 1;
}

int jammed_normal(const RowTable *table, double *w) {
    RowWorkspace work = row_workspace(table, w);
    return work.jam[0] < JAMMED ? (int)work.jam[1] : -1;
}

void set_carried(const RowTable *table, int n, const int *blocks, double *w) {
    for (int c = 0; c < n; c++) {
        const RowBlock *block = table->blocks + blocks[c];
        if (w[block->carried->flag] != CARRIES_NOTHING)
            w[table->multipliers + block->first] = depends_on_normal(block, w)
                                                       ? w[block->carried->slide] * w[table->multipliers + block->carried->normal]
                                                       : given_multiplier(block, w);
    }
}

int add_carried(const RowTable *table, const RowPart *part, double *w, RowWorkspace *work, int n) {
    const int is_solved = solve_slips(table, part, w, work, n, w + table->multipliers);
    set_carried(table, part->n_carried, part->carried, w);
    return is_solved;
}

/* the change of the multiplier of a row that carries a force, apart from that by the change of its normal force */
static double own_change(const RowTable *table, const RowBlock *block, const double *w, const double *dw) {
    const CarriedRow *row = block->carried;
    if (depends_on_normal(block, w))
        return dw[row->slide] * w[table->multipliers + row->normal];
    double flag = w[row->flag];
    return flag == CARRIES_GIVEN ? -dw[row->given] : flag == CARRIES_SLIP ? -dw[row->slide] : 0;
}

void subtract_changes_of_carried(const RowTable *table, const RowPart *part, const double *w, const double *dw, RowWorkspace *work) {
    for (int c = 0; c < part->n_carried; c++) {
        const RowBlock *block = table->blocks + part->carried[c];
        if (w[block->carried->flag] == CARRIES_NOTHING)
            continue;
        add_products_with(table, block, -w[table->multipliers + block->first], w, dw + table->A, work, work->b);
        add_products_with(table, block, -own_change(table, block, w, dw), w, w + table->A, work, work->b);
    }
}

int add_changes_of_carried(const RowTable *table, const RowPart *part, const double *w, double *dw, RowWorkspace *work, int n) {
    double *changes = dw + table->multipliers;
    const int is_solved = solve_slips(table, part, w, work, n, changes);
    for (int c = 0; c < part->n_carried; c++) {
        const RowBlock *block = table->blocks + part->carried[c];
        if (w[block->carried->flag] == CARRIES_NOTHING)
            continue;
        changes[block->first] = own_change(table, block, w, dw);
        if (depends_on_normal(block, w))
            changes[block->first] += w[block->carried->slide] * changes[block->carried->normal];
    }
    return is_solved;
}

void subtract_effects_of_carried(const RowTable *table, const RowPart *part, const double *w, const RowWorkspace *work, double *values) {
    for (int c = 0; c < part->n_carried; c++) {
        const RowBlock *block = table->blocks + part->carried[c];
        if (w[block->carried->flag] != CARRIES_NOTHING)
            add_products_with(table, block, -w[table->multipliers + block->first], w, w + table->A, work, values);
    }
}

int add_adjoints_of_carried(const RowTable *table, const RowPart *part, const double *w, double *dw, RowWorkspace *work, int n, double *x) {
    const int m = table->most_rows;
    for (int c = 0; c < part->n_carried; c++) {
        const RowBlock *block = table->blocks + part->carried[c];
        int place = depends_on_normal(block, w) ? place_of(work, n, block->carried->normal) : -1;
        if (place >= 0)
            x[place] += w[block->carried->slide] * dw[table->multipliers + block->first];
    }

    /* (1 + P A^+ W)^T t = -(A^+ W)^T x; x += P^T t */
    double *transposed = work->slips + m * m, *t = transposed + m * m;
    int *places = work->active + table->n_rows, *pivots = work->factors.order + table->n_rows;
    int n_slips = find_columns(table, part, w, work, n, places);
    if (n_slips <= 0)
        return n_slips == 0;
    for (int k = 0; k < n_slips; k++) {
        t[k] = 0;
        for (int i = 0; i < n; i++)
            t[k] -= work->slips[k * m + i] * x[i];
        for (int i = 0; i < n_slips; i++)
            transposed[k * n_slips + i] = work->slips[k * m + places[i]] + (i == k);
    }
    if (factor_lu(n_slips, transposed, pivots) >= 0)
        return 0;
    solve_lu(n_slips, transposed, pivots, t);
    for (int k = 0; k < n_slips; k++)
        x[places[k]] += t[k];
    return 1;
}

void finish_adjoints_of_carried(const RowTable *table, const RowPart *part, const double *w, double *dw, const RowWorkspace *work) {
    for (int c = 0; c < part->n_carried; c++) {
        const RowBlock *block = table->blocks + part->carried[c];
        const CarriedRow *row = block->carried;
        double flag = w[row->flag], of_own = dw[table->multipliers + block->first];
        for (int o = 0; flag != CARRIES_NOTHING && o < block->n_overlaps; o++) {
            const Overlap overlap = overlap_of(table, block, o);
            const RowBlock *other = table->blocks + overlap.block;
            for (int s = 0; w[other->enabled] != 0 && s < other->n; s++) {
                const int at = table->A + overlap.at + s * overlap.across;
                const double of_right_side = work->b[work->place[other->first + s]];
                dw[at] -= of_right_side * w[table->multipliers + block->first];
                of_own -= of_right_side * w[at];
            }
        }
        if (depends_on_normal(block, w))
            dw[row->slide] += of_own * w[table->multipliers + row->normal];
        else if (flag != CARRIES_NOTHING)
            dw[flag == CARRIES_GIVEN ? row->given : row->slide] -= of_own;
    }
}
