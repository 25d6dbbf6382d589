/* The workspace of events. */
#ifndef MOBOD_EVENT_WORK_H
#define MOBOD_EVENT_WORK_H

#include "event_table.h"
#include "localisation.h"
#include "outcome.h"
#include "state.h"
#include "work.h"

/* Called before a handler (is_done 0) and after it (1), and once for a reporter (0). A hook that returns 0 stops the run with
 * EVENT_STOPPED. */
typedef int EventHook(void *observer, int number, int direction, int is_done);

enum {
    POINTS_OF_A_STEP = MOST_DEGREES + 1, /* the largest number of points of a step at which witnesses are evaluated: the step has as many
                                            parts as its interpolant has degrees */
    NOT_EXPECTED = 2,                    /* a value besides directions: the step is not meant to end at a crossing of this witness */
    DUE = 2                              /* a value besides directions: the event is due, but its witness did not cross zero */
};

/* the workspace of events; its contents are not kept between two calls of `integrate` */
typedef struct EventWork {
    EventHook *hook; /* NULL: there is no hook and there are no reporters */
    void *observer;
    int stops;             /* `integrate` returns after each time at which an event occurred */
    int is_at_event;       /* an event occurred at the time of the State, or the direction of a slip was set; */
    int has_time_advanced; /* or a handler of CAUSE_TIME_ADVANCED was called at the end of the step */
    int has_changed;       /* a handler changed a value on which accelerations depend */
    int has_rates;         /* the rates of witnesses are known at the start of the next step */
    int needs_rates;       /* a witness was near zero in the last step */
    int ends_here;         /* a step of bounded work may not end anywhere else: its events are late */
    int ends_at_slip;      /* the step was repeated to end where a slip ends or begins to turn, or since a slip was reversed at its end */
    double missed_by;      /* s, distance of the end of the last step from the crossing at which it was meant to end */

    double *values, *rates;               /* [n_witnesses] at the start of the next step; the rates are valid if has_rates */
    double *inside_values, *inside_rates; /* [n_witnesses] at a time within the step */
    double *noises;                       /* [n_witnesses] bounds of the round-off of the values */
    double *highs;                        /* [n_witnesses] times at which they have crossed */
    double *side_noises;                  /* [n_witnesses] MEMORY_NOISE at the end of the step */
    double *before, *after;               /* [n_witnesses] on both sides of the time at which rates are found by differences */
    double *crossed_noise,
        *crossed_rate; /* [n_witnesses] of witnesses that crossed: their largest distance from zero, and their rates before the event */
    double *y_end, *y, *y_dot, *y_kept; /* [n_y] */
    double *dw;                         /* [n_w] 0 for values that no stage computes, except time and y; memory of its own */
    Point *points;                      /* [n_witnesses][POINTS_OF_A_STEP] */
    int *crossed, *expected, *sides;    /* [n_witnesses] directions, 0: none */
    int *is_near;                       /* [n_witnesses] whether the witness may have crossed in the step, or was expected to cross */
    int *due;                           /* [n] */
    double *moments;                    /* Work.moments, for delays */
    struct ContactWork *contacts;       /* unilateral_rows.h; NULL: there are none */
    int is_preview;                     /* neither the hook nor code of the host runs for events, except to observe the State */
    int leaves_events;                  /* `integrate` returns at an event before it is handled, with PENDING_EVENTS: */
    int leaves_at_end_alone;            /* only if it occurs at the end of the communication step */
    int has_indicators;                 /* an importer integrates, and finds events by the signs of witnesses */
    int has_jammed;                     /* a slip has jammed within a step (jammed_slips.h), whose derivatives no one follows */
    int last_decided;                   /* number of the last event that the run has decided, -1: none in this call */
    int resolves_contacts;              /* a value was set: the active contacts are determined again before the next step */
    double *reals;                      /* the memory of all other reals */
    int *integers;
} EventWork;

#endif
