#include "impact.h"

#include "chosen_friction.h"
#include "consistency.h"
#include "contact_table.h"
#include "contact_work.h"
#include "elementary.h"
#include "event_table.h"
#include "friction_table.h"
#include "rows.h"
#include "unilateral_rows.h"

#include <string.h>

/* the least scale of restitutions, if impacts would add energy; below it they are 0 */
static const double SMALLEST_SCALE = 1e-3;

/* compute the impulses, with bounces times `scale`, into work->z; added: the kinetic energy that the rigid unilateral rows add */
static Outcome impulses_for(const Model *model, const State *state, ContactWork *work, int m, int n_equations, const double *upper,
                            double scale, double *added, Integration *result) {
    int nu = model->rows->nu;
    for (int i = 0; i < m; i++) {
        work->a[i] = work->before[i] - work->bound[i] - scale * work->bounce[i];
        work->size[i] = fabs(work->before[i]) + fabs(work->bound[i]) + scale * work->bounce[i];
    }
    Outcome outcome = solve_unilateral(model, state, work, m, n_equations, upper, result);
    if (outcome != INTEGRATED)
        return outcome;
    memcpy(work->z, work->rows.multipliers, (size_t)m * sizeof(double));
    memset(work->change, 0, (size_t)nu * sizeof(double));
    for (int i = 0; i < m; i++)
        add_along_pattern(work->patterns + i, work->change, work->z[i] / 2, row_of_B(work, i));
    *added = 0;
    for (int i = work->first_rigid; i < m; i++)
        *added += work->z[i] * (work->before[i] + dot_along_pattern(work->patterns + i, row_of_B(work, i), work->change));
    return INTEGRATED;
}

static int any_bounces(const ContactWork *work, int m) {
    for (int i = 0; i < m; i++)
        if (work->bounce[i] > 0)
            return 1;
    return 0;
}

static Outcome scale_bounces(const Model *model, const State *state, ContactWork *work, int m, int n_equations, const double *upper,
                             Integration *result) {
    double added, gained = 0, low = 0, high = 1;
    Outcome outcome = impulses_for(model, state, work, m, n_equations, upper, 1, &added, result);
    if (outcome == FRICTION_UNSOLVED && any_bounces(work, m) && !work->keeps_bounces) {
        work->leaves_out_bounces = 1; /* where bodies jam, there may be no speeds after them */
        outcome = impulses_for(model, state, work, m, n_equations, upper, 0, &added, result);
        result->outcome = outcome;
    }
    for (int i = 0; i < m && outcome == INTEGRATED; i++)
        gained += fabs(work->z[i]) * work->noise[i];
    if (outcome != INTEGRATED || added <= gained || work->cuts.n_overruns) /* energy says nothing of impulses that were cut short */
        return outcome;

    /* several rows at once may add energy; with restitutions of 0 they never do: find the largest scale by bisection */
    outcome = impulses_for(model, state, work, m, n_equations, upper, 0, &added, result);
    memcpy(work->best, work->z, (size_t)m * sizeof(double));
    while (outcome == INTEGRATED && high - low > SMALLEST_SCALE) {
        double middle = (low + high) / 2;
        outcome = impulses_for(model, state, work, m, n_equations, upper, middle, &added, result);
        if (outcome == FRICTION_UNSOLVED) {
            high = middle;
            outcome = result->outcome = INTEGRATED;
        } else if (added > gained) {
            high = middle;
        } else {
            low = middle;
            memcpy(work->best, work->z, (size_t)m * sizeof(double));
        }
    }
    memcpy(work->z, work->best, (size_t)m * sizeof(double));
    return outcome;
}

Outcome solve_without_gain(const Model *model, const State *state, ContactWork *work, int m, int n_equations, const double *upper,
                           Integration *result) {
    const Outcome outcome = scale_bounces(model, state, work, m, n_equations, upper, result);
    if (outcome != INTEGRATED && work->friction)
        select_no_friction(work->friction, n_frictions(model));
    return outcome;
}

int next_ambiguous_impacts(const Model *model, const double *before, const double *w, double *time, char *names, size_t size) {
    const ContactTable *contacts = model->contacts;
    double first = INFINITY;
    size_t length = 0;
    for (int i = 0; contacts && i < contacts->n; i++) {
        const Event *event = model->events->events + contacts->contacts[i].event;
        const double *memory = w + event->memory, *old = before + event->memory;
        double at = memory[MEMORY_AMBIGUOUS_AT];
        int is_new =
            memory[MEMORY_N_AMBIGUOUS] > 0 && (memory[MEMORY_N_AMBIGUOUS] != old[MEMORY_N_AMBIGUOUS] || at != old[MEMORY_AMBIGUOUS_AT]);
        if (!is_new || at <= *time || at > first)
            continue;
        length = append_name(names, size, at < first ? 0 : length, event->name);
        first = at;
    }
    *time = first;
    return first < INFINITY;
}
