/* Error-controlled integration of y from one communication point to the next. */
#ifndef MOBOD_INTEGRATORS_H
#define MOBOD_INTEGRATORS_H

#include "model.h"
#include "state.h"

/* what a step needs beside the State; of no meaning between two calls */
typedef struct {
    double *y;      /* [n_y]  at the start of the step */
    double *error;  /* [n_y]  of the step */
    double *y_dots; /* [MAX_TABLEAU_STAGES][n_y] */
} Work;

typedef enum { INTEGRATED, NOT_FINITE, TOO_INACCURATE, ZERO_QUATERNION } Outcome;

/* how an integration went */
typedef struct {
    Outcome outcome;
    int n_steps;      /* taken */
    int n_refused;    /* tried and found too long */
    int culprit;      /* what failed: entry of y, or number of the quaternion */
    double time;      /* where it failed, s */
    double value;     /* NOT_FINITE: the derivative; TOO_INACCURATE: error / allowed error */
    double step_size; /* that it failed with, s */
} Integration;

/* From State.w's time to exactly t_end. Leaves w realized to STAGE_ACCELERATION. If it fails, time and y are those of the last good step,
 * and nothing is realized from STAGE_TIME on. */
Integration integrate(const Model *model, State *state, Work *work, double t_end);

/* Bring each quaternion to unit length. Returns -1, or the number of the first one that has no direction. Realizes nothing. */
int normalize_quaternions(const Model *model, double *w);

#endif
