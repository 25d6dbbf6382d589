/* The complete memory of an instance in one flat block: a copy of the block is a copy of the simulation. */
#ifndef MOBOD_STATE_H
#define MOBOD_STATE_H

#include "model.h"

#include <stddef.h>
#include <stdint.h>

/* what an instance is for; it does not change */
typedef enum {
    CO_SIMULATION,             /* events are handled within communication steps */
    CO_SIMULATION_WITH_EVENTS, /* the importer enters event mode when an event occurs */
    MODEL_EXCHANGE             /* the importer integrates */
} InterfaceType;

/* The state of an instance in the life cycle of FMI, one bit each; legal calls are masks of these bits. A step is complete before doStep
 * returns, and is done wholly or not at all. So FMI 2.0's modes stepInProgress and stepCanceled do not occur. */
typedef enum {
    MODE_INSTANTIATED = 1,
    MODE_INITIALIZATION = 2,
    MODE_STEP = 4,
    MODE_TERMINATED = 8,
    MODE_ERROR = 16,
    MODE_STEP_FAILED = 32,   /* the last step could not reach its end; a shorter one may succeed */
    MODE_EVENT = 64,         /* discrete values may change */
    MODE_CONTINUOUS = 128,   /* of model exchange: the importer integrates */
    MODE_INTERMEDIATE = 256, /* the importer is called back within a communication step */
} Mode;

/* what the next update of discrete states has to do, one bit each */
typedef enum {
    PENDING_EVENTS = 1,     /* a communication step ended at an event, which is not handled yet */
    PENDING_STEP_END = 2,   /* a step of integration has ended: what happens after each step has not happened yet */
    PENDING_PROJECTION = 4, /* an importer has integrated: constraints and quaternions may have errors */
    PENDING_SET_STATES = 8, /* an importer has set states in event mode */
    ALL_PENDING = 15
} Pending;

/* what a step of bounded work has left to the next one, bounded_steps.h: the largest errors of constraints in m, rad, m/s and rad/s, and of
 * the conditions of impulses and forces, relative */
typedef enum { LEFT_LENGTH, LEFT_ANGLE, LEFT_SPEED, LEFT_ANGULAR_SPEED, LEFT_IMPULSE, N_LEFT } LeftKind;

/* The derivative at the end of a step is that at the start of the next one, and stays in w. `realized` shows whether it is still valid. */
typedef struct {
    uint64_t format;             /* STATE_FORMAT */
    uint64_t token;              /* hash of the interface's token, which identifies the FMU */
    uint64_t size;               /* of the whole block, bytes */
    int32_t interface_type;      /* InterfaceType */
    int32_t mode;                /* Mode */
    int32_t realized;            /* the stage up to which w has been computed */
    int32_t has_start;           /* the experiment has been set up; time is the start time */
    int32_t has_stop;            /* stop_time is valid */
    int32_t was_set;             /* a value was set after the last projection: constraints may be violated */
    int32_t integrator;          /* the Integrator that the user chose */
    int32_t impacts;             /* ImpactLaw */
    int32_t is_stiff;            /* for INTEGRATOR_AUTO: steps are implicit; see stiffness.h, also for the next three */
    int32_t n_stiff;             /* number of explicit steps limited by stability */
    int32_t n_easy;              /* number of steps since then, or consecutive steps, that were not so limited, or need not be implicit */
    int32_t patience;            /* number of steps limited by stability before implicit steps are taken */
    int32_t n_careful;           /* for INTEGRATOR_AUTO: number of the next steps that RK45 takes, after one too close to a singularity */
    int32_t pending;             /* Pending */
    int32_t is_bounded;          /* steps have bounded work, bounded_steps.h */
    int32_t n_parts;             /* of the fixed step under way: how many were tried */
    int32_t stopped;             /* result of the kernel that stopped a sweep; no sweep runs while it is set; 0: none */
    double stop_time;            /* s */
    double experiment_tolerance; /* relative accuracy that the importer requests, or the default; numerics.h may replace it */
    double tolerance;            /* relative accuracy of a step */
    double constraint_tolerance; /* of position and velocity errors of constraints, relative to their scales */
    double step_size;            /* s, size of the next step to try; 0: not known yet */
    double largest_step;         /* s */
    double fixed_step;           /* s, for integrators with fixed steps; 0: not given */
    double steps_from;           /* s, the time from which fixed steps are counted, step_grid.h */
    double error_before;         /* scaled error of the last step whose size error control chose; 1 is the limit */
    double last_good_time;       /* s, in MODE_STEP_FAILED: the time that the integration reached */
    double event_time;           /* s, of model exchange: the time of the last event mode; -DBL_MAX: none */
    double time_after_event;     /* s, the time at which the model is evaluated then: the next one if a delayed signal jumps */
    double completed_step;       /* s, of model exchange: the time of the last completed step, or of an event since; DBL_MAX: none */
    double part_end;             /* s, the end of the fixed step whose parts are counted */
    double overrun;              /* how often a step of bounded work has left something to the next one */
    double late;                 /* s, how late the latest event of the last step was processed */
    double left[N_LEFT];         /* of the last step */
    double jammed_steps;         /* how many steps of the run had frozen rows (listed_rows.h), or left out bounces */
    double first_jam;            /* s, a time within the first of them */
    uint64_t host;               /* address of the host's handle of this State, for callbacks; 0: none */
    uint64_t hooks;              /* the address of its HostHooks, host.h; 0: none */
    uint64_t inputs; /* address of the InputSignals of a communication step under way, input_signals.h; 0: no input changes in it */
    double w[];      /* [n_w] */
} State;

/* the letters MOBOD, and the number of this layout */
#define STATE_FORMAT UINT64_C(0x4d4f424f44000010)

static inline int y_size(const Model *model) { return model->n_q + model->n_u + model->n_z; }

size_t state_size(const Model *model);

/* Make numbers [before] an array of at least [after]; new ones are 0. Returns 0 if memory is exhausted. */
int grow_numbers(double **numbers, size_t before, size_t after);

/* copy the ranges of w that model->copied has */
void copy_numbers(const Model *model, double *to, const double *from);

/* the same with all that a State has; `to` has space for state_size(model) */
void copy_whole_state(const Model *model, State *to, const State *from);

/* Whether a step changes more of w than time, y and computed numbers: events, records of delays, updated variables, inputs, or a host. */
int steps_change_all(const Model *model, const State *state);

/* Copy what a step changes, except computed numbers, which `to` computes again. */
void copy_variables(const Model *model, State *to, const State *from);

/* all as bytes without gaps, [packed_size]; and back */
size_t packed_size(const Model *model);
void pack_state(const Model *model, char *bytes, const State *state);
void unpack_state(const Model *model, State *state, const char *bytes);

/* Initialise a new instance: start values, MODE_INSTANTIATED, time 0. Its type stays. */
void reset_state(State *state, const Model *model, const Interface *interface);

/* the initial and the largest value of State.patience */
enum { LEAST_PATIENCE = 15, MOST_PATIENCE = 15 << 10, CAREFUL_STEPS = 16 };

/* at smaller tolerances round-off exceeds errors */
#define LEAST_TOLERANCE 1e-14

/* for messages */
const char *interface_type_name(int interface_type);

/* NULL if a State in memory belongs to this model and interface; else a description of the fault */
const char *fault_of_state(const State *state, const Model *model, const Interface *interface);

/* FNV-1a, 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv), byte by byte: changing a single byte always changes the hash */
uint64_t hash_of_bytes(const char *bytes, size_t size);

#endif
