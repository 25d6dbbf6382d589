/* Multipliers z of rows w = B^T y + a, y = B z, each between its bounds: w >= 0 at the lower one, w <= 0 at the upper one, 0 between them.
 *
 * This is the dual of: y of least norm with w >= 0 (or w = 0). The dual active-set method begins where no inequality is held. It takes the
 * row that is violated most and raises its multiplier, the multipliers of held rows following, until the row is met, and is held from then
 * on; a row whose multiplier reaches its bound on the way is held no longer. Each row that enters increases the dual objective, so that no
 * set of held rows comes twice; redundant rows and multipliers of zero do no harm. y is unique, and no matrix is ever regularised. A row
 * that depends on those that are held moves multipliers alone; where nothing bounds them, the rows contradict each other, and r is the
 * proof.
 *
 * QR of the columns of B that are held, instead of Cholesky's factor of B^T B, keeps the condition of B and does not square it. Columns are
 * added by Gram-Schmidt with reorthogonalisation.
 *
 * Source: Goldfarb & Idnani, A numerically stable dual method for solving strictly convex quadratic programs, Math. Prog. 27 (1983);
 * Daniel, Gragg, Kaufman & Stewart, Reorthogonalization and stable algorithms for updating the Gram-Schmidt QR factorization, Math.
 * Comp. 30 (1976); bounds as in Cottle, Pang & Stone, The Linear Complementarity Problem (1992), ch. 4.
 *
 * No allocation: the owner hands the workspace. */
#ifndef MOBOD_ACTIVE_SET_H
#define MOBOD_ACTIVE_SET_H

#include <stddef.h>

/* rows of unit length, or zero; those with bounds of -infinity and infinity are equations: held to the end, or never */
typedef struct {
    int n, m;
    const double *B;             /* [m][n]  their columns */
    const double *a;             /* [m] */
    const double *size;          /* [m]     of the numbers that a is the difference of */
    const double *lower, *upper; /* [m]     bounds of multipliers */
} UnitRows;

typedef struct {
    double *reals;    /* [active_set_reals(n, m)]     workspace, set by the owner, as large as its largest problem needs */
    int *integers;    /* [active_set_integers(n, m)]  the same */
    double *z;        /* [m]      multipliers */
    double *y;        /* [n]      B z */
    int *held;        /* [n_held] rows that are met as equations, in the order in which they came */
    int *is_skipped;  /* [m]      rows that depend on these, and contradict them by round-off */
    int *against;     /* [n_against] rows that contradict each other; the first is violated by `violation` */
    double violation; /* of a row of unit length */
    int n_held, n_against, n_steps;
    double *Q, *R;                              /* [n_held][n] each: the columns of Q and of R, whose product is that of B */
    double *d, *v, *r, *room, *bound, *at_edge; /* [n] of no meaning between two calls */
    double *z_before, *y_before, *excess;       /* [m], [n], [m] the same */
    int *held_before;                           /* [n] the same */
} ActiveSet;

enum { ROWS_SOLVED, ROWS_INVALID, ROWS_CONTRADICT, ROWS_CYCLING, ROWS_NOT_CERTIFIED, ROWS_NOT_POSITIVE };

/* how many reals and integers the workspace for up to m rows in n dimensions has */
size_t active_set_reals(int n, int m);
size_t active_set_integers(int n, int m);

/* From the independent equations `held` [n_held]; `rank_tolerance` is the length of what is left of a row that counts as dependent. Returns
 * ROWS_SOLVED, ROWS_CONTRADICT, or ROWS_CYCLING where round-off lets rows come and go. */
int solve_active_set(ActiveSet *set, const UnitRows *rows, int n_held, const int *held, double rank_tolerance);

/* The numbers to which round-off in w of a row is relative are its size and this: those of y, and of the rows that made y. Large
 * multipliers of nearly dependent rows cancel in y, and leave their own round-off. */
double scale_of_rows(const ActiveSet *set, const UnitRows *rows);

#endif
