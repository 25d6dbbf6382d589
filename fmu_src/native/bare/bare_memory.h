/* The memory of a model without an operating system: a block that the caller gives, from which its start takes parts. */
#ifndef MOBOD_BARE_MEMORY_H
#define MOBOD_BARE_MEMORY_H

#include "bare.h"

/* bare_allocate takes from these bytes from now on. NULL: there are none, so that what allocates in a step fails. No two starts at once:
 * the place is one variable of the program. */
void bare_give_memory(void *bytes, size_t size);

/* bytes that were taken, and those that were asked for when there were no more; both since bare_give_memory */
size_t bare_taken(void);

#endif
