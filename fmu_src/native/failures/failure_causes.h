/* Why an integration failed, in words.
 *
 * These words are here alone. Each caller puts the time before them, and after them what can be done by its own options: Python in errors
 * (engine/mobod/simulate/run_failure.py), an FMU in its log (failure_messages.c). What can be changed of the model is the same for all
 * callers, and is a part of these words. */
#ifndef MOBOD_FAILURE_CAUSES_H
#define MOBOD_FAILURE_CAUSES_H

#include "exported.h"
#include "outcome.h"
#include "state.h"

#include <stddef.h>

/* the longest text of a cause, with its end; a longer one is cut */
enum { LONGEST_CAUSE = 1024 };

/* what explains a failure: the outcome itself, or something that is found only after it */
typedef enum { EXPLAINED_BY_OUTCOME, EXPLAINED_BY_FLAT_RIM, EXPLAINED_BY_CONTRADICTION, EXPLAINED_BY_CONTRADICTING_FRICTION } Explanation;

/* Write the cause of a failure of a run: sentences that name the thing, its value and the unit, without the time. May realize POSITION.
 * at_velocity_level: whether the run takes fixed steps at velocity level. */
Explanation describe_failure(const Model *model, State *state, int at_velocity_level, const Integration *failure, char *text, size_t size);

/* The same for constraints that contradict each other in the last evaluation. Returns 0, and writes nothing, if none do. */
int describe_contradictions(const Model *model, State *state, Explanation *explanation, char *text, size_t size);

/* That constraints contradict each other, which the nearest accelerations violate by `miss`. names: of all, in quotes, with commas */
MOBOD_API void word_contradictions(const char *names, double miss, char *text, size_t size);

/* That the order of the impacts of these contacts is unknown. names: in quotes, with commas */
MOBOD_API void word_ambiguous_impacts(const char *names, char *text, size_t size);

/* That these contacts had an impact without collision. names: as above */
MOBOD_API void word_sliding_impacts(const char *names, char *text, size_t size);

#endif
