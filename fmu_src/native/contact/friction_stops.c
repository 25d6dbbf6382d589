/* Slips that come to rest at an event (friction.h). */
#include "bounded_steps.h"
#include "chosen_friction.h"
#include "contact_table.h"
#include "contact_work.h"
#include "friction.h"
#include "friction_table.h"
#include "rows.h"
#include "tree.h"
#include "unilateral_rows.h"
#include "vectors.h"

#include <math.h>
#include <string.h>

/* cosine of an angle: a slip that an impulse turns by more has another direction */
static const double SAME_DIRECTION = 0.99;
enum { MOST_DECISIONS = 10 };

/* whether a slip that is not among the selected ones, which rest, has come to rest or turned by their impulse */
static int has_slip_changed(const Model *model, const State *state, const ContactWork *work) {
    const double *w = state->w;
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        double along = dot(friction->n, w + friction->direction, w + friction->rates);
        if (w[friction->mode] == FRICTION_SLIP && !work->friction->selected[f] && !is_without_friction(friction, w) &&
            !(along > fmax(w[friction->rest], SAME_DIRECTION * slip_speed(friction, w))))
            return 1;
    }
    return 0;
}

/* Remove the residual rates of contacts that press, and of slips at rest. *has_changed: whether that changes other slips. */
static Outcome remove_residual_slips(const Model *model, State *state, ContactWork *work, int *has_changed, Integration *result) {
    ChosenFriction *rows = work->friction;
    const double *w = state->w;
    realize(model, state, STAGE_DYNAMICS);
    select_no_friction(rows, model->frictions->n);
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        int mode = (int)w[friction->mode];
        int is_slow_slip = mode == FRICTION_SLIP && slip_speed(friction, w) <= w[friction->rest] && !is_without_friction(friction, w);
        rows->selected[f] = mode == FRICTION_STICK || is_slow_slip;
        rows->n_selected += rows->selected[f];
    }
    int n_equations, m = assemble_rows(model, state, work, work->pressing, NULL, ROWS_OF_ALL_LEVELS, &n_equations);
    read_velocity_errors(model, state, work->a);
    for (int i = n_equations; i < m; i++)
        work->a[i] = 0;
    for (int i = 0; i < n_contacts(model); i++)
        if (work->pressing[i])
            work->a[work->row_of_contact[i]] = w[model->contacts->contacts[i].rate];
    read_slips(model, state, work, work->a);
    for (int i = 0; i < m; i++)
        work->size[i] = fabs(work->a[i]);

    /* all rows are equations, so that the solution needs no friction */
    int n_selected = rows->n_selected;
    rows->n_selected = 0;
    Outcome outcome = m > 0 ? solve_unilateral(model, state, work, m, m, NULL, result) : INTEGRATED;
    rows->n_selected = n_selected;
    if (outcome == INTEGRATED && m > 0)
        apply_impulses(model, state, work, m, work->rows.multipliers);
    realize(model, state, STAGE_VELOCITY);
    *has_changed = outcome == INTEGRATED && has_slip_changed(model, state, work);
    select_no_friction(rows, model->frictions->n);
    release_contacts(model, state);
    return outcome;
}

Outcome find_modes_and_stop(const Model *model, State *state, ContactWork *work, const int *resting, Integration *result) {
    Outcome outcome = INTEGRATED;
    int has_changed = 1;
    const int most = state->is_bounded ? MOST_BOUNDED_DECISIONS : MOST_DECISIONS;
    for (int i = 0; i < most && has_changed && outcome == INTEGRATED; i++) {
        outcome = find_modes(model, state, work, resting, result);
        memset(work->friction->passed, 0, (size_t)model->frictions->n * sizeof(int));
        if (outcome == INTEGRATED)
            outcome = remove_residual_slips(model, state, work, &has_changed, result);
    }
    if (state->is_bounded && has_changed && outcome == INTEGRATED)
        note_overrun(state);
    return outcome;
}
