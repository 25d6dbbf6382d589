#include "calls_in_order.h"

int run_calls_in_order(const void *context, Call *call, const int *at) {
    const CallsInOrder *calls = context;
    int result = 0;
    for (int i = 0; i < calls->n_calls && !result; i++)
        result = calls->kernel.run(calls->kernel.context, call, at + i * calls->n_places);
    return result;
}
