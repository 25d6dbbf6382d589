/* What the loader asks of Windows. */
#if defined _WIN32
#define WIN32_LEAN_AND_MEAN
#define PSAPI_VERSION 2
#include "system.h"

#include <windows.h>

#include <psapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------------------------------------------------- strings */

static wchar_t *wide(const char *text) {
    const int n = MultiByteToWideChar(CP_UTF8, 0, text, -1, NULL, 0);
    wchar_t *result = n > 0 ? malloc((size_t)n * sizeof *result) : NULL;
    if (result)
        MultiByteToWideChar(CP_UTF8, 0, text, -1, result, n);
    return result;
}

static char *narrow(const wchar_t *text) {
    const int n = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *result = n > 0 ? malloc((size_t)n) : NULL;
    if (result)
        WideCharToMultiByte(CP_UTF8, 0, text, -1, result, n, NULL, NULL);
    return result;
}

/* the path with / or with \ between its parts */
static wchar_t *with_separator(wchar_t *path, wchar_t separator) {
    for (wchar_t *at = path; at && *at; at++) {
        if (*at == L'/' || *at == L'\\')
            *at = separator;
    }
    return path;
}

static char *narrow_path(wchar_t *path) { return narrow(with_separator(path, L'/')); }

/* ---------------------------------------------------------------------------------------------------------------------- environment */

const char PATH_SEPARATOR = ';';
const char *const PYTHON_PROGRAMS[] = {"python.exe", "python3.exe", "py.exe", NULL};
const char VIRTUAL_ENVIRONMENT_PYTHON[] = "Scripts/python.exe";

enum { LONGEST_VALUE = 32768, LONGEST_PATH = 2048 };

char *environment_variable(const char *name) {
    wchar_t *wide_name = wide(name), *value = malloc(LONGEST_VALUE * sizeof *value);
    const DWORD n = wide_name && value ? GetEnvironmentVariableW(wide_name, value, LONGEST_VALUE) : 0;
    char *result = n > 0 && n < LONGEST_VALUE ? narrow(value) : NULL;
    free(wide_name);
    free(value);
    return result;
}

int is_program(const char *path) {
    wchar_t *wide_name = wide(path);
    const DWORD attributes = wide_name ? GetFileAttributesW(wide_name) : INVALID_FILE_ATTRIBUTES;
    free(wide_name);
    return attributes != INVALID_FILE_ATTRIBUTES && !(attributes & FILE_ATTRIBUTE_DIRECTORY);
}

char *canonical_path(const char *path) { return strdup(path); }

const char *file_name(const char *path) {
    const char *name = path;
    for (const char *at = path; *at; at++)
        name = *at == '/' || *at == '\\' ? at + 1 : name;
    return name;
}

int has_c_locale(void) { return 0; }

/* ------------------------------------------------------------------------------------------------------------------------- programs */

enum { LONGEST_OUTPUT = 100000, MOST_SECONDS = 60 };

/* each argument in quotes, which paths do not contain */
static wchar_t *command_line(const char *const *arguments) {
    Message command = {0};
    for (size_t i = 0; arguments[i]; i++)
        add(&command, "%s\"%s\"", i ? " " : "", arguments[i]);
    return wide(command.text);
}

/* read until the program has ended, or the time is over */
static char *read_all(HANDLE pipe, HANDLE process) {
    char *output = malloc(LONGEST_OUTPUT + 1);
    DWORD length = 0;
    const ULONGLONG end = GetTickCount64() + 1000 * MOST_SECONDS;
    for (int ended = 0; output && GetTickCount64() < end && length < LONGEST_OUTPUT;) {
        DWORD n = 0, n_ready = 0;
        if (!PeekNamedPipe(pipe, NULL, 0, NULL, &n_ready, NULL))
            break;
        if (n_ready > 0 && ReadFile(pipe, output + length, LONGEST_OUTPUT - length, &n, NULL))
            length += n;
        else if (ended)
            break;
        else
            ended = WaitForSingleObject(process, 10) == WAIT_OBJECT_0;
    }
    if (output)
        output[length] = '\0';
    return output;
}

