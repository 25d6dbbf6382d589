#include "friction_steps.h"

#include "chosen_friction.h"
#include "elementary.h"
#include "friction_table.h"
#include "given_friction.h"
#include "rows.h"
#include "step_arithmetic.h"
#include "tree.h"
#include "unilateral_rows.h"
#include "vectors.h"

#include <string.h>

static int is_joint(const Friction *friction) { return friction->contact < 0; }

/* the limit of a contact or joint in a step: a coefficient, or the largest impulse */
static double limit_of(const Friction *friction, const double *w, int slips, double load, double h) {
    double limit = friction_limit(friction, w, slips, load);
    return is_joint(friction) ? h * limit : limit;
}

Outcome keep_loads_and_release(const Model *model, State *state, ContactWork *work, Integration *result) {
    Outcome outcome = model->rows->n_loads ? give_present_friction(model, state, result) : INTEGRATED;
    if (!model->contacts)
        release_given_friction(model, state);
    for (int f = 0; f < n_frictions(model); f++) {
        const Friction *friction = friction_at(model, f);
        work->friction->loads[f] = friction->load < 0 ? 0 : state->w[friction->load];
    }
    release_contacts(model, state);
    return outcome;
}

void note_slips_at_start(const Model *model, const State *state, ContactWork *work) {
    double slowest = slowest_slip(model, state);
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        work->friction->slips[f] =
            !acts_on_nothing(model, state->w, friction) && slip_speed(friction, state->w) > raised_rest(model, state->w, friction, slowest);
    }
}

void select_friction_of_step(const Model *model, State *state, ContactWork *work, const int *chosen, double h) {
    ChosenFriction *rows = work->friction;
    const double *w = state->w;
    select_no_friction(rows, model->frictions->n);
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        rows->selected[f] = w[friction->enabled] != 0 && (is_joint(friction) || chosen[friction->contact]);
        rows->n_selected += rows->selected[f];
        rows->limit[f] = rows->selected[f] ? limit_of(friction, w, rows->slips[f], rows->loads[f], h) : 0;
    }
}

void note_free_slips(const Model *model, ContactWork *work, const double *rates, const double *drifts) {
    for (int f = 0; f < model->frictions->n; f++)
        for (int k = 0; k < friction_at(model, f)->n; k++) {
            int line = model->rows->blocks[friction_at(model, f)->block + k].first;
            work->friction->changes[2 * f + k] = rates[line] + drifts[line];
            work->friction->frozen_changes[2 * f + k] = rates[line];
        }
}

/* of the last step, along a row; see carry_mean_forces */
static double mean_force(const Model *model, const double *w, int block) { return w[model->rows->blocks[block].carried->given]; }

/* where the search of a multiplier starts: the mean force of the last step, or the impulse of the last solution in this one */
static double start_of_row(const Model *model, const double *w, const ContactWork *work, int block, double h, int is_first) {
    return is_first ? h * mean_force(model, w, block) : work->impulses[model->rows->blocks[block].first];
}

void set_friction_of_step(const Model *model, const State *state, ContactWork *work, const double *turns, double h, int is_first,
                          int is_frozen, double noise) {
    ChosenFriction *rows = work->friction;
    const double *w = state->w, *changes = is_frozen ? rows->frozen_changes : rows->changes;
    if (!rows->n_selected)
        return;
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        for (int k = 0; rows->selected[f] && k < (is_joint(friction) ? 1 : 2); k++) {
            int row = rows->row[f] + k, exists = k < friction->n;
            double before = exists ? w[friction->rates + k] : 0, change = exists ? changes[2 * f + k] : 0;
            double in_turn = exists && turns ? turns[model->rows->blocks[friction->block + k].first] : 0;
            work->before[row] = before + change + in_turn;
            work->bound[row] = work->bounce[row] = 0;
            work->noise[row] = noise * fabs(work->before[row]) + fabs(change);
        }
    }

    /* the search starts from the mean forces of the last step: its impulses are those of its own length, which round-off of times changes
     */
    size_t bytes = (size_t)most_selected_rows(model) * sizeof(double);
    memset(rows->start, 0, bytes);
    memset(rows->now, 0, bytes);
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        for (int k = 0; rows->selected[f] && k < friction->n; k++) {
            rows->start[rows->row[f] + k] = start_of_row(model, w, work, friction->block + k, h, is_first);
            rows->now[rows->row[f] + k] = w[friction->rates + k];
        }
        if (rows->selected[f] && !is_joint(friction) && !friction->is_moment) {
            rows->now[rows->row[f] - 1] = w[model->contacts->contacts[friction->contact].rate];
            rows->start[rows->row[f] - 1] = start_of_row(model, w, work, model->contacts->contacts[friction->contact].block, h, is_first);
            rows->has_start = 1;
        }
    }
}

