/* Which unilateral rows take part in a fixed step, and for how many steps they have. What is remembered lies in w.
 *
 * ENGAGEMENT_ARTISYNTH: a row is engaged at zero and below. Above it is let go if it moves away and has been engaged for two steps: so it
 * has taken part in two position corrections. Of the two limits of a coordinate one at most is engaged, the lower one if both are met.
 * ENGAGEMENT_PREDICTIVE: a row is engaged in steps that would take it below zero.
 *
 * Where the source lets go of a row that moves away at speed zero, the sign of round-off would decide about rows at rest. Here it moves
 * away faster than round-off does, or lies beyond its tolerance: it would be held up in the air there.
 *
 * Source: ArtiSynth Modeling Guide, section 4.10.2, and RigidBodyCoupling. */
#ifndef MOBOD_ENGAGEMENT_H
#define MOBOD_ENGAGEMENT_H

#include "model.h"
#include "state.h"
#include "unilateral_rows.h"

typedef enum { ENGAGEMENT_ARTISYNTH, ENGAGEMENT_PREDICTIVE } EngagementRule;

/* whether a distance is from a bound that there is */
int is_bound(double distance);

/* whether a row is enabled and has a bound; from POSITION on */
int row_exists(const State *state, const Contact *contact);

int is_engaged(const State *state, const Contact *contact);

/* Rows that are not where, or as fast as, the last step left them are decided anew; whether there are any. From VELOCITY on. */
int reset_changed_rows(const Model *model, State *state);

/* By distances and rates, from VELOCITY on, before a position correction; tolerances [contacts]. */
void update_engagement(const Model *model, State *state, EngagementRule rule, const double *tolerances);

/* what was engaged in the step just taken, by a mask [contacts] */
void note_predicted(const Model *model, State *state, const int *engaged);

/* at the end of a step, from VELOCITY on */
void remember_rows_at_end(const Model *model, State *state);

#endif
