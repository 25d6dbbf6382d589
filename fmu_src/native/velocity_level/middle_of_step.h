/* The middle of a fixed step at velocity level, to which an explicit half step leads:
 *
 *     q_m = q + h/2 N(q) u,   u_m = u + h/2 u_dot,   z_m = z + h/2 z_dot,   t_m = t + h/2.
 *
 * u_dot is the acceleration of the State at the start: rows that press are equations, and rows with friction carry the mean forces of the
 * last step. u_m appears only in forces and in terms of the second degree in speeds, so that its error of the order of h^2 is small enough
 * for steps of second order. Two kinds of forces would not do:
 *
 *     impulses of impacts, which are no forces that go on: contacts that were hit in the last step carry none here;
 *     forces of stiff compliant rows, which an explicit step would overshoot: these are divided by 1 + k, with k = (h/2 D + h^2/4 / C) A,
 *     and A the acceleration of the row per unit of its force, as if each row alone were integrated implicitly. */
#ifndef MOBOD_MIDDLE_OF_STEP_H
#define MOBOD_MIDDLE_OF_STEP_H

#include "compliant_rows.h"
#include "model.h"
#include "state.h"
#include "unilateral_rows.h"

/* values at the start of a step; the owner provides the memory */
typedef struct {
    double *y;                 /* [n_y] */
    double *distances, *rates; /* [contacts] */
    int *taken;                /* [3 frictions] mask of rows that carry nothing on the way to the middle */
} StartOfStep;

/* Store them, the distances and rates of compliant rows, and which friction slips. Realizes VELOCITY. */
void note_start_of_step(const Model *model, State *state, ContactWork *rows, StartOfStep *start, CompliantStep *compliant);

/* The distances and rates of unilateral rows, and the slips, alone: once more after slots were decided. */
void note_rows_at_start(const Model *model, State *state, ContactWork *rows, StartOfStep *start);

/* Compute y at the middle [n_y] from the State at the start, which does not change. Entries that are not finite are left to the step. */
void find_middle(const Model *model, State *state, StartOfStep *start, CompliantStep *compliant, double h, double *y_middle);

/* Move the State to the middle. Fails with ZERO_QUATERNION. */
Outcome move_to_middle(const Model *model, State *state, double h, const double *y_middle, Integration *result);

#endif
