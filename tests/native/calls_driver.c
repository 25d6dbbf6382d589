/* Makes random sequences of calls: calls_driver SEQUENCES SEED (2|3 RESOURCES TOKEN)...
 *
 * Each part of a sequence is done three times: once, again by the same instance after its state was restored, and by another instance
 * that takes the state from bytes. All three must return the same and end in the same state. Ends with 1 and a message if a check fails.
 *
 * Environment: SEQUENCE=N makes this sequence alone; TRACE=1 shows each call. */
#define _XOPEN_SOURCE 700

#include "processor_time.h"
#include "random_calls.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { MOST_SECONDS = 60, MOST_STEPS = 60, N_PARTS = 3, MOST_CALLS = 8 };

/* an FMU, by its arguments */
typedef struct {
    int is_fmi3;
    const char *resources, *token;
    int input; /* the value reference of a Real input, -1: none */
} Fmu;

static char sequence_name[80];

static void give_up(int signal_number) {
    (void)signal_number;
    static const char told[] = ": a sequence does not end\n";
    const char *at = sequence_name;
    while (*at)
        at++;
    _exit(write(2, sequence_name, (size_t)(at - sequence_name)) >= 0 && write(2, told, sizeof told - 1) > 0 ? 2 : 3);
}

/* let steps end soon: they may be as stiff as the values that are set */
static void bound_steps(Session *session) {
    const Interface *interface = session->instance->interface;
    for (int i = 0; i < interface->n_variables; i++)
        if (interface->variables[i].at == interface->numerics_at + NUMERICS_MAX_STEPS &&
            session->functions->set_whole(session->c, (unsigned)i, MOST_STEPS))
            fail("'max_steps' cannot be set");
}

/* NULL: the model has no such interface */
static Session *begin_session(const Fmu *fmu, InterfaceType type, Options options, int is_logging) {
    Session *session = calloc(1, sizeof *session);
    if (!session)
        fail("no memory");
    session->is_fmi3 = fmu->is_fmi3;
    session->functions = fmu->is_fmi3 ? &functions_of_fmi3 : &functions_of_fmi2;
    session->options = options;
    session->c = (fmu->is_fmi3 ? instantiate_fmi3 : instantiate_fmi2)(session, fmu->resources, fmu->token, type, is_logging);
    session->instance = session->c;
    if (session->c) {
        bound_steps(session);
        return session;
    }
    if (is_logging && !session->n_messages[STATUS_ERROR])
        fail("there is no instance, and no message");
    free(session);
    return NULL;
}

static void end_session(Session *session) {
    free_kept(session);
    if (session->functions->free_saved(session->c, &session->probe))
        fail("a saved state cannot be freed");
    session->functions->free_instance(session->c);
    free(session);
}

/* the bytes of the state after the calls */
static char *make_calls(Session *session, int n, size_t *size) {
    session->hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < n; i++) {
        make_call(session, 0);
        if (session->instance->state->mode == MODE_INSTANTIATED)
            bound_steps(session);
    }
    free_kept(session);
    return snapshot(session, size);
}

static void check_same(const char *bytes, const char *others, size_t size, const char *what) {
    if (memcmp(bytes, others, size) != 0)
        fail(what);
}

