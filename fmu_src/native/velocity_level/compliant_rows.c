#include "compliant_rows.h"

#include "elementary.h"
#include "elimination.h"
#include "rows.h"
#include "unilateral_rows.h"

#include <string.h>

int n_compliant(const Model *model) { return model->rows ? model->rows->n_compliant : 0; }

static const RowBlock *block_of(const Model *model, int number) { return model->rows->blocks + model->rows->compliant[number]; }

/* whether the row is enabled and has a bound */
static int compliant_row_exists(const State *state, const RowBlock *block) {
    return state->w[block->compliant->enabled] != 0 && is_bound(state->w[block->position_errors]);
}

void remove_compliant_forces(const Model *model, State *state, ContactWork *work, CompliantStep *step, double h) {
    const RowTable *table = model->rows;
    step->has_removed = 0;
    memset(step->removed, 0, (size_t)table->nu * sizeof(double));
    memset(work->impulses, 0, (size_t)table->n_rows * sizeof(double));
    for (int i = 0; i < table->n_compliant; i++) {
        const RowBlock *block = block_of(model, i);
        double force = state->w[block->compliant->force];
        work->impulses[block->first] = -h * force;
        state->w[block->enabled] = force != 0;
        step->has_removed = step->has_removed || force != 0;
    }
    if (step->has_removed) {
        project_rows(table, state->w);
        find_response(model, state, work);
        memcpy(step->removed, work->change, (size_t)table->nu * sizeof(double));
    }
    for (int i = 0; i < table->n_compliant; i++)
        state->w[block_of(model, i)->enabled] = 0;
}

void begin_compliant_rows(const Model *model, const State *state, CompliantStep *step, double h, const double *of_speeds,
                          const double *drifts, EngagementRule rule) {
    const double *w = state->w;
    for (int i = 0; i < n_compliant(model); i++) {
        const RowBlock *block = block_of(model, i);
        const CompliantRow *row = block->compliant;
        double distance = w[block->position_errors], C = w[row->compliance], s = 1 / (h / 2 + w[row->damping] * C);
        step->free[i] = w[block->velocity_errors] + of_speeds[block->first];
        step->R[i] = s * C / h;
        step->a[i] = step->free[i] + drifts[block->first] + s * (compliant_row_exists(state, block) ? distance : 0);
        int is_met = distance <= 0 || (rule == ENGAGEMENT_PREDICTIVE && distance + h * step->free[i] <= 0);
        step->chosen[i] = compliant_row_exists(state, block) && (!row->is_unilateral || is_met);
    }
}

int choose_violated_compliant(const Model *model, const State *state, CompliantStep *step, double h, const double *changes, double noise) {
    int any = 0;
    for (int i = 0; i < n_compliant(model); i++) {
        const RowBlock *block = block_of(model, i);
        double above = fmax(state->w[block->position_errors], 0), after = step->free[i] + changes[block->first];
        double slack = noise * (above + h * (fabs(step->free[i]) + fabs(after)));
        if (compliant_row_exists(state, block) && !step->chosen[i] && above + h * after < -slack)
            any = step->chosen[i] = 1;
    }
    return any;
}

void set_compliant_rows(const Model *model, const CompliantStep *step, ContactWork *work, double noise) {
    int nu = model->rows->nu, row = work->first_rigid - (work->width - nu), column = nu;
    for (int are_unilateral = 0; are_unilateral < 2; are_unilateral++)
        for (int i = 0; i < n_compliant(model); i++)
            if (step->chosen[i] && block_of(model, i)->compliant->is_unilateral == are_unilateral) {
                work->before[row] = step->a[i];
                work->bound[row] = work->bounce[row] = 0;
                work->noise[row] = noise * fabs(step->a[i]);
                work->B[row++ * work->width + column++] = sqrt(step->R[i]);
            }
}

void note_compliant_impulses(const Model *model, State *state, const ContactWork *work) {
    for (int i = 0; i < n_compliant(model); i++) {
        const RowBlock *block = block_of(model, i);
        if (block->compliant->impulse >= 0)
            state->w[block->compliant->impulse] = work->impulses[block->first];
    }
}
