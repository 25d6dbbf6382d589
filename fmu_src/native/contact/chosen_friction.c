#include "chosen_friction.h"

#include "contact_table.h"
#include "contact_work.h"
#include "elementary.h"
#include "friction_table.h"
#include "rows.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

ChosenFriction *create_chosen_friction(const Model *model, int n, int m) {
    size_t n_frictions = (size_t)model->frictions->n, rows = (size_t)m;
    ChosenFriction *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    size_t of_program = friction_program_reals(n, m, model->frictions->n), of_parts = reals_of_parts(n, m, model->frictions->n);
    size_t integers = friction_program_integers(n, m, model->frictions->n) + integers_of_parts(n, m, model->frictions->n);
    made->reals = calloc(13 * n_frictions + 5 * rows + (size_t)n + of_program + of_parts, sizeof(double));
    made->integers = calloc(9 * n_frictions + (size_t)n_contacts(model) + integers, sizeof(int));
    if (!made->reals || !made->integers) {
        free_chosen_friction(made);
        return NULL;
    }
    made->limit = made->reals;
    made->slip = made->limit + n_frictions;
    made->changes = made->slip + 2 * n_frictions;
    made->frozen_changes = made->changes + 2 * n_frictions;
    made->loads = made->frozen_changes + 2 * n_frictions;
    made->mu = made->loads + n_frictions;
    made->directions = made->mu + n_frictions;
    made->were_directions = made->directions + 2 * n_frictions;
    made->start = made->were_directions + 2 * n_frictions;
    made->now = made->start + rows;
    made->lower = made->now + rows;
    made->upper = made->lower + rows;
    made->program.reals = made->upper + rows;
    made->solution.multipliers = made->program.reals + of_program;
    made->solution.y = made->solution.multipliers + rows;
    made->solution.parts.reals = made->solution.y + n;
    made->selected = made->integers;
    made->row = made->selected + n_frictions;
    made->of_triple = made->row + n_frictions;
    made->were_modes = made->of_triple + n_frictions;
    made->slips = made->were_modes + n_frictions;
    made->passed = made->slips + n_frictions;
    made->modes_before = made->passed + n_frictions;
    made->is_moment = made->modes_before + n_frictions + n_contacts(model);
    made->next_moment = made->is_moment + n_frictions;
    made->program.integers = made->next_moment + n_frictions;
    made->solution.parts.integers = made->program.integers + friction_program_integers(n, m, model->frictions->n);
    return made;
}

void free_chosen_friction(ChosenFriction *rows) {
    if (!rows)
        return;
    free(rows->reals);
    free(rows->integers);
    free(rows);
}

void select_no_friction(ChosenFriction *rows, int n) {
    rows->n_selected = rows->has_start = 0;
    memset(rows->selected, 0, (size_t)n * sizeof(int));
    memset(rows->slip, 0, 2 * (size_t)n * sizeof(double));
}

int has_selected_friction(const Model *model, const ChosenFriction *rows, int contact) {
    int friction = rows && rows->n_selected ? model->frictions->friction_of_contact[contact] : -1;
    return friction >= 0 && rows->selected[friction];
}

void set_tangent_flags(const Model *model, double *w, const ChosenFriction *rows, int flag) {
    for (int f = 0; rows && rows->n_selected && f < model->frictions->n; f++)
        for (int k = 0; rows->selected[f] && k < model->frictions->frictions[f].n; k++)
            w[model->rows->blocks[model->frictions->frictions[f].block + k].enabled] = flag;
}

int most_selected_rows(const Model *model) { return model->rows->n_rows + 3 * n_frictions(model); }

/* add a row; number -1: an empty one, which has no rates */
static int add_row(ContactWork *work, int number, int m) {
    if (number < 0)
        work->before[m] = work->bound[m] = work->bounce[m] = 0;
    work->row_numbers[m] = number;
    return m + 1;
}

/* add the three rows of a contact or moment, whose normal has this number */
static int add_triple(const Model *model, ContactWork *work, int f, int normal, int m) {
    ChosenFriction *rows = work->friction;
    const Friction *friction = friction_at(model, f);
    m = add_row(work, normal, m);
    rows->row[f] = m;
    for (int k = 0; k < 2; k++)
        m = add_row(work, k < friction->n ? model->rows->blocks[friction->block + k].first : -1, m);
    rows->is_moment[rows->n_triples] = friction->is_moment;
    rows->of_triple[rows->n_triples++] = f;
    return m;
}

