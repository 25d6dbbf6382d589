/* Multipliers z of rows w = B^T y + a, y = B z, each between its bounds: w >= 0 at the lower bound, w <= 0 at the upper bound, w = 0
 * between them.
 *
 * This is the dual of: y of least norm with w >= 0 (or w = 0). The dual active-set method starts with no active inequality. It takes the
 * most violated row and increases its multiplier, while the multipliers of active rows follow, until the row is satisfied. Then the row
 * becomes active. A row whose multiplier reaches its bound on the way is deactivated. Each row that becomes active increases the dual
 * objective, so no active set occurs twice. Redundant rows and zero multipliers do no harm. y is unique, and no matrix is regularised. A
 * row that depends on active rows changes only multipliers. If no bound limits them, the rows contradict each other, and r proves it.
 *
 * QR of the columns of B that are active, instead of a Cholesky factor of B^T B, keeps the condition number of B and does not square it.
 * Columns are added by Gram-Schmidt with reorthogonalisation.
 *
 * Source: Goldfarb & Idnani, A numerically stable dual method for solving strictly convex quadratic programs, Math. Prog. 27 (1983);
 * Daniel, Gragg, Kaufman & Stewart, Reorthogonalization and stable algorithms for updating the Gram-Schmidt QR factorization, Math. Comp.
 * 30 (1976); bounds as in Cottle, Pang & Stone, The Linear Complementarity Problem (1992), ch. 4.
 *
 * No allocation: the owner provides the workspace. */
#ifndef MOBOD_ACTIVE_SET_H
#define MOBOD_ACTIVE_SET_H

#include <stddef.h>

/* rows of unit length, or zero. Rows with bounds of -infinity and infinity are equations: always active, or never */
typedef struct {
    int n, m;
    const double *B;             /* [m][n]  their columns */
    const double *a;             /* [m] */
    const double *size;          /* [m] size of the numbers whose difference is a */
    const double *lower, *upper; /* [m]     bounds of multipliers */
} UnitRows;

typedef struct {
    double *reals;    /* [active_set_reals(n, m)] workspace of the owner, large enough for its largest problem */
    int *integers;    /* [active_set_integers(n, m)]  the same */
    double *z;        /* [m]      multipliers */
    double *y;        /* [n]      B z */
    int *held;        /* [n_held] active rows: those that are satisfied as equations, in the order of activation */
    int *is_skipped;  /* [m] rows that depend on active rows, and contradict them only by round-off */
    int *against;     /* [n_against] rows that contradict each other; the first is violated by `violation` */
    double violation; /* of a row of unit length */
    int n_held, n_against, n_steps;
    int is_bounded;                             /* few steps, as the owner sets: cycling may be the beginning of a solution */
    double *Q, *R;                              /* [n_held][n] each: the columns of Q and of R, whose product is that of B */
    double *d, *v, *r, *room, *bound, *at_edge; /* [n] temporary values */
    double *z_before, *y_before, *excess;       /* [m], [n], [m] temporary values */
    int *held_before;                           /* [n] temporary values */
} ActiveSet;

enum { ROWS_SOLVED, ROWS_INVALID, ROWS_CONTRADICT, ROWS_CYCLING, ROWS_NOT_CERTIFIED, ROWS_NOT_POSITIVE };

/* the number of reals and integers of the workspace for up to m rows in n dimensions */
size_t active_set_reals(int n, int m);
size_t active_set_integers(int n, int m);

/* Start from the independent equations `held` [n_held]. A unit row counts as dependent if the remainder of its projection is shorter
 * than `rank_tolerance`. Returns ROWS_SOLVED, ROWS_CONTRADICT, or ROWS_CYCLING if round-off makes the active set cycle. */
int solve_active_set(ActiveSet *set, const UnitRows *rows, int n_held, const int *held, double rank_tolerance);

/* Round-off in w of a row is relative to the row's size plus this number: the size of y and of the rows that made y. Large multipliers
 * of nearly dependent rows cancel in y and leave additional round-off. */
double scale_of_rows(const ActiveSet *set, const UnitRows *rows);

#endif
