/* Which unilateral rows take part in a fixed step, and for how many steps they have. What is remembered lies in w.
 *
 * Twin of engine/mobod/simulate/velocity_level/engagement.py, where the rules and their source stand. */
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
int forget_what_was_set(const Model *model, State *state);

/* By distances and rates, from VELOCITY on, before a position correction; tolerances [contacts]. */
void update_engagement(const Model *model, State *state, EngagementRule rule, const double *tolerances);

/* what was engaged in the step just taken, by a mask [contacts] */
void note_predicted(const Model *model, State *state, const int *engaged);

/* at the end of a step, from VELOCITY on */
void leave_rows(const Model *model, State *state);

#endif
