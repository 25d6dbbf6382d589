/* The data of an instance. */
#ifndef MOBOD_INSTANCE_DATA_H
#define MOBOD_INSTANCE_DATA_H

#include "exported.h"
#include "input_signals.h"
#include "integrators.h"
#include "model.h"
#include "state.h"
#include "velocity_level.h"

/* numbered as in FMI 2.0 and 3.0 */
typedef enum { STATUS_OK, STATUS_WARNING, STATUS_DISCARD, STATUS_ERROR } Status;

typedef struct Importer Importer;
typedef struct Instance Instance;

/* whether the State shows the start that follows from the values that were set, shown_start.h */
typedef enum { START_NOT_SOUGHT, START_FOUND, START_NOT_FOUND } ShownStart;

/* shows a message to the user; the message is plain text */
typedef void LogMessage(const Importer *importer, const char *instance_name, Status status, const char *category, const char *message);

/* Calls the importer back at a time within a communication step: at the end of a step of integration, or when inputs are needed there.
 * Returns whether it requests an early end of the communication step, and sets the time of that end. */
typedef int IntermediateUpdate(Instance *instance, double time, int is_end_of_step, double *end_time);

enum { MAY_GET = 1, MAY_SET = 2 };

/* in model exchange: the events of contacts and friction that follow each other within a millionth of the importer's longest step */
typedef struct {
    double longest_step; /* s, that an importer has taken since the start */
    double since;        /* s, time of the first of them */
    int n;
} CloseEvents;

/* the creator of the instance; the type of the callbacks depends on the FMI version */
struct Importer {
    LogMessage *log_message;
    void (*logger)(void);
    void *environment;
};

/* an instance: constant data, data that only the importer changes, workspaces, and the State, which is the simulation */
struct Instance {
    const Model *model;
    const Interface *interface;
    void *memory_of_tables; /* owned by the creator of the instance, see find_tables.h */
    char *name;
    Importer importer;
    unsigned log_categories; /* categories that are shown, one bit each, logging.h */
    const char *call;        /* name of the FMI function under way, for messages */
    double *dw;              /* [n_w] a change of State.w; 0 except where stages compute it, see directional.c */
    int dw_stage;            /* the first stage that has been computed in dw, 0: none */
    double *w_before;        /* [n_w] copy of w from before a call that may fail; events change more than y */
    State *state_before;     /* and of the State, without w */
    Work work;
    InputSignals inputs;                     /* inputs that change within a communication step, inputs.h */
    double *inputs_at_start;                 /* [n_inputs] their values at its start, */
    double *given;                           /* [n_y] y before a projection of the start */
    double *flags;                           /* [blocks of rows] a workspace, see directional.c */
    double start_of_step;                    /* s, and the time */
    IntermediateUpdate *intermediate_update; /* NULL: the importer is not called back within steps */
    void (*intermediate_callback)(void);     /* its function; the type depends on the FMI version */
    unsigned intermediate_calls;             /* what it may call in MODE_INTERMEDIATE, one bit each: MAY_GET, MAY_SET */
    int sets_intermediate_inputs;            /* whether it sets inputs then */
    int *whole_numbers;                      /* [n_variables] room for values of Booleans and enumerations */
    int may_return_early;                    /* communication steps may end early */
    int has_warned_of_late_impacts;          /* in this run */
    CloseEvents close_events;
    int has_warned_of_deformations;    /* in this run */
    int has_warned_of_spins;           /* in this run */
    int has_warned_of_depths;          /* in this run */
    int has_warned_of_jams;            /* in this run */
    ShownStart shown;                  /* in Initialization Mode; */
    int start_jumps;                   /* impacts or handlers have changed the y of this start */
    VelocityLevelWork *of_fixed_steps; /* NULL: steps under error control */
    State *state;
};

#endif
