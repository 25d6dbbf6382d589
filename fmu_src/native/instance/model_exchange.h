/* Model exchange: the importer integrates y, and finds events by their indicators. */
#ifndef MOBOD_MODEL_EXCHANGE_H
#define MOBOD_MODEL_EXCHANGE_H

#include "instance_data.h"

/* Each returns STATUS_OK, or STATUS_ERROR or STATUS_DISCARD after a message. The lengths of arrays must be those of the model. */

Status set_time_of_importer(Instance *instance, double time);

/* a value that is not finite is discarded, and nothing changes */
Status set_continuous_states(Instance *instance, const double *y, size_t n);
Status get_continuous_states(Instance *instance, double *y, size_t n);
Status get_nominals(Instance *instance, double *nominals, size_t n);

/* STATUS_DISCARD if a value does not exist at the present time and states */
Status get_derivatives(Instance *instance, double *y_dot, size_t n);

/* Values whose changes of sign are events. An indicator that was zero at the last event is shifted away from zero, in the direction of its
 * sign after that event, until it has left zero by more than its round-off. */
Status get_event_indicators(Instance *instance, double *indicators, size_t n);

/* A step of integration is accepted. Event mode is needed if constraints or quaternions have drifted far, or if an event handler runs
 * after each step. Records delays. */
Status completed_integrator_step(Instance *instance, int *needs_event_mode, int *is_terminated);

#endif
