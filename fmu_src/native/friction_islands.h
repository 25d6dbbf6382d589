/* Problems with friction in independent parts: contacts that share no body are solved apart, so that the cost grows linearly with them.
 *
 * Two rows belong to one part if a speed takes part in both, directly or by further rows; the three rows of a contact belong together. */
#ifndef MOBOD_FRICTION_ISLANDS_H
#define MOBOD_FRICTION_ISLANDS_H

#include "friction_program.h"

/* a problem as solve_friction_program takes it; start may be NULL */
typedef struct {
    int n, m, n_equations, n_boxes, n_contacts;
    const double *B, *a, *size, *lower, *upper, *mu, *start, *slip;
} FrictionProblem;

typedef struct {
    double *multipliers; /* [m] */
    double *y;           /* [n] */
    double residual;     /* the largest of all parts */
    int worst_contact;   /* of the part that has not been solved; -1: none */
    int held;            /* if the outcome is ROWS_CONTRADICT: a row that equations hold and that contradicts them; -1: none */
    double *reals;       /* workspace of the owner: friction_island_reals */
    int *integers;       /* friction_island_integers */
} FrictionSolution;

/* the workspace for up to m rows in n dimensions, with up to n_contacts contacts */
size_t friction_island_reals(int n, int m, int n_contacts);
size_t friction_island_integers(int n, int m, int n_contacts);

/* Solve all parts, and stop at the first that has no solution. Returns its outcome, as solve_friction_program does. */
int solve_friction_islands(FrictionProgram *program, const FrictionProblem *problem, FrictionSolution *solution);

#endif
