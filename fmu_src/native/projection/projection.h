/* Projection of a State onto its constraints, and of an error estimate onto their tangent space.
 *
 * Newton's method on the position errors: each step takes the shortest du that the rows relate to the errors, with dq = N du. Then the same
 * on the velocity errors. Lengths are relative to the scales of the speeds, and errors to those of their rows (scales.h). This is Simbody's
 * scheme (Eich, SIAM J. Numer. Anal. 30 (1993), on why one may project after a
 * step).
 *
 * Both iterate until round-off, whatever the tolerance is. That costs an iteration or two more; but near a singular configuration,
 * remaining errors are later divided by small numbers. The tolerance decides which errors are accepted if round-off is large.
 *
 * Redundant rows are exactly dependent where the position errors are 0, and nearly dependent close to it. The tolerance of the rank
 * therefore depends on the distance to the constraint manifold (rank_tolerance_at_distance).
 *
 * A projection removes the part of a step's error that is normal to the constraints. So the error estimate of the step leaves this part
 * out. It has the order of the step's error, and is no error of the motion along the constraints. Near a singular configuration, such as
 * a parallelogram with all bars in line, neither is true: errors are divided by the distance to it, and another branch of the motion is
 * close. So a step is refused if the projection moves it far. It is also refused if it ends there although it could end elsewhere
 * (integrators.c). */
#ifndef MOBOD_PROJECTION_H
#define MOBOD_PROJECTION_H

#include "model.h"
#include "rows.h"
#include "state.h"

/* the result of a projection */
typedef struct {
    int is_done;
    int constraint;  /* number of the constraint with the largest error; constraints of subsystems are numbered after the others */
    double error;    /* the largest remaining error of any constraint, relative to its scale; in its unit if the projection failed */
    double allowed;  /* the tolerance of that error in the same unit */
    int of_velocity; /* whether that is a velocity error */
    int first[2];    /* number of the constraint with the largest error before the projection: of positions, of velocities */
} Projection;

/* the largest error of any constraint relative to its scale, of positions and velocities; realizes the State to STAGE_VELOCITY */
double largest_constraint_error(const Model *model, State *state);

/* For changes by a projection: set work->G to that of enabled rows relative to the scales (scales.h); or to that of positions, work->errors
 * to their errors, and the distance from the constraints, which determines the tolerance of the rank. */
void scaled_matrix(const Model *model, State *state, int of_velocity, RowWorkspace *work);
void scaled_rows(const Model *model, State *state, RowWorkspace *work, double *distance);

/* Set work->row to the shortest change of coordinates, or of speeds, with G du = work->errors; returns whether there is one. */
int solve_for_scaled_du(const Model *model, State *state, RowWorkspace *work, double distance, int of_velocity);

/* Note the errors of enabled rows that exceed the tolerance, which a step of bounded work leaves to the next one. */
void note_constraint_errors(const Model *model, State *state, double tolerance, int of_velocity);

/* whether the model has constraints */
int has_constraints(const Model *model);

/* the name of a constraint, by its number */
const char *constraint_name(const Model *model, int constraint);

/* Change q, then u, by the smallest changes such that no position error and no velocity error exceeds the tolerance. Changes nothing if
 * there is no error. If it fails, q and u have their last iterates. */
Projection project(const Model *model, State *state, double tolerance);

/* Change only the u of the bodies; see project. */
Projection project_velocities(const Model *model, State *state, double tolerance);

/* Change only q; see project. */
Projection project_positions(const Model *model, State *state, double tolerance);

/* Near a singular configuration, some rows of constraints become dependent or vanish that are independent elsewhere.
 *
 * A loop of bars that are nearly in line has a direction along which the errors hardly change: s times as much as along other
 * directions, if its angles are s away from the line. The remaining position errors, e relative to the size of the rows, move the
 * coordinates along this direction by e / s. Since s changes at the rate of the speeds, the speeds must change by u e / s^2 for the
 * velocity errors to be 0. */
typedef struct {
    double distance;   /* s, at most 1; 1 far from a singular configuration. Rows that are dependent everywhere do not count */
    double inaccuracy; /* e / s^2, the inaccuracy of speeds relative to their size */
} Singularity;

/* evaluated at the State, which it realizes at least to STAGE_VELOCITY */
Singularity singularity(const Model *model, State *state);

/* q_like -= N du, for du in work->row. q_like is the bodies' q, or an array of the same layout. Leaves u unchanged, and nothing realized
 * from STAGE_VELOCITY on. */
void subtract_N_du(const Model *model, State *state, RowWorkspace *work, double *q_like);

/* Subtract from an error of y [n_y], at the y in w, the part that a projection would remove. Leaves nothing realized from STAGE_POSITION
 * on, and q unchanged except for round-off. */
void remove_normal_part(const Model *model, State *state, double *error);

#endif
