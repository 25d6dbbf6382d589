/* The trial of one step in all lanes. Included by files that define MOBOD_LANES. */
#ifndef MOBOD_LANES_TRIAL_H
#define MOBOD_LANES_TRIAL_H

#include "explicit_arithmetic.h"
#include "lanes.h"
#include "one_step.h"
#include "rows.h"

typedef struct {
    LaneRun *run;        /* NULL: the lane is empty */
    int enters;          /* the numbers of its State are not copied yet */
    int has_numbers;     /* the lane has the numbers of a run, which may have ended */
    PlannedStep planned; /* the step that is tried */
    int has_rows;        /* constraints are enabled */
    int is_first;        /* the size of this first step was chosen when the run entered the lane */
    int was_refused;     /* a longer step from the same time was refused */
    /* from the start of the step: */
    double step_size, error_before;
    int64_t n_tried;
    Integration result;
    /* the result of the trial: */
    int is_unusual;          /* a number is not finite, or a kernel has stopped: the run takes the step alone */
    int is_near_singularity; /* the step may end too close to a singular configuration, see ends_near_singularity */
    double error;            /* scaled */
    int worst;               /* the entry of y with that error */
} Lane;

/* a sweep as the calls of its kernels, one after the other in memory */
typedef struct {
    KernelFunction *run;
    const void *context;
    const int *at;
    int number; /* of the kernel */
} LaneCall;

typedef struct {
    int n_clear;
    const int *clear;
    int n_calls;
    const LaneCall *calls;
} LaneSweep;

typedef struct {
    LaneSweep of_stages[N_STAGES], before_witnesses[N_STAGES][N_STAGES], of_witnesses; /* of Model.sweeps and EventTable */
} LaneSweeps;

struct Lanes {
    const LanesTable *table;
    LaneSweeps *sweeps;
    const LaneRuns *runs;
    const Method *method; /* of the runs in the lanes */
    Lane lanes[MOBOD_LANES];
    int64_t n_in_lanes, n_alone;
    int64_t n_problems_at_once, n_problems_alone;      /* of friction */
    Number faults;                                     /* 0, or not a number if a rate or y in this lane was not finite */
    int realized;                                      /* the stage up to which w has been computed */
    int rows_are_alike;                                /* the same rows are enabled, and motions prescribed, in all lanes */
    void *memory;                                      /* all of it, from where it was allocated */
    Number *w;                                         /* [n_w] */
    Number *scratch;                                   /* [n_registers] */
    Number *y, *y_new, *y_stage, *error, *error_below; /* [n_y] as in Work */
    Number *kept;                                      /* [n_y] y or an error before a projection */
    Number *slopes;                                    /* [MOST_SLOPES][n_y] */
    Number *dense;                                     /* [MOST_DEGREES][n_y] */
    Number *points;                                    /* [n_witnesses][n_parts + 1] values of the witnesses at the ends of the parts */
    int watches_stiffness;                             /* whether a run has the integrator INTEGRATOR_AUTO */
    Number t, t_new, step;                             /* of each lane */
    Number tolerance, constraint_tolerance;            /* of their States */
    Number error_before, growth;                       /* of each lane: State.error_before, and the wanted factor of step sizes */
    struct StepInLanes *fixed_step;                    /* of fixed steps at velocity level, made for the first one */
    Number change, change_of_rates;                    /* between the last two stages, for watch_explicit */
};

/* A run takes a lane; its State's time stays up to date, y does not. copy_entered copies its numbers. */
void enter_lane(Lanes *lanes, int k, LaneRun *run);
/* copy the numbers of the States of all runs that have entered */
void copy_entered(Lanes *lanes);
/* write y to the State of a run */
void write_y(const Lanes *lanes, int k, const Number *y);
/* Fill empty lanes with the numbers of another one, so that their results are ordinary. A lane whose run has ended repeats its last step.
 */
void fill_empty_lanes(Lanes *lanes, int from);
int number_of_witnesses(const Model *model);
/* Normalise the quaternions. Marks lanes in which one has no direction. */
void normalize_in_lanes(Lanes *lanes);

/* NULL if memory is exhausted; freed by free */
LaneSweeps *create_lane_sweeps(const LanesTable *table);
void sweep_in_lanes(Lanes *lanes, const LaneSweep *sweep);
/* compute all stages up to `stage` that are not realized yet */
void realize_in_lanes(Lanes *lanes, int stage);
/* whether the same rows are enabled, and the same motions prescribed, in all lanes */
int are_alike(const RowTable *table, const Number *w);
/* Project y in w, at the end of the step, onto the constraints of each lane. */
void project_in_lanes(Lanes *lanes);
/* whether the ends of steps are near singular configurations */
void find_singularities(Lanes *lanes);
/* Subtract from an error estimate the part that the projection has removed. Leaves nothing realized. */
void remove_projected_errors(Lanes *lanes, Number *error);

/* Try the planned step of each lane, from y and slopes[0]: sets y_new, slopes, the change between stages, for each lane its error,
 * and the values of witnesses at its end. */
void try_step_in_lanes(Lanes *lanes);

/* After try_step_in_lanes: the interpolants `dense`, with the stages that they alone need, and the values of witnesses. */
void interpolate_in_lanes(Lanes *lanes, int with_witnesses);

#endif
