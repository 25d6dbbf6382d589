#include "momentum_of_hits.h"

#include "chosen_friction.h"
#include "contact_table.h"
#include "coordinate_changes.h"
#include "elementary.h"
#include "evaluation.h"
#include "lu.h"
#include "rows.h"
#include "state_sizes.h"
#include "tree.h"

#include <string.h>

/* the sum of impulses that act among bodies, relative to that on one. The points of a slot on two bodies move apart within a step, so that
 * the moments of its impulses are not equal. */
static const double BALANCED = 1e-9, MOMENTS_BALANCED = 0.1;

/* ---- which impacts ---- */

/* whether a joint connects a body without children to Ground by six speeds */
static int is_single_body(const RowTable *table, int j) {
    const RowJoint *joint = table->joints + j;
    int is_single = joint->nu == 6 && joint->parent < 0 && joint->n_along == 0;
    for (int i = 0; i < table->n_joints && is_single; i++)
        is_single = table->joints[i].parent != j;
    return is_single;
}

/* whether each row of a part moves more than one body of six speeds */
static int acts_among_bodies(const ContactWork *rows, const IndependentParts *parts, int part) {
    for (int i = parts->first_row[part]; i < parts->first_row[part + 1]; i++) {
        const RowPattern *pattern = rows->patterns + parts->rows[i];
        int n_speeds = 0;
        for (int run = 0; run < pattern->n; run++)
            n_speeds += pattern->runs[2 * run + 1];
        if (n_speeds <= 6)
            return 0;
    }
    return 1;
}

void find_free_impacts(const Model *model, const ContactWork *rows, const int *chosen, const Hits *hits, FreeImpacts *free) {
    const RowTable *table = model->rows;
    const IndependentParts *parts = last_parts(rows);
    int any = 0;
    for (int part = 0; part < parts->n_parts; part++)
        any = (free->is_free[part] = hits->any && is_bound(hits->of_parts[part])) || any;
    for (int i = 0; i < n_contacts(model); i++)
        if (chosen[i] && rows->z[rows->row_of_contact[i]] > 0)
            any = free->is_free[parts->part_of[rows->row_of_contact[i]]] = 1;
    free->any = 0;
    if (!any)
        return;
    for (int k = 0; k < table->nu; k++)
        free->part_of_speed[k] = -1;
    for (int part = 0; part < parts->n_parts; part++)
        for (int i = parts->first_column[part]; free->is_free[part] && i < parts->first_column[part + 1]; i++)
            if (parts->columns[i] < table->nu)
                free->part_of_speed[parts->columns[i]] = part;
    for (int part = 0; part < parts->n_parts; part++)
        free->is_free[part] = free->is_free[part] && acts_among_bodies(rows, parts, part);
    for (int j = 0; j < table->n_joints; j++) {
        const RowJoint *joint = table->joints + j;
        free->part[j] = joint->nu ? free->part_of_speed[joint->first] : -1;
        if (free->part[j] >= 0 && free->is_free[free->part[j]])
            free->is_free[free->part[j]] = is_single_body(table, j);
    }
    for (int j = 0; j < table->n_joints; j++) {
        if (free->part[j] >= 0 && !free->is_free[free->part[j]])
            free->part[j] = -1;
        free->any = free->any || free->part[j] >= 0;
    }
}

/* whether a joint is the first one of an impact */
static int is_first_of_impact(const FreeImpacts *free, int j) {
    int i = 0;
    while (i < j && free->part[i] != free->part[j])
        i++;
    return free->part[j] >= 0 && i == j;
}

/* ---- momenta ---- */

/* x [6] becomes A^-1 x, or A^-T x. A that has no inverse leaves numbers that are not finite. */
static void solve_six(const double *A, int is_transposed, double *x) {
    double factors[36];
    int pivots[6];
    for (int i = 0; i < 36; i++)
        factors[i] = A[is_transposed ? 6 * (i % 6) + i / 6 : i];
    if (factor_lu(6, factors, pivots) < 0)
        solve_lu(6, factors, pivots, x);
    else
        for (int i = 0; i < 6; i++)
            x[i] = NAN;
}

/* a += b x c */
static void add_cross(const double *b, const double *c, double *a) {
    for (int i = 0; i < 3; i++)
        a[i] += b[(i + 1) % 3] * c[(i + 2) % 3] - b[(i + 2) % 3] * c[(i + 1) % 3];
}

/* Add the momentum of a body with speeds u [6] to p [6]: angular about the origin of Ground, and linear. w is realized to DYNAMICS. */
static void add_momentum(const RowJoint *joint, const double *w, const double *u, double *p) {
    double f[6];
    memcpy(f, u, sizeof f);
    solve_six(w + joint->D_inverse, 0, f);
    solve_six(w + joint->H, 1, f);
    add_cross(w + joint->l, f + 3, f);
    for (int i = 0; i < 6; i++)
        p[i] += f[i];
}

