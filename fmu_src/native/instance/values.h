/* Reading and writing variables by value reference: the index in the interface's table. */
#ifndef MOBOD_VALUES_H
#define MOBOD_VALUES_H

#include "instance_data.h"

/* the variable of that type and reference; NULL, after a message, if there is none */
const Variable *find_variable(const Instance *instance, unsigned reference, Type type);

/* whether initial conditions can still be set */
int is_before_start(const Instance *instance);

/* The entries of variables, one after the other: an array of FMI 3.0 has several. All references must be valid. */
typedef struct {
    const Variable *variables;
    const unsigned *references;
    size_t n, variable;
    int entry;
} Entries;

static inline void begin_entries(Entries *entries, const Instance *instance, const unsigned *references, size_t n) {
    *entries = (Entries){instance->interface->variables, references, n, 0, 0};
}

/* NULL after the last one */
static inline const Variable *next_entry(Entries *entries) {
    if (entries->variable == entries->n)
        return NULL;
    const Variable *first = entries->variables + entries->references[entries->variable];
    const Variable *entry = first + entries->entry++;
    if (entries->entry == first->n) {
        entries->entry = 0;
        entries->variable++;
    }
    return entry;
}

/* n_values: the number of entries of the variables.
 *
 * An unknown reference, a reference of another type, or a null pointer is an error, and nothing is read or written. Values are computed
 * before they are read, if a value that they depend on has changed. */

/* a value that is not finite is an error, which is logged after all values have been returned */
MOBOD_API Status get_reals(Instance *instance, const unsigned *references, size_t n, double *values, size_t n_values);
MOBOD_API Status get_booleans(Instance *instance, const unsigned *references, size_t n, int *values, size_t n_values);
/* type: TYPE_INTEGER or TYPE_ENUMERATION */
MOBOD_API Status get_integers(Instance *instance, const unsigned *references, size_t n, int *values, size_t n_values, Type type);

/* it is an error if a variable may not be set in this mode, or to this value */
MOBOD_API Status set_reals(Instance *instance, const unsigned *references, size_t n, const double *values, size_t n_values);
MOBOD_API Status set_booleans(Instance *instance, const unsigned *references, size_t n, const int *values, size_t n_values);
MOBOD_API Status set_integers(Instance *instance, const unsigned *references, size_t n, const int *values, size_t n_values, Type type);

/* Time derivatives (orders 1 and 2) of Real inputs at the present time, for the next communication step. */
Status set_input_derivatives(Instance *instance, const unsigned *references, size_t n, const int *orders, const double *values);

#endif
