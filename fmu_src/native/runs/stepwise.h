/* A Simulation that its caller advances step by step: it sets and reads values between steps, and saves and restores the state. */
#ifndef MOBOD_STEPWISE_H
#define MOBOD_STEPWISE_H

#include "simulation.h"
#include "sweep.h"

/* Set w at n offsets. stage: the first stage that depends on them. */
MOBOD_API void simulation_set(Simulation *simulation, int n, const int *at, const double *values, int stage);

/* Remember the present state, so that simulation_undo can restore it. Returns 0 if memory is exhausted. */
MOBOD_API int simulation_keep(Simulation *simulation);
MOBOD_API void simulation_undo(Simulation *simulation);

/* Project a state that was set onto the constraints, as simulation_advance does first. given: [n_y] y before that, with what motions and
 * locks determine. */
MOBOD_API void simulation_prepare(Simulation *simulation, double *given, Progress *progress);

/* Advance to t_end; with steps under error control for at most n_steps steps, and to the next time at which events occur. If values were
 * set, the state is first projected onto the constraints. Returns 0 if it has reached t_end without an event there; else `progress` says
 * why: a failure, an event, or n_steps steps. Then another call goes on. */
MOBOD_API int simulation_advance(Simulation *simulation, double t_end, int n_steps, Progress *progress);

/* simulation_keep, then simulation_advance to the end that simulation_end_near finds for t_end. -1, and nothing is done, if the present
 * time is not t_start, t_end is not later, or memory is exhausted. */
MOBOD_API int simulation_step(Simulation *simulation, double t_start, double t_end, int n_steps, Progress *progress);

/* The parts of simulation_advance: the preparation, which returns 0 if it fails; a StepTaken, of a Simulation, that counts the steps;
 * and the end. */
int begin_advance(Simulation *simulation, int n_steps, Integration *result);
int count_down(void *simulation, double t, double t_new, const Work *work);
Progress end_advance(Simulation *simulation, Integration result);

/* Copy w at n_out offsets to out, after the calls. These read and write `copy`, which first gets the first n_copied numbers of w; if there
 * are no calls, nothing is copied. Returns 0, or the result of a kernel that stopped it. */
MOBOD_API int simulation_output(const Simulation *simulation, int n_calls, const KernelCalls *calls, double *scratch, double *copy,
                                int n_copied, int n_out, const int *out_at, double *out);

/* the present time, s */
MOBOD_API double simulation_time(const Simulation *simulation);

/* The state as bytes, for this process and simulations of the same model. */
MOBOD_API size_t simulation_size(const Simulation *simulation);
MOBOD_API void simulation_save(const Simulation *simulation, char *bytes);
MOBOD_API void simulation_restore(Simulation *simulation, const char *bytes);

#endif
