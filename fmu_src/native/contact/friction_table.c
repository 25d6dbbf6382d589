#include "friction_table.h"

#include "carried_rows.h"
#include "contact_arithmetic.h"
#include "elementary.h"
#include "rows.h"
#include "state_sizes.h"
#include "tree.h"

static const double ROUND_OFF = 1e-12; /* relative to the scale of a slip and |u|; of the velocity of a slip */

const Friction *friction_of(const Model *model, int event) {
    int number = model->frictions ? model->frictions->friction_of_event[event] : -1;
    return number < 0 ? NULL : friction_at(model, number);
}

int is_decided_by_run(const Model *model, int event) {
    return (model->contacts && model->contacts->contact_of_event[event] >= 0) || friction_of(model, event) != NULL;
}

int acts_on_nothing(const Model *model, const double *w, const Friction *friction) {
    return has_no_bodies(model->rows->blocks + friction->block, w);
}

double slip_speed(const Friction *friction, const double *w) { return speed_of_slip(friction, w); }

double friction_limit(const Friction *friction, const double *w, int slips, double load) {
    double limit = w[slips ? friction->kinetic : friction->static_limit];
    return friction->load < 0 ? limit : limit + w[slips ? friction->load_kinetic : friction->load_static] * load;
}

int is_without_friction(const Friction *friction, const double *w) {
    return friction->load < 0 && !(w[friction->static_limit] > 0 || w[friction->kinetic] > 0 || w[friction->viscous] > 0);
}

double slip_round_off(const Model *model, const State *state, const Friction *friction) {
    return scale_of_slip(model, friction) * (ROUND_OFF * size_of_u(model, state));
}

double slowest_slip(const Model *model, const State *state) {
    return slowest_slip_of(size_of_u(model, state), state->tolerance, state->constraint_tolerance);
}

double raised_rest(const Model *model, const double *w, const Friction *friction, double slowest) {
    return raised_rest_of(model, w, friction, slowest);
}

double rest_of_slip(const Model *model, const State *state, const Friction *friction) {
    return raised_rest(model, state->w, friction, slowest_slip(model, state));
}

int has_friction_in(const Model *model, const State *state, const int *mask) {
    for (int f = 0; f < n_frictions(model); f++) {
        const Friction *friction = friction_at(model, f);
        if (friction->contact >= 0 && mask[friction->contact] && (state->w[friction->static_limit] > 0 || state->w[friction->kinetic] > 0))
            return 1;
    }
    return 0;
}

/* set a flag of the rows of a contact or joint; returns whether it has changed */
static int set_flag(double *flag, double value) {
    int has_changed = *flag != value;
    *flag = value;
    return has_changed;
}

int set_flags_of_tangents(const Model *model, double *w, const Friction *friction, int is_equation, int carries) {
    int has_changed = 0;
    for (int k = 0; k < friction->n; k++) {
        const RowBlock *block = model->rows->blocks + friction->block + k;
        has_changed = set_flag(w + block->enabled, is_equation) || has_changed;
        has_changed = set_flag(w + block->carried->flag, carries) || has_changed;
    }
    return has_changed;
}

void release_friction(const Model *model, State *state) {
    int has_changed = 0;
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        if (acts_on_nothing(model, state->w, friction))
            continue;
        has_changed = set_flags_of_tangents(model, state->w, friction, 0, CARRIES_NOTHING) || has_changed;
        if (friction->contact >= 0) {
            const RowBlock *block = model->rows->blocks + model->contacts->contacts[friction->contact].block;
            has_changed = set_flag(state->w + block->carried->flag, CARRIES_NOTHING) || has_changed;
        }
    }
    if (has_changed)
        invalidate(state, STAGE_DYNAMICS);
}

void apply_modes(const Model *model, State *state) {
    int has_changed = 0;
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        int mode = (int)state->w[friction->mode];
        int carries = mode == FRICTION_SLIP ? CARRIES_SLIP : CARRIES_NOTHING;
        has_changed = set_flags_of_tangents(model, state->w, friction, mode == FRICTION_STICK, carries) || has_changed;
    }
    if (has_changed)
        invalidate(state, STAGE_DYNAMICS);
}
