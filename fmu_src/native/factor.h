/* Linear equations whose rows may depend on each other, as those of constraints do: rank, dependent rows, minimum-norm solutions.
 *
 * Rank. Each row is first divided by its size, so that the rank is the same in metres and in millimetres; a row below eps^(3/4) of the
 * largest is round-off, and counts as zero. QR with column pivoting of the transposed matrix, A^T P = Q R, takes the independent rows
 * first; the rank is the number of leading diagonal entries of R above `tolerance` times the first. Of rows that are equal to round-off,
 * the later one is dependent.
 *
 * Solutions. With R = [R11 R12] to the rank r, the columns of N = P [-R11^-1 R12; 1] are the combinations of rows that vanish. The part of
 * the right-hand side that lies in N cannot be met by any solution: without it the independent rows alone decide, by Q and R11. This is the
 * pseudo-inverse, as from a complete orthogonal factorisation, whose second QR is of the r independent rows; here it is of the m - r
 * dependent ones, of which there are few. Rows that contradict each other are met best with each row relative to its size, so that units do
 * not matter there either, and numbers of one row are not lost beside larger ones of another.
 *
 * Source: Golub & Van Loan, Matrix Computations (2013), 5.4.2 and 5.5; the tolerance is Simbody's.
 *
 * No allocation: the owner hands the workspace. */
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

/* Below which a row counts as dependent, relative: m eps^(3/4), for m rows of G M^-1 G^T. Squares are in it: rows of G that are dependent
 * to about 1e-6 count as dependent. */
double rank_tolerance(int m);

/* The same for m rows of G at a distance, in rad or m, from coordinates where some of them depend on each other; see distance_of_errors.
 *
 * A row that is a combination of others there differs from it here in proportion to the distance, and must count as dependent. A solution
 * that took it for independent would divide errors of second order by it: of one degree of freedom it would leave nothing. */
double rank_tolerance_beside(int m, double distance);

/* The same for m rows of G M^-1 G^T, which has squares. A State that is far away, such as one that is not assembled, has the rank that it
 * has. */
double rank_tolerance_of_squares(int m, double distance);

/* The largest of the errors [m] relative to the sizes of their rows in A [m][n]: how far x must change at least. Rows that are 0 do not
 * count. */
double distance_of_errors(int m, int n, const double *A, const double *errors);

/* For A x = b with any A [m][n]. A row's size is its largest entry. Returns FACTORED or FACTORS_NOT_FINITE. */
int factor_rows(Factors *factors, int m, int n, const double *A, double tolerance);

/* For A x = b with A [m][m] symmetric and positive semidefinite; its lower triangle is read. A row's size is the root of its diagonal
 * entry, by which its column is divided too: A in other units is then the same matrix. Returns FACTORED, FACTORS_NOT_FINITE, or
 * FACTORS_NOT_SEMIDEFINITE if a diagonal entry is negative beyond round-off. */
int factor_semidefinite(Factors *factors, int m, const double *A, double tolerance);

/* The x [n] of least norm among those for which A x - b is least, each row of it relative to its size; for factor_rows. Returns
 * FACTORED or FACTORS_NOT_FINITE; x may be b. */
int solve_rows(Factors *factors, const double *b, double *x);

/* The x [m] of least norm among those for which A x - b is least, each row of it relative to its size; for factor_semidefinite. Returns
 * FACTORED or FACTORS_NOT_FINITE; x may be b.
 *
 * The norm is that of x in the units it has. Where rows are dependent, each x is therefore as exact as the largest is: where the sizes of
 * rows differ by more than 1e6, round-off shows in how dependent rows share. */
int solve_semidefinite(Factors *factors, const double *b, double *x);

/* A x - b [m]: of a solution, what remains where rows contradict each other */
void residual_of_rows(int m, int n, const double *A, const double *x, const double *b, double *difference);

#endif
