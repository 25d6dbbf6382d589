/* Messages to the importer about failed integrations and about impacts whose order is ambiguous. */
#ifndef MOBOD_FAILURE_MESSAGES_H
#define MOBOD_FAILURE_MESSAGES_H

#include "instance_data.h"

/* log_error; or log_failed_step, if a shorter step can succeed */
typedef Status LogFailure(const Instance *instance, const char *format, ...);

/* log why an integration failed; returns the status of `log_as`, or that of an error if no shorter step can succeed */
Status log_failure(const Instance *instance, const Integration *failure, LogFailure *log_as);

/* log which constraints contradict each other in the last evaluation; STATUS_OK if none do */
Status log_contradictions(const Instance *instance, double time, LogFailure *log_as);

/* log the impacts of unknown order since the call began, as warnings or as an error */
Status log_ambiguous_impacts(const Instance *instance);

#endif
