#include "sliding_impacts.h"

#include "bounces.h"
#include "chosen_friction.h"
#include "contact_table.h"
#include "elementary.h"
#include "event_table.h"
#include "friction.h"
#include "friction_stops.h"
#include "friction_table.h"
#include "given_friction.h"
#include "tree.h"
#include "unilateral_rows.h"

#include <string.h>

/* FIRST: the first h, relative to the time in which accelerations change speeds by as much as they are; the next ones are longer by GROWTH.
 * Rows are measured in the norm of M. SAME: relative, of impulses of two h that have a limit; without one they are proportional to h.
 * LEAST: of the change of speeds, relative to the fastest slip. INTO: speed into a bound that counts as zero, relative to the same. */
static const double FIRST = 1e-6, GROWTH = 10, SAME = 0.1, LEAST = 1e-3, INTO = 1e-8;
enum { MOST_TIMES = 4, MOST_IMPACTS = 20 };

/* ---- the rows of a problem ---- */

static double length_of(const ContactWork *work, int row) {
    const double *B = row_of_B(work, row);
    return sqrt(dot_along_pattern(work->patterns + row, B, B));
}

/* Set work->change to B z, and return its length: the norm of the change of speeds, in the norm of M. */
static double set_change(ContactWork *work, int m, const double *z) {
    memset(work->change, 0, (size_t)work->width * sizeof(double));
    for (int i = 0; i < m; i++)
        add_along_pattern(work->patterns + i, work->change, z[i], row_of_B(work, i));
    double squares = 0;
    for (int k = 0; k < work->width; k++)
        squares += work->change[k] * work->change[k];
    return sqrt(squares);
}

/* whether it is the row of a normal of the problem */
static int is_normal(const Model *model, const ContactWork *work, int row) {
    for (int i = 0; i < n_contacts(model); i++)
        if (work->touching[i] && work->row_of_contact[i] == row)
            return 1;
    return 0;
}

/* Set work->before to the rates of the rows, and work->total to how fast these change without impulses. Returns the number of rows. */
static int set_rates(const Model *model, State *state, ContactWork *work, int jammed, int *n_equations) {
    const ContactTable *contacts = model->contacts;
    release_contacts(model, state);
    give_no_friction(model, state); /* a force gives no impulse */
    realize(model, state, STAGE_ACCELERATION);
    select_touching(model, state, work, work->touching);
    const int m = assemble_rows(model, state, work, work->touching, NULL, ROWS_OF_ALL_LEVELS, n_equations);
    read_free_accelerations(model, state, work, m);
    memcpy(work->total, work->a, (size_t)m * sizeof(double));
    memset(work->before, 0, (size_t)m * sizeof(double));
    if (jammed >= 0 && work->touching[jammed])
        work->total[work->row_of_contact[jammed]] = -work->size[work->row_of_contact[jammed]];
    for (int i = 0; i < contacts->n; i++)
        if (work->touching[i])
            work->before[work->row_of_contact[i]] = fmax(0, state->w[contacts->contacts[i].rate]);
    read_slips(model, state, work, work->before);
    return m;
}

/* ---- the limit of the impulses ---- */

/* the impulses for a time h, into z */
static int are_impulses_found(const Model *model, const State *state, ContactWork *work, int m, int n_equations, double h, double *z) {
    Integration ignored = {.outcome = INTEGRATED};
    for (int i = 0; i < m; i++) {
        work->a[i] = work->before[i] + h * work->total[i];
        work->size[i] = fabs(work->before[i]) + h * fabs(work->total[i]);
    }
    if (solve_unilateral(model, state, work, m, n_equations, NULL, &ignored) != INTEGRATED)
        return 0;
    memcpy(z, work->rows.multipliers, (size_t)m * sizeof(double));
    return 1;
}

/* whether impulses z leave no contact approaching, and take energy */
static int is_impact(const Model *model, ContactWork *work, int m, const double *z, double fastest) {
    const double change = set_change(work, m, z);
    double added = change * change / 2;
    for (int i = 0; i < m; i++) {
        const double after = work->before[i] + dot_along_pattern(work->patterns + i, row_of_B(work, i), work->change);
        added += z[i] * work->before[i];
        if (is_normal(model, work, i) && after < -INTO * fastest * length_of(work, i))
            return 0;
    }
    return added < 0;
}

