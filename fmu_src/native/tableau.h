/* Coefficients of embedded explicit Runge-Kutta pairs whose last stage is the first of the next step. */
#ifndef MOBOD_TABLEAU_H
#define MOBOD_TABLEAU_H

typedef struct {
    int n_stages;        /* the last one is evaluated at the end of the step */
    int order;           /* of the error estimate: one less than that of the solution */
    const double *c;     /* [n_stages]            times, in steps */
    const double *a;     /* [n_stages][n_stages]  below the diagonal; the last row is the solution */
    const double *error; /* [n_stages]            solution less embedded solution */
    const double *dense; /* [n_stages]            highest coefficient of the interpolant */
} Tableau;

#define MAX_TABLEAU_STAGES 7

extern const Tableau dormand_prince_54;

#endif
