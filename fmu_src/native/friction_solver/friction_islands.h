/* Problems with friction in independent parts (independent_parts.h). */
#ifndef MOBOD_FRICTION_ISLANDS_H
#define MOBOD_FRICTION_ISLANDS_H

#include "friction_program.h"
#include "independent_parts.h"

typedef struct {
    double *multipliers; /* [m] memory of the owner */
    double *y;           /* [n] memory of the owner */
    double residual;     /* the largest of all parts */
    int worst_contact;   /* of the part that has not been solved; -1: none */
    int is_cut;          /* whether the methods of bounded work were not enough for a part */
    int held;            /* if the outcome is ROWS_CONTRADICT: a row that equations hold and that contradicts them; -1: none */
    IndependentParts parts;
} FrictionSolution;

/* Solve all parts, and stop at the first that has no solution. Returns its outcome, as solve_friction_program does. */
int solve_friction_islands(FrictionProgram *program, const RowProblem *problem, FrictionSolution *solution);

#endif
