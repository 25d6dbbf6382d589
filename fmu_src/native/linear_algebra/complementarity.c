#include "complementarity.h"

#include "elementary.h"
#include "vectors.h"

#include <float.h>
#include <string.h>

static const double RANK = 1e-9;                        /* remaining length of a unit row below which it counts as dependent */
static const double CONSISTENT = 1e-6;                  /* dependent equations may contradict each other by this much, relative */
static const double CERTIFIED = 1e-8;                   /* the largest residual of a solution, relative */
static const double ROUND_OFF = 1.8189894035458565e-12; /* eps^(3/4): a row that is shorter than the longest by this is zero */

size_t complementarity_reals(int n, int m) { return (size_t)m * (size_t)n + 9 * (size_t)m + factor_reals(m, n) + active_set_reals(n, m); }

size_t complementarity_integers(int n, int m) { return 2 * (size_t)m + active_set_integers(n, m); }

static void begin(Complementarity *problem, int n, int m, int n_equations) {
    double *next = problem->reals;
    problem->n = n;
    problem->m = m;
    problem->n_equations = n_equations;
    problem->a = next;
    problem->size = next += m;
    problem->lower = next += m;
    problem->upper = next += m;
    problem->length = next += m;
    problem->missed = next += m;
    problem->multipliers = next += m;
    problem->work = next += m;
    problem->B = next += 2 * m;
    problem->equations.reals = next += m * n;
    problem->active_set.reals = next + factor_reals(m, n);
    problem->against = problem->integers;
    problem->equations.order = problem->integers + m;
    problem->active_set.integers = problem->integers + 2 * m;
    problem->rows = (UnitRows){n, m, problem->B, problem->a, problem->size, problem->lower, problem->upper};
    problem->n_against = 0;
    problem->violation = problem->contradiction = problem->complementarity = 0;
}

static double scaled_bound(double bound, double length) { return fabs(bound) >= DBL_MAX ? copysign(INFINITY, bound) : bound * length; }

/* scale rows to unit length */
static int scale_rows(Complementarity *problem, const double *B, const double *a, const double *size, const double *lower,
                      const double *upper) {
    int n = problem->n, m = problem->m, first = problem->n_equations;
    double longest = 0;
    for (int i = 0; i < m; i++) {
        problem->length[i] = sqrt(dot(n, B + i * n, B + i * n));
        longest = fmax(longest, problem->length[i]);
    }
    double least = fmax(ROUND_OFF * longest, DBL_MIN);
    for (int i = 0; i < m; i++) {
        int counts = problem->length[i] > least;
        double length = problem->length[i] = counts ? problem->length[i] : longest > least ? longest : 1;
        for (int j = 0; j < n; j++)
            problem->B[i * n + j] = counts ? B[i * n + j] / length : 0;
        problem->a[i] = a[i] / length;
        problem->size[i] = fabs(size ? size[i] : a[i]) / length;

        /* multipliers, and so their bounds, grow by the factor by which the row was shortened */
        double low = i < first ? -INFINITY : lower ? lower[i - first] : 0;
        double high = i < first ? INFINITY : upper ? upper[i - first] : INFINITY;
        if (!(low <= high && low < DBL_MAX && high > -DBL_MAX))
            return ROWS_INVALID;
        problem->lower[i] = scaled_bound(low, length);
        problem->upper[i] = scaled_bound(high, length);
    }
    return ROWS_SOLVED;
}

