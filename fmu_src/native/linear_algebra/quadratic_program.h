/* Speeds, displacements or accelerations nearest to free ones that satisfy bilateral and unilateral rows:
 *
 *     minimum over u of  1/2 (u - u*)^T M (u - u*)   with   J u = b for the first rows, J u >= b for the others
 *
 * With M = L L^T this is the problem of complementarity.h for B = L^-1 J^T, a = J u* - b, y = L^T (u - u*). The solution is checked against
 * the given numbers: M (u - u*) = J^T multipliers, and the conditions of the rows with w = J u - b.
 *
 * Source: Goldfarb & Idnani, A numerically stable dual method for solving strictly convex quadratic programs, Math. Prog. 27 (1983).
 *
 * No allocation: the owner provides the workspace. */
#ifndef MOBOD_QUADRATIC_PROGRAM_H
#define MOBOD_QUADRATIC_PROGRAM_H

#include "complementarity.h"

typedef struct {
    double *reals;            /* [quadratic_program_reals(n, m)] workspace of the owner, large enough for its largest problem */
    int *integers;            /* [quadratic_program_integers(n, m)]  the same */
    Complementarity rows;     /* contains the multipliers, M (u - u*) = J^T multipliers, and contradicting rows */
    double stationarity;      /* residual of M (u - u*) = J^T multipliers, relative */
    double complementarity;   /* residual of the rows and of the signs of their multipliers, relative */
    int not_positive;         /* the row of M where Cholesky's factorisation fails, if that is the outcome */
    double *L;                /* [n][n]  M = L L^T */
    double *B, *a, *size, *w; /* [m][n] and [m]: not kept between two calls */
} QuadraticProgram;

/* the number of reals and integers of the workspace for up to m rows of n unknowns */
size_t quadratic_program_reals(int n, int m);
size_t quadratic_program_integers(int n, int m);

/* M [n][n], of which the lower triangle is read; u_star [n]; J [m][n] and b [m], the equations first; bounds and `least_squares` as in
 * solve_complementarity; u [n], set if the outcome is ROWS_SOLVED or ROWS_NOT_CERTIFIED. u may be u_star, which it then overwrites.
 *
 * Returns the outcomes of solve_complementarity, or ROWS_NOT_POSITIVE if M is not positive definite. */
int solve_quadratic_program(QuadraticProgram *program, int n, int m, int n_equations, const double *M, const double *u_star,
                            const double *J, const double *b, const double *lower, const double *upper, int least_squares, double *u);

#endif
