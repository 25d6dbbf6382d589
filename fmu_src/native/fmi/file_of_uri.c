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
static int is_before_drive(const char *path) { return path[0] == '/' && path[1] && path[2] == ':'; }

/* in //server/share the slashes are part of the path; a drive letter is no server */
static int is_server(const char *authority) { return authority[0] && authority[0] != '/' && authority[1] != ':'; }
#else
static FILE *open_path(const char *path) { return fopen(path, "rb"); }

static int is_before_drive(const char *path) { return (void)path, 0; }

static int is_server(const char *authority) { return (void)authority, 0; }
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

char *path_of_uri(const char *uri) {
    static const char SCHEME[] = "file:", LOCALHOST[] = "localhost/";
    const char *rest = uri;
    const int is_uri = strncmp(uri, SCHEME, sizeof SCHEME - 1) == 0;
    if (is_uri) {
        rest += sizeof SCHEME - 1;
        if (strncmp(rest, "//", 2) == 0) /* the host follows, usually none */
            rest += 2;
        if (strncmp(rest, LOCALHOST, sizeof LOCALHOST - 1) == 0)
            rest += sizeof LOCALHOST - 2;
        else if (rest == uri + sizeof SCHEME + 1 && is_server(rest))
            rest -= 2;
    }
    char *path = malloc(strlen(rest) + 1);
    if (!path)
        return NULL;
    strcpy(path, rest);
    if (is_uri)
        decode(path);
    if (is_uri && is_before_drive(path))
        memmove(path, path + 1, strlen(path));
    return path;
}

FILE *open_in_folder(const char *folder, const char *name) {
    char *decoded = path_of_uri(folder), *path = decoded ? realloc(decoded, strlen(decoded) + strlen(name) + 2) : NULL;
    if (!path) {
        free(decoded);
        return NULL;
    }
    if (!*path || path[strlen(path) - 1] != '/')
        strcat(path, "/");
    strcat(path, name);
    FILE *file = open_path(path);
    free(path);
    return file;
}
