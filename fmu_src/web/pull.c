#include "pull.h"

#include "events.h"
#include "interpreter.h"

#include <stdlib.h>
#include <string.h>

/* a sweep with rows that pull */
typedef struct {
    Sweep *sweep;
    Sweep whole;         /* as it was */
    int *kernel, *first; /* [whole.n_rows] the rows that are called now */
} PullSweep;

struct Pulls {
    const Model *model;
    int inputs;
    int n, most;
    PullSweep *sweeps; /* [most] */
};

/* whether a row pulls; then `forces` is the offset of its result */
static int is_pull(const Pulls *pulls, const Sweep *sweep, int row, int *forces) {
    const Kernel *kernel = pulls->model->kernels + sweep->kernel[row];
    const int *at = sweep->at + sweep->first[row];
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

/* note a sweep, if it has rows that pull; returns 0 if memory is exhausted */
static int note(Pulls *pulls, const Sweep *sweep) {
    int has_pulls = 0, forces;
    for (int row = 0; sweep && row < sweep->n_rows && !has_pulls; row++)
        has_pulls = is_pull(pulls, sweep, row, &forces);
    if (!has_pulls || is_listed(pulls, sweep))
        return 1;
    const size_t bytes = (size_t)sweep->n_rows * sizeof(int);
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
        for (int row = 0; row < each->whole.n_rows; row++) {
            if (is_pull(pulls, &each->whole, row, &own)) {
                if (own != forces)
                    continue;
                has_chosen = 1;
            }
            each->kernel[n] = each->whole.kernel[row];
            each->first[n++] = each->whole.first[row];
        }
        each->sweep->n_rows = n;
        each->sweep->kernel = each->kernel;
        each->sweep->first = each->first;
        n_chosen += has_chosen;
    }
    return n_chosen;
}
