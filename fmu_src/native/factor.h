/* Linear equations whose rows may depend on each other, as those of constraints do: rank, dependent rows, minimum-norm solutions.
 *
 * Twin of engine/mobod/numerics/factor.py, where the method and its source stand. No allocation: the owner hands the workspace. */
#ifndef MOBOD_FACTOR_H
#define MOBOD_FACTOR_H

#include <stddef.h>

typedef struct {
    double *reals; /* [factor_reals(m, n)]  workspace, set by the owner, as large as its largest matrix needs */
    int *order;    /* [m]  the same. Rows: the `rank` independent ones in the order of pivots, then the dependent ones, ascending */
    int m, n;      /* rows, unknowns */
    int rank;
    int n_dependent;     /* m - rank */
    int is_positive;     /* the symmetric matrix is far from singular: `rows` holds W with W^T W = A^-1, lower triangular */
    double *scale;       /* [m]     1 / size of each row */
    double *rows;        /* [m][n]  by pivot: R^T left of the diagonal and on it; right of it the reflections that make Q */
    double *tau;         /* [m]     their factors */
    double *null;        /* [n_dependent][m]  combinations of rows that vanish, as reflections that make N */
    double *null_tau;    /* [m]     their factors */
    double *norm, *work; /* [2 m], [m + n]  of no meaning between two calls */
} Factors;

enum { FACTORED, FACTORS_NOT_FINITE, FACTORS_NOT_SEMIDEFINITE };

/* how many reals, and [m] integers, the workspace for matrices up to m x n has */
size_t factor_reals(int m, int n);

/* below which a row counts as dependent, relative: m eps^(3/4) */
double rank_tolerance(int m);

/* the same for rows of G at a distance from coordinates where some of them depend on each other */
double rank_tolerance_beside(int m, double distance);

/* The largest of the errors [m] relative to the sizes of their rows in A [m][n]: how far x must change at least. Rows that are 0 do not
 * count. */
double distance_of_errors(int m, int n, const double *A, const double *errors);

/* For A x = b with any A [m][n]. A row's size is its largest entry. Returns FACTORED or FACTORS_NOT_FINITE. */
int factor_rows(Factors *factors, int m, int n, const double *A, double tolerance);

/* For A x = b with A [m][m] symmetric and positive semidefinite; its lower triangle is read. A row's size is the root of its diagonal
 * entry. Returns FACTORED, FACTORS_NOT_FINITE, or FACTORS_NOT_SEMIDEFINITE if a diagonal entry is negative beyond round-off. */
int factor_semidefinite(Factors *factors, int m, const double *A, double tolerance);

/* The x [n] of least norm among those for which A x - b is least, each row of it relative to its size; for factor_rows. Returns
 * FACTORED or FACTORS_NOT_FINITE; x may be b. */
int solve_rows(Factors *factors, const double *b, double *x);

/* The x [m] of least norm among those for which A x - b is least, each row of it relative to its size; for factor_semidefinite. Returns
 * FACTORED or FACTORS_NOT_FINITE; x may be b. */
int solve_semidefinite(Factors *factors, const double *b, double *x);

/* A x - b [m]: of a solution, what remains where rows contradict each other */
void residual_of_rows(int m, int n, const double *A, const double *x, const double *b, double *difference);

#endif
