#include "bounces.h"

#include "contact_work.h"
#include "elementary.h"
#include "event_table.h"
#include "late_impacts.h"
#include "rest_of_contacts.h"
#include "rows.h"
#include "state_sizes.h"

/* CAPTURED: relative to the largest impact speed of a row; slower impacts do not bounce.
 * NOISE: relative to the scale of a rate and |u|; rows that approach more slowly do not impact. */
static const double CAPTURED = 1e-6, NOISE = 1e-12;

double *memory_of_contact(const Model *model, State *state, const Contact *contact) {
    return state->w + model->events->events[contact->event].memory;
}

double rate_noise(const Model *model, const State *state, const Contact *contact) {
    return scale_of_speed(model, contact) * (NOISE * size_of_u(model, state));
}

double capture_speed(const Model *model, State *state, const Contact *contact, double speed) {
    const double *memory = memory_of_contact(model, state, contact);
    double captured = fmax(least_capture_speed(model, state, contact), CAPTURED * fmax(memory[MEMORY_IMPACT_SPEED], speed));
    return captured * mobod_pow(10, memory[MEMORY_RAISED]);
}

double slowest_impact(const Model *model, State *state, const Contact *contact) {
    return fmax(rest_speed(model, state, contact), capture_speed(model, state, contact, 0));
}

static double restitution_of(const Model *model, State *state, const Contact *contact, double speed) {
    /* model exchange has no bounce that is slower, either: it would end at once, without the friction of this impulse */
    double restitution = state->w[contact->restitution], slower = state->interface_type == MODEL_EXCHANGE ? fmin(restitution, 1) : 1;
    return slower * speed > capture_speed(model, state, contact, speed) ? restitution : 0;
}

double bounce_of(const Model *model, State *state, ContactWork *work, int contact, double speed) {
    const Contact *row = model->contacts->contacts + contact;
    LateImpact *late = work->late + contact;
    if (late->speed > 0)
        return bounce_of_late_impact(late, restitution_of(model, state, row, late->speed));
    if (speed <= work->slow[contact])
        return 0;
    return restitution_of(model, state, row, speed) * speed;
}

int is_repeated(int n, const double *rates, const double *earlier_rates) {
    int at = 0;
    for (int i = 1; i < n; i++)
        if (fabs(earlier_rates[i]) > fabs(earlier_rates[at]))
            at = i;
    double factor = earlier_rates[at] != 0 ? rates[at] / earlier_rates[at] : 0, allowed = SAME_RATIO * fabs(rates[at]);
    int repeats = 0 < factor && factor < 1 - SAME_RATIO;
    for (int i = 0; i < n; i++)
        repeats = repeats && fabs(rates[i] - factor * earlier_rates[i]) <= allowed;
    return repeats;
}

int are_in_turn(const Model *model, const State *state, const int *mask) {
    int any = 0;
    for (int i = 0; i < n_contacts(model); i++)
        any = any || (mask[i] && state->w[model->contacts->contacts[i].restitution] > 0);
    return any && state->impacts == IMPACTS_SEQUENTIAL;
}

void note_ambiguous(const Model *model, State *state, const Contact *contact) {
    double *memory = memory_of_contact(model, state, contact);
    memory[MEMORY_N_AMBIGUOUS]++;
    memory[MEMORY_AMBIGUOUS_AT] = state->w[model->time_at];
}

void note_sliding_impact(const Model *model, State *state, const Contact *contact) {
    double *memory = memory_of_contact(model, state, contact);
    memory[MEMORY_N_SLIDING]++;
    memory[MEMORY_SLIDING_AT] = state->w[model->time_at];
}

void note_impulses_of_impacts(const Model *model, State *state, const ContactWork *work) {
    const ContactTable *contacts = model->contacts;
    for (int i = 0; i < contacts->n; i++)
        if (work->touching[i]) {
            const Contact *contact = contacts->contacts + i;
            for (int k = contact->first; k < contact->first + contact->n; k++)
                state->w[contacts->contacts[k].impulse] = work->impulses[row_number_of(model, contacts->contacts + k)];
        }
}
