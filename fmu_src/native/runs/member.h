/* One of many runs of a model (ensemble.h, lanes.h): its start, its outputs and its end. */
#ifndef MOBOD_MEMBER_H
#define MOBOD_MEMBER_H

#include "simulation.h"
#include "sweep.h"

/* the numbers that a row contains, the same for all members */
typedef struct {
    int n;
    const int *from;     /* [n] offsets in w */
    const int *is_state; /* [n] whether it is an entry of y, which no sweep changes in a row */
    int n_calls;         /* sweeps that compute the others from time, y and discrete variables */
    const KernelCalls *calls;
    int n_copied; /* at least those up to y; a row is computed on a copy of the first n_copied numbers of w */
} Outputs;

/* Compute a row [outputs] from the copy of w. Returns 0; any other number stops the run. */
typedef int RowOfHost(void *host, const double *copy, double *row);

/* What is done before a run begins, the same for all members. */
typedef struct {
    int n_active;
    const int *active;           /* [n_active] offsets of the flags of active unilateral rows, which are released */
    double constraint_tolerance; /* of the projection */
    const double *w;             /* [n_w] the numbers of all starts besides */
    int n_variables;             /* the first numbers of w, which are those of a run */
} Preparation;

/* whether and how a member has been prepared */
typedef enum { PREPARED, UNPREPARED_PROJECTION, UNPREPARED_RATES } PreparationFault;

/* Fixed steps at velocity level: those with the numbers `first` to `last`, counted from 1, of the steps from t_start to t_end. */
typedef struct {
    double t_start, t_end;
    int64_t first, last;
} FixedPiece;

/* Changes after the last row of a run, which its rows do not show: by events at its end, or by one that ends the run earlier; of y by
 * handlers of the end. */
typedef enum { CHANGED_BY_EVENTS = 1, CHANGED_BY_END = 2 } ChangesAtEnd;

typedef struct Member {
    Simulation *simulation;
    double t_end; /* s; a fixed step that ends there up to round-off is not cut */

    /* the start; NULL and 0: the member goes on */
    const Preparation *preparation; /* NULL: w is prepared */
    double *start;                  /* [n_w] w at the start, or [n_variables] what is to be prepared, and then prepared; NULL: the member
                                       has begun */
    double *given;                  /* [n_y] y before the projection of a start that is prepared in C */

    /* rows: one at the start, one for each report time, and one at the end, before the events there */
    const Outputs *outputs;     /* NULL: no rows are written, and the run is not ended at t_end: another t_end can follow */
    const double *report_times; /* [n_reports] increasing, between the start and t_end; not used with steps at velocity level */
    int n_reports;
    int64_t steps_of_row;     /* at velocity level: a row is written each time after so many steps */
    double *rows;             /* [n_reports + 2][outputs] */
    double *copy;             /* [n_copied] */
    double *y;                /* [2][n_y] */
    double *scratch;          /* for the sweeps of outputs */
    const int *is_in_results; /* [events] whether the call of its handler is part of results; NULL: there are no events */
    RowOfHost *row_of_host;   /* NULL: C computes rows */
    void *host;               /* of row_of_host and hook */
    EventHook *hook;          /* called for events like that of simulation_set_hook; NULL: there are no reporters */
    int returns_at_events;    /* each event ends the call */
    int keeps;                /* the State is first kept for simulation_undo */

    /* the result */
    int has_ended;         /* it has reached t_end, or failed, or an event has ended it */
    int preparation_fault; /* PreparationFault; the run has not begun if it is not PREPARED */
    int terminated_by;     /* number, counted from 1, of the event that has ended it; 0: none */
    int changes_at_end;    /* ChangesAtEnd */
    double time;           /* s, reached */
    int n_rows;            /* written */
    int64_t n_steps, n_evaluations;
    int methods;         /* of the steps taken: one bit each */
    int n_not_projected; /* rows within steps that are not projected, as in Progress */
    double not_projected_at;
    double jammed_steps, first_jam; /* as in State */
    Progress progress; /* of the last call. .integration: why it ended; .wants_tangents: the caller must set them and call again */

    /* between calls */
    int is_at_last_row, has_found;
    double t_start;
    int64_t n_fixed_steps; /* taken, at velocity level */
    int64_t n_before;      /* n_steps at the start of the call */
    int has_advanced;      /* a piece was taken in this call */
    int n_left;            /* steps of the next piece; 0: there is none in this call */
    FixedPiece piece;      /* of a piece at velocity level */
    StepTaken *step_taken; /* of a piece under error control or with fixed steps */
} Member;

#endif