/* the speeds u [6] of a body that moves with a velocity V [6] of Ground's axes, the linear one at its origin */
static void find_speeds(const RowJoint *joint, const double *w, const double *V, double *u) {
    memcpy(u, V, 6 * sizeof(double));
    add_cross(V, w + joint->l, u + 3);
    solve_six(w + joint->H, 0, u);
}

static void add_momenta(const Model *model, const State *state, const FreeImpacts *free, double sign) {
    double p[6], u[6];
    for (int j = 0; j < model->rows->n_joints; j++) {
        const RowJoint *joint = model->rows->joints + j;
        if (free->part[j] < 0)
            continue;
        memset(p, 0, sizeof p);
        memcpy(u, state->w + model->rows->u + joint->first, sizeof u);
        add_momentum(joint, state->w, u, p);
        for (int i = 0; i < 6; i++)
            free->momenta[6 * free->part[j] + i] += sign * p[i];
    }
}

/* forget impacts with impulses that do not act among their bodies alone, or in which a motion is prescribed */
static void drop_unbalanced(const Model *model, const State *state, const VelocityLevelWork *work) {
    const RowTable *table = model->rows;
    const FreeImpacts *free = &work->free_impacts;
    for (int j = 0; j < table->n_joints; j++) {
        double sum[6] = {0}, size[2] = {0};
        const int part = free->part[j];
        int is_free = 1;
        if (!is_first_of_impact(free, j))
            continue;
        for (int i = j; i < table->n_joints; i++) {
            const RowJoint *joint = table->joints + i;
            double p[6] = {0};
            if (free->part[i] != part)
                continue;
            add_momentum(joint, state->w, work->rows->change + joint->first, p);
            for (int k = 0; k < 6; k++) {
                sum[k] += p[k];
                size[k / 3] = fmax(size[k / 3], fabs(p[k]));
                is_free = is_free && work->compliant.removed[joint->first + k] == 0;
            }
            is_free = is_free && !is_known(joint, state->w);
        }
        for (int k = 0; k < 6; k++)
            is_free = is_free && fabs(sum[k]) <= (k < 3 ? MOMENTS_BALANCED : BALANCED) * size[k / 3];
        for (int i = j; i < table->n_joints && !is_free; i++)
            if (free->part[i] == part)
                free->part[i] = -1;
    }
}

Outcome note_momenta_without_impulses(const Model *model, State *state, VelocityLevelWork *work, double left, double end,
                                      Integration *result) {
    FreeImpacts *free = &work->free_impacts;
    const RowTable *table = model->rows;
    const size_t n = (size_t)y_size(model);
    const double start = state->w[model->time_at];
    double *y = state->w + model->y_at, *u = state->w + table->u;
    drop_unbalanced(model, state, work);
    free->any = 0;
    for (int j = 0; j < table->n_joints; j++)
        free->any = free->any || free->part[j] >= 0;
    if (!free->any)
        return INTEGRATED;
    memcpy(free->y, y, n * sizeof(double));
    memset(free->momenta, 0, 6 * (size_t)most_selected_rows(model) * sizeof(double));
    for (int k = 0; k < table->nu; k++)
        u[k] = work->y[table->u - model->y_at + k] - work->rows->change[k];
    invalidate(state, STAGE_VELOCITY);
    realize(model, state, model->q_dot_stage);
    for (int i = 0; i < model->n_q; i++)
        y[i] += left * state->w[model->y_dot_at + i];
    set_time(model, state, end);
    Outcome outcome = normalize_directions(model, state, end, result);
    if (outcome == INTEGRATED) {
        realize(model, state, STAGE_DYNAMICS);
        add_momenta(model, state, free, 1);
    }
    memcpy(y, free->y, n * sizeof(double));
    set_time(model, state, start);
    return outcome;
}

void restore_momenta(const Model *model, State *state, const VelocityLevelWork *work) {
    const RowTable *table = model->rows;
    const FreeImpacts *free = &work->free_impacts;
    if (!free->any)
        return;
    realize(model, state, STAGE_DYNAMICS);
    add_momenta(model, state, free, -1);
    for (int j = 0; j < table->n_joints; j++) {
        const int part = free->part[j];
        double inertia[36] = {0}, *missing = free->momenta + 6 * (part < 0 ? 0 : part), u[6];
        if (!is_first_of_impact(free, j))
            continue;
        for (int k = 0; k < 6; k++) {
            double V[6] = {0}, p[6] = {0};
            V[k] = 1;
            for (int i = j; i < table->n_joints; i++)
                if (free->part[i] == part) {
                    find_speeds(table->joints + i, state->w, V, u);
                    add_momentum(table->joints + i, state->w, u, p);
                }
            for (int i = 0; i < 6; i++)
                inertia[6 * i + k] = p[i];
        }
        solve_six(inertia, 0, missing);
        for (int i = j; i < table->n_joints; i++)
            if (free->part[i] == part) {
                find_speeds(table->joints + i, state->w, missing, u);
                for (int k = 0; k < 6; k++)
                    state->w[table->u + table->joints[i].first + k] += isfinite(u[k]) ? u[k] : 0;
            }
    }
    invalidate(state, STAGE_VELOCITY);
}
