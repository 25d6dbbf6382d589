/* Messages to the importer. */
#ifndef MOBOD_LOGGING_H
#define MOBOD_LOGGING_H

#include "exported.h"
#include "instance_data.h"

/* bits of Instance.log_categories; the FMU's model description contains their names. LOG_ALWAYS are always set. */
enum {
    LOG_ERROR = 1,   /* "logStatusError" always shown: not a debug message */
    LOG_DISCARD = 2, /* "logStatusDiscard" a request that cannot be answered */
    LOG_STEPS = 4,   /* "logSteps" the steps that each communication step took */
    LOG_WARNING = 8, /* "logStatusWarning" always shown: a call succeeded differently from what was requested */
    LOG_ALWAYS = 9,
    LOG_ALL = 15, /* "logAll" */
};

static inline int logs(const Instance *instance, unsigned category) { return (instance->log_categories & category) != 0; }

/* the format is that of printf; the message begins with the name of the FMI function under way */
Status log_error(const Instance *instance, const char *format, ...);       /* returns STATUS_ERROR */
Status log_discard(const Instance *instance, const char *format, ...);     /* returns STATUS_DISCARD */
Status log_failed_step(const Instance *instance, const char *format, ...); /* always shown; returns STATUS_DISCARD */
Status log_steps(const Instance *instance, const char *format, ...);       /* returns STATUS_OK */
Status log_warning(const Instance *instance, const char *format, ...);     /* returns STATUS_WARNING */

/* an error before there is an instance */
void log_error_to(const Importer *importer, const char *instance_name, const char *format, ...);

/* FMI 2.0: show these categories, and those of LOG_ALWAYS; or these alone. No names: all categories */
MOBOD_API Status set_logging(Instance *instance, int is_on, size_t n_categories, const char *const *categories);

/* FMI 3.0: show these categories from now on, or no longer show them */
Status switch_logging(Instance *instance, int is_on, size_t n_categories, const char *const *categories);

#endif
