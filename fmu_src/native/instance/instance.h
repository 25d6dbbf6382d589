/* One simulation of the model and its life cycle, independent of the version of FMI. */
#ifndef MOBOD_INSTANCE_H
#define MOBOD_INSTANCE_H

#include "instance_data.h"

/* NULL if memory is exhausted. It is for co-simulation; set_interface_type, called next, changes this */
MOBOD_API Instance *create_instance(const Model *model, const Interface *interface, const char *name, Importer importer);
void set_interface_type(Instance *instance, InterfaceType type);
MOBOD_API void free_instance(Instance *instance);

/* Each of these returns STATUS_OK, or logs an error and returns STATUS_ERROR. A call with invalid arguments changes nothing. If a kernel
 * stops a sweep, the call fails, and other calls can follow. */

/* stop_time and tolerance: NULL if the importer gives none */
MOBOD_API Status set_up_experiment(Instance *instance, double start_time, const double *stop_time, const double *tolerance);
MOBOD_API Status enter_initialization(Instance *instance);
MOBOD_API Status exit_initialization(Instance *instance);

/* From the values that were set, in Initialization Mode: the start of the run, up to the events that are due at it. Call save_w before it,
 * and restore_w if it fails. */
Status find_start(Instance *instance);

/* the end of the simulation */
MOBOD_API Status terminate(Instance *instance);

/* Give quaternions unit length. advice: ends the message about one that is zero */
Status normalize_state(Instance *instance, const char *advice);

/* Project the state onto the constraints after the importer has set values. state_name: for messages */
Status satisfy_constraints(Instance *instance, const char *state_name);

/* Begin fixed steps, at the start or after a value was set. A state at the end of a fixed step is not changed. */
Status start_fixed_steps(Instance *instance, const char *state_name);

/* Returns STATUS_OK, or, if a kernel has stopped a sweep, logs an error and allows sweeps again. */
Status check_not_stopped(Instance *instance);

#endif
