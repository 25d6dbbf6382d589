/* Integration of a model within the process that loads it, without an FMU: used by mobod.Simulation. */
#ifndef MOBOD_SIMULATION_H
#define MOBOD_SIMULATION_H

#include "auto_updates.h"
#include "events.h"
#include "exported.h"
#include "handler_actions.h"
#include "host.h"
#include "integrators.h"
#include "model.h"
#include "projection.h"
#include "sensitivity.h"
#include "velocity_level.h"

/* Called for each row: y [n_y] at a time, not normalized; and, with y NULL, at the end of the step that ends at Simulation.last_row_at,
 * before the events there. The State has the discrete variables of the step. Must not change the State, except State.stopped. */
typedef void RowHook(void *observer, double time, const double *y);

typedef struct Simulation {
    const Model *model;
    State *state;
    Work work;
    FixedSteps fixed_steps;
    VelocityLevelWork *of_fixed_steps; /* NULL: steps under error control */
    double *tolerances;

    /* the current run */
    int n_steps_left, n_reports_left, n_rows, n_rows_most;
    const double *report_times;
    double *times, *ys, *pasts, *updated;
    RowHook *row_hook; /* NULL: rows are written to these arrays. Else ys has one row, and the other arrays are NULL */
    void *row_observer;
    double last_row_at;
    int n_not_projected;
    double not_projected_at;
    int64_t n_steps, n_evaluations; /* by simulation_advance since the start */
    State *before;                  /* a copy from before a step of stepwise.c; NULL: none yet */
    InputRamps ramps;
    Sensitivity *changes; /* NULL: none are followed */
} Simulation;

/* NULL if memory is exhausted. w [n_w] is copied. integrator: an Integrator. fixed_step: for an integrator with fixed steps, which are
 * counted from the time in w; else 0. max_steps: the largest number of steps that may be tried from one report to the next, or in total if
 * each step is reported. impacts: an ImpactLaw. */
MOBOD_API Simulation *simulation_open(const Model *model, const double *w, int integrator, double tolerance, double constraint_tolerance,
                                      double largest_step, double fixed_step, int64_t max_steps, int impacts);
MOBOD_API void simulation_close(Simulation *simulation);

/* Begin again from w [n_w], with the same options, as a new simulation does. */
MOBOD_API void simulation_reset(Simulation *simulation, const double *w);

/* The result of a call. If its outcome is KERNEL_STOPPED, a callback has failed, and the simulation cannot be used any more. */
typedef struct {
    Integration integration;
    int n_rows;          /* number of rows written */
    int is_at_event;     /* events occurred at the time at which it stopped */
    int has_changed;     /* and a handler changed a value on which accelerations depend */
    int wants_tangents;  /* steps are implicit from now on: the caller must call simulation_set_tangents once, which makes differences
                            unnecessary */
    int n_not_projected; /* number of rows written within steps that are not projected, because the projection would move them too far */
    double not_projected_at; /* the time of the first one, s */
} Progress;

/* Set the tangents [n_kernels] of the model's kernels, which the simulation does not copy, and the size of their scratch memory. .run is
 * NULL for a missing one; NULL: there are none. Returns 0 if memory is exhausted. Without this call the model's own tangents are used. */
MOBOD_API int simulation_set_tangents(Simulation *simulation, const Kernel *tangents, int n_scratch);

/* Use other kernels of the same model from now on, with the same bits: the table of compiled kernels in place of that of programs, for
 * example. Only between two calls. tangents [n_kernels], n_scratch: those of `model`, as in simulation_set_tangents, if that was called or
 * changes are followed; NULL: those in the table. Returns 0 if memory is exhausted; the simulation can then only be closed. */
MOBOD_API int simulation_use_kernels(Simulation *simulation, const Model *model, const Kernel *tangents, int n_scratch);

/* host: the handle that callbacks find in Call.host; hooks: NULL, or the host's hooks, which must outlive the simulation */
MOBOD_API void simulation_set_host(Simulation *simulation, void *host, const HostHooks *hooks);

/* hook: called for each event; see events.h */
MOBOD_API void simulation_set_hook(Simulation *simulation, EventHook *hook, void *observer);

/* the time at which a run to t_end ends: t_end, or the end of a fixed step that equals it up to round-off */
MOBOD_API double simulation_end_near(const Simulation *simulation, double t_end);

/* whether a run to t_end has reached it, with the time events that are round-off after it: event_times.h */
MOBOD_API int simulation_has_reached(Simulation *simulation, double t_end);

/* The start of a run: handlers of initialization; and, in a separate call, the events that are due at the start. For a model without
 * events they do nothing. */
