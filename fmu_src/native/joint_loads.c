#include "joint_loads.h"

#include "elementary.h"
#include "rows.h"

#include <math.h>

/* SAME: relative to a load; NOISE: relative to the terms that it is the sum of. Loads that differ by less are the same.
 * STEEPEST: of a secant that is used. MOST_SECANTS, MOST_TIMES: then the part is repeated without secants; then there is no solution. */
static const double SAME = 1e-13, NOISE = 1e-15, SAME_CHANGE = 1e-11, STEEPEST = 0.9;
enum { MOST_SECANTS = 15, MOST_TIMES = 60 };

/* the workspace: how many times the part has been done, and of each load x and g(x) of the last time */
typedef struct {
    double *times, *x, *g;
} LoadWorkspace;

static LoadWorkspace load_workspace(const RowTable *table, double *values) {
    double *first = values + table->load_workspace;
    return (LoadWorkspace){first, first + 1, first + 1 + table->n_loads};
}

/* begin with loads, or changes of loads, of 0 */
static int begin(const RowTable *table, double *values) {
    for (int i = 0; i < table->n_loads; i++)
        values[table->loads[i].load] = 0;
    *load_workspace(table, values).times = 0;
    return REPEAT_FROM_HERE;
}

static int any_slips(const RowTable *table, const double *w) {
    for (int i = 0; i < table->n_loads; i++)
        if (w[table->loads[i].flag] == CARRIES_SLIP)
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

/* Set the loads to those measured, if they are the same, or if no friction depends on them. Returns whether it has done this. */
static int accept(const RowTable *table, double *values, int is_same) {
    for (int i = 0; i < table->n_loads && is_same; i++)
        values[table->loads[i].load] = values[table->loads[i].measured];
    return is_same;
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
    for (int i = 0; i < table->n_loads && any_slips(table, w); i++) {
        const JointLoad *load = table->loads + i;
        double x = w[load->load], g = w[load->measured];
        if (isnan(g)) { /* so are the accelerations */
            fail(table, w);
            return 0;
        }
        is_same = is_same && fabs(g - x) <= SAME * g + NOISE * w[load->size];
    }
    if (accept(table, w, is_same))
        return 0;
    if (*load_workspace(table, w).times >= MOST_TIMES)
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
        if (isnan(g)) {
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

/* Without slips: multipliers, whose adjoints in slips do not exist, stop the sweep there. */
int run_load_begin_adjoint(const void *context, Call *call, const int *at) {
    (void)at;
    const RowTable *table = context;
    for (int i = 0; i < table->n_loads; i++)
        call->dw[table->loads[i].load] = 0;
    return 0;
}

int run_load_check_adjoint(const void *context, Call *call, const int *at) {
    (void)at;
    const RowTable *table = context;
    for (int i = 0; i < table->n_loads; i++) {
        call->dw[table->loads[i].measured] += call->dw[table->loads[i].load];
        call->dw[table->loads[i].load] = 0;
    }
    return 0;
}
