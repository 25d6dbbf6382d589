#include "contacts.h"

#include "elementary.h"
#include "events.h"
#include "impact.h"
#include "projection.h"
#include "rows.h"
#include "tree.h"

#include <float.h>
#include <string.h>

/* TIMESCALE: s, SimTK's default; CAPTURED: of the largest speed with which a row was met; MOMENT: s, within which ENDLESS impacts or
 * releases of a row raise its capture speed; STILL: of 1 + |u|, a row that moves by less is at rest, and one that approaches by less than
 * NOISE does not impact; OUTSIDE: tolerances, what is farther below zero is no round-off */
static const double TIMESCALE = 0.1, CAPTURED = 1e-6, MOMENT = 1e-6 * 0.1, STILL = 1e-9, NOISE = 1e-12, OUTSIDE = 10;
static const double FAR = DBL_MAX / 2;
enum { ENDLESS = 100, MOST_RAISED = 12 };

static double *memory_of(const Model *model, State *state, const Contact *contact) {
    return state->w + model->events->events[contact->event].memory;
}

static double largest_speed(const Model *model, const State *state) { return largest(state->w + model->y_at + model->n_q, model->n_u); }

/* a row that moves by less is at rest */
static double still(const Model *model, const State *state) {
    return fmax(STILL * (1 + largest_speed(model, state)), state->constraint_tolerance);
}

double rest_noise(const Model *model, const State *state, const Contact *contact, double distance, double rate) {
    double tolerance = state->constraint_tolerance;
    int is_at_rest = state->w[contact->active] == 0 && fabs(distance) <= tolerance && fabs(rate) <= still(model, state);
    return is_at_rest ? 2 * tolerance : 0;
}

int count_contact(const Model *model, State *state, const Contact *contact) {
    double *memory = memory_of(model, state, contact), time = state->w[model->time_at];
    memory[MEMORY_LAST] = time;
    if (time - memory[MEMORY_SINCE] > MOMENT) {
        memory[MEMORY_SINCE] = time;
        memory[MEMORY_N_SHORT] = memory[MEMORY_RAISED] = 0;
    }
    memory[MEMORY_N_SHORT]++;
    if (memory[MEMORY_N_SHORT] > ENDLESS) {
        memory[MEMORY_N_SHORT] = 0;
        memory[MEMORY_RAISED]++;
        if (memory[MEMORY_RAISED] > MOST_RAISED)
            return 0;
    }
    return state->w[contact->active] != 0 ? 1 : -1;
}

/* below it a row that is met is at rest: so bounces end, and the rocking from one row to another */
static double capture_speed(const Model *model, State *state, const Contact *contact, double speed) {
    const double *memory = memory_of(model, state, contact);
    double captured = fmax(2 * state->constraint_tolerance / TIMESCALE, CAPTURED * fmax(memory[MEMORY_IMPACT_SPEED], speed));
    return captured * mobod_pow(10, memory[MEMORY_RAISED]);
}

static double bounce_of(const Model *model, State *state, const Contact *contact, double speed) {
    return speed > capture_speed(model, state, contact, speed) ? state->w[contact->restitution] : 0;
}

/* ---- impacts ---- */

/* the impulses z of the rows that were taken, by their numbers among all; and the speeds */
static void apply(const Model *model, State *state, ContactWork *work, int m, const double *z) {
    const RowTable *table = model->rows;
    memset(work->impulses, 0, (size_t)table->n_rows * sizeof(double));
    for (int i = 0; i < m; i++)
        work->impulses[work->lines[i]] = z[i];
    find_response(model, state, work);
    for (int k = 0; k < table->nu; k++)
        state->w[table->u + k] += work->change[k];
    invalidate(state, STAGE_VELOCITY);
}

static Outcome impact(const Model *model, State *state, ContactWork *work, Integration *result) {
    const ContactTable *contacts = model->contacts;
    double *w = state->w, noise = NOISE * (1 + largest_speed(model, state));
    int any = 0;
    for (int i = 0; i < contacts->n; i++)
        any = any || (work->touching[i] && w[contacts->contacts[i].rate] < -noise);
    if (!any)
        return INTEGRATED;

    /* what the rows have, and how much of it is to come back */
    realize(model, state, STAGE_DYNAMICS);
    int n_equations, m = take_rows(model, state, work, work->touching, NULL, ROWS_OF_ALL_LEVELS, &n_equations), next = n_equations;
    memset(work->bound, 0, (size_t)m * sizeof(double));
    memset(work->bounce, 0, (size_t)m * sizeof(double));
    read_velocity_errors(model, state, work->before);
    for (int i = 0; i < contacts->n; i++)
        if (work->touching[i]) {
            double rate = w[contacts->contacts[i].rate];
            work->before[next] = rate < -noise ? rate : fmax(rate, 0);
            work->bounce[next] = bounce_of(model, state, contacts->contacts + i, -rate) * -fmin(work->before[next], 0);
            next++;
        }
    for (int i = 0; i < m; i++)
        work->noise[i] = NOISE * fabs(work->before[i]);
    Outcome outcome = solve_without_gain(model, state, work, m, n_equations, result);
    if (outcome != INTEGRATED)
        return outcome;

    /* the speeds, and what is remembered of it */
    apply(model, state, work, m, work->z);
    for (int i = 0; i < contacts->n; i++)
        if (work->touching[i]) {
            const Contact *contact = contacts->contacts + i;
            double *memory = memory_of(model, state, contact);
            memory[MEMORY_IMPACT_SPEED] = fmax(memory[MEMORY_IMPACT_SPEED], -w[contact->rate]);
            for (int k = contact->first; k < contact->first + contact->n; k++)
                w[contacts->contacts[k].impulse] = work->impulses[line_of(model, contacts->contacts + k)];
        }
    return INTEGRATED;
}

