/* All that an instance remembers, in one flat block: copying the block copies the simulation. */
#ifndef MOBOD_STATE_H
#define MOBOD_STATE_H

#include "model.h"

#include <stddef.h>
#include <stdint.h>

/* where an instance is in the life cycle of FMI, one bit each: what may be called is a mask of these.
 * A step is done before doStep returns, and is done wholly or not at all: FMI 2.0's modes stepInProgress and stepCanceled do not occur. */
typedef enum {
    MODE_INSTANTIATED = 1,
    MODE_INITIALIZATION = 2,
    MODE_STEP = 4,
    MODE_TERMINATED = 8,
    MODE_ERROR = 16,
    MODE_STEP_FAILED = 32, /* the last step could not reach its end; a shorter one may */
} Mode;

/* The derivative at the end of a step is that at the start of the next one, and lies in w: `realized` tells whether it still holds. */
typedef struct {
    uint64_t format;             /* STATE_FORMAT */
    uint64_t token;              /* hash of the interface's token: whose State this is */
    uint64_t size;               /* of the whole block, bytes */
    int32_t mode;                /* Mode */
    int32_t realized;            /* the stage up to which w has been computed */
    int32_t has_start;           /* the experiment has been set up: time is its start */
    int32_t has_stop;            /* stop_time holds */
    int32_t is_disturbed;        /* a value was set since constraints were last seen to: they may not hold */
    int32_t integrator;          /* Integrator asked for */
    int32_t is_stiff;            /* of INTEGRATOR_AUTO: steps are implicit; see stiffness.h, also of the next three */
    int32_t n_stiff;             /* explicit steps that were limited by stability */
    int32_t n_easy;              /* steps since then, or in sequence, that were not, or need not be implicit */
    int32_t patience;            /* steps limited by stability until implicit ones are taken */
    int32_t stopped;             /* result of the kernel that stopped a sweep: no sweep runs any more; 0: none */
    double stop_time;            /* s */
    double tolerance;            /* relative accuracy of a step */
    double constraint_tolerance; /* of position and velocity errors of constraints, in their units */
    double step_size;            /* s, to be tried next; 0: none is known yet */
    double largest_step;         /* s */
    double error_before;         /* of the last step that error control chose, 1 being what is allowed */
    double last_good_time;       /* s, in MODE_STEP_FAILED: how far the integration came */
    uint64_t host;               /* the address of what the host knows this State by, for callbacks; 0: none */
    uint64_t hooks;              /* the address of its HostHooks, host.h; 0: none */
    double w[];                  /* [n_w] */
} State;

/* the letters MOBOD, and the number of this layout */
#define STATE_FORMAT UINT64_C(0x4d4f424f44000007)

static inline int y_size(const Model *model) { return model->n_q + model->n_u + model->n_z; }

size_t state_size(const Model *model);

/* a new instance: start values, the mode instantiated, time 0 */
void reset_state(State *state, const Model *model, const Interface *interface);

/* below it round-off is larger than errors */
#define LEAST_TOLERANCE 1e-14

/* of a step, and of constraints a tenth of it */
void set_tolerance(State *state, double tolerance);

/* until initialization ends, y is what the initial conditions say */
void show_initial_conditions(const Model *model, double *w);

/* NULL if a State in memory is one of this model and interface, else what is wrong with it */
const char *fault_of_state(const State *state, const Model *model, const Interface *interface);

/* FNV-1a, 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv), byte by byte: no change of a single byte leaves it as it was */
uint64_t hash_of_bytes(const char *bytes, size_t size);

#endif
