#include "gathered_bodies.h"

#include <string.h>

/* copy the numbers of the bodies of a path from v to v */
static void gather(const GatherTable *table, int choice, const double *v, double *to) {
    for (int side = 0; side < 2; side++) {
        const int body = table->bodies[2 * choice + side];
        for (int part = 0; part < table->n_parts; to += table->sizes[part++])
            memcpy(to, v + table->places[body * table->n_parts + part], (size_t)table->sizes[part] * sizeof(double));
    }
}

int run_gather(const void *context, Call *call, const int *at) {
    const GatherTable *table = context;
    double *w = call->w, *idle = w + table->idle;
    (void)at;
    for (int i = 0; i < table->n; i++) {
        const int choice = (int)w[table->choices + i];
        if (choice || idle[i] == 0)
            gather(table, choice, w, w + table->to + 2 * i * table->n_numbers);
        idle[i] = choice == 0;
    }
    return 0;
}

int run_gather_tangent(const void *context, Call *call, const int *at) {
    const GatherTable *table = context;
    (void)at;
    for (int i = 0; i < table->n; i++)
        gather(table, (int)call->w[table->choices + i], call->dw, call->dw + table->to + 2 * i * table->n_numbers);
    return 0;
}

int run_gather_adjoint(const void *context, Call *call, const int *at) {
    const GatherTable *table = context;
    double *from = call->dw + table->to;
    (void)at;
    for (int i = 0; i < table->n; i++)
        for (int side = 0; side < 2; side++) {
            const int body = table->bodies[2 * (int)call->w[table->choices + i] + side];
            for (int part = 0; part < table->n_parts; from += table->sizes[part++])
                for (int k = 0; k < table->sizes[part]; k++) {
                    call->dw[table->places[body * table->n_parts + part] + k] += from[k];
                    from[k] = 0;
                }
        }
    return 0;
}
