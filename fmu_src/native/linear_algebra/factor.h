/* Linear equations with dependent rows, as constraints produce them: rank, dependent rows, minimum-norm solutions.
 *
 * Rank. Each row is first divided by its size, so that the rank is the same in metres and in millimetres. A row smaller than eps^(3/4)
 * times the largest is round-off, and counts as zero. QR with column pivoting of the transposed matrix, A^T P = Q R, takes the independent
 * rows first. The rank is the number of leading diagonal entries of R that exceed `tolerance` times the first. If rows are equal up to
 * round-off, the later one is dependent.
 *
 * Solutions. With R = [R11 R12] up to the rank r, the columns of N = P [-R11^-1 R12; 1] are the combinations of rows that vanish. No
 * solution can satisfy the part of the right-hand side that lies in N. Without this part, the independent rows alone determine the
 * solution, by Q and R11. This is the pseudo-inverse. A complete orthogonal factorisation would give the same: its second QR is of the r
 * independent rows, here it is of the m - r dependent ones, of which there are few. Contradicting rows are satisfied in the least-squares
 * sense, each row relative to its size. So units do not matter there either, and numbers of one row are not lost in larger ones of
 * another.
 *
 * Source: Golub & Van Loan, Matrix Computations (2013), 5.4.2 and 5.5; the tolerance is Simbody's.
 *
 * No allocation: the owner provides the workspace. */
#ifndef MOBOD_FACTOR_H
#define MOBOD_FACTOR_H

#include "number_type.h"

#include <stddef.h>

/* of one matrix, or of one in each lane, with the same rank (factor_arithmetic.h) */
typedef struct {
    Number *reals; /* [factor_reals(m, n)] workspace of the owner, large enough for its largest matrix */
    Index *order;  /* [m] workspace of the owner. Row numbers: the `rank` independent ones in the order of pivots, then the dependent ones,
                      ascending. factor_symmetric does not set it if the matrix is_positive; factor_semidefinite does */
    int m, n;      /* rows, unknowns */
    int rank;
    int n_dependent;  /* m - rank */
    int is_positive;  /* the symmetric matrix without its rows of round-off is far from singular: `rows` contains W, lower triangular, with
                         W^T W = A^-1 of the others, and 0 in these rows and columns. `tau` and `null` are not used */
    Number *scale;    /* [m]     1 / size of each row */
    Number *rows;     /* [m][n] by pivot: R^T on and left of the diagonal; right of it the reflections that define Q */
    Number *tau;      /* [m]     their factors */
    Number *null;     /* [n_dependent][m] combinations of rows that vanish, as reflections that define N */
    Number *null_tau; /* [m]     their factors */
    Number *norm, *work; /* [2 m], [m + n] temporary values */
} Factors;

enum { FACTORED, FACTORS_NOT_FINITE, FACTORS_NOT_SEMIDEFINITE, FACTORS_DIFFER, FACTORS_NEED_PIVOTS };

/* the number of reals of the workspace for matrices up to m x n; it has [m] integers */
size_t factor_reals(int m, int n);

/* The relative tolerance below which a row counts as dependent: m eps^(3/4), for m rows of G M^-1 G^T. Since this matrix is quadratic in
 * G, rows of G that are dependent up to about 1e-6 count as dependent. */
double rank_tolerance(int m);

/* The same for m rows of G at a distance, in rad or m, from coordinates where some of the rows are dependent; see distance_of_errors.
 *
 * A row that is a combination of others there differs from this combination here in proportion to the distance. It must still count as
 * dependent. A solution that took it for independent would divide second-order errors by this difference; a mechanism with one degree of
 * freedom would lose it. */
double rank_tolerance_at_distance(int m, double distance);

/* The same for m rows of G M^-1 G^T, which is quadratic in G. For a State far from the constraint manifold, such as one that is not
 * assembled, the distance is ignored. */
double rank_tolerance_of_squares(int m, double distance);

/* The largest of the errors [m] relative to the sizes of their rows in A [m][n]: the least change of x that can remove them. Rows of
 * zeros do not count. */
double distance_of_errors(int m, int n, const double *A, const double *errors);

/* Factor A for A x = b, with any A [m][n]. The size of a row is its largest entry. Returns FACTORED or FACTORS_NOT_FINITE. */
int factor_rows(Factors *factors, int m, int n, const double *A, double tolerance);

/* Factor A for A x = b, with A [m][m] symmetric and positive semidefinite; only its lower triangle is read. The size of a row is the
 * root of its diagonal entry; its column is divided by it too. So A in other units gives the same scaled matrix. Returns FACTORED,
 * FACTORS_NOT_FINITE, or FACTORS_NOT_SEMIDEFINITE if a diagonal entry is negative beyond round-off. */
int factor_semidefinite(Factors *factors, int m, const double *A, double tolerance);

/* Solve for the x [n] of least norm among those that minimise A x - b, each row relative to its size; for factor_rows. Returns FACTORED
 * or FACTORS_NOT_FINITE; x may be b. */
int solve_rows(Factors *factors, const double *b, double *x);

/* Solve for the x [m] of least norm among those that minimise A x - b, each row relative to its size; for factor_semidefinite. Returns
 * FACTORED or FACTORS_NOT_FINITE; x may be b.
 *
 * The norm is that of x in its own units. If rows are dependent, each entry of x is therefore as exact as the largest one is. If the
 * sizes of rows differ by more than 1e6, round-off affects how dependent rows share a load. */
int solve_semidefinite(Factors *factors, const double *b, double *x);

/* x [m] = S^T b, for the linear map S of solve_semidefinite, which is not symmetric if rows of different sizes are dependent. Returns
 * FACTORED or FACTORS_NOT_FINITE; x may be b. */
int solve_semidefinite_transposed(Factors *factors, const double *b, double *x);

/* A x - b [m]; for a solution, the residual of contradicting rows */
void residual_of_rows(int m, int n, const double *A, const double *x, const double *b, double *difference);

#endif
