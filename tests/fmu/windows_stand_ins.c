/* Stand-ins for Python and for pythonfmu's library on Windows, which the loader of Python FMUs looks for, starts and calls. They show that
 * it finds the right files. One file for each of them is compiled from this one, by the macro that is defined. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#define EXPORTED __declspec(dllexport)

#if defined PYTHON_PROGRAM
/* python.exe: describes itself as slave.py does; its library lies beside it */
#include <fcntl.h>
#include <io.h>
#include <windows.h>
int wmain(int n, wchar_t **arguments) {
    char folder[2000];
    wchar_t path[1000];
    GetModuleFileNameW(NULL, path, 1000);
    *wcsrchr(path, L'\\') = 0;
    WideCharToMultiByte(CP_UTF8, 0, path, -1, folder, sizeof folder, NULL, NULL);
    _setmode(_fileno(stdout), _O_BINARY);
    FILE *slave = n == 4 ? _wfopen(arguments[1], L"rb") : NULL;
    printf("a greeting of another program\npython for mobod:\n%s\n3.11.7\n%s\\python.exe\n%s\\python311.dll\nprepare()\n",
           slave ? "" : "it cannot read slave.py", folder, folder);
    return 0;
}

#elif defined PYTHON_LIBRARY
/* python311.dll */
static int is_initialized;
static wchar_t *program;
static int is_prepared;
EXPORTED int Py_IsInitialized(void) { return is_initialized; }
EXPORTED const char *Py_GetVersion(void) { return "3.11.7 (a stand-in)"; }
EXPORTED void Py_SetProgramName(wchar_t *name) { program = name; }
EXPORTED void Py_InitializeEx(int signals) { is_initialized = program && _waccess(program, 0) == 0 && !signals; }
EXPORTED int PyRun_SimpleString(const char *text) { return is_prepared |= strcmp(text, "prepare()") == 0, 0; }
EXPORTED void *PyEval_SaveThread(void) { return NULL; }
EXPORTED int PyGILState_Ensure(void) { return 0; }
EXPORTED void PyGILState_Release(int state) { (void)state; }
EXPORTED void *PySys_GetObject(const char *name) { return strcmp(name, "prefix") == 0 && is_prepared ? "X:/prefix" : NULL; }
EXPORTED const char *PyUnicode_AsUTF8AndSize(void *object, ptrdiff_t *size) { return size ? NULL : object; }

#elif defined STABLE_LIBRARY
/* python3.dll, which pythonfmu's library needs by its name */
EXPORTED int PyList_Size(void) { return 3; }

#else
/* pythonfmu-export.dll: reads the resource location as the real one does, in the code page of the system */
int PyList_Size(void);
EXPORTED void *fmi2Instantiate(const char *name, int type, const char *guid, const char *folder) {
    char path[2000], line[200] = "";
    (void)name, (void)type, (void)guid;
    snprintf(path, sizeof path, "%s/slavemodule.txt", folder);
    FILE *file = strstr(path, "%20") ? NULL : fopen(path, "rb");
    for (const char *at = path; *at; at++) {
        if ((unsigned char)*at > 127)
            file = NULL;
    }
    if (!file || !fgets(line, sizeof line, file) || fclose(file) || PyList_Size() != 3)
        return NULL;
    printf("%s/%s", folder, line);
    return line[0] ? (void *)"an instance" : NULL;
}
EXPORTED int fmi2GetReal(void *c, const unsigned *references, size_t n, double *values) {
    (void)c;
    for (size_t i = 0; i < n; i++)
        values[i] = references[i] + 0.5;
    return 0;
}
EXPORTED int fmi2GetFMUstate(void *c, void **state) { return *state = c, 0; }
EXPORTED void fmi2FreeInstance(void *c) { printf("freed: %s\n", (char *)c); }
#define OTHER(name)                                                                                                                        \
    EXPORTED int fmi2##name(void) { return 0; }
OTHER(SetDebugLogging)
OTHER(SetupExperiment)
OTHER(EnterInitializationMode)
OTHER(ExitInitializationMode)
OTHER(Terminate)
OTHER(Reset)
OTHER(GetInteger)
OTHER(GetBoolean)
OTHER(GetString)
OTHER(SetReal)
OTHER(SetInteger)
OTHER(SetBoolean)
OTHER(SetString)
OTHER(SetFMUstate)
OTHER(FreeFMUstate)
OTHER(SerializedFMUstateSize)
OTHER(SerializeFMUstate)
OTHER(DeSerializeFMUstate)
OTHER(GetDirectionalDerivative)
OTHER(SetRealInputDerivatives)
OTHER(GetRealOutputDerivatives)
OTHER(DoStep)
OTHER(CancelStep)
OTHER(GetStatus)
OTHER(GetRealStatus)
OTHER(GetIntegerStatus)
OTHER(GetBooleanStatus)
OTHER(GetStringStatus)
#endif
