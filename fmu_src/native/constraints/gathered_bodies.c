#include "gathered_bodies.h"

#include <string.h>

/* copy the numbers of the bodies from v to v, by the choices in w */
static void gather(const GatherTable *table, const double *w, double *v) {
    double *to = v + table->to;
    for (int i = 0; i < table->n; i++)
        for (int side = 0; side < 2; side++) {
            const int body = table->bodies[2 * (int)w[table->choices + i] + side];
            for (int part = 0; part < table->n_parts; to += table->sizes[part++])
                memcpy(to, v + table->places[body * table->n_parts + part], (size_t)table->sizes[part] * sizeof(double));
        }
}

int run_gather(const void *context, Call *call, const int *at) {
    (void)at;
    gather(context, call->w, call->w);
    return 0;
}

int run_gather_tangent(const void *context, Call *call, const int *at) {
    (void)at;
    gather(context, call->w, call->dw);
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