/* the speed of a slip at the end of the step that counts as rest */
static double rest_after(const Model *model, const ContactWork *work) {
    const ChosenFriction *rows = work->friction;
    double size = 0;
    for (int f = 0; f < model->frictions->n; f++)
        for (int row = rows->row[f] - !is_joint(friction_at(model, f)); rows->selected[f] && row < rows->row[f] + friction_at(model, f)->n;
             row++)
            size = fmax(size, fabs(work->before[row]));
    return SLIPS * size;
}

/* the speed of the slip of a selected contact or joint at the end of the step */
static double slip_after(const ContactWork *work, const Friction *friction, int f) {
    const ChosenFriction *rows = work->friction;
    double after[2] = {0, 0};
    for (int k = 0; k < friction->n; k++) {
        int row = rows->row[f] + k;
        after[k] = work->before[row] + dot_along_pattern(work->patterns + row, row_of_B(work, row), rows->solution.y);
    }
    return sqrt(dot(2, after, after));
}

/* The next search starts from the last solution: contacts that begin to slip change little else. */
static void start_from_solution(const Model *model, ContactWork *work) {
    ChosenFriction *rows = work->friction;
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        for (int row = rows->row[f] - !is_joint(friction); rows->selected[f] && row < rows->row[f] + friction->n; row++)
            rows->start[row] = work->z[row];
    }
    rows->has_start = 1;
}

int begin_slips_in_step(const Model *model, const State *state, ContactWork *work, double h) {
    ChosenFriction *rows = work->friction;
    double rest = rest_after(model, work);
    int any = 0;
    for (int f = 0; rows->n_selected && f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        double kinetic = limit_of(friction, state->w, 1, rows->loads[f], h);
        if (rows->selected[f] && rows->limit[f] > kinetic && slip_after(work, friction, f) > rest) {
            rows->limit[f] = kinetic; /* the limit of a contact that does not press changes nothing */
            any = any || is_joint(friction) || work->z[work->row_of_contact[friction->contact]] > 0;
        }
    }
    if (any)
        start_from_solution(model, work);
    return any;
}

void note_friction_of_step(const Model *model, State *state, ContactWork *work) {
    ChosenFriction *rows = work->friction;
    double *w = state->w, rest = rest_after(model, work);
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        int presses = rows->selected[f];
        if (!presses && acts_on_nothing(model, w, friction))
            continue;
        for (int k = 0; k < friction->n; k++)
            w[friction->impulse + k] = presses ? work->impulses[model->rows->blocks[friction->block + k].first] : 0;
        if (presses && !is_joint(friction))
            presses = work->impulses[row_number_of(model, model->contacts->contacts + friction->contact)] > 0;
        int slips = presses && (is_without_friction(friction, w) || slip_after(work, friction, f) > rest);
        w[friction->mode] = !presses ? FRICTION_OPEN : slips ? FRICTION_SLIP : FRICTION_STICK;
    }
    select_no_friction(rows, model->frictions->n);
}

void carry_mean_forces(const Model *model, State *state, double h) {
    carry_forces_of_step(model, state->w, h);
    invalidate(state, STAGE_DYNAMICS);
}
