#include "call_rules.h"
#include "logging.h"

int is_allowed(Instance *instance, const CallRule *rule, const char *mode) {
    int is_model_exchange = instance->state->interface_type == MODEL_EXCHANGE;
    unsigned modes = is_model_exchange ? rule->model_exchange : rule->co_simulation;
    instance->call = rule->name;
    if (modes & (unsigned)instance->state->mode)
        return 1;
    if (modes)
        log_error(instance, "not allowed in the mode %s.", mode);
    else if (is_model_exchange ? rule->co_simulation : rule->model_exchange)
        log_error(instance, "this instance is for %s, which does not have this function.",
                  is_model_exchange ? "model exchange" : "co-simulation");
    else
        log_error(instance, "this FMU does not support the function.");
    return 0;
}
