/* What a run reports: rows at report times, within steps too, or at the end of each step; and the result of a call. */
#ifndef MOBOD_REPORTS_H
#define MOBOD_REPORTS_H

#include "simulation.h"

/* Set where rows are written from now on; the arguments are those of simulation_run. */
MOBOD_API void begin_reports(Simulation *simulation, int n_steps, int n_reports, const double *report_times, int n_rows, double *times,
                             double *ys, double *pasts, double *updated);

/* a StepTaken that writes the rows, of a Simulation */
int report_step(void *simulation, double t, double t_new, const Work *work);

/* the result of a call with this integration, and whether simulation_set_tangents must be called */
Progress progress_of(const Simulation *simulation, Integration integration);
int wants_tangents(const Simulation *simulation);

#endif