/* set the next moments of contacts and moments, in their order */
static void link_moments(const Model *model, ChosenFriction *rows) {
    const FrictionTable *table = model->frictions;
    rows->has_moments = 0;
    for (int f = 0; f < table->n; f++)
        rows->next_moment[f] = -1;
    for (int f = table->n - 1; f >= 0; f--)
        if (table->frictions[f].is_moment && rows->selected[f]) {
            const int slip = table->friction_of_contact[table->frictions[f].contact];
            rows->next_moment[f] = rows->next_moment[slip];
            rows->next_moment[slip] = f;
            rows->has_moments = 1;
        }
}

int list_friction_rows(const Model *model, ContactWork *work, const int *chosen, int n_equations, int m) {
    ChosenFriction *rows = work->friction;
    const FrictionTable *table = model->frictions;
    rows->n_boxes = rows->n_triples = 0;
    if (!rows->n_selected)
        return m;
    for (int f = 0; f < table->n; f++)
        if (rows->selected[f] && table->frictions[f].contact < 0) {
            rows->row[f] = m;
            work->row_numbers[m++] = model->rows->blocks[table->frictions[f].block].first;
        }
    rows->n_boxes = m - n_equations;
    link_moments(model, rows);
    for (int i = 0; i < n_contacts(model); i++) {
        int f = chosen[i] ? table->friction_of_contact[i] : -1;
        if (f < 0 || !rows->selected[f])
            continue;
        work->row_of_contact[i] = m;
        m = add_triple(model, work, f, row_number_of(model, model->contacts->contacts + i), m);
        for (f = rows->next_moment[f]; f >= 0; f = rows->next_moment[f])
            m = add_triple(model, work, f, -1, m);
    }
    return m;
}

/* name the contact or joint with the largest residual */
static Outcome friction_failed(const Model *model, const State *state, ContactWork *work, Integration *result) {
    ChosenFriction *rows = work->friction;
    int worst = rows->solution.worst_contact, f = worst >= 0 && worst < rows->n_triples ? rows->of_triple[worst] : -1;
    for (int i = 0; f < 0 && i < model->frictions->n; i++)
        if (rows->selected[i])
            f = i;
    const Friction *friction = model->frictions->frictions + f;
    result->culprit = friction->contact >= 0 ? model->contacts->contacts[friction->contact].event : friction->event;
    result->constraint = friction->block;
    result->time = state->w[model->time_at];
    result->value = rows->solution.residual;
    return result->outcome = FRICTION_UNSOLVED;
}

Outcome solve_friction(const Model *model, const State *state, ContactWork *work, int m, int n_equations, const double *upper,
                       Integration *result) {
    ChosenFriction *rows = work->friction;
    for (int i = 0; i < rows->n_boxes; i++) {
        rows->lower[i] = 0;
        rows->upper[i] = upper ? upper[i] : INFINITY;
    }
    for (int f = 0; f < model->frictions->n; f++)
        if (rows->selected[f] && model->frictions->frictions[f].contact < 0) {
            rows->upper[rows->row[f] - n_equations] = rows->limit[f];
            rows->lower[rows->row[f] - n_equations] = -rows->limit[f];
        }
    for (int i = 0; i < rows->n_triples; i++) {
        int f = rows->of_triple[i];
        rows->mu[i] = rows->limit[f];
        rows->directions[2 * i] = rows->slip[2 * f];
        rows->directions[2 * i + 1] = rows->slip[2 * f + 1];
    }
    const RowProblem problem = {.n = work->width,
                                .m = m,
                                .n_equations = n_equations,
                                .n_boxes = rows->n_boxes,
                                .n_contacts = rows->n_triples,
                                .B = work->B,
                                .patterns = work->patterns,
                                .a = work->a,
                                .size = work->size,
                                .lower = rows->lower,
                                .upper = rows->upper,
                                .mu = rows->mu,
                                .start = rows->has_start ? rows->start : NULL,
                                .now = rows->now,
                                .slip = rows->directions,
                                .is_moment = rows->has_moments ? rows->is_moment : NULL};
    int outcome = solve_friction_islands(&rows->program, &problem, &rows->solution);
    if (outcome == ROWS_SOLVED && rows->solution.is_cut)
        note_cut(work, rows->solution.residual);
    int held = outcome == ROWS_CONTRADICT && rows->solution.held >= 0 ? work->row_numbers[rows->solution.held] : -1;
    for (int i = 0; held >= 0 && i < n_contacts(model); i++)
        if (row_number_of(model, model->contacts->contacts + i) == held)
            return contact_failed(CONTACT_UNSOLVED, model, state, model->contacts->contacts + i, 0, result);
    if (outcome != ROWS_SOLVED)
        return friction_failed(model, state, work, result);
    work->rows.multipliers = rows->solution.multipliers;
    return INTEGRATED;
}
