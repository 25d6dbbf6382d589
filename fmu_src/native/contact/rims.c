#include "rims.h"

#include "contact_table.h"
#include "elementary.h"
#include "tree.h"

/* MOST_TURN: rad, that the nearest point of a rim may go around in a fixed step. LEAST_LEAN: a rim whose lean changes by less does not
 * tilt. FLAT: rad, angle to the plane below which a rim counts as flat after a failure. */
static const double MOST_TURN = 1, LEAST_LEAN = 1e-6, FLAT = 0.01;

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

const Contact *flat_contact(const Model *model, State *state, Outcome failure) {
    const double *w = state->w;
    const Contact *flat = NULL;
    double angle = FLAT;
    if (failure != NOT_FINITE && failure != TOO_INACCURATE && failure != NOT_PROJECTED && failure != MOVED_TOO_FAR &&
        failure != TOO_MANY_STEPS)
        return NULL;
    realize(model, state, STAGE_POSITION);
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        if (contact->lean < 0 || w[contact->active] == 0)
            continue;
        double lean = mobod_hypot(w[contact->lean], w[contact->lean + 1]);
        if (lean < angle) {
            angle = lean;
            flat = contact;
        }
    }
    return flat;
}
