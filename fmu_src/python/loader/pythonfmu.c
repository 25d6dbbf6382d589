#include "pythonfmu.h"
#include "system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* as in engine/mobod/fmu/python/export.py */
#if defined _WIN32
static const char FILE_NAME[] = "pythonfmu-export.dll";
#define NEEDED "the Visual C++ runtime (msvcp140.dll)"
#else
static const char FILE_NAME[] = "pythonfmu-export.so";
#define NEEDED "glibc 2.32 and libstdc++ 6.0.30, which some hosts replace by older ones of their own"
#endif

Pythonfmu pythonfmu;
static void *library;

/* Drops pythonfmu's state of Python. pythonfmu does this itself when it is unloaded, but only after its static destructors, which have
 * freed the state: that corrupts memory when the process ends. So it is called before, and then nothing is left to be dropped. */
static void (*drop_state)(void);

static void drop_state_at_exit(void) {
    if (drop_state)
        drop_state();
}

static const struct {
    const char *name;
    void *pointer;
} functions[] = {
#define ENTRY(name) {"fmi2" #name, &pythonfmu.name},
    PYTHONFMU_FUNCTIONS(ENTRY)
#undef ENTRY
};

static void *open_beside(const char *folder, Message *fault) {
    char *path = malloc(strlen(folder) + sizeof FILE_NAME);
    if (!path)
        return NULL;
    sprintf(path, "%s%s", folder, FILE_NAME);
    Message reason = {0};
    void *opened = open_library(path, &reason);
    if (!opened)
        add(fault, "the library of pythonfmu, %s, cannot be loaded: %s. Is the FMU unzipped whole? The library needs " NEEDED ".", path,
            reason.text);
    free(path);
    return opened;
}

int open_pythonfmu(Message *fault) {
    if (library)
        return 1;
    char *folder = own_folder();
    void *opened = folder ? open_beside(folder, fault) : NULL;
    free(folder);
    for (size_t i = 0; opened && i < sizeof functions / sizeof functions[0]; i++) {
        if (!find_function(opened, functions[i].name, functions[i].pointer)) {
            add(fault, "%s has no function %s. It is not the library of pythonfmu 0.7.0 or later.", FILE_NAME, functions[i].name);
            close_library(opened);
            return 0;
        }
    }
    library = opened;
    if (opened && find_function(opened, "finalizePythonInterpreter", &drop_state))
        atexit(drop_state_at_exit); /* handlers run in reverse order: this one before the destructors of pythonfmu */
    return opened != NULL;
}

void close_pythonfmu(void) {
    drop_state_at_exit();
    drop_state = NULL;
    if (library)
        close_library(library);
    library = NULL;
}