MOBOD_API Progress simulation_begin(Simulation *simulation);
MOBOD_API Progress simulation_preview(Simulation *simulation); /* the first one without the hook and without code of the host for events */
MOBOD_API Progress simulation_process_events(Simulation *simulation);

/* the end of a run: termination */
MOBOD_API Progress simulation_end(Simulation *simulation);

/* Integrate towards t_end, for at most n_steps steps. Stops after each time at which events occurred.
 *
 * n_reports, report_times  rows are written for these times, which increase and are before t_end. NULL: for the end of each step, for at
 *                          most n_rows steps. Rows within steps satisfy the constraints like the ends of steps; the steps are the same with
 *                          and without them
 * times, ys                [n_rows], [n_rows][n_y]
 * pasts                    [n_rows] for each delay (number of entries, two entries): the entries from which it is read at that time
 * updated                  [n_rows + 1][size_of_updated] values of the variables of auto_updates.h in the step of each row; the last
 *                          row: those of the last step, before the events at its end */
MOBOD_API Progress simulation_run(Simulation *simulation, double t_end, int n_steps, int n_reports, const double *report_times, int n_rows,
                                  double *times, double *ys, double *pasts, double *updated);

/* Let inputs [n] be `values` now and change at `rates` from now on, with second derivatives `curvatures`, until the next call or
 * simulation_reset. stages: the first stage that
 * depends on each. Returns 0 if memory is exhausted. */
MOBOD_API int simulation_set_ramps(Simulation *simulation, int n, const int *at, const int *stages, const double *values,
                                   const double *rates, const double *curvatures);

/* Follow changes along n directions from now on, see create_sensitivity; n 0: no longer. Returns 0 if memory is exhausted. */
MOBOD_API int simulation_follow_changes(Simulation *simulation, const Kernel *tangents, int n_scratch, int n, int n_known, const int *known,
                                        const double *changes, const double *y_changes);

/* bound the size of steps under error control from now on, s */
MOBOD_API void simulation_limit_step(Simulation *simulation, double largest_step);

/* before simulation_process_events: the changes after these events */
MOBOD_API void simulation_follow_start_events(Simulation *simulation);

/* where simulation_run writes the changes of y at reports: [n_reports][n][n_y] */
MOBOD_API void simulation_write_changes(Simulation *simulation, double *rows);

/* the present changes: of y [n][n_y], and of the known numbers [n][n_known] */
MOBOD_API void simulation_read_changes(const Simulation *simulation, double *y_changes, double *changes);

/* Take fixed steps at velocity level, see velocity_level.h; tolerances [contacts] are copied. Returns 0 if memory is exhausted. */
MOBOD_API int simulation_fix_steps(Simulation *simulation, double step, int engagement, int constraints_at, int position_iterations,
                                   const double *tolerances);

/* Bound the work of all steps from now on, bounded_steps.h, until simulation_reset. Returns 0 if memory is exhausted. And read State's
 * numbers of it: overrun, late and left [2 + N_LEFT]. */
MOBOD_API int simulation_bound_steps(Simulation *simulation);
MOBOD_API void simulation_read_overruns(const Simulation *simulation, double *numbers);

/* State's numbers of steps in which bodies jam, [2]: jammed_steps and first_jam */
MOBOD_API void simulation_read_jams(const Simulation *simulation, double *numbers);

/* whether the State is that at the end of a fixed step: then the run continues without a new start */
MOBOD_API int simulation_is_at_end_of_fixed_step(Simulation *simulation);

/* after a failure: its cause, see describe_failure of failure_causes.h. Returns an Explanation. */
MOBOD_API int simulation_describe_failure(Simulation *simulation, const Integration *failure, char *text, size_t size);

/* the start of a run with fixed steps; and steps number `first` to `last`, counted from 1, of those from t_start to t_end; no rows are
 * written */
MOBOD_API Progress simulation_begin_fixed_steps(Simulation *simulation);
MOBOD_API Progress simulation_take_fixed_steps(Simulation *simulation, double t_start, double t_end, int64_t first, int64_t last);

/* Project q and u onto the constraints; or u alone, with q unchanged. */
MOBOD_API Projection simulation_project(Simulation *simulation, double tolerance, int of_speeds_alone);

/* Copy the present w [n_w]. */
MOBOD_API void simulation_read(Simulation *simulation, double *w);

/* Compute y_dot [n_y] for a time and y [n_y], n_times times. */
MOBOD_API void simulation_rates(Simulation *simulation, double time, const double *y, int n_times, double *y_dot);

#endif
