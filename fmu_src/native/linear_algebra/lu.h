/* Square linear equations by LU factors with partial pivoting.
 *
 * Source: Golub & Van Loan, Matrix Computations (2013), 3.4 */
#ifndef MOBOD_LU_H
#define MOBOD_LU_H

/* A [n][n] becomes its factors; pivots [n]. Returns -1, or the first column without a pivot that is finite and not 0. */
int factor_lu(int n, double *A, int *pivots);

/* b [n] becomes the solution */
void solve_lu(int n, const double *factors, const int *pivots, double *b);

#endif
