/* Many runs of one model, each a Simulation: each goes to its end by itself, events included, and writes its outputs at report times.
 *
 * A run gives the same bits as mobod.Simulation gives for it, whatever its companions are. */
#ifndef MOBOD_ENSEMBLE_H
#define MOBOD_ENSEMBLE_H

#include "member.h"

/* Advance each member that has not ended to its end, or by n_steps steps in this call. */
MOBOD_API void ensemble_advance(int n, Member *members, int n_steps);

/* Set w of each member at n_numbers offsets to its row of values [n][n_numbers]. stage: the first stage that depends on them. */
MOBOD_API void ensemble_set(int n, const Member *members, int n_numbers, const int *at, const double *values, int stage);

/* Read w of each member at n_numbers offsets: rows of values [n][n_numbers] */
MOBOD_API void ensemble_get(int n, const Member *members, int n_numbers, const int *at, double *values);

/* Read outputs of each member at its present State, as simulation_output does: rows [n][outputs]. They are NaN where a sweep fails. */
MOBOD_API void ensemble_read(int n, const Member *members, const Outputs *outputs, double *rows);

/* The same as ensemble_advance for one member. It may be called for a member at the end of any step. */
void advance_member(Member *member, int n_steps);

/* Its parts. A member is advanced by pieces: by take_piece; or by begin_piece, `integrate` to member->t_end with member->step_taken and its
 * Simulation (at velocity level: `take_fixed_steps` of member->piece), and end_piece. */

/* begin, if it has not begun; returns whether it can advance */
int begin_call(Member *member);
/* The number of steps that the next piece may take; 0 if there is none in this call. Ends the member if it has reached its end. */
int steps_left(Member *member, int n_steps);
/* these return whether the member has failed */
int take_piece(Member *member, int n_steps);
int end_piece(Member *member, Integration integration);
/* Returns 0 if there are no steps to take; then end_piece follows with member->progress.integration. */
int begin_piece(Member *member, int n_steps);

/* Whether a member has more to do: it has not ended, and the caller is not to set tangents first. */
static inline int can_advance(const Member *member) { return !member->has_ended && !member->progress.wants_tangents; }

#endif
