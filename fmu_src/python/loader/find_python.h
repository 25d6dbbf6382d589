/* Looks for a Python that can run the FMU. */
#ifndef MOBOD_LOADER_FIND_PYTHON_H
#define MOBOD_LOADER_FIND_PYTHON_H

#include "message.h"

/* A Python, as fmu_src/python/slave.py describes it. */
typedef struct {
    char *answer;      /* memory of the other strings; free it */
    char *version;     /* 3.11.7 */
    char *executable;  /* for Py_SetProgramName */
    char *library;     /* path of libpython or python3xx.dll */
    char *preparation; /* a Python statement to execute after Python was initialized */
} Python;

/* Find a Python: the one that the environment variable MOBOD_PYTHON names; otherwise the first that has what the FMU needs, of the active
 * virtual environment and of those on PATH.
 *
 * slave           path of slave.py in the FMU
 * loaded_version  3.11, if the process has the library of Python already, otherwise ""
 * tried           gets a line for each Python that does not suit
 * returns         whether one was found */
int find_python(const char *slave, const char *loaded_version, Python *python, Message *tried);

#endif
