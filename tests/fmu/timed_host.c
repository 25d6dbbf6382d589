/* A host in hard real time, on Linux with glibc: loads the library of an FMU of FMI 2.0, steps it, and says what the steps cost.
 *
 *     timed_host LIBRARY GUID RESOURCES N_STEPS STEP OVERRUN           # OVERRUN: value reference, or -1
 *     timed_host LIBRARY GUID RESOURCES N_STEPS STEP OVERRUN sealed    # system calls within steps, but read and write, end the process
 *
 * Prints nanoseconds: the first step, then of the others the median, the 99.99th percentile and the largest, and the largest by the clock
 * of the thread; then how often memory was allocated or freed within steps, and the number of overruns. The allocator is that of this
 * program, which counts, since it comes before that of the C library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

static long n_calls;

void *malloc(size_t size) {
    n_calls++;
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size) {
    n_calls++;
    return __libc_calloc(n, size);
}

void *realloc(void *memory, size_t size) {
    n_calls++;
    return __libc_realloc(memory, size);
}

void free(void *memory) {
    n_calls++;
    __libc_free(memory);
}

typedef void Logger(void *environment, const char *name, int status, const char *category, const char *message, ...);

typedef struct {
    Logger *logger;
    void *(*allocate)(size_t, size_t);
    void (*free)(void *);
    void *step_finished, *environment;
} Callbacks;

static void show(void *environment, const char *name, int status, const char *category, const char *message, ...) {
    (void)environment, (void)name, (void)category;
    fprintf(stderr, "%d: %s\n", status, message);
}

static double nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static int is_larger(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void *library;

/* a function of the library as a pointer of its own type */
static void find(const char *name, void *function) {
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "the library has no %s\n", name);
        exit(2);
    }
    memcpy(function, &found, sizeof found);
}

int main(int n_arguments, char **arguments) {
    static const Callbacks callbacks = {show, calloc, free, NULL, NULL};
    void *(*instantiate)(const char *, int, const char *, const char *, const Callbacks *, int, int);
    int (*set_up)(void *, int, double, double, int, double), (*enter)(void *), (*leave)(void *);
    int (*do_step)(void *, double, double, int), (*get)(void *, const unsigned *, size_t, double *);
    if (n_arguments < 7 || !(library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL)))
        return 2;
    find("fmi2Instantiate", &instantiate);
    find("fmi2SetupExperiment", &set_up);
    find("fmi2EnterInitializationMode", &enter);
    find("fmi2ExitInitializationMode", &leave);
    find("fmi2DoStep", &do_step);
    find("fmi2GetReal", &get);
    void *it = instantiate("it", 1, arguments[2], arguments[3], &callbacks, 0, 0);
    if (!it || set_up(it, 0, 0, 0, 0, 0) || enter(it) || leave(it))
        return 3;

    const int n = atoi(arguments[4]), is_sealed = n_arguments > 7;
    const double step = atof(arguments[5]);
    const long overrun = atol(arguments[6]);
    double *wall = malloc((size_t)n * sizeof(double)), count = 0, first = 0, of_thread = 0;
    memset(wall, 0, (size_t)n * sizeof(double)); /* its pages are there before the steps */
    if (is_sealed && prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
        return 4;
    const long n_before = n_calls;
    int failed = 0;
    for (int i = 0; i < n && !failed; i++) {
        const double thread = is_sealed || i == 0 ? 0 : nanoseconds(CLOCK_THREAD_CPUTIME_ID),
                     start = is_sealed ? 0 : nanoseconds(CLOCK_MONOTONIC);
        failed = do_step(it, i * step, step, 1);
        if (is_sealed)
            continue;
        wall[i] = nanoseconds(CLOCK_MONOTONIC) - start;
        const double taken = nanoseconds(CLOCK_THREAD_CPUTIME_ID) - thread;
        of_thread = i > 0 && taken > of_thread ? taken : of_thread;
    }
    const long n_within = n_calls - n_before;
    if (is_sealed) {
        static const char passed[] = "no system call\n";
        syscall(SYS_write, 1, passed, sizeof passed - 1);
        syscall(SYS_exit, failed || n_within);
    }
    if (overrun >= 0) {
        const unsigned reference = (unsigned)overrun;
        get(it, &reference, 1, &count);
    }
    first = wall[0];
    qsort(wall + 1, (size_t)(n - 1), sizeof(double), is_larger);
    printf("%.0f %.0f %.0f %.0f %.0f %ld %.0f\n", first, wall[n / 2], wall[(int)(0.9999 * (n - 1))], wall[n - 1], of_thread, n_within,
           count);
    return failed;
}