static void run_part(Session *first, Session *second) {
    const Functions *functions = first->functions;
    const int n = 1 + (int)below(MOST_CALLS);
    const uint64_t start = random_state;
    const unsigned categories = first->instance->log_categories;
    void *saved = NULL, *read = NULL;
    size_t size;
    char *before = snapshot(first, &size);
    if (functions->save(first->c, &saved))
        fail("the state cannot be saved");
    char *after = make_calls(first, n, &size);
    const uint64_t hash = first->hash;

    for (int i = 0; i < 2; i++) {
        Session *session = i ? second : first;
        char name[sizeof sequence_name + 20];
        snprintf(name, sizeof name, "%s, %s", sequence_name, i ? "from bytes" : "from memory");
        present = name;
        if (i && functions->from_bytes(second->c, before, size, &read))
            fail("the bytes are refused");
        if (functions->restore(session->c, i ? read : saved))
            fail("the state cannot be restored");
        char *restored = snapshot(session, &size);
        check_same(before, restored, size, "the restored state is another one");
        session->instance->log_categories = categories;
        random_state = start;
        char *again = make_calls(session, n, &size);
        if (session->hash != hash)
            fail("the calls returned other values");
        check_same(after, again, size, "the calls lead to another state");
        free(restored);
        free(again);
        present = sequence_name;
    }
    if (functions->free_saved(first->c, &saved) || functions->free_saved(second->c, &read))
        fail("a state cannot be freed");
    free(before);
    free(after);
}

static void run_sequence(const Fmu *fmu) {
    InterfaceType type = (InterfaceType)below(fmu->is_fmi3 ? 3 : 2);
    if (!fmu->is_fmi3 && type == CO_SIMULATION_WITH_EVENTS)
        type = MODEL_EXCHANGE;
    const Options options = {.may_return_early = one_in(2), .is_called_back = one_in(2), .sets_input = one_in(2) ? fmu->input : -1};
    const int is_logging = !one_in(8);
    Session *first = begin_session(fmu, type, options, is_logging), *second = begin_session(fmu, type, options, is_logging);
    if (!first)
        return;
    if (!one_in(6) && first->functions->initialize(first->c))
        fail("no initialization");
    for (int i = 0; i < N_PARTS; i++)
        run_part(i % 2 ? second : first, i % 2 ? first : second);
    end_session(first);
    end_session(second);
}

/* instances whose states are not those of others; they live until the end */
static void make_strangers(Fmu *fmu) {
    for (int type = CO_SIMULATION; type <= MODEL_EXCHANGE; type++) {
        if (!fmu->is_fmi3 && type == CO_SIMULATION_WITH_EVENTS)
            continue;
        Session *session = begin_session(fmu, (InterfaceType)type, (Options){.sets_input = -1}, 0);
        void *saved = NULL;
        if (!session)
            continue;
        const Interface *interface = session->instance->interface;
        fmu->input = interface->n_inputs ? interface->inputs[0] : -1;
        if (session->functions->save(session->c, &saved))
            fail("the state of a stranger cannot be saved");
        add_stranger(session, saved);
    }
}

int main(int argc, char **argv) {
    enum { FIRST = 3, PER_FMU = 3, MOST_FMUS = 16 };
    Fmu fmus[MOST_FMUS];
    const int n_fmus = (argc - FIRST) / PER_FMU;
    if (n_fmus < 1 || n_fmus > MOST_FMUS)
        return 2;
    for (int i = 0; i < n_fmus; i++) {
        char **of_fmu = argv + FIRST + PER_FMU * i;
        fmus[i] = (Fmu){.is_fmi3 = atoi(of_fmu[0]) == 3, .resources = of_fmu[1], .token = of_fmu[2]};
        make_strangers(fmus + i);
    }
    signal(PROCESSOR_TIME_IS_UP, give_up);
    const int first = getenv("SEQUENCE") ? atoi(getenv("SEQUENCE")) : 0;
    for (int i = first; i < (getenv("SEQUENCE") ? first + 1 : atoi(argv[1])); i++) {
        random_state = ((uint64_t)atoi(argv[2]) << 32 | (uint64_t)(i + 1)) * UINT64_C(0x9e3779b97f4a7c15);
        snprintf(sequence_name, sizeof sequence_name, "sequence %d, FMU %d", i, i % n_fmus);
        present = sequence_name;
        for (int k = 0; k < 4; k++)
            below(2); /* seeds next to each other begin alike */
        limit_processor_time(MOST_SECONDS);
        run_sequence(fmus + i % n_fmus);
    }
    free_strangers();
    return 0;
}
