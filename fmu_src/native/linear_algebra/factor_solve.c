#include "factor.h"

#include "factor_solve_arithmetic.h"
#include "vectors.h"

#include <string.h>

int solve_rows(Factors *factors, const double *b, double *x) { return solve_any(factors, b, x); }

int solve_semidefinite(Factors *factors, const double *b, double *x) { return solve_symmetric(factors, b, x); }

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
