/* The runtime as WebAssembly: one model and one run of it, for a page or any other host of WebAssembly.
 *
 * The library needs nothing from its host: it has no imports. engine/mobod/viewer/live_model.py makes the tables of a model, and
 * engine/mobod/viewer/page/live_model.js calls these functions. A run has the steps and the bits of mobod.Simulation.start.
 *
 * Pointers are offsets in the memory of the library, which may grow in each call. */
#ifndef MOBOD_LIVE_MODEL_H
#define MOBOD_LIVE_MODEL_H

#include <stddef.h>
#include <stdint.h>

/* name: that of the function */
#ifdef __wasm__
#define LIVE_API(name) __attribute__((export_name(#name), visibility("default")))
#else
#define LIVE_API(name)
#endif

/* the result of a step */
enum {
    LIVE_REACHED,   /* the time of its end */
    LIVE_UNDER_WAY, /* the integration steps of this call are taken */
    LIVE_ENDED,     /* an event has ended the run, live_ended_by */
    LIVE_FAILED     /* live_message says why. The run is as before the step */
};

/* Memory for arguments. NULL: there is none. */
LIVE_API(live_allocate) void *live_allocate(size_t size);
LIVE_API(live_release) void live_release(void *memory);

/* Read and check the tables of a model, and begin a run from its start. A model that was opened before is closed. Returns 0 if that fails;
 * live_message says why.
 *
 * pull_at  the offset of the inputs of the rows that pull bodies, see live_pull; -1: there are none */
LIVE_API(live_open) int live_open(const char *bytes, size_t size, int pull_at);

/* Begin again from the start. Returns 0 if that fails. A pull stays. */
LIVE_API(live_reset) int live_reset(void);

/* s, the present time; and the time at which a step to t_end ends: that of a fixed step that equals it up to round-off, else t_end */
LIVE_API(live_time) double live_time(void);
LIVE_API(live_end_near) double live_end_near(double t_end);

/* Begin a step to a later time, and take at most n_steps integration steps of it; live_continue goes on. Fixed steps at velocity level are
 * all taken at once. */
LIVE_API(live_begin_step) int live_begin_step(double t_end, int n_steps);
LIVE_API(live_continue) int live_continue(double t_end, int n_steps);

/* Set the number of w at this offset. stage: the first one that depends on it. Returns 0 if there is no such offset or stage. */
LIVE_API(live_set) int live_set(int at, double value, int stage);

/* The numbers of w, computed up to a stage, of a copy: the run does not change. NULL: they do not exist, or there is no memory. */
LIVE_API(live_numbers) const double *live_numbers(int stage);

/* Pull a body by a spring and a damper from one of its points to a point of Ground. The model has a row for each body that may be pulled;
 * all have the same inputs, which live_set sets. Only the row of the body that is pulled is called.
 *
 * forces_at  the offset to which the row of this body adds; -1: nothing is pulled. Returns 0 if there is no such row */
LIVE_API(live_pull) int live_pull(int forces_at);

/* the number of a model's events, and how often each was handled since the start [n] */
LIVE_API(live_n_events) int live_n_events(void);
LIVE_API(live_events) const int *live_events(void);

/* the number, from 1, of the event that has ended the run; 0: none has */
LIVE_API(live_ended_by) int live_ended_by(void);

/* number of integration steps, and of evaluations in them, since the start */
LIVE_API(live_n_steps) double live_n_steps(void);
LIVE_API(live_n_evaluations) double live_n_evaluations(void);

/* the reason of the last failure, and the last warning; empty: there was none */
LIVE_API(live_message) const char *live_message(void);
LIVE_API(live_warning) const char *live_warning(void);

/* The state of the run as bytes, for the same model in this instance of the library. */
LIVE_API(live_size) size_t live_size(void);
LIVE_API(live_save) void live_save(char *bytes);
LIVE_API(live_restore) void live_restore(const char *bytes);

#endif
