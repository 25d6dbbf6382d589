/* For libFuzzer: bytes as the tables of a model. They are refused, or an instance that works on them stays within its memory.
 *
 * The checksum of the head is made to fit, since nothing random would get past it. */
#include "late_calls.h"

#include "event_mode.h"
#include "events.h"
#include "model_exchange.h"
#include "random_words.h"
#include "tables_in_use.h"

/* ---------------------------------------------------------------------------------------------------------------------------- instances */

static void take_steps(Instance *instance) {
    may_be_left = 1;
    int is_ready = initialize(instance);
    for (int i = 0; is_ready && i < N_STEPS; i++) {
        step_and_read(instance, i);
        may_be_left = 0;
        save_and_restore(instance);
        may_be_left = 1;
    }
    may_be_left = 0;
}

/* An importer that integrates by Euler's method, with events after each step. y, y_dot, indicators: as long as the model says. */
static void take_steps_of_importer(Instance *instance, double *y, double *y_dot, double *indicators) {
    const size_t n = (size_t)y_size(instance->model), n_indicators = (size_t)n_event_indicators(instance->model);
    EventInfo info = {0};
    may_be_left = 1;
    int is_ready = initialize(instance);
    for (int i = 1; is_ready && i <= N_STEPS; i++) {
        int needs_event = 0, ends = 0;
        is_ready = update_discrete_states(instance, &info) == STATUS_OK && !info.is_terminated;
        leave_event_mode(instance);
        is_ready = is_ready && get_continuous_states(instance, y, n) == STATUS_OK && get_derivatives(instance, y_dot, n) == STATUS_OK;
        for (size_t k = 0; k < n; k++)
            y[k] += 0.01 * y_dot[k];
        is_ready = is_ready && set_time_of_importer(instance, 0.01 * i) == STATUS_OK && set_continuous_states(instance, y, n) == STATUS_OK;
        is_ready = is_ready && get_event_indicators(instance, indicators, n_indicators) == STATUS_OK;
        is_ready = is_ready && completed_integrator_step(instance, &needs_event, &ends) == STATUS_OK;
        read_all(instance);
        enter_event_mode(instance);
    }
    may_be_left = 0;
}

static void use(Instance *instance, int in_model_exchange) {
    const size_t n = (size_t)y_size(instance->model) + 1;
    double *y = calloc(n, sizeof(double)), *y_dot = calloc(n, sizeof(double));
    double *indicators = calloc((size_t)n_event_indicators(instance->model) + 1, sizeof(double));
    if (in_model_exchange)
        set_interface_type(instance, MODEL_EXCHANGE);
    set_timer(MOST_MICROSECONDS);
    if (y && y_dot && indicators && !sigsetjmp(when_late, 1)) {
        if (in_model_exchange)
            take_steps_of_importer(instance, y, y_dot, indicators);
        else
            take_steps(instance);
    }
    may_be_left = 0;
    set_timer(0);
    free(y);
    free(y_dot);
    free(indicators);
}

/* --------------------------------------------------------------------------------------------------------------------------- libFuzzer */

static void seal(char *bytes, size_t size) {
    const uint64_t hash = size > HEAD ? hash_of_bytes(bytes + HEAD, size - HEAD) : 0;
    if (size >= HEAD)
        memcpy(bytes + HEAD - sizeof hash, &hash, sizeof hash);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    watch_for_late_calls();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *fault = NULL;
    char *bytes = malloc(size + !size); /* of this size: the address sanitizer sees what is read beside it */
    if (!bytes)
        return 0;
    memcpy(bytes, data, size);
    seal(bytes, size);
    Blob *blob = read_blob(bytes, size, &fault);
    const int is_odd = size > HEAD && bytes[HEAD - 1] & 1;
    free(bytes);
    if (!blob)
        return 0;
    Instance *instance = instance_of(blob);
    if (instance) {
        use(instance, is_odd && !instance->interface->fixed_steps);
        free_instance(instance);
    }
    free_blob(blob);
    return 0;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/* mostly whole words: other changes are refused by the first checks */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    random_state = seed * 2654435761u + 88172645463325252u;
    if (size < HEAD + ROOTS || below(8) == 0)
        return LLVMFuzzerMutate(data, size, most);
    for (uint32_t n = 1 + below(3); n; n--)
        change((char *)data, size);
    return size;
}
