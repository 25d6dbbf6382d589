/* Coefficients of explicit Runge-Kutta methods, most of them embedded pairs, whose last stage is the first of the next step. */
#ifndef MOBOD_TABLEAU_H
#define MOBOD_TABLEAU_H

/* n_all: n_stages + n_inner */
typedef struct {
    int n_stages;              /* the last one is evaluated at the end of the step */
    const double *c;           /* [n_stages]            times, in steps */
    const double *a;           /* [n_stages][n_stages]  below the diagonal; the last row is the solution */
    const double *error;       /* [n_stages]            solution less embedded solution; NULL: there is none */
    const double *error_below; /* [n_stages]            the same for one of lower order, see paired_error; NULL: there is none */
    int n_inner;               /* stages that the interpolant alone needs */
    const double *inner_c;     /* [n_inner] */
    const double *inner_a;     /* [n_inner][n_all] */
    int n_dense;               /* coefficients of the interpolant beyond those of the cubic one through both ends */
    const double *dense;       /* [n_dense][n_all] */
} Tableau;

#endif
