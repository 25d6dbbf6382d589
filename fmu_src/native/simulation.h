/* A model integrated within the process that loads it, without an FMU: what mobod.Simulation calls. */
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
#include "velocity_level.h"

typedef struct Simulation Simulation;

/* NULL if there is no memory for it; w [n_w] is copied; integrator: an Integrator; max_steps: that may be tried from one report to the
 * next, or in all where each step is reported */
MOBOD_API Simulation *simulation_open(const Model *model, const double *w, int integrator, double tolerance, double constraint_tolerance,
                                      double largest_step, int64_t max_steps);
MOBOD_API void simulation_close(Simulation *simulation);

/* How far a call came. Its outcome is KERNEL_STOPPED where a callback has failed; nothing more can be done with the simulation then. */
typedef struct {
    Integration integration;
    int n_rows;              /* written */
    int is_at_event;         /* events happened at the time where it stopped */
    int has_changed;         /* and handlers set something on which accelerations depend */
    int wants_tangents;      /* steps are implicit from here on: simulation_set_tangents spares differences, and must be called once */
    int n_not_projected;     /* of the rows written: those within steps that are not projected, since that would move them too far */
    double not_projected_at; /* the time of the first one, s */
} Progress;

/* Tangents [n_kernels], which the simulation does not copy, of the kernels of the model, and how many numbers of scratch they need; .run is
 * NULL for one that there is not, NULL: there are none. Returns 0 if there is no memory. Without it the model's own serve. */
MOBOD_API int simulation_set_tangents(Simulation *simulation, const Kernel *tangents, int n_scratch);

/* host: what kernels that call back find in Call.host; hooks: NULL, or what it does besides, which must outlive the simulation */
MOBOD_API void simulation_set_host(Simulation *simulation, void *host, const HostHooks *hooks);

/* hook: called for each event; see events.h */
MOBOD_API void simulation_set_hook(Simulation *simulation, EventHook *hook, void *observer);

/* The start of a run: initialization; then what is due there, in a call of its own. Of a model without events they do nothing. */
MOBOD_API Progress simulation_begin(Simulation *simulation);
MOBOD_API Progress simulation_process_events(Simulation *simulation);

/* the end of a run: termination */
MOBOD_API Progress simulation_end(Simulation *simulation);

/* Integrate towards t_end, but no further than n_steps steps.
 *
 * It stops after each time at which events happened.
 *
 * n_reports, report_times  rows are written for these times, which increase and lie before t_end; NULL: for the end of each step, and
 *                          no further than n_rows of them. Rows within steps satisfy the constraints as the ends of steps do; steps are the
 *                          same with and without them
 * times, ys                [n_rows], [n_rows][n_y]
 * pasts                    [n_rows] of each delay (number of entries, two entries): what it is read from at that time
 * updated                  [n_rows + 1][size_of_updated] values of the variables of auto_updates.h in the step of each row; at last those
 * in the last step, before anything happened at its end */
MOBOD_API Progress simulation_run(Simulation *simulation, double t_end, int n_steps, int n_reports, const double *report_times, int n_rows,
                                  double *times, double *ys, double *pasts, double *updated);

/* Have the steps be fixed ones at velocity level, see velocity_level.h; tolerances [contacts] are copied. Returns 0 if there is no memory.
 */
MOBOD_API int simulation_fix_steps(Simulation *simulation, double step, int engagement, int position_iterations, const double *tolerances);

/* whether the State is where a fixed step left it: such a run goes on, and nothing is decided anew */
MOBOD_API int simulation_is_at_end_of_fixed_step(Simulation *simulation);

/* the start of such a run, and steps number first to last, counted from 1, of those from t_start to t_end; no rows are written */
MOBOD_API Progress simulation_begin_fixed_steps(Simulation *simulation);
MOBOD_API Progress simulation_take_fixed_steps(Simulation *simulation, double t_start, double t_end, int64_t first, int64_t last);

/* Bring q and u to where the constraints hold; or u alone, where q is to stay. */
MOBOD_API Projection simulation_project(Simulation *simulation, double tolerance, int of_speeds_alone);

/* Copy the present w [n_w]. */
MOBOD_API void simulation_read(Simulation *simulation, double *w);

/* Compute y_dot [n_y] for a time and y [n_y], n_times times over. */
MOBOD_API void simulation_rates(Simulation *simulation, double time, const double *y, int n_times, double *y_dot);

#endif
