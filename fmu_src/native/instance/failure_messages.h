/* Messages to the importer about failed integrations, impacts whose order is ambiguous, and impacts without collision. */
#ifndef MOBOD_FAILURE_MESSAGES_H
#define MOBOD_FAILURE_MESSAGES_H

#include "instance_data.h"

/* log_error; or log_failed_step, if a shorter step can succeed */
typedef Status LogFailure(const Instance *instance, const char *format, ...);

/* log why an integration failed; returns the status of `log_as`, or that of an error if no shorter step can succeed */
Status log_failure(const Instance *instance, const Integration *failure, LogFailure *log_as);

/* log which constraints contradict each other in the last evaluation; STATUS_OK if none do */
Status log_contradictions(const Instance *instance, double time, LogFailure *log_as);

/* log the impacts without collision since the call began, as warnings, and those of unknown order, as warnings or as an error */
Status log_noted_impacts(const Instance *instance);

#endif
