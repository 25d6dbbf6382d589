#include "joint_loads.h"

#include "elementary.h"
#include "row_factors.h"
#include "rows.h"

#include <math.h>
#include <string.h>

/* SAME: relative to a load; NOISE: relative to the terms that it is the sum of. Loads that differ by less are the same.
 * STEEPEST: of a secant that is used. MOST_SECANTS, MOST_TIMES: then the part is repeated without secants; then there is no solution. */
static const double SAME = 1e-13, NOISE = 1e-15, SAME_CHANGE = 1e-11, STEEPEST = 0.9;

/* a load that changes by less, relative to the forces of the rows, is determined */
static const double DETERMINED = 1e-7, GOLDEN = 0.6180339887498949;
enum { MOST_SECANTS = 15, MOST_TIMES = 60 };

/* the workspace: how many times the part has been done; whether the reaction of a joint is undetermined; of each load x and g(x) of the
 * last time */
typedef struct {
    double *times, *is_undetermined, *x, *g;
} LoadWorkspace;

static LoadWorkspace load_workspace(const RowTable *table, double *values) {
    double *first = values + table->load_workspace;
    return (LoadWorkspace){first, first + 1, first + 2, first + 2 + table->n_loads};
}

/* begin with loads, or changes of loads, of 0 */
static int begin(const RowTable *table, double *values) {
    for (int i = 0; i < table->n_loads; i++)
        values[table->loads[i].load] = 0;
    *load_workspace(table, values).times = *load_workspace(table, values).is_undetermined = 0;
    return REPEAT_FROM_HERE;
}

static int any_slips(const RowTable *table, const double *w) {
    for (int i = 0; i < table->n_loads; i++)
        if (w[table->blocks[table->loads[i].block].carried->flag] == CARRIES_SLIP)
            return 1;
    return 0;
}

/* Set the loads for the next time; they are at least `least`. */
static void next_loads(const RowTable *table, double *values, double least) {
    LoadWorkspace work = load_workspace(table, values);
    for (int i = 0; i < table->n_loads; i++) {
        double *load = values + table->loads[i].load, x = *load, g = values[table->loads[i].measured];
        double slope = *work.times > 0 && *work.times < MOST_SECANTS && x != work.x[i] ? (g - work.g[i]) / (x - work.x[i]) : 0;
        *load = fmax(fabs(slope) < STEEPEST ? x + (g - x) / (1 - slope) : g, least);
        work.x[i] = x;
        work.g[i] = g;
    }
    ++*work.times;
}

static void fail(const RowTable *table, double *values) {
    for (int i = 0; i < table->n_loads; i++)
        values[table->loads[i].load] = NAN;
}

/* general numbers near 1: irregular, since a regular series may be normal to the multipliers that move nothing, as of four corners */
static double general_number(int k) {
    double x = GOLDEN * k * k;
    return 0.5 + x - floor(x);
}

/* Set work->b to multipliers of the n active rows of a part that move nothing: general ones, without their part that moves. Returns 0 if
 * there are none but round-off. */
static int find_self_stress(const RowTable *table, const RowPart *part, double *w, RowWorkspace *work, int n, WholeSystem whole) {
    double *general = work->spare;
    if (n == 0 || factor_active_rows(table, part, w, work, n, whole) != FACTORED || work->factors.rank == n)
        return 0;
    for (int i = 0; i < n; i++)
        general[i] = general_number(i);
    multiply_by_A(table, part, w, w + table->A, work, general, work->b);
    if (solve_active_rows(work, n, work->b, work->b) != FACTORED)
        return 0;
    for (int i = 0; i < n; i++)
        work->b[i] = general[i] - work->b[i];
    return largest_number(work->b, n) > DETERMINED;
}

/* add the forces of a self-stress on bodies to `reactions` [n_joints][6], and their sizes, of moments and forces */
static void add_self_stress(const RowTable *table, const RowPart *part, const double *w, const double *multipliers, double *reactions,
                            double *size) {
    for (int i = 0; i < part->n_blocks; i++) {
        const RowBlock *block = table->blocks + part->blocks[i];
        const RowPath *path = path_of_block(table, block, w);
        for (int row = 0; w[block->enabled] != 0 && row < block->n; row++, multipliers++)
            for (int b = 0; b < path->n_bodies; b++)
                for (int k = 0; k < 6; k++) {
                    double force = *multipliers * w[block->K + path->on_bodies[3 * b + 2] + 6 * row + k];
                    reactions[6 * path->on_bodies[3 * b] + k] += force;
                    size[k / 3] += fabs(force);
                }
    }
}

/* Whether the load of a joint depends on how redundant rows share their forces. */
static int any_undetermined(const RowTable *table, double *w) {
    RowWorkspace work = row_workspace(table, w);
    const WholeSystem whole = whole_system(table, w, &work);
    double *reactions = work.z, size[2] = {0, 0}; /* of moments and forces */
    int any = 0;
    memset(reactions, 0, 6 * (size_t)table->n_joints * sizeof(double));
    for (int i = 0; i < table->n_parts; i++) {
        const RowPart *part = table->parts + i;
        if (find_self_stress(table, part, w, &work, take_active(table, part, w, &work), whole)) {
            add_self_stress(table, part, w, work.b, reactions, size);
            any = 1;
        }
    }
    if (!any)
        return 0;
    for (int j = 0; j < table->n_joints; j++) {
        const double *own = reactions + 6 * j, *l = w + table->joints[j].l;
        if (table->joints[j].parent < 0)
            continue;
        double *sum = reactions + 6 * table->joints[j].parent;
        for (int k = 0; k < 3; k++) {
            sum[k] += own[k] + l[(k + 1) % 3] * own[3 + (k + 2) % 3] - l[(k + 2) % 3] * own[3 + (k + 1) % 3];
            sum[3 + k] += own[3 + k];
        }
        size[0] += (fabs(l[0]) + fabs(l[1]) + fabs(l[2])) * size[1];
    }
    for (int i = 0; i < table->n_loads; i++) {
        const double *own = reactions + 6 * table->loads[i].joint, *R = w + table->loads[i].R_GM, *weights = w + table->loads[i].weights;
        for (int k = 0; k < 6; k++) {
            const double *part = own + k / 3 * 3;
            double in_M = R[k % 3] * part[0] + R[3 + k % 3] * part[1] + R[6 + k % 3] * part[2];
            if (weights[k] * fabs(in_M) > DETERMINED * weights[k] * size[k / 3])
                return 1;
        }
    }
    return 0;
}

