/* Inputs that change within a communication step: by derivatives that the importer has set, or by its values when it is called back. */
#ifndef MOBOD_INPUTS_H
#define MOBOD_INPUTS_H

struct Instance;

/* The start of a step: from now on inputs change with time, if they have derivatives or the importer is called back. */
void begin_inputs(struct Instance *instance);

/* The end of a step: the inputs keep their values, and have no derivatives. Or a failed step: inputs and derivatives stay as they were
 * before it. */
void end_inputs(struct Instance *instance);
void abandon_inputs(struct Instance *instance);

#endif
