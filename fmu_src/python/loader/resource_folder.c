#include "resource_folder.h"
#include "file_of_uri.h"
#include "system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* pythonfmu's library reads the name of the module from its first line; the GUID follows */
static const char NAMES_FILE[] = "slavemodule.txt";

static int read_line(FILE *file, char *line, int size) {
    if (!fgets(line, size, file))
        return 0;
    line[strcspn(line, "\r\n")] = '\0';
    return *line != '\0';
}

/* Whether pythonfmu's library reads this path. It takes %20 for a space and removes file://; on Windows it reads the path both in the
 * code page of the system and as UTF-8. */
static int is_readable(const char *path) {
    if (strstr(path, "%20") || strstr(path, "file://"))
        return 0;
#if defined _WIN32
    for (; *path; path++) {
        if ((unsigned char)*path > 127)
            return 0;
    }
#endif
    return 1;
}

int find_resources(const char *uri, ResourceFolder *folder, Message *fault) {
    char module[LONGEST_NAME] = "";
    *folder = (ResourceFolder){path_of_uri(uri), NULL, NULL, ""};
    FILE *file = folder->path ? open_in_folder(uri, NAMES_FILE) : NULL;
    const int is_whole = file && read_line(file, module, sizeof module) && read_line(file, folder->guid, sizeof folder->guid);
    if (file)
        fclose(file);
    if (!is_whole) {
        add(fault, "the resources of the FMU, '%s', cannot be read: there is no file %s, or it is damaged. The resource location is '%s'.",
            folder->path ? folder->path : "", NAMES_FILE, uri);
        return 0;
    }
    folder->slave = malloc(strlen(folder->path) + strlen(module) + sizeof "/.py");
    if (folder->slave)
        sprintf(folder->slave, "%s/%s.py", folder->path, module);
    folder->for_pythonfmu = is_readable(folder->path) ? folder->path : other_path_of_folder(folder->path, is_readable);
    if (folder->slave && folder->for_pythonfmu)
        return 1;
    add(fault,
        "the library of pythonfmu cannot read the folder '%s', and there is no place for a copy. Unzip the FMU to a folder with plain "
        "letters.",
        folder->path);
    return 0;
}

void free_resources(ResourceFolder *folder) {
    free(folder->path);
    free(folder->slave);
}
