/* The contract between generated code and the runtime.
 *
 * All numbers of a State are in one array w, as in engine/mobod/system: time, coordinates, parameters, and computed values. A kernel
 * (kernel.h) reads and writes w at given offsets. A sweep is a table of kernel calls, done in order. model.c (generated from a System)
 * defines `mobod_model`; variables.c (generated from the FMU's interface) defines `mobod_interface`. */
#ifndef MOBOD_MODEL_H
#define MOBOD_MODEL_H

#include "method.h"
#include "sweep.h"

#include <stddef.h>

/* as in engine/mobod/system/stage.py */
enum {
    STAGE_EMPTY,
    STAGE_TOPOLOGY,
    STAGE_MODEL,
    STAGE_INSTANCE,
    STAGE_TIME,
    STAGE_POSITION,
    STAGE_VELOCITY,
    STAGE_DYNAMICS,
    STAGE_ACCELERATION,
    STAGE_REPORT,
    N_STAGES
};

/* the kind of a number in a saved state: ANY_NUMBER may also be NaN, the others lie from `least` to `greatest` */
typedef enum { ANY_NUMBER, REAL_NUMBER, WHOLE_NUMBER } NumberKind;

/* a range of w that saved states hold */
typedef struct {
    int first, count;
    NumberKind kind;
    double least, greatest;
} SavedRange;

/* all numbers that are not computed from others: time, y, discrete variables, initial conditions */
typedef struct {
    int n;
    const SavedRange *ranges; /* [n] */
} SavedTable;

typedef struct {
    const char *name;
    int n_w;                    /* entries of w */
    int n_copied;               /* ranges of w that copies have; nothing reads the others after the procedure that has written them, */
    const int *copied;          /* [n_copied][2] first, count, ascending; or they are always 0 */
    int computed_at;            /* where the numbers begin that are computed from those before and from those from y_start_at on */
    int n_q, n_u, n_z;          /* y = [q u z] */
    int time_at;                /* where time lies in w */
    int y_at;                   /* where y lies: [n_q + n_u + n_z] */
    int y_dot_at;               /* where its time derivative lies, valid at STAGE_ACCELERATION */
    int q_dot_stage;            /* the stage from which on the rates of q are valid there */
    int y_start_at;             /* where the initial conditions lie, [n_y]; see start_values.h, also for own_starts_at */
    int scratch_at;             /* where the scratch memory of kernels lies */
    const double *start;        /* [n_w]       values of a new instance */
    const char *const *y_names; /* [n_y]       for messages */
    const char *const *y_units; /* [n_y]       for messages; "1": no unit */
    int n_quaternions;          /* quaternions among q: kept at unit length */
    const int *quaternions;     /* [n_quaternions] offset in w of the first of four entries */
    int n_kernels;
    const Kernel *kernels;                  /* [n_kernels] */
    const Kernel *tangents;                 /* [n_kernels] their tangents; .run is NULL for one that is not called; NULL: there are none */
    const Kernel *adjoints;                 /* [n_kernels] their adjoints; NULL: there are none */
    const Sweep *const *sweeps;             /* [N_STAGES] the sweep that realizes each stage; NULL: nothing to do */
    const struct RowTable *rows;            /* of constraints, rows.h; NULL: there are none */
    const struct OwnErrorTable *own_errors; /* of subsystems, own_errors.h; NULL: there are none */
    const struct DelayTable *delays;        /* delays.h; NULL: there are none */
    const struct EventTable *events;        /* events.h; NULL: there are none */
    const struct ContactTable *contacts;    /* unilateral_rows.h; NULL: there are none */
    const struct FrictionTable *frictions;  /* friction.h; NULL: there is no dry friction */
    const struct AutoUpdateTable *auto_updates; /* auto_updates.h; NULL: there are none, or the host updates them */
    const struct Scales *scales;                /* scales.h; NULL: all are 1 */
    const SavedTable *saved;                    /* NULL: the model is not an FMU, and saves no states */
} Model;

/* of an FMU: the offset in w of [n_y] whether states have start values of their own, after the initial conditions */
static inline int own_starts_at(const Model *model) { return model->y_start_at + model->n_q + model->n_u + model->n_z; }

extern const Model mobod_model;

/* when a variable may be set: never, until initialization ends, or at any time */
enum { SET_NEVER, SET_BEFORE_START, SET_ANY_TIME };

/* the FMI type of a variable. All are numbers in w: a Boolean is 0 or 1, an Integer is whole. Enumerations are Integers in FMI
 * 2.0, and a type of their own in 3.0 */
typedef enum { TYPE_REAL, TYPE_BOOLEAN, TYPE_INTEGER, TYPE_ENUMERATION } Type;

