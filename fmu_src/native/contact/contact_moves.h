/* How contacts at their bounds move with changes of start values. */
#ifndef MOBOD_CONTACT_MOVES_H
#define MOBOD_CONTACT_MOVES_H

#include "contact_table.h"
#include "state.h"

typedef struct Moves {
    const Contact *opening, *closing; /* NULL: none opens, or none closes */
} Moves;

/* dw: changes of all numbers up to VELOCITY, found with released contacts; of_fixed_steps: whether the run has fixed steps */
Moves moves_of_contacts(const Model *model, const State *state, const double *dw, int of_fixed_steps);

#endif
