/* Constraint errors of subsystems as functions of their own q and u, and the projection that removes them.
 *
 * All offsets are into w; generated code fills the tables. */
#ifndef MOBOD_OWN_ERRORS_H
#define MOBOD_OWN_ERRORS_H

#include "projection.h"

/* errors [n] of one subsystem as functions of its m unknowns */
typedef struct {
    const char *name;
    int of_velocity; /* 1: errors of velocity level, with unknowns u; 0: of position level, with unknowns q */
    int n, m;
    int errors;    /* [n] */
    int unknowns;  /* [m] */
    int jacobian;  /* [n][m] */
    int workspace; /* [factor_reals(n, m) + 2 n + m], see engine/mobod/compilation/source/own_error_table.py */
} OwnErrors;

typedef struct OwnErrorTable {
    int n_blocks;
    const OwnErrors *blocks;
} OwnErrorTable;

/* Like project, for these errors alone; iterates until the errors are at most `goal`. Projection.constraint is the number of the block. */
Projection project_own(const Model *model, State *state, double tolerance, double goal, int most_iterations);

/* the largest error of these blocks in w, which is realized to STAGE_VELOCITY */
double largest_own_error(const Model *model, const State *state);

/* Subtract from an error of y [n_y] the part that project_own would remove. Leaves nothing realized from STAGE_POSITION on. */
void remove_own_normal_part(const Model *model, State *state, double *error);

#endif
