#include "factor.h"

#include "elementary.h"
#include "factor_arithmetic.h"

size_t factor_reals(int m, int n) {
    size_t rows = (size_t)m, unknowns = (size_t)n;
    return rows * unknowns + rows * rows + 6 * rows + unknowns;
}

double rank_tolerance(int m) { return m * ROW_ROUND_OFF; }

double rank_tolerance_at_distance(int m, double distance) { return tolerance_at_distance(m, distance); }

double rank_tolerance_of_squares(int m, double distance) { return tolerance_of_squares(m, distance); }

double distance_of_errors(int m, int n, const double *A, const double *errors) {
    const double least_size = least_size_for(largest_number(A, m * n));
    double distance = 0;
    for (int i = 0; i < m; i++)
        distance = farther(distance, errors[i], largest_number(A + i * n, n), least_size);
    return distance;
}

int factor_rows(Factors *factors, int m, int n, const double *A, double tolerance) { return factor_any(factors, m, n, A, 0, tolerance); }

int factor_semidefinite(Factors *factors, int m, const double *A, double tolerance) {
    const int outcome = factor_symmetric(factors, m, A, 0, tolerance);

    /* without pivots the independent rows keep their order; those of round-off have a diagonal entry of 0 */
    int n_independent = 0, n_dependent = 0;
    for (int i = 0; outcome == FACTORED && factors->is_positive && i < m; i++)
        factors->order[factors->rows[i * m + i] != 0 ? n_independent++ : factors->rank + n_dependent++] = i;
    return outcome;
}
