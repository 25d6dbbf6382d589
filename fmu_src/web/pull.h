/* Calls that pull bodies: they are in the tables of a live model, and are called for the one body that is pulled. */
#ifndef MOBOD_PULL_H
#define MOBOD_PULL_H

#include "model.h"

typedef struct Pulls Pulls;

/* Find the calls of the model's sweeps whose first input lies at `inputs`, and leave them out of the sweeps: so these, in the memory of a
 * blob, must not be constant. NULL if memory is exhausted. */
Pulls *find_pulls(const Model *model, int inputs);

/* The sweeps have all calls again. NULL: does nothing. */
void free_pulls(Pulls *pulls);

/* Leave out all calls but those that add to the numbers at `forces`; -1: all. Returns how many sweeps call one. */
int choose_pull(Pulls *pulls, int forces);

#endif
