/* Error-controlled integration of y from one communication point to the next. */
#ifndef MOBOD_INTEGRATORS_H
#define MOBOD_INTEGRATORS_H

#include "method.h"
#include "model.h"
#include "state.h"

/* the default of Work.max_steps, and its largest value, which fits an FMI Integer */
typedef enum { DEFAULT_MAX_STEPS = 1000000, LARGEST_MAX_STEPS = 2147483647 } StepLimit;

/* workspace of a step; its contents are not kept between two calls */
typedef struct {
    double *y;           /* [n_y]  at the start of the step */
    double *error;       /* [n_y]  of the step */
    double *error_below; /* [n_y] error estimate of lower order, if the pair has one */
    double *slopes;  /* [MOST_SLOPES][n_y] first the rates at the start of the step; at Method.last the rates at its end; between them rates
                        of stages, or solutions u of an implicit step */
    double *y_stage; /* [n_y] y of the second to last stage of an explicit step */
    double *dense;   /* [MOST_DEGREES][n_y]  the interpolant of the step, method.h */
    const Method *method; /* method of the last step */
    int64_t n_tried;      /* number of steps tried since the caller of `integrate` last set it to 0, including refused and repeated steps */
    int64_t max_steps;    /* the largest number of steps that may be tried */
    int worst;            /* entry of y with the largest error in the last step tried */
    double inside_from;   /* s: every step that ends at this time or later gets an interpolant; so does every step if there are witnesses or
                             delays */
    double *w;       /* [n_w] a copy of w at the end of the step, while the error is estimated or times within the step are evaluated */
    double *moments; /* [3][moment_size] for delays, delays.h */
    struct EventWork *events;      /* events.h; NULL: the model has no events */
    struct ImplicitWork *implicit; /* jacobian.h; NULL: no step can be implicit */
} Work;

/* Returns 0 if memory is exhausted; call free_work in any case. integrator: as State.integrator */
int allocate_work(Work *work, const Model *model, int integrator);
void free_work(Work *work);

typedef enum {
    INTEGRATED,
    NOT_FINITE,
    TOO_INACCURATE,
    ZERO_QUATERNION,
    NOT_PROJECTED,
    MOVED_TOO_FAR,
    HISTORY_FULL,      /* the record of a delay is full */
    TOO_MANY_STEPS,    /* Work.max_steps steps have been tried */
    UPDATE_NOT_FINITE, /* the next value of a variable, at the start of a step */
    /* fixed steps */
    STEP_NOT_FINITE, /* an entry of y at the end of a step */
    STEP_UNSOLVED,   /* the impulses of a step cannot be computed */
    /* events: a witness, a handler, the hook */
    WITNESS_NOT_A_NUMBER,
    EVENT_CHATTERING,
    HANDLER_NOT_FINITE,
    HANDLER_OUT_OF_BOUNDS,
    HANDLER_NOT_PROJECTED,
    HANDLER_IMPULSE,
    HANDLER_SCHEDULES_PAST,
    EVENT_STOPPED,
    /* unilateral rows */
    CONTACT_OUTSIDE,
    CONTACT_UNSOLVED,
    CONTACT_NOT_PROJECTED,
    CONTACT_CHATTERING,
    FRICTION_UNSOLVED, /* no forces or impulses were found; `value` is the relative residual of the best ones */
    FRICTION_PARADOX,  /* there are none; `value` is the coefficient of the contact */
    CONTACT_LIES_FLAT, /* the nearest point of a rim jumps around it in fixed steps; `value` is its angle in a step */
    JOINT_JAMMED,      /* no friction of a joint belongs to the load that it causes; `culprit` is the block of its row */
    KERNEL_STOPPED     /* a kernel stopped a sweep, see State.stopped */
} Outcome;

/* the result of an integration */
typedef struct {
    Outcome outcome;
    int n_steps;       /* taken */
    int n_refused;     /* tried and refused because they were too long */
    int n_evaluations; /* evaluations of the derivative: in steps taken and refused, and for differences */
    int methods;       /* methods of the steps taken: one bit each, 1 << Integrator */
    int culprit; /* what failed: the entry of y (TOO_MANY_STEPS: with the largest error in the last step), or the number of the quaternion,
                    the constraint, the delay, the updated variable or the event */
    int constraint;   /* MOVED_TOO_FAR: the constraint that moved the culprit, an entry of y; HANDLER_NOT_PROJECTED, HANDLER_IMPULSE: number
                         of the constraint; HANDLER_OUT_OF_BOUNDS: number of the bound; CONTACT_OUTSIDE: number of the event whose handler
                         caused it, or -1 */
    double time;      /* s, time of the failure */
    double value;     /* NOT_FINITE: the derivative; STEP_NOT_FINITE: the state; UPDATE_NOT_FINITE: the next value; TOO_INACCURATE: error /
                         allowed error; NOT_PROJECTED: the remaining error; MOVED_TOO_FAR: the change; TOO_MANY_STEPS: their number;
                         EVENT_CHATTERING: the last interval, s; HANDLER_...: the value set, the remaining error, or the time requested */
    double step_size; /* s, size of the failed step; TOO_MANY_STEPS: of the next step */
} Integration;

/* Called after each step, from t to t_new, with the data that `interpolate` needs. Returns 0 to stop the integration there. Must not
 * change the State. */
typedef int StepTaken(void *observer, double t, double t_new, const Work *work);

/* Integrate from State.w's time to exactly t_end, or until step_taken (NULL: none) or an event stops it. Leaves w realized to
 * STAGE_ACCELERATION. If it fails, time and y are those of the last good step, and nothing is realized from STAGE_TIME on. */
Integration integrate(const Model *model, State *state, Work *work, double t_end, StepTaken *step_taken, void *observer);

/* Its parts. At the start: process the changes since the last call, and the events that are pending. Returns result->outcome. */
Outcome begin_steps(const Model *model, State *state, Work *work, Integration *result);
/* whether t_end is reached, or an event ends the integration */
int is_at_end(const Model *model, const State *state, const Work *work, double t_end);
/* A step with all that happens at its ends. Returns 0 if none follows. */
int next_step(const Model *model, State *state, Work *work, double t_end, StepTaken *step_taken, void *observer, Integration *result);
void end_steps(const Model *model, State *state, Integration *result);

/* y within the last step, at `fraction` (0 to 1) of it; quaternions are not normalized. The step must have an interpolant, see
 * Work.inside_from. */
void interpolate(int n, const Work *work, double fraction, double *y);

/* the rate of the interpolant there; n entries; step: length of the step, s */
void interpolate_rate(int n, const Work *work, double step, double fraction, double *y_dot);

/* Normalize each quaternion. Returns -1, or the number of the first one that is zero. Realizes nothing. */
int normalize_quaternions(const Model *model, double *w);

#endif