typedef struct {
    const char *name;
    int at;                    /* where it lies in w */
    unsigned char stage;       /* the stage that computes it: realized before it is read */
    unsigned char invalidates; /* the first stage that must be realized again after it was set */
    unsigned char settable;    /* SET_... */
    unsigned char type;        /* Type */
    int n;                     /* the number of entries of the array that begins here; 1: a scalar; 0: a later entry of an array */
    double least, greatest;    /* the bounds of its value; -INFINITY and INFINITY: no bound */
} Variable;

/* what w holds of an input that is a Real: its first and second time derivatives, which apply to the next communication step, and its
 * rate at the end of the last one */
enum { FIRST_DERIVATIVE, SECOND_DERIVATIVE, RATE_AT_END, NUMBERS_OF_INPUT };
/* how impacts of several rows at one time are resolved; contacts.h and impacts_in_turn.h */
typedef enum { IMPACTS_SIMULTANEOUS, IMPACTS_SEQUENTIAL } ImpactLaw;

/* The settings of the integration that the importer of an FMU may change, in the order in which they lie in w; see numerics.h.
 * engine/mobod/runtime/numerics.py reads these names. */
typedef enum {
    NUMERICS_MAX_STEPS,            /* the largest number of steps that one call of do_step may try */
    NUMERICS_INTEGRATOR,           /* Integrator, if steps are not those at velocity level */
    NUMERICS_TOLERANCE,            /* relative accuracy of a step; 0: that of the experiment */
    NUMERICS_CONSTRAINT_TOLERANCE, /* of errors of constraints, relative to their scales; 0: a tenth of the tolerance */
    NUMERICS_LARGEST_STEP,         /* s; 0: no bound */
    NUMERICS_FIXED_STEP,           /* s, of integrators with fixed steps; 0: none is given */

    /* results of steps of bounded work, as in State */
    NUMERICS_OVERRUN,
    NUMERICS_LATE,
    NUMERICS_LEFT_LENGTH,
    NUMERICS_LEFT_ANGLE,
    NUMERICS_LEFT_SPEED,
    NUMERICS_LEFT_ANGULAR_SPEED,
    NUMERICS_LEFT_IMPULSE,

    NUMERICS_JAMMED_STEPS, /* a result of steps at velocity level, as in State */
    N_NUMERICS
} Numerics;

/* a frame on a flexible body, and how far the deformation of the body may move it before the log warns of it */
typedef struct {
    const char *frame, *body;
    const char *theory;          /* what holds up to this: words for the message */
    int at;                      /* offset in w of its rotation vector and displacement, [6], which STAGE_POSITION computes */
    double largest_turn;         /* rad */
    double largest_displacement; /* m */
} Deformation;

/* the mean axes of a flexible body without geometric stiffening, and how fast they may turn before the log warns of it */
typedef struct {
    const char *body; /* its name */
    int at;           /* offset in w of their angular velocity, [3], which STAGE_VELOCITY computes */
    int scale_at;     /* offset in w of the factor of the body's stiffness */
    double first;     /* rad/s, the first angular frequency of the body with the factor 1 */
    double largest;   /* part of it */
} Spin;

/* a compliant contact of two convex shapes, and how deep they may overlap before the log warns of it */
typedef struct {
    const char *name;
    int at;         /* offset in w of the largest depth of steps, [2]: relative to the size of the smaller shape, and in m */
    double largest; /* relative */
} PressedDepth;

typedef struct {
    const char *model_name;
    const char *token;         /* FMI 2.0 guid, FMI 3.0 instantiation token */
    double tolerance;          /* relative accuracy if the master requests none */
    int impacts;               /* ImpactLaw */
    int is_bounded;            /* whether steps have bounded work, bounded_steps.h */
    int ambiguous_is_an_error; /* whether impacts of unknown order are an error; otherwise they are a warning in the log */
    int numerics_at;           /* offset in w of the settings of the integration, [N_NUMERICS] */
    const double *numerics;    /* [N_NUMERICS] their start values */
    int n_inputs;
    const int *inputs;        /* [n_inputs] value references of the Reals among the inputs */
    int input_derivatives_at; /* offset in w of [n_inputs][NUMBERS_OF_INPUT]; the values of event indicators follow */
    int n_variables;
    const Variable *variables;            /* [n_variables], by value reference */
    const struct FixedSteps *fixed_steps; /* velocity_level.h; NULL: steps under error control */
    int n_deformations;
    const Deformation *deformations; /* [n_deformations] */
    int n_spins;
    const Spin *spins; /* [n_spins] */
    int n_depths;
    const PressedDepth *depths; /* [n_depths] */
} Interface;

/* the offset in w of the values of event indicators */
static inline int indicators_at(const Interface *interface) {
    return interface->input_derivatives_at + NUMBERS_OF_INPUT * interface->n_inputs;
}

extern const Interface mobod_interface;

#endif
