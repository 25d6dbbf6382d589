/* The solution for multipliers over Numbers: of one run, and of several side by side (lanes.h), whose rows are enabled, and motions
 * prescribed, in all lanes alike. */
#ifndef MOBOD_MULTIPLIER_ARITHMETIC_H
#define MOBOD_MULTIPLIER_ARITHMETIC_H

#include "factor_arithmetic.h"
#include "factor_solve_arithmetic.h"
#include "row_arithmetic.h"

/* The least change of coordinates that can remove the position errors of the rigid rows; see distance_of_errors. */
static inline Number distance_of_positions(const RowTable *table, const Number *w) {
    Number sizes = NUMBER(0.0), distance = NUMBER(0.0);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < table->n_blocks; i++) {
            const RowBlock *block = table->blocks + i;
            for (int row = 0; FIRST_LANE(w[block->enabled]) != 0 && !block->compliant && row < block->n_position; row++) {
                const Number size = largest_on_path(block, w + table->E + (block->first + row) * table->nu);
                if (pass == 0) {
                    sizes = number_max(sizes, size);
                    continue;
                }
                const Number further = number_max(distance, number_abs(w[block->position_errors + row]) / size);
                distance = number_where(number_less(CANCELLED * sizes, size), further, distance);
            }
        }
    return distance;
}

/* Set the numbers of the active rows, and A of these. Returns their number. */
static inline int take_active(const RowTable *table, const Number *w, RowWorkspace *work) {
    const int m = table->n_rows;
    int n = 0;
    for (int i = 0; i < table->n_blocks; i++)
        if (FIRST_LANE(w[table->blocks[i].enabled]) != 0)
            for (int row = 0; row < table->blocks[i].n; row++)
                work->active[n++] = table->blocks[i].first + row;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            work->A[i * n + k] = w[table->A + work->active[i] * m + work->active[k]];
    return n;
}

/* Factor A of the n active rows. The tolerance of the rank depends on the distance from the constraints: the stages of a step do not
 * satisfy them exactly, and redundant rows must not count as independent there. Otherwise accelerations would be wrong by their whole
 * size. */
static inline int factor_A(const RowTable *table, const Number *w, RowWorkspace *work, int n, Number *tolerance) {
    *tolerance = tolerance_of_squares(n, distance_of_positions(table, w));
    return factor_symmetric(&work->factors, n, work->A, *tolerance);
}

/* set the multipliers: `solution` of the n active rows, 0 for the others */
static inline void place_multipliers(const RowTable *table, const RowWorkspace *work, int n, const Number *solution, Number *multipliers) {
    memset(multipliers, 0, (size_t)table->n_rows * sizeof(Number));
    for (int i = 0; i < n; i++)
        multipliers[work->active[i]] = solution[i];
}

#endif
