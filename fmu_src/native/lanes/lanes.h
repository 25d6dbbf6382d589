/* Several runs of one model side by side, in the lanes of vectors.
 *
 * Each lane has its own time, step size and error control. The vectors try ordinary steps: explicit ones without events near. All
 * decisions are those of a single run, by the same functions. A run leaves its lane for all other work, and does it alone by these
 * functions: events, failures, implicit steps, callbacks. Then it returns to a lane. So the numbers of a run do not depend on its lane,
 * on the runs beside it, or on the number of lanes. Fixed steps at velocity level: lanes_velocity_level.h. */
#ifndef MOBOD_LANES_H
#define MOBOD_LANES_H

#include "exported.h"
#include "member.h"
#include "simulation.h"

/* the result of a kernel over lanes that cannot compute all lanes at once */
enum { NOT_OVER_LANES = -1 };

/* A kernel over Numbers with several lanes; Call.host: the Lanes. If there is none (run: NULL), or it returns NOT_OVER_LANES, the model's
 * kernel is called on the State of each lane; then the ranges of the numbers that it reads and sets are given. */
typedef struct {
    Kernel kernel;
    int n_inputs, n_outputs;
    const int *inputs, *outputs; /* [n_inputs][2], [n_outputs][2]  offset, count */
} LaneKernel;

typedef struct {
    const Model *model;
    const LaneKernel *kernels; /* [n_kernels] as those of the model */
    int n_registers;           /* of Numbers, which they need as scratch */
} LanesTable;

/* one of the runs */
typedef struct {
    Simulation *simulation;
    double t_end;
    StepTaken *step_taken; /* of the Simulation; report_step, or one that reads nothing but times */
    Integration result;
    Member *member;

    /* of fixed steps at velocity level: the steps to take, of which piece.first is the next one; and how many are taken alone after the
     * next one that cannot be taken in a lane */
    FixedPiece piece;
    int64_t n_steps; /* of the whole run of the piece, see end_of_step */
    int patience;
} LaneRun;

typedef struct Lanes Lanes;

/* NULL if memory is exhausted */
MOBOD_API Lanes *create_lanes(const LanesTable *table);
MOBOD_API void free_lanes(Lanes *lanes);

/* where runs come from */
typedef struct {
    void *owner;
    LaneRun *(*next)(void *owner); /* NULL: there are no more */
    void (*has_ended)(void *owner, LaneRun *run);
} LaneRuns;

/* Integrate each run from its time to its end, as `integrate` does. A run begins when a lane is free. */
void integrate_side_by_side(Lanes *lanes, const LaneRuns *runs);
/* The same for fixed steps at velocity level, by the piece of each run, as `take_fixed_steps` does. */
void take_fixed_steps_side_by_side(Lanes *lanes, const LaneRuns *runs);

/* the same as ensemble_advance; runs [n] is a workspace */
MOBOD_API void ensemble_advance_in_lanes(Lanes *lanes, int n, Member *members, int n_steps, LaneRun *runs);

/* a KernelFunction whose context is a valid Program, over Numbers with several lanes */
MOBOD_API KernelFunction run_program_on_lanes;
/* those of a RowTable */
MOBOD_API KernelFunction run_elimination_on_lanes, run_multipliers_on_lanes;
/* those of a MatrixProduct and of a SumInverse */
MOBOD_API KernelFunction run_product_on_lanes, run_inverse_on_lanes;

/* the number of lanes of this library, and of steps that were tried in lanes and alone since create_lanes */
MOBOD_API int number_of_lanes(void);
MOBOD_API void count_of_lane_steps(const Lanes *lanes, int64_t *in_lanes, int64_t *alone);
/* the same of problems with friction: those of several lanes solved at once, and one by one within steps in lanes */
MOBOD_API void count_of_lane_problems(const Lanes *lanes, int64_t *at_once, int64_t *alone);

#endif
