#include "carried_rows.h"

#include "elementary.h"
#include "lu.h"

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

void subtract_carried(const RowTable *table, const double *w, RowWorkspace *work, int n) {
    const int m = table->n_rows;
    for (int c = 0; c < table->n_carried; c++) {
        const RowBlock *block = table->blocks + table->carried[c];
        if (w[block->carried->flag] == CARRIES_NOTHING || depends_on_normal(block, w))
            continue;
        double multiplier = given_multiplier(block, w);
        for (int i = 0; i < n && multiplier != 0; i++)
            work->b[i] -= w[table->A + work->active[i] * m + block->first] * multiplier;
    }
}

void add_forces_of_carried(const RowTable *table, const double *w, double *eps) {
    for (int c = 0; c < table->n_carried; c++) {
        const RowBlock *block = table->blocks + table->carried[c];
        if (w[block->carried->flag] == CARRIES_NOTHING || depends_on_normal(block, w))
            continue;
        double multiplier = given_multiplier(block, w);
        for (int k = 0; k < table->nu; k++)
            eps[k] -= multiplier * w[table->E + block->first * table->nu + k];
    }
}

/* The place of a row among the active ones, or -1 */
static int place_of(const RowWorkspace *work, int n, int row) {
    for (int i = 0; i < n; i++)
        if (work->active[i] == row)
            return i;
    return -1;
}

/* Set work->slips to the columns A^+ W, one for each contact that slips, and places to those of the contacts. Returns the number of these.
 */
