#include "quadratic_program.h"

#include "elementary.h"
#include "vectors.h"

#include <float.h>
#include <string.h>

size_t quadratic_program_reals(int n, int m) {
    size_t unknowns = (size_t)n, rows = (size_t)m;
    return unknowns * unknowns + rows * unknowns + 3 * rows + 2 * unknowns + complementarity_reals(n, m);
}

size_t quadratic_program_integers(int n, int m) { return complementarity_integers(n, m); }

/* L of M = L L^T; the row where that fails */
static int factor(int n, const double *M, double *L, int *row) {
    for (int i = 0; i < n; i++) {
        *row = i;
        for (int j = 0; j < i; j++)
            L[i * n + j] = (M[i * n + j] - dot(j, L + i * n, L + j * n)) / L[j * n + j];
        double square = M[i * n + i] - dot(i, L + i * n, L + i * n);
        if (isnan(square) || isinf(square))
            return ROWS_INVALID;
        if (!(square > 0))
            return ROWS_NOT_POSITIVE;
        L[i * n + i] = sqrt(square);
    }
    return ROWS_SOLVED;
}

/* entry i of M v, by its lower triangle */
static double entry_of_product(int n, const double *M, int i, const double *v) {
    double sum = dot(i + 1, M + i * n, v);
    for (int j = i + 1; j < n; j++)
        sum += M[j * n + i] * v[j];
    return sum;
}

int solve_quadratic_program(QuadraticProgram *program, int n, int m, int n_equations, const double *M, const double *u_star,
                            const double *J, const double *b, const double *lower, const double *upper, int least_squares, double *u) {
    double *L = program->L = program->reals, *B = program->B = L + n * n;
    double *a = program->a = B + m * n, *size = program->size = a + m, *w = program->w = size + m;
    double *change = w + m, *free_momentum = change + n;
    program->rows.reals = free_momentum + n;
    program->rows.integers = program->integers;
    program->stationarity = program->complementarity = 0;
    for (int i = 0; i < n; i++)
        if (!isfinite(u_star[i]))
            return ROWS_INVALID;
    int outcome = factor(n, M, L, &program->not_positive);
    if (outcome != ROWS_SOLVED)
        return outcome;

    /* B = L^-1 J^T, a = J u* - b */
    for (int i = 0; i < m; i++) {
        const double *row = J + i * n;
        double *column = B + i * n;
        for (int j = 0; j < n; j++)
            column[j] = (row[j] - dot(j, L + j * n, column)) / L[j * n + j];
        a[i] = dot(n, row, u_star) - b[i];
        size[i] = fabs(b[i]);
        for (int j = 0; j < n; j++)
            size[i] += fabs(row[j] * u_star[j]);
    }
    outcome = solve_rows_unchecked(&program->rows, n, m, n_equations, B, a, size, lower, upper, least_squares);
    if (outcome != ROWS_SOLVED)
        return outcome;

    /* L^T u*, of which only the norm is needed; then L^T change = y, and u */
    const double *y = program->rows.y, *z = program->rows.active_set.z;
    memset(free_momentum, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            free_momentum[j] += L[i * n + j] * u_star[i];
    memcpy(change, y, (size_t)n * sizeof(double));
    for (int i = n - 1; i >= 0; i--) {
        change[i] /= L[i * n + i];
        for (int j = 0; j < i; j++)
            change[j] -= L[i * n + j] * change[i];
    }
    for (int i = 0; i < n; i++) {
        double moved = u_star[i] + change[i];
        change[i] = moved - u_star[i];
        u[i] = moved;
    }

    /* the check: entry i of M u is at most sqrt(M_ii) |L^T u| */
    double forces = sqrt(dot(n, free_momentum, free_momentum)) + sqrt(dot(n, y, y));
    for (int i = 0; i < m; i++) {
        w[i] = dot(n, J + i * n, u) - b[i];
        forces += fabs(z[i]);
    }
    for (int i = 0; i < n; i++) {
        double unbalanced = entry_of_product(n, M, i, change);
        for (int j = 0; j < m; j++)
            unbalanced -= J[j * n + i] * program->rows.multipliers[j];
        double missed = fabs(unbalanced) / sqrt(M[i * n + i]) / fmax(forces, DBL_MIN);
        if (!(missed <= program->stationarity))
            program->stationarity = missed;
    }
    program->complementarity = complementarity_residual(&program->rows, w);
    int certified = is_certified(program->stationarity) && is_certified(program->complementarity);
    return certified ? ROWS_SOLVED : ROWS_NOT_CERTIFIED;
}
