/* Whether an FMI function may be called now. The rules of each version of FMI are tables (fmi2_calls.c, fmi3_calls.c). */
#ifndef MOBOD_CALL_RULES_H
#define MOBOD_CALL_RULES_H

#include "instance_data.h"

/* the modes (Mode, one bit each) in which instances of each type may be called; 0: in none */
typedef struct {
    const char *name;
    unsigned co_simulation, model_exchange;
} CallRule;

/* Whether a function may be called now; if not, an error is logged. From this call on, messages begin with its name. mode: the name of
 * the present mode */
int is_allowed(Instance *instance, const CallRule *rule, const char *mode);

#endif
