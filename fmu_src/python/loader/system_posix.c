/* What the loader asks of Linux. */
#if !defined _WIN32
#define _GNU_SOURCE
#include "system.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------------------------------------------- environment */

const char PATH_SEPARATOR = ':';
const char *const PYTHON_PROGRAMS[] = {"python3", "python", NULL};
const char VIRTUAL_ENVIRONMENT_PYTHON[] = "bin/python";

char *environment_variable(const char *name) {
    const char *value = getenv(name);
    return value && *value ? strdup(value) : NULL;
}

int is_program(const char *path) { return access(path, X_OK) == 0; }

char *canonical_path(const char *path) { return realpath(path, NULL); }

const char *file_name(const char *path) {
    const char *name = path;
    for (const char *at = path; *at; at++)
        name = *at == '/' ? at + 1 : name;
    return name;
}

int has_c_locale(void) {
    static const char *const NAMES[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        const char *locale = getenv(NAMES[i]);
        if (locale && *locale)
            return strcmp(locale, "C") == 0 || strcmp(locale, "POSIX") == 0;
    }
    return 1;
}

/* ----------------------------------------------------------------------------------------------------------------------- programs */

enum { LONGEST_OUTPUT = 100000, MOST_SECONDS = 60 };

/* read to the end, or until the time is over */
static char *read_all(int descriptor, int *ended) {
    char *output = malloc(LONGEST_OUTPUT + 1);
    size_t length = 0;
    const time_t end = time(NULL) + MOST_SECONDS;
    while (output && length < LONGEST_OUTPUT) {
        struct pollfd ready = {descriptor, POLLIN, 0};
        const time_t left = end - time(NULL);
        const int n_ready = left > 0 ? poll(&ready, 1, (int)left * 1000) : 0;
        const ssize_t n = n_ready > 0 ? read(descriptor, output + length, LONGEST_OUTPUT - length) : n_ready;
        if (n < 0 && errno == EINTR)
            continue;
        *ended = n == 0 && n_ready > 0;
        if (n <= 0)
            break;
        length += (size_t)n;
    }
    if (output)
        output[length] = '\0';
    return output;
}

char *run_program(const char *const *arguments) {
    extern char **environ;
    int ends[2], ended = 0;
    pid_t process;
    posix_spawn_file_actions_t actions;
    if (pipe2(ends, O_CLOEXEC))
        return NULL;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    /* the program does not change its arguments */
    const int failed = posix_spawn(&process, arguments[0], &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    char *output = failed ? NULL : read_all(ends[0], &ended);
    close(ends[0]);
    if (failed)
        return NULL;
    if (!ended)
        kill(process, SIGKILL);
    while (waitpid(process, NULL, 0) < 0 && errno == EINTR)
        continue;
    return output;
}

/* ---------------------------------------------------------------------------------------------------------------------- libraries */

/* The name of a library may be relative to the working folder, which the host may change: so it is completed while the library is loaded.
 */
static char *own_path;

__attribute__((constructor)) static void find_own_path(void) {
    Dl_info information;
    if (dladdr((const void *)&own_path, &information) && information.dli_fname)
        own_path = realpath(information.dli_fname, NULL);
}

__attribute__((destructor)) static void forget_own_path(void) { free(own_path); }

char *own_folder(void) { return own_path ? strndup(own_path, (size_t)(file_name(own_path) - own_path)) : NULL; }

static void *open_as(const char *path, int flags, Message *fault) {
    void *library = dlopen(path, RTLD_NOW | flags);
    const char *reason = library ? NULL : dlerror();
    if (reason)
        add(fault, "%s", reason);
    return library;
}

void *open_library(const char *path, Message *fault) { return open_as(path, RTLD_LOCAL, fault); }

void close_library(void *library) { dlclose(library); }

int find_function(void *library, const char *name, void *pointer) {
    void *found = dlsym(library, name);
    memcpy(pointer, &found, sizeof found); /* ISO C has no conversion */
    return found != NULL;
}

/* keep the path of a library whose name begins with libpython3 */
static int is_libpython(struct dl_phdr_info *information, size_t size, void *path) {
    (void)size;
    if (strncmp(file_name(information->dlpi_name), "libpython3.", 11) != 0)
        return 0;
    *(char **)path = strdup(information->dlpi_name);
    return 1;
}

void *python_of_process(void) {
    /* in the program itself, or in a library that all others see */
    if (dlsym(RTLD_DEFAULT, "Py_IsInitialized"))
        return dlopen(NULL, RTLD_NOW);
    /* in a library that others do not see */
    char *path = NULL;
    dl_iterate_phdr(is_libpython, &path);
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL) : NULL;
    free(path);
    return library;
}

void *open_python_library(const char *path, Message *fault) {
    Message reason = {0};
    void *library = open_as(path, RTLD_GLOBAL, &reason);
    if (!library)
        add(fault, "the library of Python cannot be loaded: %s.", reason.text);
    return library;
}

wchar_t *wide_path(const char *path) {
    wchar_t *(*decode)(const char *, size_t *);
    return find_function(python_of_process(), "Py_DecodeLocale", &decode) ? decode(path, NULL) : NULL;
}

/* ------------------------------------------------------------------------------------------------------------------- one at a time */

static pthread_mutex_t loader = PTHREAD_MUTEX_INITIALIZER;

void lock_loader(void) { pthread_mutex_lock(&loader); }

void unlock_loader(void) { pthread_mutex_unlock(&loader); }

/* a lock that all libraries of the process share */
void lock_process(void) { flockfile(stderr); }

void unlock_process(void) { funlockfile(stderr); }

/* ------------------------------------------------------------------------------------------------------------------------- folders */

/* paths by open descriptors */
typedef struct OtherPath {
    struct OtherPath *next;
    int descriptor;
    char path[32];
} OtherPath;

static OtherPath *other_paths;

const char *other_path_of_folder(const char *folder, int (*suits)(const char *path)) {
    OtherPath *other = malloc(sizeof *other);
    if (!other)
        return NULL;
    other->descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    snprintf(other->path, sizeof other->path, "/proc/self/fd/%d", other->descriptor);
    other->next = other_paths;
    other_paths = other;
    return other->descriptor >= 0 && suits(other->path) ? other->path : NULL;
}

void remove_other_paths(void) {
    while (other_paths) {
        OtherPath *other = other_paths;
        other_paths = other->next;
        if (other->descriptor >= 0)
            close(other->descriptor);
        free(other);
    }
}
#else
typedef int nothing_for_windows; /* ISO C has no empty files */
#endif
