/* Multipliers of bilateral and unilateral rows, which may be redundant: w = B^T y + a, y = B z, with w = 0 for equations and z = clip(z -
 * w, lower, upper) for the other rows.
 *
 * B^T B is G M^-1 G^T of the rows, and a is w for zero multipliers. For a mechanism, B is the result of its inward sweep, D^(-1/2) E; from
 * a mass matrix it is L^-1 G^T (quadratic_program.h).
 *
 * Rows are scaled to unit length first, so that their units do not matter. The equations are factored (factor.h): redundant equations are
 * free of cost, and contradicting ones are found. Then unilateral rows are activated and deactivated (active_set.h). y is unique.
 * Multipliers are not unique if active rows are dependent; a multiplier that is not needed is zero.
 *
 * Source: Cottle, Pang & Stone, The Linear Complementarity Problem (1992), 1.5 and 3.1.
 *
 * No allocation: the owner provides the workspace. */
#ifndef MOBOD_COMPLEMENTARITY_H
#define MOBOD_COMPLEMENTARITY_H

#include "active_set.h"
#include "factor.h"

/* m rows in n dimensions, the equations first */
typedef struct {
    double *reals; /* [complementarity_reals(n, m)] workspace of the owner, large enough for its largest problem */
    int *integers; /* [complementarity_integers(n, m)]  the same */
    int n, m, n_equations;
    double *y;              /* [n]  B z */
    double *multipliers;    /* [m]  z */
    double contradiction;   /* how much dependent rows contradict others, relative */
    double complementarity; /* residual of the conditions above, relative */
    int *against;           /* [n_against] rows that contradict each other, if the outcome is ROWS_CONTRADICT */
    int n_against;
    double violation;     /* violation of the first of them */
    Factors equations;    /* factors of the equations, which include the dependent ones; NULL reals if there are none */
    ActiveSet active_set; /* includes the active rows */
    UnitRows rows;        /* scaled to unit length */
    double *B, *a, *size, *lower, *upper, *length; /* [m][n] and [m] each: of the scaled rows; the length of each row before scaling */
    double *missed, *work;                         /* [m] each: residuals of scaled rows that no multipliers can remove; temporary values */
} Complementarity;

/* the number of reals and integers of the workspace for up to m rows in n dimensions */
size_t complementarity_reals(int n, int m);
size_t complementarity_integers(int n, int m);

/* Solve for the multipliers. B [m][n] contains the columns of B one after the other. `size` [m] may be NULL: the size of a. `lower` and
 * `upper`, NULL or [m - n_equations], are bounds of the multipliers of unilateral rows, by default 0 and infinity. Infinity and the largest
 * number mean no bound. With `least_squares`, contradicting equations are satisfied in the least-squares sense.
 *
 * Returns ROWS_SOLVED; ROWS_INVALID if a number is not finite or a lower bound exceeds its upper bound; ROWS_CONTRADICT; ROWS_CYCLING or
 * ROWS_NOT_CERTIFIED if round-off prevents a solution. */
int solve_complementarity(Complementarity *problem, int n, int m, int n_equations, const double *B, const double *a, const double *size,
                          const double *lower, const double *upper, int least_squares);

/* The same without the check of the result: never returns ROWS_NOT_CERTIFIED. */
int solve_rows_unchecked(Complementarity *problem, int n, int m, int n_equations, const double *B, const double *a, const double *size,
                         const double *lower, const double *upper, int least_squares);

/* The residual of the conditions, relative, from w [m] of the unscaled rows. */
double complementarity_residual(const Complementarity *problem, const double *w);

int is_certified(double missed);

/* the most that a certified solution may miss, relative */
double largest_certified_residual(void);

#endif
