/* One simulation of the model, and its life cycle. Knows of no version of FMI. */
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

/* who made the instance: the callbacks are of the type that the FMI version says */
struct Host {
    LogMessage *log_message;
    void (*logger)(void);
    void *environment;
};

/* what never changes, what only the host changes, what a step works in; and what a simulation is: the State */
typedef struct {
    const Model *model;
    const Interface *interface;
    void *memory_of_tables; /* of who made the instance, see find_tables.h */
    char *name;
    Host host;
    unsigned log_categories; /* that are shown: a bit of each, logging.h */
    const char *call;        /* the FMI function at work, for messages */
    double *dw;              /* [n_w]  a change of State.w; 0 but for what stages compute, see directional.c */
    int dw_stage;            /* the first stage that has been computed in dw, 0: none */
    double *w_before;        /* [n_w]  kept while a call may fail: events change more than y */
    Work work;
    VelocityLevelWork *of_fixed_steps; /* NULL: steps are as long as their error allows */
    State *state;
} Instance;

/* NULL if there is no memory for it */
MOBOD_API Instance *create_instance(const Model *model, const Interface *interface, const char *name, Host host);
MOBOD_API void free_instance(Instance *instance);

/* Each of these returns STATUS_OK, or logs an error and returns STATUS_ERROR. One that refuses its arguments changes nothing. If a kernel
 * stops a sweep, the call is one that failed, and others can follow. */

/* stop_time and tolerance: NULL if the host gives none */
MOBOD_API Status set_up_experiment(Instance *instance, double start_time, const double *stop_time, const double *tolerance);
MOBOD_API Status enter_initialization(Instance *instance);
MOBOD_API Status exit_initialization(Instance *instance);

/* From the current time, which must be start_time but for round-off, to exactly start_time + step. If the equations cannot be integrated,
 * everything stays as it was, and the mode is MODE_ERROR; or MODE_STEP_FAILED, with STATUS_DISCARD, if a part of the step could be taken:
 * then a shorter step, from a saved state, succeeds. STATUS_DISCARD too if an event has ended the simulation, there or before. */
MOBOD_API Status do_step(Instance *instance, double start_time, double step);

/* the end of the simulation */
MOBOD_API Status terminate(Instance *instance);

/* STATUS_OK; or, where a kernel has stopped a sweep, an error, after which sweeps run again */
Status check_not_stopped(Instance *instance);

#endif