static int find_columns(const RowTable *table, const double *w, RowWorkspace *work, int n, int *places) {
    const int m = table->n_rows;
    int n_slips = 0;
    for (int c = 0; c < table->n_carried; c++) {
        const RowBlock *block = table->blocks + table->carried[c];
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
        for (int i = 0; i < n; i++)
            column[i] += w[table->A + work->active[i] * m + block->first] * w[block->carried->slide];
    }
    int is_solved = 1;
    for (int k = 0; k < n_slips; k++)
        is_solved = solve_semidefinite(&work->factors, work->slips + k * m, work->slips + k * m) == FACTORED && is_solved;
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

/* change `multipliers`, which are without slips, by the slips; returns 0 if there is no solution */
static int solve_slips(const RowTable *table, const double *w, RowWorkspace *work, int n, double *multipliers) {
    const int m = table->n_rows;
    double *equations = work->slips + m * m, *normals = equations + m * m;
    int *places = work->active + m, *pivots = work->factors.order + m; /* both have room for 2 m */
    int n_slips = find_columns(table, w, work, n, places);
    double *jam = normals + m; /* for jammed_normal: the least pivot, and the row of the largest normal force */
    jam[0] = 1;
    jam[1] = -1;
    if (n_slips <= 0)
        return n_slips == 0;
    for (int i = 0; i < n_slips; i++) {
        for (int k = 0; k < n_slips; k++)
            equations[i * n_slips + k] = work->slips[k * m + places[i]] + (i == k);
        normals[i] = multipliers[work->active[places[i]]];
    }
    jam[0] = 0;
    jam[1] = work->active[places[0]];
    if (factor_lu(n_slips, equations, pivots) >= 0)
        return 0;
    jam[0] = least_pivot(n_slips, equations, pivots);
    solve_lu(n_slips, equations, pivots, normals);
    for (int i = 0, largest = 0; i < n_slips; i++) {
        largest = fabs(normals[i]) > fabs(normals[largest]) ? i : largest;
        jam[1] = work->active[places[largest]];
    }
    if (!(jam[0] > 0))
        return 0;
    for (int k = 0; k < n_slips; k++)
        for (int i = 0; i < n; i++)
            multipliers[work->active[i]] -= work->slips[k * m + i] * normals[k];
    return 1;
}

int jammed_normal(const RowTable *table, double *w) {
    RowWorkspace work = row_workspace(table, w);
    const double *jam = work.slips + (2 * table->n_rows + 1) * table->n_rows;
    return jam[0] < JAMMED ? (int)jam[1] : -1;
}

void add_carried(const RowTable *table, double *w, RowWorkspace *work, int n) {
    int is_solved = solve_slips(table, w, work, n, w + table->multipliers);
    for (int i = 0; i < table->n_rows && !is_solved; i++)
        w[table->multipliers + i] = NAN;
    for (int c = 0; c < table->n_carried; c++) {
        const RowBlock *block = table->blocks + table->carried[c];
        double flag = w[block->carried->flag];
        if (flag != CARRIES_NOTHING)
            w[table->multipliers + block->first] = depends_on_normal(block, w)
                                                       ? w[block->carried->slide] * w[table->multipliers + block->carried->normal]
                                                       : given_multiplier(block, w);
    }
}

/* the change of the multiplier of a row that carries a force, apart from that by the change of its normal force */
static double own_change(const RowTable *table, const RowBlock *block, const double *w, const double *dw) {
    const CarriedRow *row = block->carried;
    if (depends_on_normal(block, w))
        return dw[row->slide] * w[table->multipliers + row->normal];
    double flag = w[row->flag];
    return flag == CARRIES_GIVEN ? -dw[row->given] : flag == CARRIES_SLIP ? -dw[row->slide] : 0;
}

void subtract_changes_of_carried(const RowTable *table, const double *w, const double *dw, RowWorkspace *work, int n) {
    const int m = table->n_rows;
    for (int c = 0; c < table->n_carried; c++) {
        const RowBlock *block = table->blocks + table->carried[c];
        if (w[block->carried->flag] == CARRIES_NOTHING)
            continue;
        double multiplier = w[table->multipliers + block->first], change = own_change(table, block, w, dw);
        for (int i = 0; i < n; i++) {
            int at = table->A + work->active[i] * m + block->first;
            work->b[i] -= dw[at] * multiplier + w[at] * change;
        }
    }
}

void add_changes_of_carried(const RowTable *table, const double *w, double *dw, RowWorkspace *work, int n) {
    double *changes = dw + table->multipliers;
    int is_solved = solve_slips(table, w, work, n, changes);
    for (int i = 0; i < table->n_rows && !is_solved; i++)
        changes[i] = NAN;
    for (int c = 0; c < table->n_carried; c++) {
        const RowBlock *block = table->blocks + table->carried[c];
        if (w[block->carried->flag] == CARRIES_NOTHING)
            continue;
        changes[block->first] = own_change(table, block, w, dw);
        if (depends_on_normal(block, w))
            changes[block->first] += w[block->carried->slide] * changes[block->carried->normal];
    }
}

void subtract_effects_of_carried(const RowTable *table, const double *w, const RowWorkspace *work, int n, double *values) {
    for (int c = 0; c < table->n_carried; c++) {
        const RowBlock *block = table->blocks + table->carried[c];
        double multiplier = w[table->multipliers + block->first];
        for (int i = 0; i < n && w[block->carried->flag] != CARRIES_NOTHING; i++)
            values[i] -= w[table->A + work->active[i] * table->n_rows + block->first] * multiplier;
    }
}

int add_adjoints_of_carried(const RowTable *table, const double *w, double *dw, RowWorkspace *work, int n, double *x) {
    const int m = table->n_rows;
    for (int c = 0; c < table->n_carried; c++) {
        const RowBlock *block = table->blocks + table->carried[c];
        int place = depends_on_normal(block, w) ? place_of(work, n, block->carried->normal) : -1;
        if (place >= 0)
            x[place] += w[block->carried->slide] * dw[table->multipliers + block->first];
    }

    /* (1 + P A^+ W)^T t = -(A^+ W)^T x; x += P^T t */
    double *transposed = work->slips + m * m, *t = transposed + m * m;
    int *places = work->active + m, *pivots = work->factors.order + m;
    int n_slips = find_columns(table, w, work, n, places);
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

void finish_adjoints_of_carried(const RowTable *table, const double *w, double *dw, const RowWorkspace *work, int n) {
    for (int c = 0; c < table->n_carried; c++) {
        const RowBlock *block = table->blocks + table->carried[c];
        const CarriedRow *row = block->carried;
        double flag = w[row->flag], of_own = dw[table->multipliers + block->first];
        for (int i = 0; i < n && flag != CARRIES_NOTHING; i++) {
            int at = table->A + work->active[i] * table->n_rows + block->first;
            dw[at] -= work->b[i] * w[table->multipliers + block->first];
            of_own -= work->b[i] * w[at];
        }
        if (depends_on_normal(block, w))
            dw[row->slide] += of_own * w[table->multipliers + row->normal];
        else if (flag != CARRIES_NOTHING)
            dw[flag == CARRIES_GIVEN ? row->given : row->slide] -= of_own;
    }
}
