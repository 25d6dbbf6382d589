/* Integrates runs of one model alone, or side by side in lanes, and prints the bits of their results:
 *
 *     lanes_driver alone|lanes TABLES STARTS N_START COMPUTED END INTEGRATOR ACCURACY STEP
 *
 * TABLES    the tables of an interpreted FMU
 * STARTS    the first N_START numbers of w at the start of each run, as doubles
 * COMPUTED  the offset in w of the first computed number besides y_dot; before it lie time, y, y_dot, and what only events change
 * STEP      s, 0: steps under error control
 *
 * It ends with 2 for wrong arguments, 1 if memory is exhausted, and 3 if no step was taken in lanes. */
#include "elementary.h"
#include "elimination.h"
#include "ensemble.h"
#include "events.h"
#include "interpreter.h"
#include "lanes.h"
#include "matrix_steps.h"
#include "multipliers.h"
#include "read_blob.h"
#include "simulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 64, N_REPORTS = 40, STEPS_OF_A_CALL = 100, MOST_STEPS = 100000 };

static void fail(int code, const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(code);
}

static void *allocate(size_t n, size_t size) {
    void *memory = calloc(n ? n : 1, size);
    if (!memory)
        fail(1, "no memory");
    return memory;
}

static char *read_file(const char *name, size_t *size) {
    FILE *file = fopen(name, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        fail(2, name);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = allocate(*size, 1);
    if (fread(bytes, 1, *size, file) != *size)
        fail(2, name);
    fclose(file);
    return bytes;
}

/* the same function over lanes; NULL: it is called on the State of each lane */
static KernelFunction *over_lanes(KernelFunction *function) {
    return function == run_program       ? run_program_on_lanes
           : function == run_elimination ? run_elimination_on_lanes
           : function == run_multipliers ? run_multipliers_on_lanes
           : function == run_product     ? run_product_on_lanes
           : function == run_inverse     ? run_inverse_on_lanes
                                         : NULL;
}

/* what all runs have in common */
typedef struct {
    const Model *model;
    double end, accuracy, step;
    int integrator;
    double reports[N_REPORTS];
    Preparation preparation;
    Outputs outputs;
    int *is_in_results;
} Shared;

static Shared shared_by_runs(const Model *model, int n_start, char **arguments) {
    Shared shared = {.model = model,
                     .end = strtod(arguments[0], NULL),
                     .integrator = atoi(arguments[1]),
                     .accuracy = strtod(arguments[2], NULL),
                     .step = strtod(arguments[3], NULL)};
    for (int i = 0; i < N_REPORTS; i++)
        shared.reports[i] = shared.end * (i + 1) / (N_REPORTS + 1);
    const int n = y_size(model), n_events = model->events ? model->events->n : 0;
    int *from = allocate((size_t)n, sizeof(int)), *is_state = allocate((size_t)n, sizeof(int));
    for (int i = 0; i < n; i++) {
        from[i] = model->y_at + i;
        is_state[i] = 1;
    }
    shared.is_in_results = allocate((size_t)n_events, sizeof(int));
    for (int i = 0; i < n_events; i++)
        shared.is_in_results[i] = 1;
    shared.preparation = (Preparation){0, NULL, 0.1 * shared.accuracy, model->start, n_start};
    shared.outputs = (Outputs){.n = n, .from = from, .is_state = is_state, .n_copied = model->scratch_at};
    return shared;
}

static Member new_member(const Shared *shared, const double *start, size_t n_start) {
    const Model *model = shared->model;
    const size_t n_w = (size_t)model->n_w, n_y = (size_t)y_size(model);
    double *w = allocate(n_w, sizeof(double));
    memcpy(w, model->start, n_w * sizeof(double));
    memcpy(w, start, n_start * sizeof(double));
    Simulation *simulation = simulation_open(model, w, shared->integrator, shared->accuracy, 0.1 * shared->accuracy, INFINITY, shared->step,
                                             MOST_STEPS, IMPACTS_SIMULTANEOUS);
    if (!simulation)
        fail(1, "no memory");
    return (Member){.simulation = simulation,
                    .t_end = shared->end,
                    .preparation = &shared->preparation,
                    .start = w,
                    .given = allocate(n_y, sizeof(double)),
                    .outputs = &shared->outputs,
                    .report_times = shared->reports,
                    .n_reports = N_REPORTS,
                    .rows = allocate((N_REPORTS + 2) * n_y, sizeof(double)),
                    .copy = allocate((size_t)shared->outputs.n_copied, sizeof(double)),
                    .y = allocate(2 * n_y, sizeof(double)),
                    .is_in_results = shared->is_in_results};
}

static void free_member(Member *member, double *w) {
    simulation_close(member->simulation);
    free(member->given);
    free(member->rows);
    free(member->copy);
    free(member->y);
    free(w);
}

/* the kernels over lanes; the others read and set nothing but computed numbers, which begin at computed[0] */
static LaneKernel *lane_kernels(const Model *model, const int *computed) {
    LaneKernel *kernels = allocate((size_t)model->n_kernels, sizeof(LaneKernel));
    for (int i = 0; i < model->n_kernels; i++)
        kernels[i] = (LaneKernel){{over_lanes(model->kernels[i].run), model->kernels[i].context}, 1, 1, computed, computed};
    return kernels;
}

static int are_at_ends(int n, const Member *members) {
    for (int i = 0; i < n; i++)
        if (!members[i].has_ended)
            return 0;
    return 1;
}

static void integrate_all(Lanes *lanes, int n, Member *members, LaneRun *runs) {
    while (!are_at_ends(n, members)) {
        if (lanes)
            ensemble_advance_in_lanes(lanes, n, members, STEPS_OF_A_CALL, runs);
        else
            ensemble_advance(n, members, STEPS_OF_A_CALL);
        for (int i = 0; i < n; i++)
            if (members[i].progress.wants_tangents &&
                !simulation_set_tangents(members[i].simulation, members[i].simulation->model->tangents, 0))
                fail(1, "no memory");
    }
}

static void print_bits(int n, const double *numbers) {
    for (int i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, numbers + i, sizeof bits);
        printf("%016llx%c", (unsigned long long)bits, i + 1 < n ? ' ' : '\n');
    }
}

