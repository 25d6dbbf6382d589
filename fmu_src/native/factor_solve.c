#include "factor.h"

#include "vectors.h"

#include <string.h>

/* v [m] without its part in N */
static void remove_null(const Factors *factors, double *v) {
    int m = factors->m;
    if (factors->n_dependent == 0)
        return;
    for (int i = 0; i < factors->n_dependent; i++)
        reflect(m - i, factors->null + i * m + i, factors->null_tau[i], v + i);
    memset(v, 0, (size_t)factors->n_dependent * sizeof(double));
    for (int i = factors->n_dependent - 1; i >= 0; i--)
        reflect(m - i, factors->null + i * m + i, factors->null_tau[i], v + i);
}

int solve_rows(Factors *factors, const double *b, double *x) {
    int m = factors->m, n = factors->n, rank = factors->rank;
    double *possible = factors->norm, *y = factors->work;
    if (!all_finite(m, b))
        return FACTORS_NOT_FINITE;

    /* the part of b that can be satisfied */
    for (int i = 0; i < m; i++)
        possible[i] = factors->scale[i] * b[i];
    remove_null(factors, possible);

    /* R11^T y = b, then x = Q y */
    for (int i = 0; i < rank; i++) {
        const double *row = factors->rows + i * n;
        y[i] = (possible[factors->order[i]] - dot(i, row, y)) / row[i];
    }
    memset(y + rank, 0, (size_t)(n - rank) * sizeof(double));
    for (int i = rank - 1; i >= 0; i--)
        reflect(n - i, factors->rows + i * n + i, factors->tau[i], y + i);
    memcpy(x, y, (size_t)n * sizeof(double));
    return FACTORED;
}

int solve_semidefinite(Factors *factors, const double *b, double *x) {
    int m = factors->m, rank = factors->rank;
    double *y = factors->work;
    if (!all_finite(m, b))
        return FACTORS_NOT_FINITE;

    if (factors->is_positive) {
        for (int i = 0; i < m; i++)
            y[i] = dot(i + 1, factors->rows + i * m, b);
        memset(x, 0, (size_t)m * sizeof(double));
        for (int i = 0; i < m; i++)
            add_multiple(i + 1, x, y[i], factors->rows + i * m);
        return FACTORED;
    }

    /* R11 z = Q^T b for the independent rows, zero for the others; then the one of least norm */
    for (int i = 0; i < m; i++)
        y[i] = factors->scale[i] * b[i];
    for (int i = 0; i < rank; i++)
        reflect(m - i, factors->rows + i * m + i, factors->tau[i], y + i);
    memset(x, 0, (size_t)m * sizeof(double));
    for (int i = rank - 1; i >= 0; i--) {
        const double *row = factors->rows + i * m;
        double z = y[i] / row[i];
        add_multiple(i, y, -z, row);
        x[factors->order[i]] = factors->scale[factors->order[i]] * z;
    }
    remove_null(factors, x);
    return FACTORED;
}

int solve_semidefinite_transposed(Factors *factors, const double *b, double *x) {
    int m = factors->m, rank = factors->rank;
    double *possible = factors->norm, *y = factors->work;
    if (factors->is_positive)
        return solve_semidefinite(factors, b, x);
    if (!all_finite(m, b))
        return FACTORS_NOT_FINITE;
    memcpy(possible, b, (size_t)m * sizeof(double));
    remove_null(factors, possible);
    for (int i = 0; i < rank; i++) {
        const double *row = factors->rows + i * m;
        y[i] = (factors->scale[factors->order[i]] * possible[factors->order[i]] - dot(i, row, y)) / row[i];
    }
    memset(y + rank, 0, (size_t)(m - rank) * sizeof(double));
    for (int i = rank - 1; i >= 0; i--)
        reflect(m - i, factors->rows + i * m + i, factors->tau[i], y + i);
    for (int i = 0; i < m; i++)
        x[i] = factors->scale[i] * y[i];
    return FACTORED;
}

void residual_of_rows(int m, int n, const double *A, const double *x, const double *b, double *difference) {
    for (int i = 0; i < m; i++)
        difference[i] = dot(n, A + i * n, x) - b[i];
}