char *run_program(const char *const *arguments) {
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
    PROCESS_INFORMATION started;
    HANDLE reading, writing;
    char *output = NULL;
    if (!CreatePipe(&reading, &writing, &inherited, 0))
        return NULL;
    SetHandleInformation(reading, HANDLE_FLAG_INHERIT, 0);
    STARTUPINFOW start = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES, .hStdOutput = writing, .hStdError = writing};
    wchar_t *program = wide(arguments[0]), *command = command_line(arguments);
    if (program && command && CreateProcessW(program, command, NULL, NULL, TRUE, CREATE_NO_WINDOW, NULL, NULL, &start, &started)) {
        output = read_all(reading, started.hProcess);
        TerminateProcess(started.hProcess, 1); /* if it has not ended, its time is over */
        CloseHandle(started.hProcess);
        CloseHandle(started.hThread);
    }
    free(program);
    free(command);
    CloseHandle(reading);
    CloseHandle(writing);
    return output;
}

/* ------------------------------------------------------------------------------------------------------------------------ libraries */

char *own_folder(void) {
    static const char here;
    HMODULE own;
    wchar_t path[LONGEST_PATH];
    const DWORD flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    if (!GetModuleHandleExW(flags, (const wchar_t *)&here, &own) || !GetModuleFileNameW(own, path, LONGEST_PATH))
        return NULL;
    wchar_t *end = wcsrchr(path, L'\\');
    if (end)
        end[1] = L'\0';
    return narrow_path(path);
}

void *open_library(const char *path, Message *fault) {
    wchar_t *wide_name = with_separator(wide(path), L'\\');
    /* what it needs is looked for in its own folder too */
    HMODULE library = wide_name ? LoadLibraryExW(wide_name, NULL, LOAD_WITH_ALTERED_SEARCH_PATH) : NULL;
    const DWORD error = GetLastError();
    wchar_t reason[500] = L"";
    free(wide_name);
    if (library)
        return library;
    FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, error, 0, reason, 500, NULL);
    reason[wcscspn(reason, L".\r\n")] = L'\0';
    char *text = narrow(reason);
    add(fault, "error %lu, %s", (unsigned long)error, text ? text : "");
    free(text);
    return NULL;
}

void close_library(void *library) { FreeLibrary(library); }

int find_function(void *library, const char *name, void *pointer) {
    FARPROC found = GetProcAddress(library, name);
    memcpy(pointer, &found, sizeof found); /* ISO C has no conversion */
    return found != NULL;
}

/* such as python311.dll, and not python3.dll */
static int is_python(const wchar_t *name) {
    const wchar_t *rest = name + 7;
    return _wcsnicmp(name, L"python3", 7) == 0 && wcsspn(rest, L"0123456789") > 0 &&
           _wcsicmp(rest + wcsspn(rest, L"0123456789"), L".dll") == 0;
}

void *python_of_process(void) {
    HMODULE modules[1024];
    DWORD size = 0;
    wchar_t name[MAX_PATH];
    if (!EnumProcessModules(GetCurrentProcess(), modules, sizeof modules, &size))
        return NULL;
    for (size_t i = 0; i < size / sizeof modules[0] && i < 1024; i++) {
        if (GetModuleBaseNameW(GetCurrentProcess(), modules[i], name, MAX_PATH) && is_python(name))
            return modules[i];
    }
    return NULL;
}

void *open_python_library(const char *path, Message *fault) {
    static const char STABLE[] = "python3.dll";
    Message reason = {0};
    void *library = open_library(path, &reason);
    /* pythonfmu's library needs python3.dll, which lies beside it; it is found by its name once it is loaded */
    char *stable = malloc(strlen(path) + sizeof STABLE);
    if (library && stable) {
        strcpy(stable, path);
        strcpy(stable + (file_name(path) - path), STABLE);
        if (!open_library(stable, &reason))
            library = NULL;
    }
    free(stable);
    if (!library)
        add(fault, "the library of Python, %s, or %s beside it, cannot be loaded: %s.", path, STABLE, reason.text);
    return library;
}

wchar_t *wide_path(const char *path) { return with_separator(wide(path), L'\\'); }

/* --------------------------------------------------------------------------------------------------------------------- one at a time */

static SRWLOCK loader = SRWLOCK_INIT;
static HANDLE process;

void lock_loader(void) { AcquireSRWLockExclusive(&loader); }

void unlock_loader(void) { ReleaseSRWLockExclusive(&loader); }

void lock_process(void) {
    wchar_t name[64];
    swprintf(name, 64, L"Local\\mobod-python-%lu", (unsigned long)GetCurrentProcessId());
    process = CreateMutexW(NULL, FALSE, name);
    if (process)
        WaitForSingleObject(process, INFINITE);
}

