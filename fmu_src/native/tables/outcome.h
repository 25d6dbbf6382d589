/* How an integration ended. */
#ifndef MOBOD_OUTCOME_H
#define MOBOD_OUTCOME_H

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
    /* failures of fixed steps */
    STEP_NOT_FINITE, /* an entry of y at the end of a step */
    STEP_UNSOLVED,   /* the impulses of a step cannot be computed */
    /* failures of events: of a witness, a handler or the hook */
    WITNESS_NOT_A_NUMBER,
    EVENT_CHATTERING,
    HANDLER_NOT_FINITE,
    HANDLER_OUT_OF_BOUNDS,
    HANDLER_NOT_PROJECTED,
    HANDLER_IMPULSE,
    HANDLER_SCHEDULES_PAST,
    EVENT_STOPPED,
    /* failures of unilateral rows */
    CONTACT_OUTSIDE,
    CONTACT_UNSOLVED,
    CONTACT_NOT_PROJECTED,
    CONTACT_CHATTERING,
    FRICTION_UNSOLVED, /* no forces or impulses were found; `value` is the relative residual of the best ones */
    FRICTION_PARADOX,  /* no forces exist (Painleve); `value` is the coefficient of the contact */
    CONTACT_POOL_FULL, /* more points of contact are near than a pool has slots; `value` is their number */
    CONTACT_LIES_FLAT, /* the nearest point of a rim jumps around it in fixed steps, `value` is its angle in a step; or it is not determined
                          at an impact, or where steps have no end, `value` is 0 */
    JOINT_JAMMED,      /* no load of a joint agrees with the friction under this load; `culprit` is the block of its row */
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

#endif
