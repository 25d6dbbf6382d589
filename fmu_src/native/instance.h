/* One simulation of the model and its life cycle, independent of the version of FMI. */
#ifndef MOBOD_INSTANCE_H
#define MOBOD_INSTANCE_H

#include "exported.h"
#include "integrators.h"
#include "model.h"
#include "state.h"
#include "velocity_level.h"

/* numbered as in FMI 2.0 and 3.0 */
typedef enum { STATUS_OK, STATUS_WARNING, STATUS_DISCARD, STATUS_ERROR } Status;

typedef struct Host Host;

/* shows a message to the user; the message is plain text */
typedef void LogMessage(const Host *host, const char *instance_name, Status status, const char *category, const char *message);

/* the creator of the instance; the type of the callbacks depends on the FMI version */
struct Host {
    LogMessage *log_message;
    void (*logger)(void);
    void *environment;
};

/* an instance: constant data, data that only the host changes, workspaces, and the State, which is the simulation */
typedef struct {
    const Model *model;
    const Interface *interface;
    void *memory_of_tables; /* owned by the creator of the instance, see find_tables.h */
    char *name;
    Host host;
    unsigned log_categories; /* categories that are shown, one bit each, logging.h */
    const char *call;        /* name of the FMI function under way, for messages */
    double *dw;              /* [n_w] a change of State.w; 0 except where stages compute it, see directional.c */
    int dw_stage;            /* the first stage that has been computed in dw, 0: none */
    double *w_before;        /* [n_w] copy of w from before a call that may fail; events change more than y */
    Work work;
    VelocityLevelWork *of_fixed_steps; /* NULL: steps under error control */
    State *state;
} Instance;

/* NULL if memory is exhausted */
MOBOD_API Instance *create_instance(const Model *model, const Interface *interface, const char *name, Host host);
MOBOD_API void free_instance(Instance *instance);

/* Each of these returns STATUS_OK, or logs an error and returns STATUS_ERROR. A call with invalid arguments changes nothing. If a kernel
 * stops a sweep, the call fails, and other calls can follow. */

/* stop_time and tolerance: NULL if the host gives none */
MOBOD_API Status set_up_experiment(Instance *instance, double start_time, const double *stop_time, const double *tolerance);
MOBOD_API Status enter_initialization(Instance *instance);
MOBOD_API Status exit_initialization(Instance *instance);

/* Integrate from the current time, which must equal start_time up to round-off, to exactly start_time + step. If the integration fails,
 * nothing changes and the mode is MODE_ERROR. If a part of the step succeeded, the mode is MODE_STEP_FAILED and the status is
 * STATUS_DISCARD: a shorter step from a saved state succeeds. The status is also STATUS_DISCARD if an event has ended the simulation, in
 * this step or before. */
MOBOD_API Status do_step(Instance *instance, double start_time, double step);

/* the end of the simulation */
MOBOD_API Status terminate(Instance *instance);

/* Returns STATUS_OK, or, if a kernel has stopped a sweep, logs an error and allows sweeps again. */
Status check_not_stopped(Instance *instance);

#endif
