/* The scales of a model: the sizes of its lengths, times and masses, in its own units. Errors, tolerances and round-off of a number are
 * relative to the scale of its unit, plus its size; so a model has the same steps and the same motion in all units.
 *
 * Of a constraint, `rows` has the scales of position errors; those of velocity errors are smaller by the time scale. A row that restricts
 * velocities or accelerations alone has the scale of its integral. */
#ifndef MOBOD_SCALES_H
#define MOBOD_SCALES_H

#include "model.h"

#include <stddef.h>

typedef struct Scales {
    double length, time, mass;
    const double *y;     /* [n_y] of coordinates, speeds and auxiliary variables */
    const double *rows;  /* [n_rows] of RowTable */
    const int *is_angle; /* [n_rows] whether their position errors are angles; the others count as lengths */
} Scales;

/* all are 1 where the model has none: FMUs and models that were made before there were scales */
static inline double time_scale(const Model *model) { return model->scales ? model->scales->time : 1; }
static inline const double *y_scales(const Model *model) { return model->scales ? model->scales->y : NULL; }
static inline double scale_of_y(const Model *model, int i) { return model->scales ? model->scales->y[i] : 1; }
static inline double scale_of_row(const Model *model, int row) { return model->scales ? model->scales->rows[row] : 1; }

/* the scale of the rate of a row, which is its velocity error */
static inline double scale_of_rate(const Model *model, int row) { return scale_of_row(model, row) / time_scale(model); }
/* of speeds that count as rest, of contacts and slips: the speed of a fall by half the length scale, as T is the period of a pendulum */
static inline double scale_of_fall(const Model *model, int row) {
    return model->scales ? 6.283185307179586 * scale_of_rate(model, row) : 1;
}

/* The largest absolute value of n entries of y from the entry `first` on, each relative to its scale. */
double largest_in_scales(const Model *model, const double *y, int first, int n);

#endif