static void print_member(const Member *member) {
    const Model *model = member->simulation->model;
    const int n = y_size(model);
    printf("prepared %d outcome %d ended by %d steps %lld evaluations %lld rows %d\n", member->preparation_fault,
           (int)member->progress.integration.outcome, member->terminated_by, (long long)member->n_steps, (long long)member->n_evaluations,
           member->n_rows);
    for (int row = 0; row < member->n_rows; row++)
        print_bits(n, member->rows + row * n);
    print_bits(1, &member->time);
    print_bits(n, member->simulation->state->w + model->y_at);
}

int main(int argc, char **argv) {
    if (argc != 10)
        return 2;
    const int is_in_lanes = strcmp(argv[1], "lanes") == 0;
    size_t size, size_of_starts;
    char *tables = read_file(argv[2], &size), *starts = read_file(argv[3], &size_of_starts);
    const char *fault = NULL;
    Blob *blob = read_blob(tables, size, &fault);
    if (!blob)
        fail(2, fault ? fault : "no memory");
    const Model *model = model_of_blob(blob);
    const size_t n_start = (size_t)atoi(argv[4]);
    const int n = (int)(size_of_starts / sizeof(double) / n_start);
    if (n < 1 || n > MOST_RUNS || n_start > (size_t)model->scratch_at)
        return 2;

    Shared shared = shared_by_runs(model, (int)n_start, argv + 6);
    Member members[MOST_RUNS];
    double *w[MOST_RUNS];
    for (int i = 0; i < n; i++) {
        members[i] = new_member(&shared, (const double *)starts + (size_t)i * n_start, n_start);
        w[i] = members[i].start;
    }
    const int computed[] = {atoi(argv[5]), (int)n_start - atoi(argv[5])};
    LaneKernel *kernels = lane_kernels(model, computed);
    const LanesTable table = {model, kernels, model->n_w - model->scratch_at};
    Lanes *lanes = is_in_lanes ? create_lanes(&table) : NULL;
    LaneRun runs[MOST_RUNS];
    integrate_all(lanes, n, members, runs);

    int64_t n_in_lanes = 1, n_alone = 0;
    if (lanes)
        count_of_lane_steps(lanes, &n_in_lanes, &n_alone);
    for (int i = 0; i < n; i++) {
        print_member(members + i);
        free_member(members + i, w[i]);
    }
    free_lanes(lanes);
    free(kernels);
    free((void *)(uintptr_t)shared.outputs.from);
    free((void *)(uintptr_t)shared.outputs.is_state);
    free(shared.is_in_results);
    free_blob(blob);
    free(tables);
    free(starts);
    return (is_in_lanes && !lanes) || !n_in_lanes ? 3 : 0;
}
