#include "impacts_in_turn.h"

#include "bounces.h"
#include "bounded_steps.h"
#include "chosen_friction.h"
#include "elementary.h"
#include "event_table.h"
#include "friction.h"
#include "friction_table.h"
#include "impact.h"
#include "rows.h"
#include "tree.h"
#include "unilateral_rows.h"

#include <string.h>

static const double NOISE = 1e-12; /* relative to a rate; of the energy of its impulse */

/* what the rates say about the next round */
typedef struct {
    int any;     /* whether a row approaches */
    int is_fast; /* and one of them so fast that it is not captured */
} Approach;

/* Choose the rows of the next round, into work->in_round, and store the rates of all that touch, in their order. */
static Approach choose_round(const Model *model, State *state, ContactWork *work, double *rates) {
    Approach found = {0, 0};
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        const double rate = state->w[contact->rate];
        work->in_round[i] = 0;
        if (!work->touching[i])
            continue;
        *rates++ = rate;
        const int approaches = rate < -rate_noise(model, state, contact);
        const double speed = fmax(-rate, work->late[i].speed);
        found.any = found.any || approaches;
        found.is_fast = found.is_fast || (approaches && speed > capture_speed(model, state, contact, speed));
        work->in_round[i] = approaches || !(state->w[contact->restitution] > 0);
    }
    return found;
}

/* Set the rates of the m selected rows, and the bounces of those that approach. */
static void set_rates(const Model *model, State *state, ContactWork *work, int m, int has_bounces) {
    memset(work->bound, 0, (size_t)m * sizeof(double));
    memset(work->bounce, 0, (size_t)m * sizeof(double));
    read_velocity_errors(model, state, work->before);
    for (int i = 0; i < n_contacts(model); i++) {
        if (!work->in_round[i])
            continue;
        const Contact *contact = model->contacts->contacts + i;
        double *memory = memory_of_contact(model, state, contact), rate = state->w[contact->rate];
        const int row = work->row_of_contact[i], approaches = rate < -rate_noise(model, state, contact);
        work->before[row] = approaches ? rate : fmax(rate, 0);
        if (!approaches)
            continue;
        if (has_bounces)
            work->bounce[row] = bounce_of(model, state, work, i, -rate);
        memory[MEMORY_IMPACT_SPEED] = fmax(memory[MEMORY_IMPACT_SPEED], -rate);
    }
    if (model->frictions)
        read_slips(model, state, work, work->before);
    for (int i = 0; i < m; i++)
        work->noise[i] = NOISE * fabs(work->before[i]);
}

/* Solve a round, change the speeds, and add its impulses to work->total. */
static Outcome solve_round(const Model *model, State *state, ContactWork *work, int has_bounces, Integration *result) {
    realize(model, state, STAGE_DYNAMICS);
    if (has_friction_in(model, state, work->in_round))
        select_touching(model, state, work, work->in_round);
    else if (model->frictions)
        select_no_friction(work->friction, model->frictions->n);
    int n_equations, m = assemble_rows(model, state, work, work->in_round, NULL, ROWS_OF_ALL_LEVELS, &n_equations);
    set_rates(model, state, work, m, has_bounces);
    const Outcome outcome = solve_without_gain(model, state, work, m, n_equations, NULL, result);
    if (outcome != INTEGRATED)
        return outcome;
    apply_impulses(model, state, work, m, work->z);
    for (int row = 0; row < model->rows->n_rows; row++)
        work->total[row] += work->impulses[row];
    return INTEGRATED;
}

Outcome solve_impacts_in_turn(const Model *model, State *state, ContactWork *work, Integration *result) {
    const int n_contacts_of_model = n_contacts(model), has_friction = has_friction_in(model, state, work->touching);
    int n_touching = 0;
    for (int i = 0; i < n_contacts_of_model; i++)
        n_touching += work->touching[i];
    memset(work->total, 0, (size_t)model->rows->n_rows * sizeof(double));
    for (int round = 0, is_last = 0; !is_last; round++) {
        realize(model, state, STAGE_VELOCITY);
        double *rates = work->rest_rates;
        const Approach approach = choose_round(model, state, work, rates);
        if (!approach.any)
            break;

        /* Without friction, rates that repeat with a factor below 1 do so without end, and tend to zero. The limit of all sequences are the
         * nearest speeds at which no row approaches. */
        const int is_endless = !has_friction && round > 0 && is_repeated(n_touching, rates, work->earlier_rates);
        const int is_cut = work->cuts.is_on && round == MOST_BOUNDED_ROUNDS;
        is_last = !approach.is_fast || is_endless || is_cut || round == MOST_ROUNDS;
        if (is_cut && approach.is_fast && !is_endless)
            note_cut(work, 0);
        if ((round & (round - 1)) == 0)
            memcpy(work->earlier_rates, rates, (size_t)n_touching * sizeof(double));
        for (int i = 0; i < n_contacts_of_model; i++) {
            const Contact *contact = model->contacts->contacts + i;
            if (round == MOST_ROUNDS && work->touching[i] && state->w[contact->rate] < -rate_noise(model, state, contact))
                note_ambiguous(model, state, contact);
        }
        if (is_last)
            memcpy(work->in_round, work->touching, (size_t)n_contacts_of_model * sizeof(int));
        const Outcome outcome = solve_round(model, state, work, !is_last, result);
        if (outcome != INTEGRATED)
            return outcome;
    }
    memcpy(work->impulses, work->total, (size_t)model->rows->n_rows * sizeof(double));
    note_impulses_of_impacts(model, state, work);
    if (has_friction) {
        select_touching(model, state, work, work->touching);
        note_friction_impulses(model, state, work);
    } else if (model->frictions) {
        select_no_friction(work->friction, model->frictions->n);
    }
    return INTEGRATED;
}
