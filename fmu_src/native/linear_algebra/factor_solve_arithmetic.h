/* The solutions of factor.h over Numbers: of one matrix, and of several side by side (lanes.h). */
#ifndef MOBOD_FACTOR_SOLVE_ARITHMETIC_H
#define MOBOD_FACTOR_SOLVE_ARITHMETIC_H

#include "factor.h"
#include "number.h"
#include "vectors.h"

#include <string.h>

/* v [m] without its part in N */
static inline void remove_null(const Factors *factors, Number *v) {
    const int m = factors->m;
    if (factors->n_dependent == 0)
        return;
    for (int i = 0; i < factors->n_dependent; i++)
        reflect(m - i, factors->null + i * m + i, factors->null_tau[i], v + i);
    memset(v, 0, (size_t)factors->n_dependent * sizeof(Number));
    for (int i = factors->n_dependent - 1; i >= 0; i--)
        reflect(m - i, factors->null + i * m + i, factors->null_tau[i], v + i);
}

/* see solve_rows */
static inline int solve_any(Factors *factors, const Number *b, Number *x) {
    const int m = factors->m, n = factors->n, rank = factors->rank;
    Number *possible = factors->norm, *y = factors->work;
    if (!all_finite(m, b))
        return FACTORS_NOT_FINITE;

    /* the part of b that can be satisfied */
    for (int i = 0; i < m; i++)
        possible[i] = factors->scale[i] * b[i];
    remove_null(factors, possible);

    /* R11^T y = b, then x = Q y */
    for (int i = 0; i < rank; i++) {
        const Number *row = factors->rows + i * n;
        y[i] = (entry_at(possible, factors->order[i]) - dot(i, row, y)) / row[i];
    }
    memset(y + rank, 0, (size_t)(n - rank) * sizeof(Number));
    for (int i = rank - 1; i >= 0; i--)
        reflect(n - i, factors->rows + i * n + i, factors->tau[i], y + i);
    memcpy(x, y, (size_t)n * sizeof(Number));
    return FACTORED;
}

/* see solve_semidefinite */
static inline int solve_symmetric(Factors *factors, const Number *b, Number *x) {
    const int m = factors->m, rank = factors->rank;
    Number *y = factors->work;
    if (!all_finite(m, b))
        return FACTORS_NOT_FINITE;

    if (factors->is_positive) {
        for (int i = 0; i < m; i++)
            y[i] = dot(i + 1, factors->rows + i * m, b);
        memset(x, 0, (size_t)m * sizeof(Number));
        for (int i = 0; i < m; i++)
            add_multiple(i + 1, x, y[i], factors->rows + i * m);
        return FACTORED;
    }

    /* R11 z = Q^T b for the independent rows, zero for the others; then the one of least norm */
    for (int i = 0; i < m; i++)
        y[i] = factors->scale[i] * b[i];
    for (int i = 0; i < rank; i++)
        reflect(m - i, factors->rows + i * m + i, factors->tau[i], y + i);
    memset(x, 0, (size_t)m * sizeof(Number));
    for (int i = rank - 1; i >= 0; i--) {
        const Number *row = factors->rows + i * m;
        Number z = y[i] / row[i];
        add_multiple(i, y, -z, row);
        set_entry(x, factors->order[i], entry_at(factors->scale, factors->order[i]) * z);
    }
    remove_null(factors, x);
    return FACTORED;
}

#endif
