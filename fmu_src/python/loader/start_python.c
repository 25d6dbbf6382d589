#include "start_python.h"
#include "find_python.h"
#include "system.h"

#include <stdlib.h>
#include <string.h>

/* The functions of Python that are called here, all of the stable ABI but PyRun_SimpleString. */
static struct {
    int (*is_initialized)(void);
    const char *(*version)(void);
    void (*set_program_name)(const wchar_t *);
    void (*initialize)(int);
    int (*run)(const char *);
    void *(*release_thread)(void);
    int (*take_thread)(void);
    void (*give_thread)(int);
    void *(*object_of_sys)(const char *);
    const char *(*utf8)(void *, ptrdiff_t *);
} python;

static const struct {
    const char *name;
    void *pointer;
} functions[] = {
    {"Py_IsInitialized", &python.is_initialized},
    {"Py_GetVersion", &python.version},
    {"Py_SetProgramName", &python.set_program_name},
    {"Py_InitializeEx", &python.initialize},
    {"PyRun_SimpleString", &python.run},
    {"PyEval_SaveThread", &python.release_thread},
    {"PyGILState_Ensure", &python.take_thread},
    {"PyGILState_Release", &python.give_thread},
    {"PySys_GetObject", &python.object_of_sys},
    {"PyUnicode_AsUTF8AndSize", &python.utf8},
};

/* where Python was started from; empty if it ran already */
static Message origin;

static int find_functions(void *library, Message *fault) {
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (!find_function(library, functions[i].name, functions[i].pointer)) {
            add(fault, "the library of Python in this process has no function %s", functions[i].name);
            return 0;
        }
    }
    return 1;
}

/* the length of 3.11 in 3.11.7 */
static size_t length_of_minor_version(const char *version) {
    const char *dot = strchr(version, '.');
    return dot ? (size_t)(dot + 1 - version) + strcspn(dot + 1, ".") : strlen(version);
}

/* initialize Python as its own program would do, but without handlers of signals, which are the host's */
static int initialize(const Python *found, Message *fault) {
    const size_t length = length_of_minor_version(found->version);
    if (strncmp(python.version(), found->version, length) != 0 || strchr("0123456789", python.version()[length])) {
        add(fault, "%s is the library of Python %.*s, not of the Python %s that %s is", found->library, (int)strcspn(python.version(), " "),
            python.version(), found->version, found->executable);
        return 0;
    }
    wchar_t *program = wide_path(found->executable); /* Python keeps it */
    if (!program) {
        add(fault, "the path %s cannot be read", found->executable);
        return 0;
    }
    /* the variable is only in versions in which UTF-8 is not the default */
    int *uses_utf8 = NULL;
    if (has_c_locale() && find_function(python_of_process(), "Py_UTF8Mode", &uses_utf8))
        *uses_utf8 = 1;
    python.set_program_name(program);
    python.initialize(0);
    if (python.run(found->preparation) != 0)
        add(&origin, ", whose packages could not be added");
    add(&origin, ", started by this FMU with the library %s", found->library);
    python.release_thread();
    return 1;
}

/* start this Python, unless another FMU has started one meanwhile */
static int start(const Python *found, Message *fault) {
    void *library = python_of_process();
    if (!library)
        library = open_python_library(found->library, fault);
    return library && find_functions(library, fault) && (python.is_initialized() || initialize(found, fault));
}

/* whether Python runs; the version of its library, 3.11, or nothing if there is none */
static int runs(char *version, size_t size, Message *fault) {
    void *library = python_of_process();
    *version = '\0';
    if (!library || !find_functions(library, fault))
        return 0;
    const size_t length = length_of_minor_version(python.version());
    if (length < size)
        strncat(version, python.version(), length);
    return python.is_initialized();
}

int start_python(const char *slave, Message *fault) {
    char version[16];
    lock_process();
    const int is_running = runs(version, sizeof version, fault);
    unlock_process();
    if (is_running || fault->length)
        return is_running;

    Message tried = {0};
    Python found;
    if (!find_python(slave, version, &found, &tried)) {
        add(fault,
            "this FMU runs in Python, and none was found that can run it. %s%s\nInstall what is missing, or set the environment variable "
            "MOBOD_PYTHON to the Python that has it, such as %s. See documentation/externalDependencies.txt.",
            tried.length ? "Tried were:" : "There is none on PATH, and VIRTUAL_ENV and MOBOD_PYTHON are not set.", tried.text,
            PATH_SEPARATOR == ':' ? "/path/to/venv/bin/python" : "C:\\path\\to\\venv\\Scripts\\python.exe");
        return 0;
    }
    lock_process();
    const int started = start(&found, fault);
    unlock_process();
    free(found.answer);
    return started;
}

/* with a lock of Python, for which a thread waits without holding back others; only an FMU that waits for another thread to make an
 * instance would wait to the end */
static void run(const char *statement) {
    const int state = python.take_thread();
    python.run(statement);
    python.give_thread(state);
}

void begin_instance(void) {
    run("import sys, threading; sys.__dict__.setdefault('_mobod_instances', threading.RLock()).acquire(timeout=60)");
}

void end_instance(void) { run("import sys; sys._mobod_instances._is_owned() and sys._mobod_instances.release()"); }

void describe_python(Message *message) {
    const int state = python.take_thread();
    void *prefix = python.object_of_sys("prefix");
    const char *folder = prefix ? python.utf8(prefix, NULL) : NULL;
    add(message, "the model runs in Python %.*s of %s%s", (int)strcspn(python.version(), " "), python.version(), folder ? folder : "?",
        origin.length ? origin.text : ", which this process had already");
    python.give_thread(state);
}
