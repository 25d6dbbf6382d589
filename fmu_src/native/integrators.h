/* Error-controlled integration of y from one communication point to the next. */
#ifndef MOBOD_INTEGRATORS_H
#define MOBOD_INTEGRATORS_H

#include "method.h"
#include "model.h"
#include "state.h"

/* Work.max_steps, where nobody says another number; and the largest that can be said, which an Integer of FMI holds */
typedef enum { DEFAULT_MAX_STEPS = 1000000, LARGEST_MAX_STEPS = 2147483647 } StepLimit;

/* what a step needs beside the State; of no meaning between two calls */
typedef struct {
    double *y;            /* [n_y]  at the start of the step */
    double *error;        /* [n_y]  of the step */
    double *error_below;  /* [n_y]  the estimate of lower order, of a pair that has one */
    double *slopes;       /* [MOST_SLOPES][n_y]  first the rates at the start; at Method.last those at the end; between them rates of
                             stages, or solutions u of an implicit step */
    double *y_stage;      /* [n_y]  of the last stage of an explicit step but one */
    double *dense;        /* [MOST_DEGREES][n_y]  the interpolant of the step, method.h */
    const Method *method; /* by which the last step was taken */
    int64_t n_tried;    /* steps tried since the caller of `integrate` last set it to 0, those that were refused or taken again included */
    int64_t max_steps;  /* how many may be: no more are tried */
    int worst;          /* entry of y with the largest error in the last of them */
    double inside_from; /* s: a step that ends there or later gets an interpolant; any step where witnesses or delays need it */
    double *w;          /* [n_w]  at the end of the step, while the error is looked at, or what lies within the step */
    double *moments;    /* [3][moment_size] of delays, delays.h */
    struct EventWork *events;      /* events.h; NULL: the model has no events */
    struct ImplicitWork *implicit; /* jacobian.h; NULL: no step is implicit */
} Work;

/* 0 if there is no memory for it; free it in any case. integrator: as State.integrator */
int allocate_work(Work *work, const Model *model, int integrator);
void free_work(Work *work);

typedef enum {
    INTEGRATED,
    NOT_FINITE,
    TOO_INACCURATE,
    ZERO_QUATERNION,
    NOT_PROJECTED,
    MOVED_TOO_FAR,
    HISTORY_FULL,      /* for what a delay has to remember */
    TOO_MANY_STEPS,    /* Work.max_steps have been tried */
    UPDATE_NOT_FINITE, /* a value that a variable is to take at the start of a step */
    /* of fixed steps */
    STEP_NOT_FINITE, /* y at the end of one */
    STEP_UNSOLVED,   /* constraints have no impulses in one */
    /* of events: a witness, a handler, the hook */
    WITNESS_NOT_A_NUMBER,
    EVENT_CHATTERING,
    HANDLER_NOT_FINITE,
    HANDLER_OUT_OF_BOUNDS,
    HANDLER_NOT_PROJECTED,
    HANDLER_IMPULSE,
    HANDLER_SCHEDULES_PAST,
    EVENT_STOPPED,
    /* of unilateral rows */
    CONTACT_OUTSIDE,
    CONTACT_UNSOLVED,
    CONTACT_NOT_PROJECTED,
    CONTACT_CHATTERING,
    KERNEL_STOPPED /* a kernel stopped a sweep: State.stopped */
} Outcome;

/* how an integration went */
typedef struct {
    Outcome outcome;
    int n_steps;       /* taken */
    int n_refused;     /* tried and found too long */
    int n_evaluations; /* of the derivative, in steps taken and refused, and for differences */
    int methods;       /* by which steps were taken: a bit of each, 1 << Integrator */
    int culprit; /* what failed: entry of y (TOO_MANY_STEPS: with the largest error in the last step), or number of the quaternion, of the
                    constraint, of the delay, of the variable that is updated, or of the event */
    int constraint;   /* MOVED_TOO_FAR: what moved the culprit, an entry of y; HANDLER_NOT_PROJECTED, HANDLER_IMPULSE: its number;
                         HANDLER_OUT_OF_BOUNDS: that of the bound; CONTACT_OUTSIDE: that of the event whose handler left it there, or -1 */
    double time;      /* where it failed, s */
    double value;     /* NOT_FINITE: the derivative; STEP_NOT_FINITE: the state; UPDATE_NOT_FINITE: the next value; TOO_INACCURATE: error /
                         allowed error; NOT_PROJECTED: the error left; MOVED_TOO_FAR: the change; TOO_MANY_STEPS: their number;
                         EVENT_CHATTERING: the last interval, s; HANDLER_...: what it has set, the error left, the time asked for */
    double step_size; /* that it failed with, s; TOO_MANY_STEPS: that comes next */
} Integration;

/* Called after each step, from t to t_new, with what `interpolate` needs; returns 0 to stop there. Must not change the State. */
typedef int StepTaken(void *observer, double t, double t_new, const Work *work);

/* From State.w's time to exactly t_end, or to where step_taken (NULL: none) or an event stops it. Leaves w realized to STAGE_ACCELERATION.
 * If it fails, time and y are those of the last good step, and nothing is realized from STAGE_TIME on. */
Integration integrate(const Model *model, State *state, Work *work, double t_end, StepTaken *step_taken, void *observer);

/* y within the step just taken, at `fraction` (0 to 1) of it; quaternions are not brought to unit length. Only of a step
 * that has an interpolant, see Work.inside_from. */
void interpolate(int n, const Work *work, double fraction, double *y);

/* its rate there; n entries; step: its length, s */
void interpolate_rate(int n, const Work *work, double step, double fraction, double *y_dot);

/* Bring each quaternion to unit length. Returns -1, or the number of the first one that has no direction. Realizes nothing. */
int normalize_quaternions(const Model *model, double *w);

#endif