/* Find the limit of the impulses, into work->z. Returns 0 if it is zero, or none is found. */
static int has_limit(const Model *model, const State *state, ContactWork *work, int m, int n_equations) {
    double fastest = 0, strongest = 0, *longer = work->z, *shorter = work->best;
    for (int i = 0; i < m; i++) {
        const double length = length_of(work, i);
        if (length > 0) {
            fastest = fmax(fastest, fabs(work->before[i]) / length);
            strongest = fmax(strongest, fabs(work->total[i]) / length);
        }
    }
    if (!(fastest > 0 && strongest > 0))
        return 0;
    int is_found = 0; /* for the shorter time */
    double h = FIRST * fastest / strongest;
    for (int times = 0; times < MOST_TIMES; times++, h *= GROWTH) {
        const int was_found = is_found;
        double *swapped = shorter;
        shorter = longer;
        longer = swapped;
        is_found = are_impulses_found(model, state, work, m, n_equations, h, longer);
        if (!is_found || !was_found)
            continue;
        for (int i = 0; i < m; i++)
            work->noise[i] = longer[i] - shorter[i];
        const double difference = set_change(work, m, work->noise), change = set_change(work, m, shorter);
        if (!(change > LEAST * fastest && difference <= SAME * change))
            continue;
        for (int i = 0; i < m; i++)
            work->bounce[i] = shorter[i] - work->noise[i] / (GROWTH - 1);
        if (is_impact(model, work, m, work->bounce, fastest)) {
            memcpy(work->z, work->bounce, (size_t)m * sizeof(double));
            return 1;
        }
    }
    return 0;
}

/* ---- impacts ---- */

/* Compute and apply the impulses, of the contacts in work->touching. jammed: the contact that jams, or -1. Returns 0 if there are none. */
static int has_sliding_impact(const Model *model, State *state, ContactWork *work, int jammed) {
    int n_equations, m = set_rates(model, state, work, jammed, &n_equations);
    const int is_found = work->friction->n_selected && has_limit(model, state, work, m, n_equations);
    if (is_found) {
        apply_impulses(model, state, work, m, work->z);
        note_impulses_of_impacts(model, state, work);
        note_friction_impulses(model, state, work);
    }
    select_no_friction(work->friction, model->frictions->n);
    release_given_friction(model, state);
    release_contacts(model, state);
    realize(model, state, STAGE_VELOCITY);
    return is_found;
}

/* the contact that a failure names, or -1 */
static int contact_of_failure(const Model *model, const Integration *result) {
    const Friction *friction = friction_of(model, result->culprit);
    return friction ? friction->contact : model->contacts->contact_of_event[result->culprit];
}

Outcome find_modes_or_impacts(const Model *model, State *state, ContactWork *work, Integration *result) {
    const Integration before = *result;
    int jammed = work->jammed - 1, is_due = work->jammed > 0;
    work->jammed = work->has_slid = 0;
    for (int times = 0;; times++) {
        if (!is_due) {
            const Outcome outcome = find_modes_and_stop(model, state, work, work->touching, result);
            if ((outcome != FRICTION_PARADOX && outcome != FRICTION_UNSOLVED) || times == MOST_IMPACTS || state->stopped)
                return outcome;
            jammed = outcome == FRICTION_PARADOX ? contact_of_failure(model, result) : -1;
        }
        if (!has_sliding_impact(model, state, work, jammed))
            return is_due ? INTEGRATED : result->outcome;
        *result = before;
        is_due = 0;
        work->has_slid = 1;
        for (int i = 0; i < n_contacts(model); i++) {
            const Contact *contact = model->contacts->contacts + i;
            if (work->touching[i] && (i == jammed || jammed < 0))
                note_sliding_impact(model, state, contact);
            work->touching[i] = work->touching[i] && fabs(state->w[contact->rate]) <= slowest_impact(model, state, contact);
        }
    }
}
