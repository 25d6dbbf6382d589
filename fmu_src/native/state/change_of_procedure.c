#include "change_of_procedure.h"

#include <math.h>

int run_change_of_procedure(const void *context, Call *call, const int *at) {
    const ChangeOfProcedure *change = context;
    Call of_tangent = *call;
    of_tangent.dw = call->w + change->changes;
    return change->tangent.run(change->tangent.context, &of_tangent, at);
}

int run_change_of_procedure_tangent(const void *context, Call *call, const int *at) {
    const ChangeOfProcedure *change = context;
    (void)at;
    for (int i = 0; i < change->n_outputs; i++)
        for (int k = 0; k < change->outputs[2 * i + 1]; k++)
            call->dw[change->outputs[2 * i] + k] = NAN;
    return 0;
}

int run_change_of_procedure_adjoint(const void *context, Call *call, const int *at) {
    const ChangeOfProcedure *change = context;
    (void)at;
    for (int i = 0; i < change->n_outputs; i++)
        for (int k = 0; k < change->outputs[2 * i + 1]; k++)
            if (call->dw[change->outputs[2 * i] + k] != 0)
                return 1;
    return 0;
}
