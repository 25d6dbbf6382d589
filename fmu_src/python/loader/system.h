/* What the loader asks of the operating system: system_posix.c and system_windows.c. All strings are UTF-8; strings that are returned
 * belong to the caller, and NULL means that there is no such thing, or no memory. */
#ifndef MOBOD_LOADER_SYSTEM_H
#define MOBOD_LOADER_SYSTEM_H

#include "message.h"

#include <wchar.h>

/* ------------------------------------------------------------------------------------------------------------------- environment */

/* between the folders of PATH */
extern const char PATH_SEPARATOR;

/* where Python is in a folder with programs, in the order of preference */
extern const char *const PYTHON_PROGRAMS[];

/* Python in a virtual environment */
extern const char VIRTUAL_ENVIRONMENT_PYTHON[];

/* a variable of the environment; NULL if it is empty */
char *environment_variable(const char *name);

/* whether this file can be run */
int is_program(const char *path);

/* the path without symbolic links, where the system has such */
char *canonical_path(const char *path);

/* the last part of the path */
const char *file_name(const char *path);

/* Run a program; arguments[0] is its path, and NULL follows the last argument. Returns what it writes to its standard output and
 * standard error, without null characters. It is stopped after a minute. */
char *run_program(const char *const *arguments);

/* -------------------------------------------------------------------------------------------------------------------- libraries */

/* the folder of this library, which ends with a slash */
char *own_folder(void);

/* Open a library. Raise a fault with the system's reason. */
void *open_library(const char *path, Message *fault);
void close_library(void *library);

/* copy the address of a function to a pointer to a function; returns whether the library has it */
int find_function(void *library, const char *name, void *pointer);

/* the library of Python that this process has already; libraries that are opened later see its functions */
void *python_of_process(void);

/* open the library of Python; libraries that are opened later see its functions */
void *open_python_library(const char *path, Message *fault);

/* a path for Py_SetProgramName */
wchar_t *wide_path(const char *path);

/* whether the environment selects the C locale, in which Python uses UTF-8 only on request */
int has_c_locale(void);

/* -------------------------------------------------------------------------------------------------------------------- one at a time */

/* for this library */
void lock_loader(void);
void unlock_loader(void);

/* for all loaders in this process: each FMU has its own */
void lock_process(void);
void unlock_process(void);

/* ----------------------------------------------------------------------------------------------------------------------- folders */

/* Another path of a folder: one for which suits(path) is true. It is valid until remove_other_paths. */
const char *other_path_of_folder(const char *folder, int (*suits)(const char *path));
void remove_other_paths(void);

#endif
