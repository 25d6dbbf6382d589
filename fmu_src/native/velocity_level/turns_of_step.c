#include "turns_of_step.h"

#include "bounces.h"
#include "bounded_steps.h"
#include "chosen_friction.h"
#include "elementary.h"
#include "friction.h"
#include "friction_table.h"
#include "impact.h"
#include "rest_of_contacts.h"
#include "rows.h"
#include "step_arithmetic.h"
#include "tree.h"
#include "unilateral_rows.h"

#include <string.h>

static const double CAPTURED_IN_TURN = 1e-6; /* relative to the fastest approach in the step; slower ones do not bounce */

/* the rate of a row, from that at the start of the step and the rounds until now */
static double rate_in_turn(const Model *model, const VelocityLevelWork *work, int contact) {
    return work->start.rates[contact] + work->turns.rates[row_number_of(model, model->contacts->contacts + contact)];
}

/* Choose the rows of the next round, into rows->in_round. Returns whether one approaches fast. */
static int choose_turn(const Model *model, const State *state, const FixedSteps *steps, VelocityLevelWork *work, double h, int is_first) {
    const int is_predictive = rule_of_model(model, steps->engagement) == ENGAGEMENT_PREDICTIVE;
    const double round_off = position_round_off(model, state);
    ContactWork *rows = work->rows;
    int any = 0;
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        const double rate = rate_in_turn(model, work, i), above = fmax(work->start.distances[i], 0);
        const int is_reached = is_predictive && above + h * rate <= round_off * scale_of_distance(model, contact);
        const int takes_part = work->chosen[i] || (is_reached && row_exists_in_fixed_steps(state, contact));
        const int approaches = takes_part && rate < -work->captured[i];
        if (approaches && is_first)
            work->turns.fastest = fmax(work->turns.fastest, -rate / scale_of_speed(model, contact));
        any = any || (approaches && -rate > CAPTURED_IN_TURN * work->turns.fastest * scale_of_speed(model, contact));
        rows->in_round[i] = approaches || (work->chosen[i] && !(state->w[contact->restitution] > 0));
    }
    return any;
}

/* set the rates of the m selected rows of a round */
static void set_turn(const Model *model, const State *state, VelocityLevelWork *work, int m) {
    ContactWork *rows = work->rows;
    memset(rows->before, 0, (size_t)m * sizeof(double));
    memset(rows->bound, 0, (size_t)m * sizeof(double));
    memset(rows->bounce, 0, (size_t)m * sizeof(double));
    for (int i = 0; i < n_contacts(model); i++) {
        if (!rows->in_round[i])
            continue;
        const Contact *contact = model->contacts->contacts + i;
        const double rate = rate_in_turn(model, work, i), e = state->w[contact->restitution];
        const int row = rows->row_of_contact[i], bounces = e > 0 && rate < -work->captured[i];
        rows->before[row] = rate;
        rows->bound[row] = bounces ? 0 : work->least[i];
        rows->bounce[row] = bounces ? e * -rate : 0;
    }
    for (int f = 0; f < n_frictions(model); f++) {
        const Friction *friction = friction_at(model, f);
        for (int k = 0; rows->friction->selected[f] && k < friction->n; k++) {
            const int line = model->rows->blocks[friction->block + k].first;
            rows->before[rows->friction->row[f] + k] = state->w[friction->rates + k] + work->turns.rates[line];
        }
    }
    for (int i = 0; i < m; i++)
        rows->noise[i] = NOISE * fabs(rows->before[i]);
}

/* Solve a round, and add its impulses and the changes that they cause. */
static Outcome take_turn(const Model *model, State *state, VelocityLevelWork *work, Integration *result) {
    const RowTable *table = model->rows;
    ContactWork *rows = work->rows;
    if (has_friction_in(model, state, rows->in_round))
        select_touching(model, state, rows, rows->in_round);
    else if (model->frictions)
        select_no_friction(rows->friction, model->frictions->n);
    int n_equations, m = assemble_rows(model, state, rows, rows->in_round, NULL, ROWS_OF_ALL_LEVELS, &n_equations);
    set_turn(model, state, work, m);
    const Outcome outcome = solve_without_gain(model, state, rows, m, n_equations, NULL, result);
    if (outcome != INTEGRATED)
        return outcome;
    place_impulses(model, rows, m, rows->z);
    find_response(model, state, rows);
    for (int line = 0; line < table->n_rows; line++)
        work->turns.impulses[line] += rows->impulses[line];
    for (int k = 0; k < table->nu; k++)
        work->turns.speeds[k] += rows->change[k];
    rates_along(table, state->w, work->turns.speeds, work->V, work->turns.rates);
    for (int i = 0; i < n_contacts(model); i++)
        work->chosen[i] = work->chosen[i] || rows->in_round[i];
    return INTEGRATED;
}

Outcome resolve_turns(const Model *model, State *state, const FixedSteps *steps, VelocityLevelWork *work, double h, Integration *result) {
    Turns *turns = &work->turns;
    const size_t of_rows = (size_t)model->rows->n_rows * sizeof(double);
    Outcome outcome = INTEGRATED;
    int any = 0;
    turns->any = 0;
    turns->fastest = 0;
    for (int i = 0; i < n_contacts(model); i++)
        any = any || (work->chosen[i] && work->start.rates[i] < -work->captured[i]);
    if (!any || !are_in_turn(model, state, work->chosen))
        return INTEGRATED;
    memset(turns->impulses, 0, of_rows);
    memset(turns->rates, 0, of_rows);
    memset(turns->speeds, 0, (size_t)model->rows->nu * sizeof(double));
    const int most = work->rows->cuts.is_on ? MOST_BOUNDED_ROUNDS : MOST_ROUNDS;
    int round = 0;
    for (; round < most && outcome == INTEGRATED && choose_turn(model, state, steps, work, h, round == 0); round++) {
        outcome = take_turn(model, state, work, result);
        turns->any = 1;
    }
    if (outcome == INTEGRATED && work->rows->cuts.is_on && round == most && choose_turn(model, state, steps, work, h, 0))
        note_cut(work->rows, 0);
    if (model->frictions)
        select_no_friction(work->rows->friction, model->frictions->n);
    release_contacts(model, state);
    return outcome;
}