/* what rates are left of rows that are at rest, those of `pushing`: a projection, which knows of no masses, might add energy */
static Outcome stop(const Model *model, State *state, ContactWork *work, Integration *result) {
    const ContactTable *contacts = model->contacts;
    double *w = state->w, noise = NOISE * (1 + largest_speed(model, state));
    int any = 0;
    for (int i = 0; i < contacts->n; i++)
        any = any || (work->pushing[i] && fabs(w[contacts->contacts[i].rate]) > noise);
    if (!any)
        return INTEGRATED;
    realize(model, state, STAGE_DYNAMICS);
    int n_equations, m = take_rows(model, state, work, work->pushing, NULL, ROWS_OF_ALL_LEVELS, &n_equations), next = n_equations;
    read_velocity_errors(model, state, work->a);
    for (int i = 0; i < contacts->n; i++)
        if (work->pushing[i])
            work->a[next++] = w[contacts->contacts[i].rate];
    for (int i = 0; i < m; i++)
        work->size[i] = fabs(work->a[i]);
    Outcome outcome = solve_unilateral(model, state, work, m, m, result);
    if (outcome == INTEGRATED)
        apply(model, state, work, m, work->rows.multipliers);
    return outcome;
}

/* ---- all of it ---- */

static Outcome check_projected(const Model *model, const State *state, Projection projection, Integration *result) {
    if (projection.is_done)
        return INTEGRATED;
    result->outcome = CONTACT_NOT_PROJECTED;
    result->constraint = projection.constraint;
    result->culprit = model->contacts->contacts[0].event;
    result->time = state->w[model->time_at];
    result->value = projection.error;
    return CONTACT_NOT_PROJECTED;
}

Outcome resolve_contacts(const Model *model, State *state, ContactWork *work, int *has_changed, Integration *result) {
    const ContactTable *contacts = model->contacts;
    double *w = state->w, tolerance = state->constraint_tolerance;
    size_t n_y = (size_t)y_size(model) * sizeof(double);
    int any = 0, is_below = 0;
    memcpy(work->y, w + model->y_at, n_y);
    for (int i = 0; i < contacts->n; i++)
        work->were_held[i] = w[contacts->contacts[i].active] != 0;

    /* which rows are met */
    release_contacts(model, state);
    Outcome outcome = check_projected(model, state, project(model, state, tolerance), result);
    if (outcome != INTEGRATED)
        return outcome;
    realize(model, state, STAGE_VELOCITY);
    for (int i = 0; i < contacts->n; i++) {
        const Contact *contact = contacts->contacts + i;
        double distance = w[contact->distance];
        int exists = w[contact->enabled] != 0 && distance < FAR;
        if (exists && distance < -OUTSIDE * tolerance) {
            contact_failed(CONTACT_OUTSIDE, model, state, contact, distance, result);
            result->constraint = -1;
            return CONTACT_OUTSIDE;
        }
        work->touching[i] = exists && distance <= (work->were_held[i] ? OUTSIDE : 1) * tolerance;
        any = any || work->touching[i];
        is_below = is_below || (work->touching[i] && distance < -tolerance / 2);
    }

    if (any) {
        if (is_below) {
            hold_contacts(model, state, work->touching);
            outcome = check_projected(model, state, project_positions(model, state, tolerance), result);
            release_contacts(model, state);
        }
        if (outcome == INTEGRATED)
            outcome = impact(model, state, work, result);
        realize(model, state, STAGE_VELOCITY);
        for (int i = 0; i < contacts->n; i++) {
            const Contact *contact = contacts->contacts + i;
            double slow = fmax(still(model, state), capture_speed(model, state, contact, 0));
            work->touching[i] = work->touching[i] && fabs(w[contact->rate]) <= slow;
        }
        if (outcome == INTEGRATED)
            outcome = find_pushing(model, state, work, work->touching, result);
        if (outcome == INTEGRATED)
            outcome = stop(model, state, work, result);
        if (outcome != INTEGRATED)
            return outcome;
        hold_contacts(model, state, work->pushing);
        outcome = check_projected(model, state, project(model, state, tolerance), result);
    }
    *has_changed = memcmp(work->y, w + model->y_at, n_y) != 0;
    for (int i = 0; i < contacts->n; i++)
        *has_changed = *has_changed || work->were_held[i] != (w[contacts->contacts[i].active] != 0);
    return outcome;
}