void unlock_process(void) {
    if (!process)
        return;
    ReleaseMutex(process);
    CloseHandle(process);
}

/* --------------------------------------------------------------------------------------------------------------------------- folders */

/* short paths, and copies in folders for temporary files */
typedef struct OtherPath {
    struct OtherPath *next;
    int is_copy;
    char path[LONGEST_PATH];
} OtherPath;

static OtherPath *other_paths;

/* the short path, which has plain letters where the file system makes such; otherwise the path itself */
static char *short_path(const wchar_t *path) {
    wchar_t result[LONGEST_PATH];
    const DWORD n = GetShortPathNameW(path, result, LONGEST_PATH);
    return n > 0 && n < LONGEST_PATH ? narrow_path(result) : narrow(path);
}

/* call a function for each file of a folder */
static void for_each_file(const wchar_t *folder, const wchar_t *to, void (*act)(const wchar_t *file, const wchar_t *to)) {
    wchar_t pattern[LONGEST_PATH], file[LONGEST_PATH], copy[LONGEST_PATH];
    WIN32_FIND_DATAW found;
    swprintf(pattern, LONGEST_PATH, L"%ls\\*", folder);
    HANDLE search = FindFirstFileW(pattern, &found);
    for (int has_file = search != INVALID_HANDLE_VALUE; has_file; has_file = FindNextFileW(search, &found)) {
        swprintf(file, LONGEST_PATH, L"%ls\\%ls", folder, found.cFileName);
        swprintf(copy, LONGEST_PATH, L"%ls\\%ls", to, found.cFileName);
        if (!(found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY))
            act(file, copy);
    }
    if (search != INVALID_HANDLE_VALUE)
        FindClose(search);
}

static void copy_file(const wchar_t *file, const wchar_t *to) { CopyFileW(file, to, FALSE); }

static void remove_file(const wchar_t *file, const wchar_t *to) {
    (void)to;
    DeleteFileW(file);
}

/* copy the files of a folder to a new folder within the one that a variable of the environment names */
static int copy_to(OtherPath *other, const wchar_t *folder, const char *variable, int (*suits)(const char *path)) {
    static unsigned n_copies;
    char *place = environment_variable(variable);
    wchar_t *wide_place = place ? wide(place) : NULL;
    char *plain_place = wide_place ? short_path(wide_place) : NULL;
    if (plain_place)
        snprintf(other->path, sizeof other->path, "%s/mobod-%lu-%u", plain_place, (unsigned long)GetCurrentProcessId(), n_copies++);
    wchar_t *copy = plain_place && suits(other->path) ? with_separator(wide(other->path), L'\\') : NULL;
    other->is_copy = copy && CreateDirectoryW(copy, NULL);
    if (other->is_copy)
        for_each_file(folder, copy, copy_file);
    free(place);
    free(wide_place);
    free(plain_place);
    free(copy);
    return other->is_copy;
}

const char *other_path_of_folder(const char *folder, int (*suits)(const char *path)) {
    OtherPath *other = calloc(1, sizeof *other);
    wchar_t *wide_name = with_separator(wide(folder), L'\\');
    char *plain = wide_name ? short_path(wide_name) : NULL;
    const int is_short = other && plain && suits(plain) && strlen(plain) < sizeof other->path;
    if (is_short)
        strcpy(other->path, plain);
    const int found = is_short || (other && wide_name &&
                                   (copy_to(other, wide_name, "TEMP", suits) || copy_to(other, wide_name, "ProgramData", suits) ||
                                    copy_to(other, wide_name, "PUBLIC", suits)));
    free(wide_name);
    free(plain);
    if (!found) {
        free(other);
        return NULL;
    }
    other->next = other_paths;
    other_paths = other;
    return other->path;
}

void remove_other_paths(void) {
    while (other_paths) {
        OtherPath *other = other_paths;
        other_paths = other->next;
        wchar_t *copy = other->is_copy ? with_separator(wide(other->path), L'\\') : NULL;
        if (copy) {
            for_each_file(copy, L"", remove_file);
            RemoveDirectoryW(copy);
        }
        free(copy);
        free(other);
    }
}
#else
typedef int nothing_for_linux; /* ISO C has no empty files */
#endif
