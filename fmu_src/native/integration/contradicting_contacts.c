#include "contradicting_contacts.h"

#include "contact_table.h"
#include "contact_work.h"
#include "contacts.h"
#include "elementary.h"
#include "evaluation.h"
#include "events.h"
#include "friction.h"
#include "friction_table.h"
#include "handler_actions.h"
#include "rows.h"
#include "sides.h"
#include "step.h"
#include "tree.h"
#include "unilateral_rows.h"
#include "witnesses.h"

#include <string.h>

/* s: the shortest and the longest time ahead. A contradiction must exceed the residual of solutions there. */
static const double NEAREST = 1e-8, FURTHEST = 1e-3;

/* the event of the first active contact, or of the first that sticks, whose rows contradicted others in the last evaluation; or -1 */
static int contradicting_event(const Model *model, State *state) {
    const double *misses = row_workspace(model->rows, state->w).misses;
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        if (state->w[contact->active] != 0 && misses[row_number_of(model, contact)] > 0)
            return contact->event;
    }
    for (int f = 0; f < n_frictions(model); f++)
        for (int k = 0; k < friction_at(model, f)->n; k++)
            if (misses[model->rows->blocks[friction_at(model, f)->block + k].first] > 0)
                return friction_at(model, f)->event;
    return -1;
}

/* move from y in `kept` along its rates */
static void move_ahead(const Model *model, State *state, const double *kept, const double *y_dot, double ahead) {
    double *y = state->w + model->y_at;
    for (int i = 0; i < y_size(model); i++)
        y[i] = kept[model->y_at + i] + ahead * y_dot[i];
    normalize_quaternions(model, state->w);
    set_time(model, state, kept[model->time_at] + ahead);
}

/* Whether other modes than those in `kept` are found a short time ahead, and accelerations that satisfy them. If so, they are set. */
static int has_modes_ahead(const Model *model, State *state, ContactWork *work, const double *y_dot, const double *kept, double ahead) {
    Integration ignored = {.outcome = INTEGRATED};
    move_ahead(model, state, kept, y_dot, ahead);
    if (evaluate(model, state, work->y) < 0)
        return 0; /* the contradiction is not large enough yet */
    for (int i = 0; i < n_contacts(model); i++)
        work->touching[i] = kept[model->contacts->contacts[i].active] != 0;
    if ((model->frictions ? find_modes : find_pressing)(model, state, work, work->touching, &ignored) != INTEGRATED)
        return 0;
    activate_contacts(model, state, work->pressing);
    if (model->frictions)
        apply_modes(model, state);
    int has_changed = 0;
    for (int i = 0; i < n_contacts(model); i++)
        has_changed = has_changed || work->pressing[i] != work->touching[i];
    for (int f = 0; f < n_frictions(model); f++)
        has_changed = has_changed || state->w[friction_at(model, f)->mode] != kept[friction_at(model, f)->mode];
    return has_changed && evaluate(model, state, work->y) < 0;
}

/* the modes of the first time ahead at which there are other ones; y and time stay */
static int find_modes_ahead(const Model *model, State *state, ContactWork *work, const double *y_dot, double *kept) {
    for (double ahead = NEAREST; ahead < 2 * FURTHEST; ahead *= 10) {
        int is_found = has_modes_ahead(model, state, work, y_dot, kept, ahead);
        if (is_found)
            move_to(model, state, kept[model->time_at], kept + model->y_at);
        else
            copy_numbers(model, state->w, kept);
        invalidate(state, STAGE_TIME);
        if (is_found)
            return 1;
    }
    return 0;
}

/* count the event, report it to the hook, and read the witnesses */
static Outcome note_event(const Model *model, State *state, EventWork *work, int event, Integration *result) {
    int direction = count_contact_event(model, state, event, 0);
    if (!direction)
        return event_failed(CONTACT_CHATTERING, model, state, event, 0, result);
    for (int is_done = 0; is_done <= 1; is_done++)
        if (work->hook && !work->hook(work->observer, event, direction, is_done))
            return EVENT_STOPPED;
    Outcome outcome = read_witnesses(model, state, work, result);
    if (outcome == INTEGRATED)
        decide_sides_of_contacts(model, state, work);
    return outcome;
}

Outcome resolve_contradicting_contacts(const Model *model, State *state, EventWork *work, const double *y_dot, double *kept,
                                       int *is_decided, Integration *result) {
    *is_decided = 0;
    int event = model->contacts ? contradicting_event(model, state) : -1;
    if (event < 0)
        return result->outcome;
    copy_numbers(model, kept, state->w);
    if (!find_modes_ahead(model, state, work->contacts, y_dot, kept))
        return result->outcome;
    Outcome outcome = note_event(model, state, work, event, result);
    *is_decided = outcome == INTEGRATED;
    return result->outcome = outcome;
}
