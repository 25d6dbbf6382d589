/* Reading and writing variables by value reference: the index in the interface's table. */
#ifndef MOBOD_VALUES_H
#define MOBOD_VALUES_H

#include "instance.h"

/* the variable of that type and reference; NULL, after a message, if there is none */
const Variable *find_variable(const Instance *instance, unsigned reference, Type type);

/* whether initial conditions can still be set */
int is_before_start(const Instance *instance);

/* All: an unknown reference, one of another type, or a null pointer is an error, and then nothing is read or written.
 * What is read is computed first, if something it depends on has changed. */

/* a value that is not finite is an error, after all values have been given */
MOBOD_API Status get_reals(Instance *instance, const unsigned *references, size_t n, double *values);
MOBOD_API Status get_booleans(Instance *instance, const unsigned *references, size_t n, int *values);
MOBOD_API Status get_integers(Instance *instance, const unsigned *references, size_t n, int *values);

/* that it may not be set in this mode, or to this value, is an error */
MOBOD_API Status set_reals(Instance *instance, const unsigned *references, size_t n, const double *values);
MOBOD_API Status set_booleans(Instance *instance, const unsigned *references, size_t n, const int *values);
MOBOD_API Status set_integers(Instance *instance, const unsigned *references, size_t n, const int *values);

#endif
