#include "engagement.h"

#include "contact_arithmetic.h"
#include "contact_pool.h"
#include "contact_slots.h"
#include "contact_table.h"
#include "elementary.h"
#include "friction_table.h"
#include "rows.h"
#include "state_sizes.h"
#include "tree.h"

#include <float.h>

/* RELEASE_SPEED, relative to the scale of a rate and |u|: slower rows are not released, since that may be round-off; RESIDUAL_SPEED: the
 * same if there is friction, whose impulses are solved by iterations. SAME, relative to the scale and |value|: two values that differ by
 * less count as equal. */
static const double RELEASE_SPEED = 1e-12, RESIDUAL_SPEED = 1e-8, SAME = 1e-12;
static const double OVERLAP = 10; /* tolerances; shapes that overlap by more at the start are an error */

static double *engagement_of(const Contact *contact, State *state) { return state->w + contact->engagement; }

EngagementRule rule_of_model(const Model *model, EngagementRule rule) {
    int any = 0;
    for (int i = 0; i < n_contacts(model); i++)
        any = any || has_friction(model, i);
    return rule != ENGAGEMENT_AUTOMATIC ? rule : any ? ENGAGEMENT_PREDICTIVE : ENGAGEMENT_ARTISYNTH;
}

int is_engaged(const State *state, const Contact *contact) { return is_engaged_in(contact, state->w) != 0; }

static int differ(double a, double b, double scale) { return fabs(a - b) > SAME * (scale + fabs(a)); }

int reset_changed_rows(const Model *model, State *state) {
    const int any_pair = reset_changed_pairs(model, state), any_pool = reset_changed_pools(model, state);
    int any = any_pair || any_pool;
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        double *memory = engagement_of(contact, state);
        int was_set = differ(state->w[contact->distance], memory[LAST_DISTANCE], scale_of_distance(model, contact)) ||
                      differ(state->w[contact->rate], memory[LAST_RATE], scale_of_speed(model, contact));
        if (was_set && row_exists_in_fixed_steps(state, contact))
            memory[COUNT] = UNDECIDED;
        any = any || memory[COUNT] == UNDECIDED;
    }
    return any;
}

int is_at_end_of_fixed_step(const Model *model, State *state) {
    realize(model, state, STAGE_VELOCITY);
    return model->contacts && !reset_changed_rows(model, state);
}

Outcome check_start_of_contacts(const Model *model, const State *state, const double *tolerances, Integration *result) {
    const double *w = state->w;
    const Contact *deepest = 0;
    double excess = 0;
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        const double *memory = w + contact->engagement;
        if (!has_friction(model, i) || !row_exists_in_fixed_steps(state, contact) || memory[COUNT] != UNDECIDED)
            continue;
        double least = fmin(memory[LAST_DISTANCE], 0) - OVERLAP * tolerances[i];
        if ((least - w[contact->distance]) / scale_of_distance(model, contact) > excess) {
            excess = (least - w[contact->distance]) / scale_of_distance(model, contact);
            deepest = contact;
        }
    }
    return deepest ? contact_failed(CONTACT_OUTSIDE, model, state, deepest, w[deepest->distance], result) : INTEGRATED;
}

void update_engagement(const Model *model, State *state, EngagementRule rule, const double *tolerances) {
    const Contact *contacts = model->contacts->contacts;
    const double *w = state->w;
    double slowest = (model->frictions ? RESIDUAL_SPEED : RELEASE_SPEED) * size_of_u(model, state);
    for (int i = 0; i < model->contacts->n && rule == ENGAGEMENT_PREDICTIVE; i++)
        forget_undecided(contacts + i, state->w);
    if (rule == ENGAGEMENT_PREDICTIVE)
        return;

    /* of a face that lies on a plane all corners are engaged, though round-off makes some distances positive */
    double met = model->frictions ? SAME : 0;

    /* Of the two limits of a coordinate, the first one that is reached is engaged, and the other is not. Lower limits come first. */
    for (int i = 0; i < model->contacts->n; i++) {
        const Contact *contact = contacts + i, *other = contact->opposite < 0 ? NULL : contacts + contact->opposite;
        int is_met = row_exists_in_fixed_steps(state, contact) && w[contact->distance] <= met * scale_of_distance(model, contact);
        int is_met_by_other =
            other && row_exists_in_fixed_steps(state, other) && w[other->distance] <= met * scale_of_distance(model, other);
        double *memory = engagement_of(contact, state), rate = w[contact->rate];
        if (is_met && is_met_by_other && contact->opposite < i)
            is_met = 0;
        if (is_met_by_other && !is_met)
            memory[COUNT] = 0;
        double noise = slowest * scale_of_speed(model, contact);
        int moves_away = rate > noise || (rate >= -noise && w[contact->distance] > tolerances[i]);
        int is_let_go = memory[COUNT] == UNDECIDED || (memory[COUNT] > 1 && moves_away);
        count_engagement(contact, state->w, row_exists_in_fixed_steps(state, contact) && (is_met || (memory[COUNT] > 0 && !is_let_go)));
    }
}

void note_hits(const Model *model, State *state, const int *hits) {
    for (int i = 0; i < n_contacts(model); i++)
        note_hit(model->contacts->contacts + i, state->w, hits[i]);
}

int was_hit(const State *state, const Contact *contact) { return was_hit_in(contact, state->w) != 0; }

void note_predicted(const Model *model, State *state, const int *engaged) {
    for (int i = 0; i < n_contacts(model); i++)
        count_engagement(model->contacts->contacts + i, state->w, engaged[i]);
}

void remember_rows_at_end(const Model *model, State *state) {
    remember_pairs(model, state);
    remember_pools(model, state);
    for (int i = 0; i < n_contacts(model); i++)
        remember_row(model->contacts->contacts + i, state->w);
}

RowAtEnd row_at_last_end(const State *state, const Contact *contact) {
    const double *memory = state->w + contact->engagement;
    return (RowAtEnd){memory[LAST_DISTANCE], memory[LAST_RATE]};
}
