#include "pull.h"

#include "events.h"
#include "interpreter.h"

#include <stdlib.h>
#include <string.h>

/* a sweep with calls that pull */
typedef struct {
    Sweep *sweep;
    Sweep whole;         /* as it was */
    int *kernel, *first; /* [whole.n_calls] the calls that are called now */
} PullSweep;

struct Pulls {
    const Model *model;
    int inputs;
    int n, most;
    PullSweep *sweeps; /* [most] */
};

/* whether a call pulls; then `forces` is the offset of its result */
static int is_pull(const Pulls *pulls, const Sweep *sweep, int call, int *forces) {
    const Kernel *kernel = pulls->model->kernels + sweep->kernel[call];
    const int *at = sweep->at + sweep->first[call];
    if (kernel->run != run_program)
        return 0;
    const Program *program = kernel->context;
    if (program->n_inputs == 0 || at[0] != pulls->inputs)
        return 0;
    *forces = at[program->n_inputs];
    return 1;
}

static int is_listed(const Pulls *pulls, const Sweep *sweep) {
    for (int i = 0; i < pulls->n; i++)
        if (pulls->sweeps[i].sweep == sweep)
            return 1;
    return 0;
}

/* note a sweep, if it has calls that pull; returns 0 if memory is exhausted */
static int note(Pulls *pulls, const Sweep *sweep) {
    int has_pulls = 0, forces;
    for (int call = 0; sweep && call < sweep->n_calls && !has_pulls; call++)
        has_pulls = is_pull(pulls, sweep, call, &forces);
    if (!has_pulls || is_listed(pulls, sweep))
        return 1;
    const size_t bytes = (size_t)sweep->n_calls * sizeof(int);
    PullSweep each = {(Sweep *)(uintptr_t)sweep, *sweep, malloc(bytes), malloc(bytes)};
    pulls->sweeps[pulls->n++] = each;
    return each.kernel && each.first;
}

Pulls *find_pulls(const Model *model, int inputs) {
    const EventTable *events = model->events;
    const Sweep *const *several = events ? events->before_witnesses : NULL;
    const Sweep *const *one = events ? events->before_one : NULL;
    const int n_several = several ? N_STAGES * N_STAGES : 0, n_one = one ? events->n_witnesses * N_STAGES : 0;
    Pulls *pulls = calloc(1, sizeof *pulls);
    if (!pulls)
        return NULL;
    *pulls = (Pulls){.model = model, .inputs = inputs, .most = N_STAGES + n_several + n_one};
    pulls->sweeps = calloc((size_t)pulls->most, sizeof *pulls->sweeps);
    int is_done = pulls->sweeps != NULL;
    for (int i = 0; i < N_STAGES && is_done; i++)
        is_done = note(pulls, model->sweeps[i]);
    for (int i = 0; i < n_several && is_done; i++)
        is_done = note(pulls, several[i]);
    for (int i = 0; i < n_one && is_done; i++)
        is_done = note(pulls, one[i]);
    if (!is_done) {
        free_pulls(pulls);
        return NULL;
    }
    choose_pull(pulls, -1);
    return pulls;
}

void free_pulls(Pulls *pulls) {
    if (!pulls)
        return;
    for (int i = 0; i < pulls->n; i++) {
        *pulls->sweeps[i].sweep = pulls->sweeps[i].whole;
        free(pulls->sweeps[i].kernel);
        free(pulls->sweeps[i].first);
    }
    free(pulls->sweeps);
    free(pulls);
}

int choose_pull(Pulls *pulls, int forces) {
    int n_chosen = 0;
    for (int i = 0; i < pulls->n; i++) {
        PullSweep *each = pulls->sweeps + i;
        int n = 0, has_chosen = 0, own;
        for (int call = 0; call < each->whole.n_calls; call++) {
            if (is_pull(pulls, &each->whole, call, &own)) {
                if (own != forces)
                    continue;
                has_chosen = 1;
            }
            each->kernel[n] = each->whole.kernel[call];
            each->first[n++] = each->whole.first[call];
        }
        each->sweep->n_calls = n;
        each->sweep->kernel = each->kernel;
        each->sweep->first = each->first;
        each->sweep->spared = NULL; /* by the numbers of all calls */
        n_chosen += has_chosen;
    }
    return n_chosen;
}
