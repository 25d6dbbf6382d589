#include "compliant_rows.h"

#include "elementary.h"
#include "elimination.h"
#include "rows.h"
#include "tree.h"
#include "unilateral_rows.h"

#include <string.h>

int n_compliant(const Model *model) { return model->rows ? model->rows->n_compliant : 0; }

static const RowBlock *block_of(const Model *model, int number) { return model->rows->blocks + model->rows->compliant[number]; }

/* whether the row is enabled and has a bound */
static int compliant_row_exists(const State *state, const RowBlock *block) {
    return state->w[block->compliant->enabled] != 0 && is_bound(state->w[block->position_errors]);
}

void note_start_of_compliant_rows(const Model *model, const State *state, CompliantStep *step) {
    for (int i = 0; i < n_compliant(model); i++) {
        step->distances[i] = state->w[block_of(model, i)->position_errors];
        step->rates[i] = state->w[block_of(model, i)->velocity_errors];
    }
}

/* the acceleration of a row per unit of its force; E contains the row */
static double own_acceleration(const RowTable *table, const RowBlock *block, const double *w, double *D_e) {
    const double *e = w + table->E + block->first * table->nu;
    double sum = 0;
    const RowPath *path = path_of_block(table, block, w);
    multiply_by_D_inverse(table, path, w, e, D_e);
    for (int i = 0; i < path->n_runs; i++)
        for (int k = path->runs[2 * i]; k < path->runs[2 * i] + path->runs[2 * i + 1]; k++)
            sum += e[k] * D_e[k];
    return sum;
}

void soften_compliant_rows(const Model *model, State *state, CompliantStep *step, double h) {
    const RowTable *table = model->rows;
    double *w = state->w;
    int any = 0;
    if (!n_compliant(model))
        return;
    realize(model, state, STAGE_DYNAMICS);
    for (int i = 0; i < table->n_compliant; i++) {
        const RowBlock *block = block_of(model, i);
        step->compliances[i] = w[block->compliant->compliance];
        step->damping[i] = w[block->compliant->damping];
        w[block->enabled] = w[block->compliant->force] != 0;
        any = any || w[block->enabled] != 0;
    }
    if (any)
        project_rows(table, w);
    for (int i = 0; i < table->n_compliant; i++) {
        const RowBlock *block = block_of(model, i);
        if (w[block->enabled] == 0)
            continue;
        w[block->enabled] = 0;
        double A = own_acceleration(table, block, w, step->removed);
        double k = (h / 2 * step->damping[i] + h * h / 4 / step->compliances[i]) * A;
        w[block->compliant->compliance] *= 1 + k;
        w[block->compliant->damping] /= 1 + k;
    }
    if (any)
        invalidate(state, STAGE_DYNAMICS);
}

void harden_compliant_rows(const Model *model, State *state, const CompliantStep *step) {
    double *w = state->w;
    for (int i = 0; i < n_compliant(model); i++) {
        const CompliantRow *row = block_of(model, i)->compliant;
        if (w[row->compliance] == step->compliances[i])
            continue;
        w[row->compliance] = step->compliances[i];
        w[row->damping] = step->damping[i];
        invalidate(state, STAGE_DYNAMICS);
    }
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

/* the change of the distance in a step that ends with this rate */
static double way_of(const CompliantStep *step, int number, double h, double rate) {
    return step->is_middle ? h / 2 * (step->rates[number] + rate) : h * rate;
}

void begin_compliant_rows(const Model *model, const State *state, CompliantStep *step, double h, const double *of_speeds,
                          const double *drifts, EngagementRule rule) {
    const double *w = state->w;
    for (int i = 0; i < n_compliant(model); i++) {
        const RowBlock *block = block_of(model, i);
        const CompliantRow *row = block->compliant;
        double distance = step->distances[i], C = w[row->compliance], DC = w[row->damping] * C;
        int exists = compliant_row_exists(state, block) && is_bound(distance);
        double s = 1 / ((step->is_middle ? h / 4 : h / 2) + DC), before = step->is_middle ? distance + h / 4 * step->rates[i] : distance;
        step->free[i] = w[block->velocity_errors] + of_speeds[block->first];
        step->R[i] = s * C / h;
        step->a[i] = step->free[i] + drifts[block->first] + s * (exists ? before : 0);
        if (step->is_middle)
            step->free[i] += drifts[block->first];
        int is_met = distance <= 0 || (rule == ENGAGEMENT_PREDICTIVE && distance + way_of(step, i, h, step->free[i]) <= 0);
        step->chosen[i] = exists && (!row->is_unilateral || is_met);
    }
}

int choose_violated_compliant(const Model *model, const State *state, CompliantStep *step, double h, const double *changes, double noise) {
    int any = 0;
    for (int i = 0; i < n_compliant(model); i++) {
        const RowBlock *block = block_of(model, i);
        double above = fmax(step->distances[i], 0), after = step->free[i] + changes[block->first];
        double slack = noise * (above + h * (fabs(step->free[i]) + fabs(after)));
        int exists = compliant_row_exists(state, block) && is_bound(step->distances[i]);
        if (exists && !step->chosen[i] && above + way_of(step, i, h, after) < -slack)
            any = step->chosen[i] = 1;
    }
    return any;
}

void set_compliant_rows(const Model *model, const CompliantStep *step, ContactWork *work, const double *turns, double noise) {
    int nu = model->rows->nu, row = work->first_rigid - work->n_soft, column = nu;
    for (int are_unilateral = 0; are_unilateral < 2; are_unilateral++)
        for (int i = 0; i < n_compliant(model); i++)
            if (step->chosen[i] && block_of(model, i)->compliant->is_unilateral == are_unilateral) {
                work->before[row] = step->a[i] + (turns ? turns[block_of(model, i)->first] : 0);
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
