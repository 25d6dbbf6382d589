/* Coefficients of a stiffly accurate Rosenbrock method, in the form that needs no product with the Jacobian.
 *
 * A step of size h from y at t, with J = df/dy and f_t = df/dt there, solves for one stage after the other
 *     (1 / (h gamma) - J) u_i = f(t + c_i h, y + sum_j a_ij u_j) + sum_j C_ij u_j / h + h d_i f_t.
 * The last row of `a` is the solution, and the last u the error estimate.
 *
 * Source: Hairer & Wanner, Solving Ordinary Differential Equations II (1996), IV.7 */
#ifndef MOBOD_ROSENBROCK_H
#define MOBOD_ROSENBROCK_H

typedef struct {
    int n_stages;
    double gamma;
    const double *c;     /* [n_stages]                times, in steps */
    const double *a;     /* [n_stages + 1][n_stages]  below the diagonal, and the solution */
    const double *C;     /* [n_stages][n_stages]      below the diagonal */
    const double *d;     /* [n_stages] */
    int n_dense;         /* coefficients of the interpolant beyond the straight line */
    const double *dense; /* [n_dense][n_stages] */
} RosenbrockTableau;

#endif
