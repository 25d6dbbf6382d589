#include "jammed_slips.h"

#include "contact_table.h"
#include "contact_work.h"
#include "contacts.h"
#include "elementary.h"
#include "event_table.h"
#include "events.h"
#include "friction_table.h"
#include "handler_actions.h"
#include "sides.h"
#include "tree.h"
#include "witnesses.h"

/* the contact of an event, or of one of its friction, or -1 */
static int contact_of_slip(const Model *model, int event) {
    const Friction *friction = friction_of(model, event);
    return friction ? friction->contact : model->contacts->contact_of_event[event];
}

Outcome resolve_jammed_slip(const Model *model, State *state, EventWork *work, double *kept, int *is_resolved, Integration *result) {
    const Integration failure = *result;
    const int contact = contact_of_slip(model, failure.culprit);
    *is_resolved = 0;
    if (contact < 0)
        return failure.outcome;
    const int event = model->contacts->contacts[contact].event;
    int has_changed = 0;
    copy_numbers(model, kept, state->w);
    if (work->hook && !work->hook(work->observer, event, -1, 0))
        return result->outcome = EVENT_STOPPED;
    if (!count_contact_event(model, state, event, 0))
        return event_failed(CONTACT_CHATTERING, model, state, event, 0, result);
    work->contacts->jammed = contact + 1;
    work->contacts->has_slid = 0;
    Outcome outcome = resolve_contacts(model, state, work->contacts, &has_changed, result);
    work->contacts->jammed = 0;
    if (outcome != INTEGRATED || !work->contacts->has_slid) {
        copy_numbers(model, state->w, kept);
        invalidate(state, STAGE_TIME);
        *result = failure;
        return failure.outcome;
    }
    result->outcome = INTEGRATED;
    if (work->hook && !work->hook(work->observer, event, -1, 1))
        return result->outcome = EVENT_STOPPED;
    outcome = observe_state(model, state, work, result);
    if (outcome == INTEGRATED)
        outcome = read_witnesses(model, state, work, result);
    for (int i = 0; i < model->events->n_witnesses; i++)
        work->crossed[i] = 0; /* of the step that failed */
    if (outcome == INTEGRATED)
        decide_sides(model, state, work, 1);
    *is_resolved = work->has_jammed = outcome == INTEGRATED;
    return result->outcome = outcome;
}
