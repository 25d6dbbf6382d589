/* Takes back saved states of an FMU that were changed at random: each is refused, or the instance goes on with it without harm.
 *
 * arguments: how many changes, the seed. Ends with 1 and the number of the change if something is not as it must be. */
#define _XOPEN_SOURCE 700
#include "life_of_fmu.h"
#include "processor_time.h"
#include "serialized_state.h"

#include <float.h>
#include <math.h>
#include <signal.h>
#include <unistd.h>

enum { N_BASES = 5, WORD = 8, FIRST_WORD = 3, N_FIELDS = 36, MOST_SECONDS = 60 };

static uint64_t seed;
static volatile int current; /* change */

/* Marsaglia, Xorshift RNGs (2003) */
static uint64_t random_number(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

static size_t below(size_t n) { return (size_t)(random_number() % n); }

static void fail(const char *what) {
    fprintf(stderr, "change %d: %s\n", current, what);
    exit(1);
}

static void give_up(int signal_number) {
    (void)signal_number;
    static const char told[] = "a change made a call that does not end\n";
    _exit(write(2, told, sizeof told - 1) > 0 ? 2 : 3);
}

static void seal(char *bytes, size_t size) {
    uint64_t hash = hash_of_bytes(bytes, size - WORD);
    for (int i = 0; i < WORD; i++)
        bytes[size - WORD + (size_t)i] = (char)(unsigned char)(hash >> (8 * i) & 0xff);
}

/* offset in w of a word of the bytes; -1: it is no number of w */
static int offset_of(size_t word) {
    size_t first = FIRST_WORD + N_FIELDS;
    for (int i = 0; i < mobod_model.saved->n; i++) {
        const SavedRange *range = mobod_model.saved->ranges + i;
        if (word >= first && word < first + (size_t)range->count)
            return range->first + (int)(word - first);
        first += (size_t)range->count;
    }
    return -1;
}

/* Whether the number is remembered for the runtime itself. Others may make the motion as stiff as they like, so that a long step takes
 * long. */
static int is_of_runtime(int at) {
    int n_y = mobod_model.n_q + mobod_model.n_u + mobod_model.n_z;
    for (int i = 0; i < mobod_interface.n_variables; i++)
        if (mobod_interface.variables[i].at == at && mobod_interface.variables[i].settable != SET_NEVER)
            return 0;
    return at >= mobod_model.y_at + n_y && at < mobod_model.y_start_at;
}

static void change(char *bytes, size_t word) {
    static const double special[] = {NAN,    INFINITY, -INFINITY, 1e300,        -1e300,       -1,  0.5, 1,        2,     3,    -0.0,
                                     5e-324, DBL_MAX,  -DBL_MAX,  2147483648.0, 4294967296.0, 1e9, 0,   1 + 1e-9, 65536, 1e-9, 100};
    if (below(2)) {
        double value = special[below(sizeof special / sizeof special[0])];
        memcpy(bytes + word * WORD, &value, WORD); /* the machines that run this have words in this order */
        return;
    }
    for (size_t n = 1 + below(3); n > 0; n--)
        bytes[word * WORD + below(WORD)] ^= (char)(1 << below(8));
}

/* of what a change makes stiff */
static void limit_steps(fmi2Component c) {
    static const fmi2Integer most = 10000;
    for (int i = 0; i < mobod_interface.n_variables; i++) {
        fmi2ValueReference reference = (fmi2ValueReference)i;
        if (strstr(mobod_interface.variables[i].name, "max_steps"))
            fmi2SetInteger(c, &reference, 1, &most);
    }
}

static void go_on(fmi2Component c, int is_long) {
    static const double steps[] = {1e-12, 0.02, 0.3};
    limit_steps(c);
    for (int i = 0; i < (is_long ? 3 : 1); i++) {
        fmi2ValueReference time_reference = find("time");
        double time = 0;
        for (int k = 0; k < mobod_interface.n_variables; k++) {
            fmi2ValueReference reference = (fmi2ValueReference)k;
            fmi2Real real;
            fmi2Integer whole;
            fmi2GetReal(c, &reference, 1, &real);
            fmi2GetInteger(c, &reference, 1, &whole);
            fmi2GetBoolean(c, &reference, 1, &whole);
        }
        fmi2GetReal(c, &time_reference, 1, &time);
        fmi2DoStep(c, time, steps[i], fmi2True);
    }
    fmi2Terminate(c);
}

int main(int argc, char **argv) {
    int n_changes = argc > 1 ? atoi(argv[1]) : 100, n_taken = 0, n_refused = 0;
    seed = argc > 2 ? (uint64_t)atoi(argv[2]) * 2654435761u + 1 : 1;
    signal(PROCESSOR_TIME_IS_UP, give_up);

    /* states of a good run */
    fmi2Component c = started();
    read_all(c);
    static const double times[N_BASES + 1] = {0, 0.13, 0.41, 0.74, 1.1, 1.3};
    fmi2FMUstate good[N_BASES] = {NULL};
    char *bytes[N_BASES];
    size_t size = 0;
    for (int i = 0; i < N_BASES; i++) {
        check(fmi2GetFMUstate(c, good + i), "get a state");
        check(fmi2SerializedFMUstateSize(c, good[i], &size), "size of a state");
        bytes[i] = malloc(size);
        check(fmi2SerializeFMUstate(c, good[i], bytes[i], size), "serialize a state");
        fmi2DoStep(c, times[i], times[i + 1] - times[i], fmi2True);
    }

    char *changed = malloc(size), *now = malloc(size);
    fmi2Component other = started();
    for (current = 0; current < n_changes; current++) {
        limit_processor_time(MOST_SECONDS);
        int base = (int)below(N_BASES), is_sealed = current % 4 != 0;
        size_t word = FIRST_WORD + below(size / WORD - FIRST_WORD - 1);
        memcpy(changed, bytes[base], size);
        if (is_sealed) {
            change(changed, word);
            seal(changed, size);
        } else {
            changed[below(size)] ^= (char)(1 << below(8));
        }
        check(fmi2SetFMUstate(other, good[base]), "restore a good state");
        fmi2FMUstate read = NULL, after = NULL;
        fmi2Status status = fmi2DeSerializeFMUstate(other, changed, size, &read);
        if (!is_sealed && status != fmi2Error)
            fail("taken, though the checksum cannot fit");
        if (status != fmi2OK) {
            n_refused++;
            if (read)
                fail("refused, but there is a state");
            check(fmi2GetFMUstate(other, &after), "get the state after a refusal");
            check(fmi2SerializeFMUstate(other, after, now, size), "serialize the state after a refusal");
            if (memcmp(now, bytes[base], size) != 0)
                fail("refused, but the instance has changed");
            check(fmi2FreeFMUstate(other, &after), "free the state after a refusal");
            continue;
        }
        n_taken++;
        check(fmi2SetFMUstate(other, read), "restore a state that was taken");
        check(fmi2FreeFMUstate(other, &read), "free a state that was taken");
        go_on(other, is_of_runtime(offset_of(word)));
    }
    if (n_changes >= 100 && (n_taken == 0 || n_refused <= n_changes / 4))
        fail("all were taken, or all were refused");
    for (int i = 0; i < N_BASES; i++) {
        check(fmi2FreeFMUstate(c, good + i), "free a good state");
        free(bytes[i]);
    }
    free(changed);
    free(now);
    fmi2FreeInstance(c);
    fmi2FreeInstance(other);
    return 0;
}
