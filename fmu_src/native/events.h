/* When events happen, and what handlers do then.
 *
 * At one time reports come first, then handlers, each in the order in which they were added to the System. Then the constraints are
 * projected to, and every event says when it happens next. All that is remembered lies in w, in discrete variables, so that a run goes on
 * where another one ended. */
#ifndef MOBOD_EVENTS_H
#define MOBOD_EVENTS_H

#include "integrators.h"
#include "localisation.h"
#include "model.h"
#include "state.h"

/* what an event's memory holds; engine/mobod/system/event_table.py reads it from here */
typedef enum {
    MEMORY_NEXT,         /* s, when it happens next by its own rule */
    MEMORY_SCHEDULED,    /* s, when its handler is to be called besides */
    MEMORY_SIDE,         /* of its witness: 1 above zero, -1 below, 0 not known yet */
    MEMORY_VALUE,        /* of its witness when that was last decided */
    MEMORY_NOISE,        /* not 0: the witness was at zero then, and is on its side, or has one, once it is farther from zero than this */
    MEMORY_LAST,         /* s, when a triggered event happened last */
    MEMORY_INTERVAL,     /* s, between the last two times */
    MEMORY_N_SHORTER,    /* how often in sequence the interval has become shorter */
    MEMORY_N_SHORT,      /* how often in sequence it has been next to nothing */
    MEMORY_SINCE,        /* s, when that sequence of shorter ones began */
    MEMORY_IMPACT_SPEED, /* of a unilateral row: the largest with which it was met */
    MEMORY_RAISED,       /* of a unilateral row: how often its capture speed was raised tenfold */
    MEMORY_N_AMBIGUOUS,  /* of a unilateral row: how often impacts that cannot be told apart in time decided on it; see contacts.h */
    MEMORY_AMBIGUOUS_AT, /* s, of a unilateral row: the last time */
    SIZE_OF_MEMORY
} EventMemory;

/* what is remembered for all events */
typedef enum {
    SHARED_UNTIL,      /* s, the time up to which events have been handled */
    SHARED_TERMINATED, /* the number from 1 of the event that ended the run; 0: none did */
    SIZE_OF_SHARED
} SharedEventMemory;

typedef enum {
    CAUSE_INITIALIZATION,
    CAUSE_SCHEDULED,
    CAUSE_TRIGGERED,
    CAUSE_TIME_ADVANCED,
    CAUSE_OBSERVATION,
    CAUSE_TERMINATION,
    CAUSE_UNILATERAL
} Cause;

enum { DO_FUNCTION, DO_REALIZE, DO_PROJECT, DO_IMPULSE, DO_CALLBACK };

/* what a handler does next */
typedef struct {
    int kind;          /* DO_... */
    int number;        /* of the function, the stage, or the constraint; of what runs as code of the host: ROLE_... of host.h */
    int invalidates;   /* of a function: the stage that must be realized anew; 0: none */
    int at;            /* of a function: where its offsets begin in EventTable.at; of an impulse: the offset of its restitutions */
    int n_writes;      /* of a function: ranges that it writes */
    const int *writes; /* [n_writes][2]  offset, count */
} Instruction;

typedef struct {
    int n;                           /* 0: there are none */
    const Instruction *instructions; /* [n] */
} Actions;

typedef struct {
    const char *name;
    Cause cause;
    int is_reporter;
    int wants;           /* WANTS_... */
    double window;       /* s */
    int stage;           /* that w is realized to for its functions */
    int enabled;         /* offset of a flag */
    int memory;          /* offset, [SIZE_OF_MEMORY] */
    int direction;       /* offset, which way it crossed */
    int witness;         /* offset, of the value of a triggered one that is recorded */
    int is_called;       /* its witness is code of the host */
    Actions handling;    /* what its handler does */
    Actions next, start; /* set the time at which it happens next: after now, or now or later */
} Event;

/* a number that a handler may set, and what it may be */
typedef struct {
    const char *name;
    int at;
    double least, greatest;
} Bound;

typedef struct EventTable {
    int n;
    const Event *events; /* [n] in the order of their addition */
    int n_names;
    const char *const *names; /* [n_names] of all events of the System, reporters too: by the number from 1 that SHARED_TERMINATED has */
    int shared;               /* offset of what is remembered for all of them */
    int n_witnesses;
    const int *triggered;   /* [n_witnesses] numbers of the events that have one */
    const Sweep *witnesses; /* computes those that are recorded; NULL: there are none */
    int has_tangents;       /* of what those depend on: else all rates of witnesses are differences */
    /* what computes what witnesses read, from STAGE_TIME on; NULL: the sweeps of all stages */
    const Sweep *const *before_witnesses; /* [N_STAGES][N_STAGES] by the stage at which they are known, and that of the sweep */
    const Sweep *const *before_one;       /* [n_witnesses][N_STAGES] for each alone */
    const Sweep *const *one;              /* [n_witnesses] computes it then */
    const Kernel *functions;
    const int *at;
    int n_bounds;
    const Bound *bounds;
} EventTable;

