/* Bring a State to where its constraints hold, and take from an error estimate what a projection takes away.
 *
 * Newton's method on the position errors, each step the shortest du that the rows take to the errors, with dq = N du; then the same on the
 * velocity errors. Simbody's scheme with unit weights (Eich, SIAM J. Numer. Anal. 30 (1993), on why one may project after a step).
 *
 * Both go on until round-off, whatever is tolerated: that costs an iteration or two, and what a projection leaves is divided by small
 * numbers later beside a singular configuration. The tolerance says which errors are accepted where round-off is large.
 *
 * Redundant rows depend on each other where the position errors are 0, and beside it nearly. What of the rows is judged to be one is judged
 * by how far away it still is (rank_tolerance_beside).
 *
 * The error estimate of a step leaves out what a projection takes away, since that is of the order of the step's error and no error of the
 * motion along the constraints. Neither holds beside a singular configuration, such as a parallelogram with all bars in line: errors are
 * divided by how far away it is, and the other way on from there is near. So a step that a projection moves far is refused, and so is one
 * that ends there though it could end elsewhere (integrators.c). */
#ifndef MOBOD_PROJECTION_H
#define MOBOD_PROJECTION_H

#include "model.h"
#include "rows.h"
#include "state.h"

/* how a projection went */
typedef struct {
    int is_done;
    int constraint;  /* number of the one with the largest error; those of subsystems follow the others */
    double error;    /* the largest that is left, of any constraint */
    int of_velocity; /* whether that is one of velocities */
    int first[2];    /* number of the constraint whose error was largest before, of positions and of velocities */
} Projection;

/* whether there is anything to project */
int has_constraints(const Model *model);

/* by its number */
const char *constraint_name(const Model *model, int constraint);

/* Change q, then u, as little as can be, until no position and no velocity error is larger than the tolerance. Where there is nothing to
 * be done nothing is changed. If it fails, q and u are where it came to. */
Projection project(const Model *model, State *state, double tolerance);

/* Change the matter's u alone; see project. */
Projection project_velocities(const Model *model, State *state, double tolerance);

/* Change q alone; see project. */
Projection project_positions(const Model *model, State *state, double tolerance);

/* Beside a singular configuration, where rows of constraints depend on each other or vanish that do not elsewhere.
 *
 * A loop of bars that are nearly in line has a direction along which the errors hardly change: by s of what they change along others, when
 * its angles are s away from the line. What is left of the position errors, e of the size of the rows, moves the coordinates along it by e
 * / s; as s changes at the rate of the speeds, they must change by u e / s^2 for the velocity errors to be 0. */
typedef struct {
    double distance;   /* s, at most 1; 1 far from a singular configuration. Rows that depend on each other elsewhere too do not count */
    double inaccuracy; /* e / s^2, of speeds relative to their size */
} Singularity;

/* at the State, which it realizes to STAGE_VELOCITY at least */
Singularity singularity(const Model *model, State *state);

/* q of the bodies, or another array like it, -= N du for du in work->row; leaves u as it was, and nothing realized from STAGE_VELOCITY on.
 */
void subtract_N_du(const Model *model, State *state, RowWorkspace *work, double *q_like);

/* Take from an error of y [n_y], at the y that lies in w, what a projection there would take away. Leaves nothing realized from
 * STAGE_POSITION on, and q as it was but for round-off. */
void remove_normal_part(const Model *model, State *state, double *error);

#endif
