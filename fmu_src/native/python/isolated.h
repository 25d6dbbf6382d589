/* An FMU in a process of its own, a child process, called by the process of the master through memory that both share.
 *
 * The two take turns: one of them runs, the other one waits, first in a loop for some microseconds, then asleep. So steps of FMUs that
 * answer at once cost little, and long ones cost no processor time.
 *
 * The functions that a master calls at each step (fmi2GetReal, fmi2SetReal, fmi2DoStep and those of FMI 3.0) are passed on in C:
 * isolated_... have their parameters, with the Side of the master as the instance. All other calls are messages, which Python writes and
 * reads (engine/mobod/fmi/isolation). */
#ifndef MOBOD_ISOLATED_H
#define MOBOD_ISOLATED_H

#include "exported.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* why a side no longer waits */
typedef enum { SIDE_WAITS, SIDE_HAS_ENDED, SIDE_IS_TOO_LATE, SIDE_IS_INTERRUPTED } SideEnd;

/* The purpose of a turn. From CHILD_GET on these are functions that are called at each step. CHILD_UPDATE comes from the child: within a
 * step the FMU needs its inputs at another time. */
typedef enum { CHILD_MESSAGE, CHILD_MORE, CHILD_GET, CHILD_SET, CHILD_STEP, CHILD_UPDATE } ChildRequest;

typedef struct SharedMemory SharedMemory;

/* any function of the FMU */
typedef void ChildFunction(void);

/* One side. POSIX: wakes_me, wakes_other and output are file descriptors, process is an id. Windows: all are handles. */
typedef struct {
    SharedMemory *memory;
    int is_child;
    intptr_t wakes_me;              /* the end of a pipe that is read, or an event */
    intptr_t wakes_other;           /* the end of a pipe that is written, or an event */
    intptr_t process;               /* of the other side */
    intptr_t output;                /* master: what the child prints, the end of a pipe that is read without waiting; child: -1 */
    double time_limit;              /* s  for a call; 0: none */
    int (*is_interrupted)(void *);  /* master: whether the user ends a call; asked while it sleeps. NULL: never */
    void (*update)(void *, double); /* master: sets inputs to their values at a time, s, within a step. NULL: inputs are held */
    void *user;
    void *instance;  /* child: of the FMU, with the functions that are called at each step */
    int fmi_version; /* 2, 3 */
    ChildFunction *get, *set, *do_step;
    SideEnd end;
    double patience; /* s  to wait in a loop */
    char *received;  /* the last message that came, and its room */
    size_t room;
    char *printed; /* master: the last that the child printed, a ring */
    uint64_t n_printed, n_read;
} Side;

/* bytes of the shared memory, zero at the start */
MOBOD_API size_t isolated_memory_size(void);

/* A side, or NULL without memory for it. The arguments are those members; the others are 0. */
MOBOD_API Side *isolated_open(void *memory, int is_child, intptr_t wakes_me, intptr_t wakes_other, intptr_t process, intptr_t output);
MOBOD_API void isolated_close(Side *side);

/* Send a message and wait for the next one, which is then in side->received. Returns its size; -1: none comes, see side->end. The child
 * begins with size -1: it only waits. While it waits it serves the functions that are called at each step. */
MOBOD_API int64_t isolated_exchange(Side *side, const char *message, int64_t size);

/* ---- the master ---- */

/* Set the values that were given to isolated_...Set..., which go with the next function that is called at each step. To be called before a
 * message. Returns the status. */
MOBOD_API int isolated_set_values(void *side);

MOBOD_API int isolated_fmi2GetReal(void *side, const unsigned *references, size_t n, double *values);
MOBOD_API int isolated_fmi2SetReal(void *side, const unsigned *references, size_t n, const double *values);
MOBOD_API int isolated_fmi2DoStep(void *side, double time, double step, int keeps_no_state);
MOBOD_API int isolated_fmi3GetFloat64(void *side, const uint32_t *references, size_t n, double *values, size_t n_values);
MOBOD_API int isolated_fmi3SetFloat64(void *side, const uint32_t *references, size_t n, const double *values, size_t n_values);
MOBOD_API int isolated_fmi3DoStep(void *side, double time, double step, bool keeps_no_state, bool *needs_event, bool *terminates,
                                  bool *is_early, double *reached);

/* The function that the child called last, a ChildRequest: also one that was passed on with another one, or that the child did not return
 * from. */
MOBOD_API int isolated_doing(const Side *side);

/* Read what the child printed since the last call, at most the last 64 kB. Returns the number of bytes, at most size. */
MOBOD_API size_t isolated_printed(Side *side, char *text, size_t size);

/* Read the oldest message that the FMU logged: its status, and its category and text, each with a 0 at its end. Returns the number of
 * bytes, 0: there is none. n_lost: if it is not 0, so many messages were overwritten before they were read; then text is their category
 * alone. text: [8192] */
MOBOD_API size_t isolated_log_line(Side *side, int *status, char *text, uint64_t *n_lost);

/* ---- the child ---- */

/* the functions of the FMU that are called at each step: fmi2GetReal, fmi2SetReal, fmi2DoStep, or those of FMI 3.0 */
MOBOD_API void isolated_use(Side *side, void *instance, int fmi_version, ChildFunction *get, ChildFunction *set, ChildFunction *do_step);
MOBOD_API const char *isolated_received(const Side *side);

/* For the FMU: its callbacks. Some FMUs give them another environment than they got, or NULL, so it is not used. */
MOBOD_API void isolated_log_fmi2(void *environment, const char *instance, int status, const char *category, const char *message, ...);
MOBOD_API void isolated_log_fmi3(void *environment, int status, const char *category, const char *message);
MOBOD_API void isolated_update_fmi3(void *environment, double time, bool sets, bool gets, bool is_end_of_step, bool may_return_early,
                                    bool *returns_early, double *early_time);

/* returns when the master has ended; for a thread of its own */
MOBOD_API void isolated_wait_for_end(const Side *side);

#endif