/* Set the loads to those measured, if they are the same, or if no friction depends on them. Returns whether it has done this. */
static int accept(const RowTable *table, double *values, int is_same) {
    for (int i = 0; i < table->n_loads && is_same; i++)
        values[table->loads[i].load] = values[table->loads[i].measured];
    return is_same;
}

int have_no_solution(const RowTable *table, const double *w) {
    const double *times = w + table->load_workspace, *is_undetermined = times + 1;
    return table->n_loads && isnan(w[table->loads[0].load]) && (*times > 0 || *is_undetermined != 0);
}

int run_load_begin(const void *context, Call *call, const int *at) {
    (void)at;
    return begin(context, call->w);
}

int run_load_check(const void *context, Call *call, const int *at) {
    (void)at;
    const RowTable *table = context;
    double *w = call->w;
    int is_same = 1;
    for (int i = 0; i < table->n_loads; i++) {
        const JointLoad *load = table->loads + i;
        double x = w[load->load], g = w[load->measured];
        if (isnan(g) || isnan(x)) { /* so are the accelerations */
            fail(table, w);
            return 0;
        }
        is_same = is_same && (!any_slips(table, w) || fabs(g - x) <= SAME * g + NOISE * w[load->size]);
    }
    LoadWorkspace work = load_workspace(table, w);
    if (is_same && *work.is_undetermined == 0)
        *work.is_undetermined = any_undetermined(table, w);
    if (accept(table, w, is_same && *work.is_undetermined == 0))
        return 0;
    if (*work.times >= MOST_TIMES || *work.is_undetermined != 0)
        fail(table, w); /* once more, so that the accelerations become NaN */
    else
        next_loads(table, w, 0);
    return REPEAT;
}

int run_load_begin_tangent(const void *context, Call *call, const int *at) {
    (void)at;
    return begin(context, call->dw);
}

int run_load_check_tangent(const void *context, Call *call, const int *at) {
    (void)at;
    const RowTable *table = context;
    double *dw = call->dw, size = 0;
    int is_same = 1;
    for (int i = 0; i < table->n_loads; i++)
        size = fmax(size, fabs(dw[table->loads[i].measured]));
    for (int i = 0; i < table->n_loads && any_slips(table, call->w); i++) {
        double x = dw[table->loads[i].load], g = dw[table->loads[i].measured];
        if (isnan(g) || isnan(x)) {
            fail(table, dw);
            return 0;
        }
        is_same = is_same && fabs(g - x) <= SAME_CHANGE * size;
    }
    if (accept(table, dw, is_same))
        return 0;
    if (*load_workspace(table, dw).times >= MOST_TIMES)
        fail(table, dw);
    else
        next_loads(table, dw, -INFINITY);
    return REPEAT;
}

/* The loads x = g(x) have the adjoints m of g for which r = x_bar + g_x^T m - m is 0, where x_bar are those of x without this part.
 * All adjoints are linear in m: each time the part is done with a change d of m, to which r becomes r - d + g_x^T d. The workspace has d
 * in x, r of the last time in g, and the largest r in is_undetermined. */
int run_load_check_adjoint(const void *context, Call *call, const int *at) {
    (void)at;
    const RowTable *table = context;
    LoadWorkspace work = load_workspace(table, call->dw);
    *work.times = *work.is_undetermined = 0;
    for (int i = 0; i < table->n_loads; i++) {
        call->dw[table->loads[i].measured] += call->dw[table->loads[i].load];
        call->dw[table->loads[i].load] = 0;
    }
    return REPEAT_FROM_HERE;
}

int run_load_begin_adjoint(const void *context, Call *call, const int *at) {
    (void)at;
    const RowTable *table = context;
    LoadWorkspace work = load_workspace(table, call->dw);
    double *dw = call->dw, *size = work.is_undetermined;
    int is_done = 1;
    for (int i = 0; i < table->n_loads; i++) {
        *size = fmax(*size, fabs(dw[table->loads[i].load]));
        if (!isfinite(dw[table->loads[i].load]))
            return NO_VALUE;
    }
    for (int i = 0; i < table->n_loads; i++)
        is_done = is_done && fabs(dw[table->loads[i].load]) <= SAME * *size;
    if (!is_done && *work.times >= MOST_TIMES)
        return NO_VALUE;
    for (int i = 0; i < table->n_loads; i++) {
        double *r = dw + table->loads[i].load;
        double slope = *work.times > 0 && work.x[i] != 0 ? (*r - work.g[i] + work.x[i]) / work.x[i] : 0;
        double d = is_done ? 0 : fabs(slope) < STEEPEST ? *r / (1 - slope) : *r;
        work.g[i] = *r;
        work.x[i] = d;
        *r = is_done ? 0 : *r - d;
        dw[table->loads[i].measured] = d;
    }
    ++*work.times;
    return is_done ? 0 : REPEAT;
}
