/* The engaged unilateral rows of a fixed step, and for how many steps each one has been engaged. This memory lies in w.
 *
 * ENGAGEMENT_ARTISYNTH: a row is engaged when its distance is zero or below. Above zero it is released if it moves away and has been
 * engaged for two steps, so that it has taken part in two position corrections. Of the two limits of a coordinate at most one is
 * engaged: the lower one if both are reached.
 * ENGAGEMENT_PREDICTIVE: a row is engaged in steps that would take it below zero.
 * ENGAGEMENT_AUTOMATIC: predictive if there are contacts with friction, so that a body that lands does not sink in; else as ArtiSynth.
 *
 * The source releases a row that moves away at speed zero. Then the sign of round-off would decide for rows at rest. Here a row is released
 * only if it moves away faster than round-off, or if its distance exceeds its tolerance, where the row would otherwise hold a body away
 * from its limit.
 *
 * Source: ArtiSynth Modeling Guide, section 4.10.2, and RigidBodyCoupling. */
#ifndef MOBOD_ENGAGEMENT_H
#define MOBOD_ENGAGEMENT_H

#include "contact_table.h"
#include "model.h"
#include "state.h"

typedef enum { ENGAGEMENT_ARTISYNTH, ENGAGEMENT_PREDICTIVE, ENGAGEMENT_AUTOMATIC } EngagementRule;

/* the rule of a model: one of the first two */
EngagementRule rule_of_model(const Model *model, EngagementRule rule);

int is_engaged(const State *state, const Contact *contact);

/* Mark as undecided the rows whose distance or rate differs from that at the end of the last step. Returns whether any row is undecided.
 * w must be realized to VELOCITY. */
int reset_changed_rows(const Model *model, State *state);

/* Whether unilateral rows have the distances and rates that they had at the end of the last fixed step. */
int is_at_end_of_fixed_step(const Model *model, State *state);

/* Fail with CONTACT_OUTSIDE, and the deepest, if contacts with friction overlap at the start of a run or after a value was set. A depth of
 * ten tolerances is allowed, or ten tolerances more than at the end of the last step. Rows without friction are limits of joints and
 * cables: there is one way back to the limit, and the position correction finds it. Shapes that overlap can be separated in many ways.
 * tolerances: [contacts] */
Outcome check_start_of_contacts(const Model *model, const State *state, const double *tolerances, Integration *result);

/* Determine engaged rows from distances and rates, before a position correction. w must be realized to VELOCITY. tolerances: [contacts] */
void update_engagement(const Model *model, State *state, EngagementRule rule, const double *tolerances);

/* Note the rows, of a mask [contacts], of the parts of the last problem in which a row was hit: their count of engaged steps begins again.
 */
void note_hits(const Model *model, State *state, const int *hits);

/* whether the row was among them in the last step, or was engaged in it for the first time */
int was_hit(const State *state, const Contact *contact);

/* ENGAGEMENT_PREDICTIVE: store which rows were engaged in the last step, as a mask [contacts]. */
void note_predicted(const Model *model, State *state, const int *engaged);

/* At the end of a step, store the distances and rates of rows. w must be realized to VELOCITY. */
void remember_rows_at_end(const Model *model, State *state);

/* the distance and the rate of a row at the end of the last step */
typedef struct {
    double distance, rate;
} RowAtEnd;

RowAtEnd row_at_last_end(const State *state, const Contact *contact);

#endif
