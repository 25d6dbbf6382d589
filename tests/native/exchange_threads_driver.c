/* A network of which several members step at the same time, with threads that help: exchange_threads_driver. Ends with 0 if the numbers are
 * those of one thread. Built with the thread sanitizer, it reports memory that threads share without order. */
#define _POSIX_C_SOURCE 200809L

#include "exchange.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { N_MEMBERS = 6, N_HELPERS = 3, N_STEPS = 400 };
static const double STEP = 0.01;

/* x follows u, with a delay of some steps */
typedef struct {
    double u, x;
} Lag;

static int get(void *component, const unsigned *references, size_t n, void *values) {
    (void)references;
    for (size_t i = 0; i < n; i++)
        ((double *)values)[i] = ((Lag *)component)->x;
    return 0;
}

static int set(void *component, const unsigned *references, size_t n, void *values) {
    (void)references;
    for (size_t i = 0; i < n; i++)
        ((Lag *)component)->u = ((const double *)values)[i];
    return 0;
}

static int step(void *component, double time, double size, int is_final) {
    (void)is_final;
    Lag *lag = component;
    for (int i = 0; i < 50; i++)
        lag->x += size * (lag->u - lag->x + time) / 10;
    return 0;
}

static int no_host(void *host, int task, int number, int detail, double time, double size) {
    (void)host, (void)number, (void)detail, (void)time, (void)size;
    return 1 + task;
}

static void *help(void *plan) {
    exchange_help(plan);
    return NULL;
}

/* a ring: the input of each is the output of the one before; rows [N_STEPS][N_MEMBERS] */
static int run(double *rows, int n_helpers) {
    static const unsigned REFERENCE = 0;
    static const int ZERO = 0;
    Lag lags[N_MEMBERS] = {{0, 0}};
    ExchangeMember members[N_MEMBERS] = {{NULL}};
    Transfer transfers[2 * N_MEMBERS] = {{0}};
    double numbers[N_MEMBERS], values[N_MEMBERS], buffers[2 * N_MEMBERS] = {0}, factors[N_MEMBERS], shifts[N_MEMBERS], times[N_STEPS],
                                                              time_of[N_MEMBERS];
    int from[N_MEMBERS], is_plain[N_MEMBERS], each[N_MEMBERS], writes[N_MEMBERS], at[N_MEMBERS];
    for (int i = 0; i < N_MEMBERS; i++) {
        lags[i].x = numbers[i] = i;
        members[i] = (ExchangeMember){.component = lags + i, .step2 = step, .time = time_of + i};
        each[i] = at[i] = i;
        writes[i] = N_MEMBERS + i;
        from[i] = (i + N_MEMBERS - 1) % N_MEMBERS;
        factors[i] = 0.5;
        shifts[i] = 0.1;
        is_plain[i] = i % 2;
        transfers[i] =
            (Transfer){.member = i, .call2 = get, .n_references = 1, .references = &REFERENCE, .n = 1, .buffer = buffers + i, .at = at + i};
        transfers[N_MEMBERS + i] = transfers[i];
        transfers[N_MEMBERS + i].call2 = set;
        transfers[N_MEMBERS + i].buffer = buffers + N_MEMBERS + i;
    }
    for (int k = 0; k < N_STEPS; k++)
        times[k] = k * STEP;
    const ExchangePhase phases[2] = {
        {N_MEMBERS, each, N_MEMBERS, writes, -1, N_MEMBERS / 2, each, N_MEMBERS / 2, N_MEMBERS / 2, each},
        {0, &ZERO, 0, &ZERO, -1, N_MEMBERS / 2, each + N_MEMBERS / 2, N_MEMBERS / 2, N_MEMBERS / 2, each + N_MEMBERS / 2},
    };
    ExchangePlan plan = {N_MEMBERS, members,  transfers, numbers, values,    from, factors,
                         shifts,    is_plain, 2,         phases,  N_MEMBERS, each, no_host};
    plan.uses_threads = n_helpers > 0;
    plan.ticket = NO_TICKET;
    pthread_t helpers[N_HELPERS];
    for (int i = 0; i < n_helpers; i++)
        if (pthread_create(helpers + i, NULL, help, &plan) != 0)
            return 0;
    const int done = exchange_advance(&plan, N_STEPS, times, STEP, rows);
    for (int i = 0; i < n_helpers; i++)
        pthread_join(helpers[i], NULL);
    return done == N_STEPS;
}

int main(void) {
    static double alone[N_STEPS * N_MEMBERS], together[N_STEPS * N_MEMBERS];
    if (run(alone, 0) && run(together, N_HELPERS) && memcmp(alone, together, sizeof alone) == 0)
        return 0;
    fprintf(stderr, "threads that help change the numbers\n");
    return 1;
}
