/* Functions that all files of FMI 2.0 use. */
#ifndef MOBOD_FMI2_H
#define MOBOD_FMI2_H

#include "fmi2_calls.h"
#include "instance_data.h"

#include "fmi2Functions.h"

/* the instance, if the function may be called now; else NULL, after a message */
static inline Instance *instance_for(fmi2Component c, Fmi2Call call) {
    Instance *instance = c;
    return instance && may_call(instance, call) ? instance : NULL;
}

#endif
