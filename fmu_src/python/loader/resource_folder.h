/* The folder resources/ of the FMU. */
#ifndef MOBOD_LOADER_RESOURCE_FOLDER_H
#define MOBOD_LOADER_RESOURCE_FOLDER_H

#include "message.h"

/* The longest name of the module with slave.py, and the longest GUID. */
enum { LONGEST_NAME = 128 };

/* path    of the folder; free it
 * for_pythonfmu  a path of the same files that pythonfmu's library can read; valid until remove_other_paths
 * slave   path of slave.py; free it
 * guid    of the model */
typedef struct {
    char *path, *slave;
    const char *for_pythonfmu;
    char guid[LONGEST_NAME];
} ResourceFolder;

/* find the folder that a URI names; returns 0, with a fault, if it has not what the FMU needs */
int find_resources(const char *uri, ResourceFolder *folder, Message *fault);
void free_resources(ResourceFolder *folder);

#endif
