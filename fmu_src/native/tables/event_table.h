/* The events of a model, and the memory of each in w. */
#ifndef MOBOD_EVENT_TABLE_H
#define MOBOD_EVENT_TABLE_H

#include "model.h"

/* the memory of an event; engine/mobod/system/events/table.py reads these names from here */
typedef enum {
    MEMORY_NEXT,          /* s, the next time by the event's own schedule */
    MEMORY_SCHEDULED,     /* s, an additional time that a handler has scheduled */
    MEMORY_SIDE,          /* sign of its witness: 1 above zero, -1 below, 0 not known yet */
    MEMORY_VALUE,         /* value of its witness when the sign was last determined */
    MEMORY_NOISE,         /* if not 0: the witness was at zero then. Its sign counts once its distance from zero exceeds this */
    MEMORY_LAST,          /* s, time of the last occurrence of a triggered event */
    MEMORY_INTERVAL,      /* s, the time between its last two occurrences; of a unilateral row, the time from which these are counted: */
    MEMORY_N_SHORTER,     /* number of consecutive intervals, each shorter than the one before; of a unilateral row, number of its events
                             in which time hardly advanced */
    MEMORY_N_SHORT,       /* number of consecutive intervals that are practically zero */
    MEMORY_SINCE,         /* s, time at which the sequence of shorter intervals began */
    MEMORY_CROSSED,       /* the direction in which its witness crossed at the end of a step, until that event is handled; 0: it did not */
    MEMORY_CROSSED_NOISE, /* of that crossing: EventWork.crossed_noise */
    MEMORY_CROSSED_RATE,  /* of that crossing: EventWork.crossed_rate */
    SIZE_OF_MEMORY
} EventMemory;

/* what the event of a unilateral row remembers after that; engine/mobod/matter/unilateral/contact_events.py reads these names from here */
typedef enum {
    MEMORY_IMPACT_SPEED = SIZE_OF_MEMORY, /* the largest approach speed of its impacts */
    MEMORY_RAISED,                        /* how often its capture speed was multiplied by ten */
    MEMORY_N_AMBIGUOUS,                   /* number of impacts whose order is ambiguous; see contacts.h */
    MEMORY_AMBIGUOUS_AT,                  /* s, time of the last ambiguous impact */
    MEMORY_FALL,                          /* of friction: how fast its witness fell at its last event, per s; see friction.c */
    MEMORY_N_SLIDING,                     /* number of its impacts without collision; see sliding_impacts.h */
    MEMORY_SLIDING_AT,                    /* s, time of the last of them */
    SIZE_OF_CONTACT_MEMORY
} ContactMemory;

/* the memory that all events share */
typedef enum {
    SHARED_UNTIL,      /* s, the time up to which events have been handled */
    SHARED_TERMINATED, /* number, counted from 1, of the event that ended the run; 0: none did */
    SIZE_OF_SHARED
} SharedEventMemory;

typedef enum {
    CAUSE_INITIALIZATION,
    CAUSE_SCHEDULED,
    CAUSE_SAMPLE, /* scheduled too; see take_due_samples */
    CAUSE_TRIGGERED,
    CAUSE_TIME_ADVANCED,
    CAUSE_OBSERVATION,
    CAUSE_TERMINATION,
    CAUSE_UNILATERAL
} Cause;

/* whether an event has times of its own schedule */
static inline int has_schedule(Cause cause) { return cause == CAUSE_SCHEDULED || cause == CAUSE_SAMPLE; }

enum { DO_FUNCTION, DO_REALIZE, DO_PROJECT, DO_IMPULSE, DO_DRAW, DO_CALLBACK };

/* one action of a handler */
typedef struct {
    int kind;   /* DO_... */
    int number; /* of the function, the stage or the constraint; of a draw: offset of its results; for DO_CALLBACK: ROLE_... of host.h */
    int invalidates; /* of a function: the first stage that must be realized again; 0: none */
    int at;          /* of a function: index of its first offset in EventTable.at; of an impulse: offset of its restitutions; of a draw: of
                        what draw_normal_numbers reads */
    int n_writes;    /* of a function: number of ranges that it writes; of a draw: number of its results */
    const int *writes; /* [n_writes][2]  offset, count */
} Instruction;

typedef struct {
    int n;                           /* 0: no action */
    const Instruction *instructions; /* [n] */
} Actions;

typedef struct {
    const char *name;
    Cause cause;
    int is_reporter;
    int wants;           /* WANTS_... */
    double window;       /* s */
    int stage;           /* w is realized to this stage before its functions are called */
    int enabled;         /* offset of a flag */
    int memory;          /* offset, [size_of_memory] */
    int direction;       /* offset of the direction of the crossing */
    int witness;         /* offset of the witness's value, if the event is triggered and its witness is recorded */
    int is_called;       /* the host computes its witness */
    Actions handling;    /* the actions of its handler */
    Actions next, start; /* compute its next time: after now; at or after now */
} Event;

/* the number of entries of its memory */
static inline int size_of_memory(const Event *event) {
    return event->cause == CAUSE_UNILATERAL ? (int)SIZE_OF_CONTACT_MEMORY : (int)SIZE_OF_MEMORY;
}

/* the bounds of a number that a handler may set */
typedef struct {
    const char *name;
    int at;
    double least, greatest;
    const char *unit; /* for messages; "1": none */
} Bound;

typedef struct EventTable {
    int n;
    const Event *events; /* [n] in the order in which they were added */
    int n_names;
    const char *const
        *names; /* [n_names] of all events of the System, reporters included, by the number (from 1) that SHARED_TERMINATED holds */
    int shared; /* offset of the memory that all events share, [SIZE_OF_SHARED] */
    int n_witnesses;
    const int *triggered;   /* [n_witnesses] numbers of the events that have a witness */
    const Sweep *witnesses; /* computes the recorded witnesses; NULL: there are none */
    int has_tangents; /* of everything that the recorded witnesses depend on; otherwise the rates of all witnesses are finite differences */
    /* the sweeps that compute the inputs of witnesses, from STAGE_TIME on; NULL: the sweeps of all stages */
    const Sweep *const
        *before_witnesses;          /* [N_STAGES][N_STAGES] by the stage at which the witnesses are known, and by the stage of the sweep */
    const Sweep *const *before_one; /* [n_witnesses][N_STAGES] the same for a single witness */
    const Sweep *const *one;        /* [n_witnesses] computes a single witness from these inputs */
    const Kernel *functions;
    const int *at;
    int n_bounds;
    const Bound *bounds;
} EventTable;

/* the number of witnesses, which are the event indicators of model exchange */
static inline int n_event_indicators(const Model *model) { return model->events ? model->events->n_witnesses : 0; }

static inline double *memory_of(const Event *event, double *w) { return w + event->memory; }

#endif
