/* Functions and macros that all files of FMI 3.0 use. */
#ifndef MOBOD_FMI3_H
#define MOBOD_FMI3_H

#include "fmi3_calls.h"
#include "instance_data.h"
#include "logging.h"

#include "fmi3Functions.h"

/* the instance, if the function may be called now; else NULL, after a message */
static inline Instance *instance_for(fmi3Instance c, Fmi3Call call, const char *name) {
    Instance *instance = c;
    return instance && may_call_fmi3(instance, call, name) ? instance : NULL;
}

static inline fmi3Status null_pointer(const Instance *instance) {
    return (fmi3Status)log_error(instance, "the place for a result is a null pointer.");
}

/* a LogMessage, for importers whose logger is an fmi3LogMessageCallback */
void log_to_fmi3(const Importer *importer, const char *instance_name, Status status, const char *category, const char *message);

/* the arguments of a function that gets or sets variables */
#define VALUES(type) fmi3Instance c, const fmi3ValueReference valueReferences[], size_t nValueReferences, type values[], size_t nValues

#endif
