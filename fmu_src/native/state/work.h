/* The workspace of a step, and y within the step, which is read from it. */
#ifndef MOBOD_WORK_H
#define MOBOD_WORK_H

#include "method.h"
#include "model.h"

#include <stdint.h>

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
    int ends_at_stops;    /* slips have nearly stopped in the last step, slips_at_end.h */
    int n_watched;        /* number of steps tried since watched_from; see stalled_on_rim */
    double watched_from;  /* s */
    int worst;            /* entry of y with the largest error in the last step tried */
    double inside_from;   /* s: every step that ends at this time or later gets an interpolant; so does every step if there are witnesses or
                             delays */
    double *w;       /* [n_w] a copy of w at the end of the step, while the error is estimated or times within the step are evaluated */
    double *moments; /* [3][moment_size] for delays, delays.h */
    struct EventWork *events;      /* events.h; NULL: the model has no events */
    struct ImplicitWork *implicit; /* jacobian.h; NULL: no step can be implicit */
} Work;

/* y within the last step, at `fraction` (0 to 1) of it; quaternions are not normalized. The step must have an interpolant, see
 * Work.inside_from. */
void interpolate(int n, const Work *work, double fraction, double *y);

/* the rate of the interpolant there; n entries; step: length of the step, s */
void interpolate_rate(const Model *model, const Work *work, double step, double fraction, double *y_dot);

#endif
