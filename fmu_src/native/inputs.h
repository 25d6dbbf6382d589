/* Inputs that change within a communication step: by derivatives that the importer has set, or by its values when it is called back. */
#ifndef MOBOD_INPUTS_H
#define MOBOD_INPUTS_H

#include <stddef.h>

struct Instance;

/* Called whenever the time in w changes within a step; State.inputs is its address. */
typedef struct InputSignals {
    void (*update)(void *owner, double time);   /* write the inputs at this time to w */
    void (*set_rates)(void *owner, double *dw); /* write their rates at the time in w to dw [n_w] */
    void (*clear_rates)(void *owner, double *dw);
    void *owner;
} InputSignals;

/* The start of a step: from now on inputs change with time, if they have derivatives or the importer is called back. */
void begin_inputs(struct Instance *instance);

/* The end of a step: the inputs keep their values, and have no derivatives. Or a failed step: inputs and derivatives stay as they were
 * before it. */
void end_inputs(struct Instance *instance);
void abandon_inputs(struct Instance *instance);

#endif
