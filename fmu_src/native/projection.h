/* Bring a State to where its constraints hold, and take from an error estimate what a projection takes away.
 *
 * Twin of engine/mobod/simulate/projection.py, where the method and its source stand. */
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

/* q of the bodies, or another array like it, -= N du for du in work->row; leaves u as it was, and nothing realized from STAGE_VELOCITY on.
 */
void subtract_N_du(const Model *model, State *state, RowWorkspace *work, double *q_like);

/* Take from an error of y [n_y], at the y that lies in w, what a projection there would take away. Leaves nothing realized from
 * STAGE_POSITION on, and q as it was but for round-off. */
void remove_normal_part(const Model *model, State *state, double *error);

#endif
