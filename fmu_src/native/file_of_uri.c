#include "file_of_uri.h"

#include <stdlib.h>
#include <string.h>

#if defined _WIN32
#include <windows.h>

/* the path is UTF-8 */
static FILE *open_path(const char *path) {
    const int n = MultiByteToWideChar(CP_UTF8, 0, path, -1, NULL, 0);
    wchar_t *wide = n > 0 ? malloc((size_t)n * sizeof *wide) : NULL;
    FILE *file = wide && MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, n) ? _wfopen(wide, L"rb") : NULL;
    free(wide);
    return file;
}

/* in /C:/models, the / before the drive letter is not part of the path */
static const char *path_of(const char *path) { return path[0] == '/' && path[1] && path[2] == ':' ? path + 1 : path; }
#else
static FILE *open_path(const char *path) { return fopen(path, "rb"); }

static const char *path_of(const char *path) { return path; }
#endif

static int digit_of(char c) {
    static const char DIGITS[] = "0123456789abcdefABCDEF";
    const char *found = c ? strchr(DIGITS, c) : NULL;
    const int digit = found ? (int)(found - DIGITS) : -1;
    return digit < 16 ? digit : digit - 6;
}

/* such as %20 for a space */
static void decode(char *path) {
    char *to = path;
    for (const char *from = path; *from; from++) {
        const int is_code = from[0] == '%' && digit_of(from[1]) >= 0 && digit_of(from[2]) >= 0;
        *to++ = is_code ? (char)(digit_of(from[1]) * 16 + digit_of(from[2])) : *from;
        from += is_code ? 2 : 0;
    }
    *to = '\0';
}

FILE *open_in_folder(const char *folder, const char *name) {
    static const char SCHEME[] = "file:", LOCALHOST[] = "localhost";
    char *path = malloc(strlen(folder) + strlen(name) + 2);
    if (!path)
        return NULL;
    const int is_uri = strncmp(folder, SCHEME, sizeof SCHEME - 1) == 0;
    if (is_uri) {
        folder += sizeof SCHEME - 1;
        if (strncmp(folder, "//", 2) == 0) /* the host follows, usually none */
            folder += 2;
        if (strncmp(folder, LOCALHOST, sizeof LOCALHOST - 1) == 0)
            folder += sizeof LOCALHOST - 1;
    }
    strcpy(path, folder);
    if (is_uri)
        decode(path);
    if (!*path || path[strlen(path) - 1] != '/')
        strcat(path, "/");
    strcat(path, name);
    FILE *file = open_path(is_uri ? path_of(path) : path);
    free(path);
    return file;
}
