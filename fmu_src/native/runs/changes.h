/* Changes of a run along directions: their data, and their rates. */
#ifndef MOBOD_CHANGES_H
#define MOBOD_CHANGES_H

#include "event_work.h"
#include "input_ramps.h"
#include "model.h"
#include "state.h"

/* why changes cannot be followed any further */
typedef enum {
    CHANGES_FOLLOWED,
    CHANGES_OF_METHOD,  /* a step was not one of an explicit Runge-Kutta method */
    CHANGES_NOT_FINITE, /* a tangent is not finite */
    CHANGES_GRAZING,    /* a witness touches zero without crossing it: the time of its event has no derivative */
    CHANGES_AT_ONCE,    /* several witnesses cross at one time, but not in a neighbouring run */
    CHANGES_BESIDE,     /* an event failed from a neighbouring state */
    CHANGES_JAMMED      /* a slip has jammed within a step (jammed_slips.h) */
} ChangesFault;

/* Sensitivity.first_slopes: the slopes at the start of the next step must be computed */
enum { NO_SLOPES = -1 };

typedef struct Sensitivity {
    const Model *model;
    int n; /* directions */
    int n_known;
    int *known;             /* [n_known] offsets of the numbers besides y that change, and that no stage computes */
    const Kernel *tangents; /* [n_kernels] */
    double *scratch;        /* of the tangents */
    double *y;              /* [n][n_y]  present changes of y */
    double *y_start;        /* [n][n_y]  at the start of the last step */
    double *y_end;          /* [n][n_y]  at its end, while stages within it are evaluated */
    double *slopes;         /* [n][MOST_SLOPES][n_y]  changes of Work.slopes */
    double *dense;          /* [n][MOST_DEGREES][n_y] changes of Work.dense */
    double *dw;             /* [n][n_w]  changes of w; those of known numbers and of STAGE_INSTANCE stay */
    double *raw;            /* [n_y] workspace */
    int first_slopes;       /* the row of slopes that are those at the start of the next step; NO_SLOPES: no row */
    State *state;           /* a copy, in which times within a step and neighbouring states are evaluated */
    InputRamps ramps;       /* of this copy */
    EventWork *events;      /* for it; NULL: the model has no events */
    double *moments;        /* of `events` */
    double *jump_work;      /* see jump_work_of; memory of its own */
    int is_end_of_step;     /* whether events of CAUSE_TIME_ADVANCED occur */
    int n_events;           /* events at which changes jumped, or could have */
    int n_kinks;            /* those of them at which derivatives from both sides differ */
    double first_kink;      /* s, the time of the first of them */
    double *errors;         /* [n] the largest error estimate of a direction in a step, relative to the tolerance */
    double *error_steps;    /* [n] s, the length of that step */
    double *error_orders;   /* [n] its method's power of the step that such an estimate falls with */
    double *sizes;          /* [n] the largest change of y so far */
    ChangesFault fault;
    double fault_at; /* s */
    double *rows;    /* [rows][n][n_y] where changes at reports are written; NULL: nowhere */
} Sensitivity;

/* NULL if memory is exhausted. The tangents [n_kernels] need n_scratch numbers. known [n_known] is copied; changes [n][n_known] and
 * y_changes [n][n_y] are the directions. */
Sensitivity *create_sensitivity(const Model *model, const Kernel *tangents, int n_scratch, int n, int n_known, const int *known,
                                const double *changes, const double *y_changes);
void free_sensitivity(Sensitivity *changes);

/* the changes of w along direction k */
static inline double *dw_of(Sensitivity *changes, int k) { return changes->dw + (size_t)k * (size_t)changes->model->n_w; }

/* The changes of direction k of all stages from first_stage on, in changes->dw, at changes->state; 0 if one is not
 * finite */
int tangents_of_stages(Sensitivity *changes, int k, int first_stage, int last_stage);

/* make changes->state a copy of a State */
void copy_state(Sensitivity *changes, const State *state, const InputRamps *ramps);

/* Follow the changes by other kernels of the model from now on; see simulation_use_kernels. Returns 0 if memory is exhausted. */
int use_kernels_for_changes(Sensitivity *changes, const Model *model, const Kernel *tangents, int n_scratch);

void note_fault(Sensitivity *changes, ChangesFault fault, double time);

/* the workspace of a jump */
typedef struct {
    double *v, *f, *f_after, *y, *plus, *minus; /* [n_y] */
    double *known, *known_plus, *known_minus;   /* [n_known] */
    double *dw;                                 /* [n_w] of the motion */
    double *tau;                                /* [n] */
} JumpWork;

JumpWork jump_work_of(const Sensitivity *changes);

#endif
