/* Constraint errors of subsystems over their own q and u: bring these to where the errors are 0.
 *
 * Offsets are into w; generated code fills the tables. */
#ifndef MOBOD_OWN_ERRORS_H
#define MOBOD_OWN_ERRORS_H

#include "projection.h"

/* errors [n] of one subsystem over its m unknowns */
typedef struct {
    const char *name;
    int of_velocity; /* whether they are errors of u, over u; otherwise of q */
    int n, m;
    int errors;    /* [n] */
    int unknowns;  /* [m] */
    int jacobian;  /* [n][m] */
    int workspace; /* [factor_reals(n, m) + 2 n + m], see engine/mobod/system/allocating.py */
} OwnErrors;

typedef struct OwnErrorTable {
    int n_blocks;
    const OwnErrors *blocks;
} OwnErrorTable;

/* As project, of these errors alone; `goal`: until which errors it goes on. Projection.constraint is the number of the block. */
Projection project_own(const Model *model, State *state, double tolerance, double goal, int most_iterations);

/* take from an error of y [n_y] what project_own would take away; leaves nothing realized from STAGE_POSITION on */
void remove_own_normal_part(const Model *model, State *state, double *error);

#endif
