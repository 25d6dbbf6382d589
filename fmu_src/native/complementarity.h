/* Multipliers of bilateral and unilateral rows, redundant ones welcome: w = B^T y + a, y = B z, w = 0 for equations and
 * z = clip(z - w, lower, upper) for the others.
 *
 * B^T B is G M^-1 G^T of the rows and a is w without multipliers. A mechanism gives B as its inward sweep leaves it, D^(-1/2) E; from a
 * mass matrix it is L^-1 G^T (quadratic_program.h).
 *
 * Rows are brought to unit length first, so that their units do not matter. The equations are factored (factor.h): redundant ones cost
 * nothing, and those that contradict each other are found. Then unilateral rows are held and released (active_set.h). y is unique;
 * multipliers are not where rows that are held depend on each other, and one that is not needed is zero.
 *
 * Source: Cottle, Pang & Stone, The Linear Complementarity Problem (1992), 1.5 and 3.1.
 *
 * No allocation: the owner hands the workspace. */
#ifndef MOBOD_COMPLEMENTARITY_H
#define MOBOD_COMPLEMENTARITY_H

#include "active_set.h"
#include "factor.h"

/* m rows in n dimensions, the equations first */
typedef struct {
    double *reals; /* [complementarity_reals(n, m)]     workspace, set by the owner, as large as its largest problem needs */
    int *integers; /* [complementarity_integers(n, m)]  the same */
    int n, m, n_equations;
    double *y;              /* [n]  B z */
    double *multipliers;    /* [m]  z */
    double contradiction;   /* by how much rows that depend on others contradict them, relative */
    double complementarity; /* what rows and multipliers miss of the conditions above, relative */
    int *against;           /* [n_against] rows that contradict each other, where that is the outcome */
    int n_against;
    double violation;                              /* of the first of them */
    Factors equations;                             /* their dependent ones among them; NULL reals where there are none */
    ActiveSet active_set;                          /* the rows that are held among it */
    UnitRows rows;                                 /* of unit length */
    double *B, *a, *size, *lower, *upper, *length; /* [m][n] and [m] each: theirs; the length that each row had */
    double *missed, *work; /* [m] each: of unit rows, what no multipliers can meet; of no meaning between two calls */
} Complementarity;

/* how many reals and integers the workspace for up to m rows in n dimensions has */
size_t complementarity_reals(int n, int m);
size_t complementarity_integers(int n, int m);

/* B [m][n] has the columns of B one after another. `size` [m] may be NULL: that of a; `lower` and `upper`, NULL or [m - n_equations], are
 * bounds of the multipliers of unilateral rows, of which infinity and the largest number are none: 0 and infinity if NULL. With
 * `least_squares` equations that contradict each other are met as well as they can be.
 *
 * Returns ROWS_SOLVED; ROWS_INVALID where a number is not finite or a lower bound above its upper one; ROWS_CONTRADICT; ROWS_CYCLING or
 * ROWS_NOT_CERTIFIED where round-off got the better of the method. */
int solve_complementarity(Complementarity *problem, int n, int m, int n_equations, const double *B, const double *a, const double *size,
                          const double *lower, const double *upper, int least_squares);

/* The same without the check of what comes out: ROWS_NOT_CERTIFIED is not among what it returns. */
int solve_rows_unchecked(Complementarity *problem, int n, int m, int n_equations, const double *B, const double *a, const double *size,
                         const double *lower, const double *upper, int least_squares);

/* What the conditions miss, relative, from w [m] of the rows as they were given. */
double missed_complementarity(const Complementarity *problem, const double *w);

int is_certified(double missed);

/* the most that a certified solution may miss, relative */
double most_missed(void);

#endif
