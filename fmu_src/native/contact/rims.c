#include "rims.h"

#include "contact_table.h"
#include "elementary.h"
#include "event_table.h"
#include "scales.h"
#include "tree.h"

#include <string.h>

/* MOST_TURN: rad, that the nearest point of a rim may go around in a fixed step. LEAST_LEAN: a rim whose lean changes by less does not
 * tilt, and one with a smaller lean has no nearest point. FLAT: rad, angle to the plane below which a rim counts as flat after a failure.
 * AHEAD: in time scales, for which a rim is followed after an impact. */
static const double MOST_TURN = 1, LEAST_LEAN = 1e-6, FLAT = 0.01, AHEAD = 1e-3;

/* after so many steps that are shorter than SHORT, in time scales, a run asks for a rim that lies flat */
enum { WATCHED_STEPS = 100 };
static const double SHORT = 1e-6;

void read_leans(const Model *model, const State *state, double *leans) {
    for (int i = 0; i < n_contacts(model); i++) {
        int lean = model->contacts->contacts[i].lean;
        for (int k = 0; k < 2; k++)
            leans[2 * i + k] = lean < 0 ? 0 : state->w[lean + k];
    }
}

/* the angle by which a lean has turned around; 0 if it has hardly changed */
static double turn_of(const double *a, const double *b) {
    double turn = fabs(mobod_atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]));
    return mobod_hypot(b[0] - a[0], b[1] - a[1]) > LEAST_LEAN ? turn : 0;
}

int has_turned_far(const double *before, const double *now) { return turn_of(before, now) > MOST_TURN; }

Outcome check_leans(const Model *model, const State *state, const double *before, Integration *result) {
    const double *w = state->w;
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        if (contact->lean < 0 || !(w[contact->impulse] > 0))
            continue;
        if (has_turned_far(before + 2 * i, w + contact->lean))
            return contact_failed(CONTACT_LIES_FLAT, model, state, contact, turn_of(before + 2 * i, w + contact->lean), result);
    }
    return INTEGRATED;
}

static double size_of_lean(const State *state, const Contact *contact) {
    return mobod_hypot(state->w[contact->lean], state->w[contact->lean + 1]);
}

const Contact *tilted_by_impact(const Model *model, State *state, const int *mask, double *q) {
    const size_t bytes = (size_t)model->n_q * sizeof(double);
    double *y = state->w + model->y_at;
    const Contact *tilted = NULL;
    for (int i = 0; i < n_contacts(model) && !tilted; i++) {
        const Contact *contact = model->contacts->contacts + i;
        if (!mask[i] || contact->lean < 0 || !(state->w[contact->impulse] > 0) || size_of_lean(state, contact) > LEAST_LEAN)
            continue;
        realize(model, state, STAGE_VELOCITY);
        memcpy(q, y, bytes);
        for (int k = 0; k < model->n_q; k++)
            y[k] += AHEAD * time_scale(model) * state->w[model->y_dot_at + k];
        invalidate(state, STAGE_POSITION);
        realize(model, state, STAGE_POSITION);
        if (size_of_lean(state, contact) > 2 * LEAST_LEAN)
            tilted = contact;
        memcpy(y, q, bytes);
        invalidate(state, STAGE_POSITION);
        realize(model, state, STAGE_POSITION);
    }
    return tilted;
}

/* the active rim that is nearest to lying flat, if it is near; NULL: there is none. Realizes POSITION. */
static const Contact *flattest_rim(const Model *model, State *state) {
    const Contact *flat = NULL;
    double angle = FLAT;
    realize(model, state, STAGE_POSITION);
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        if (contact->lean < 0 || state->w[contact->active] == 0)
            continue;
        double lean = size_of_lean(state, contact);
        if (lean < angle) {
            angle = lean;
            flat = contact;
        }
    }
    return flat;
}

static void watch_from(Work *work, double t) {
    work->n_watched = 0;
    work->watched_from = t;
}

int hardly_advances(const Model *model, Work *work, double t) {
    if (!model->contacts)
        return 0;
    if (t < work->watched_from || t - work->watched_from > WATCHED_STEPS * SHORT * time_scale(model))
        watch_from(work, t);
    return work->n_watched++ >= WATCHED_STEPS;
}

const Contact *stalled_on_rim(const Model *model, State *state, Work *work, double t, double step_size) {
    const int is_short = step_size < fmin(SHORT * time_scale(model), state->largest_step);
    const Contact *flat = is_short ? flattest_rim(model, state) : NULL;
    if (!flat)
        watch_from(work, t);
    return flat;
}

/* a contact that is outside its limit, if it is a rim that lies flat and has had an impact */
static const Contact *flat_rim_outside(const Model *model, State *state, int event) {
    const int number = model->contacts->contact_of_event[event];
    const Contact *contact = number < 0 ? NULL : model->contacts->contacts + number;
    if (!contact || contact->lean < 0 || !(state->w[model->events->events[event].memory + MEMORY_IMPACT_SPEED] > 0))
        return NULL;
    realize(model, state, STAGE_POSITION);
    return size_of_lean(state, contact) < FLAT ? contact : NULL;
}

const Contact *flat_contact(const Model *model, State *state, const Integration *failure) {
    if (!model->contacts)
        return NULL;
    switch (failure->outcome) {
    case CONTACT_OUTSIDE:
        return flat_rim_outside(model, state, failure->culprit);
    case NOT_FINITE:
    case TOO_INACCURATE:
    case NOT_PROJECTED:
    case MOVED_TOO_FAR:
    case TOO_MANY_STEPS:
    case CONTACT_CHATTERING:
        return flattest_rim(model, state);
    default:
        return NULL;
    }
}