/* Make the right-hand sides of equations consistent, with the least change. */
static int factor_equations(Complementarity *problem, int least_squares) {
    int n = problem->n, k = problem->n_equations;
    double *sides = problem->work, *y = problem->active_set.reals, largest = 0;
    memset(problem->missed, 0, (size_t)problem->m * sizeof(double));
    if (factor_rows(&problem->equations, k, n, problem->B, RANK) != FACTORED)
        return ROWS_INVALID;
    for (int i = 0; i < k; i++) {
        sides[i] = -problem->a[i];
        largest = fmax(largest, problem->size[i]);
    }
    solve_rows(&problem->equations, sides, y);
    residual_of_rows(k, n, problem->B, y, sides, problem->missed);
    double scale = sqrt(dot(n, y, y)) + largest;
    for (int i = 0; i < k; i++) {
        if (!least_squares && fabs(problem->missed[i]) > CONSISTENT * fmax(problem->size[i] + scale, DBL_MIN))
            problem->against[problem->n_against++] = i;
        problem->a[i] -= problem->missed[i];
    }
    if (problem->n_against == 0)
        return ROWS_SOLVED;
    int worst = problem->against[0];
    problem->violation = fabs(problem->missed[worst]) * problem->length[worst];
    return ROWS_CONTRADICT;
}

int solve_rows_unchecked(Complementarity *problem, int n, int m, int n_equations, const double *B, const double *a, const double *size,
                         const double *lower, const double *upper, int least_squares) {
    begin(problem, n, m, n_equations);
    if (!all_finite(n * m, B) || !all_finite(m, a) || (size && !all_finite(m, size)))
        return ROWS_INVALID;
    int outcome = scale_rows(problem, B, a, size, lower, upper);
    if (outcome == ROWS_SOLVED)
        outcome = factor_equations(problem, least_squares);
    if (outcome != ROWS_SOLVED)
        return outcome;

    ActiveSet *set = &problem->active_set;
    outcome = solve_active_set(set, &problem->rows, problem->equations.rank, problem->equations.order, RANK);
    problem->y = set->y;
    if (outcome == ROWS_CONTRADICT) {
        problem->n_against = set->n_against;
        memcpy(problem->against, set->against, (size_t)set->n_against * sizeof(int));
        problem->violation = set->violation * problem->length[set->against[0]];
    }
    double scale = scale_of_rows(set, &problem->rows);
    for (int i = 0; i < m; i++) {
        problem->multipliers[i] = set->z[i] / problem->length[i];
        if (set->is_skipped[i])
            problem->missed[i] = dot(n, problem->B + i * n, set->y) + problem->a[i];
        problem->contradiction = fmax(problem->contradiction, fabs(problem->missed[i]) / fmax(problem->size[i] + scale, DBL_MIN));
    }
    return outcome;
}

double complementarity_residual(const Complementarity *problem, const double *w) {
    double largest = 0, scale = scale_of_rows(&problem->active_set, &problem->rows);
    for (int i = 0; i < problem->m; i++) {
        double z = problem->active_set.z[i], beyond = z - (w[i] / problem->length[i] - problem->missed[i]);
        double missed = fabs(z - fmin(fmax(beyond, problem->lower[i]), problem->upper[i])) / fmax(problem->size[i] + scale, DBL_MIN);
        if (!(missed <= largest))
            largest = missed;
    }
    return largest;
}

int is_certified(double missed) { return missed <= CERTIFIED; }

double largest_certified_residual(void) { return CERTIFIED; }

int solve_complementarity(Complementarity *problem, int n, int m, int n_equations, const double *B, const double *a, const double *size,
                          const double *lower, const double *upper, int least_squares) {
    int outcome = solve_rows_unchecked(problem, n, m, n_equations, B, a, size, lower, upper, least_squares);
    if (outcome != ROWS_SOLVED && !(outcome == ROWS_CYCLING && problem->active_set.is_bounded))
        return outcome;

    /* compute y and w again, from the multipliers and the unscaled rows */
    double *y = problem->active_set.at_edge, *w = problem->work;
    memset(y, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            y[j] += B[i * n + j] * problem->multipliers[i];
    for (int i = 0; i < m; i++)
        w[i] = dot(n, B + i * n, y) + a[i];
    problem->complementarity = complementarity_residual(problem, w);
    return outcome == ROWS_SOLVED && is_certified(problem->complementarity) ? ROWS_SOLVED : ROWS_NOT_CERTIFIED;
}
