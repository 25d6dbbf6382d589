#include "find_python.h"
#include "system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* more folders of PATH that have a Python are not searched */
enum { MOST_TRIED = 8 };

/* the first line of the answer; messages of other programs may precede it */
static const char FIRST_LINE[] = "python for mobod:\n";

/* the arguments of slave.py, and a list of the Pythons that do not suit */
typedef struct {
    const char *slave, *loaded_version, *library;
    Message *tried;
} Search;

/* cut the line at *text off; its end is a null character then */
static char *cut_line(char **text) {
    char *line = *text, *end = strchr(line, '\n');
    *text = end ? end + 1 : line + strlen(line);
    if (end)
        *end = '\0';
    return line;
}

/* whether the FMU can run in this Python */
static int suits(const Search *search, const char *program, Python *python) {
    const char *arguments[] = {program, search->slave, search->loaded_version, search->library, NULL};
    char *output = run_program(arguments), *text = output ? strstr(output, FIRST_LINE) : NULL;
    if (!text) {
        const size_t length = output ? strcspn(output, "\r\n") : 0;
        add(search->tried, "\n- %s: it does not run as Python.", program);
        if (length > 0)
            add(search->tried, " It says: %.*s", length > 200 ? 200 : (int)length, output);
        free(output);
        return 0;
    }
    text += sizeof FIRST_LINE - 1;
    const char *problem = cut_line(&text);
    *python = (Python){output, cut_line(&text), cut_line(&text), cut_line(&text), cut_line(&text)};
    if (!*problem)
        return 1;
    add(search->tried, "\n- %s: %s", program, problem);
    free(output);
    return 0;
}

/* folder/name; NULL if there is no memory */
static char *path_in(const char *folder, size_t length, const char *name) {
    char *path = malloc(length + strlen(name) + 2);
    if (path)
        sprintf(path, "%.*s/%s", (int)length, folder, name);
    return path;
}

static int is_in_environment(const Search *search, Python *python) {
    char *folder = environment_variable("VIRTUAL_ENV");
    char *program = folder ? path_in(folder, strlen(folder), VIRTUAL_ENVIRONMENT_PYTHON) : NULL;
    const int found = program && suits(search, program, python);
    free(program);
    free(folder);
    return found;
}

/* the Python of a folder; NULL if it has none */
static char *python_in(const char *folder, size_t length) {
    for (size_t i = 0; length > 0 && PYTHON_PROGRAMS[i]; i++) {
        char *program = path_in(folder, length, PYTHON_PROGRAMS[i]);
        if (program && is_program(program))
            return program;
        free(program);
    }
    return NULL;
}

/* whether the folder of this program was searched already, under this name or another; otherwise it is added to the list */
static int is_known(const char *program, char **folders, size_t *n) {
    char *name = path_in(program, (size_t)(file_name(program) - program), ""), *folder = name ? canonical_path(name) : NULL;
    free(name);
    for (size_t i = 0; folder && i < *n; i++) {
        if (strcmp(folders[i], folder) == 0) {
            free(folder);
            return 1;
        }
    }
    if (folder)
        folders[(*n)++] = folder;
    return 0;
}

static int is_on_path(const Search *search, Python *python) {
    char *path = environment_variable("PATH"), *folders[MOST_TRIED];
    size_t n = 0, length;
    int found = 0;
    for (const char *folder = path; folder && !found && n < MOST_TRIED; folder = folder[length] ? folder + length + 1 : NULL) {
        const char *end = strchr(folder, PATH_SEPARATOR);
        length = end ? (size_t)(end - folder) : strlen(folder);
        char *program = python_in(folder, length);
        if (program && !is_known(program, folders, &n))
            found = suits(search, program, python);
        free(program);
    }
    while (n > 0)
        free(folders[--n]);
    free(path);
    return found;
}

/* whether MOBOD_PYTHON names the library of Python, not the program */
static int is_library(const char *path) {
    const char *name = file_name(path);
    return strncmp(name, "libpython", 9) == 0 || strstr(name, ".dll") || strstr(name, ".DLL");
}

int find_python(const char *slave, const char *loaded_version, Python *python, Message *tried) {
    char *chosen = environment_variable("MOBOD_PYTHON");
    const int gives_library = chosen && is_library(chosen);
    const Search search = {slave, loaded_version, gives_library ? chosen : "", tried};
    const int found =
        chosen && !gives_library ? suits(&search, chosen, python) : is_in_environment(&search, python) || is_on_path(&search, python);
    free(chosen);
    return found;
}
