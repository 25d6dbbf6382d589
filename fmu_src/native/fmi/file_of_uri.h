/* Files and folders that a URI names: a file URI (RFC 8089) or a plain path. */
#ifndef MOBOD_FILE_OF_URI_H
#define MOBOD_FILE_OF_URI_H

#include <stdio.h>

/* the path, in UTF-8, which belongs to the caller; NULL if there is no memory */
char *path_of_uri(const char *uri);

/* open a file for reading, in a folder that a URI names; NULL if there is none, or no memory */
FILE *open_in_folder(const char *folder, const char *name);

#endif