/* Called before a handler (is_done 0) and after it (1), and for a reporter (0); returns 0 to have the run stop with EVENT_STOPPED. */
typedef int EventHook(void *observer, int number, int direction, int is_done);

enum {
    POINTS_OF_A_STEP = MOST_DEGREES +
        1,            /* at most, at which witnesses are taken: the ends of as many parts as the interpolant has degrees */
    NOT_EXPECTED = 2, /* beside directions: the step was not to end at a crossing of this one */
    DUE = 2           /* beside directions: it happens, but not because it crossed */
};

/* what events need beside the State; of no meaning between two calls of `integrate` */
typedef struct EventWork {
    EventHook *hook; /* NULL: none, and there are no reporters */
    void *observer;
    int stops;             /* `integrate` returns after each time at which something happened */
    int is_at_event;       /* something happened at the time of the State, */
    int has_time_advanced; /* or was done at the end of the step */
    int has_changed;       /* handlers set something on which accelerations depend */
    int has_rates;         /* rates of witnesses are known where the next step begins */
    int needs_rates;       /* a witness came near zero in the last step */
    double missed_by;      /* s, how far the last step ended from the crossing that it was to end at */

    double *values, *rates;               /* [n_witnesses] where the next step begins; rates if has_rates */
    double *inside_values, *inside_rates; /* [n_witnesses] at a time of it */
    double *noises;                       /* [n_witnesses] of the values */
    double *highs;                        /* [n_witnesses] where they cross */
    double *side_noises;                  /* [n_witnesses] */
    double *before, *after;               /* [n_witnesses] at both sides of the time at which rates are differences */
    double *crossed_noise, *crossed_rate; /* [n_witnesses] of those that crossed: how far from zero they may still be, their rates before */
    double *y_end, *y, *y_dot, *y_kept;   /* [n_y] */
    double *dw;                           /* [n_w] what no stage computes is 0, but time and y */
    Point *points;                        /* [n_witnesses][POINTS_OF_A_STEP] */
    int *crossed, *expected, *sides;      /* [n_witnesses] directions, 0: none */
    int *is_near;                         /* [n_witnesses] they may have crossed in the step, or were expected to */
    int *due;                             /* [n] */
    double *moments;                      /* Work.moments, of delays */
    struct ContactWork *contacts;         /* unilateral_rows.h; NULL: there are none */
    int resolves_contacts;                /* a value was set from outside: what is held is decided anew before the next step */
    double *reals;                        /* the room of all reals */
    int *integers;
} EventWork;

/* NULL if there is no memory for it, or no events; moments: Work.moments */
EventWork *create_event_work(const Model *model, double *moments);
void free_event_work(EventWork *work);

/* Each of these returns INTEGRATED, or says why a handler failed; result->culprit is then the number of the event. */

/* the start of a run, unless it goes on where another one ended: initialization; then what is due there */
Outcome begin_events(const Model *model, State *state, EventWork *work, Integration *result);

/* before a step, the first of a call: where the witnesses are, and what was set meanwhile */
Outcome resume_events(const Model *model, State *state, EventWork *work, Integration *result);

/* witnesses and their rates where the next step begins */
Outcome read_witnesses(const Model *model, State *state, EventWork *work, Integration *result);

/* the end of a run: termination */
Outcome end_events(const Model *model, State *state, EventWork *work, Integration *result);

/* s, at which a step must end */
double next_event_time(const Model *model, const State *state);

/* crossings.c: the stage at which all witnesses are known */
int stage_of_witnesses(const Model *model, const State *state);

/* Values at the time and y that lie in w, with rates along y_dot, of the witnesses that are known at the stage; and how far round-off may
 * put them, into work->noises. */
void read_values_and_rates(const Model *model, State *state, EventWork *work, int stage, const double *y_dot, double *values,
                           double *rates);
void read_noises(const Model *model, State *state, EventWork *work);

/* WITNESS_NOT_A_NUMBER if one is not */
Outcome check_witness_values(const EventTable *table, const double *values, double time, Integration *result);

/* Look for crossings in the step just taken, from t: the time at which it should have ended, or infinity if it ends well. Leaves w as it
 * was. Fails if a witness is not a number. */
Outcome find_crossings(const Model *model, State *state, Work *integration, EventWork *work, double t, double *better, Integration *result);

/* Have everything happen that is due at the State's time. */
Outcome process_events(const Model *model, State *state, EventWork *work, int is_end_of_step, Integration *result);

/* whether an event has ended the run */
int is_terminated(const Model *model, const State *state);

#endif
