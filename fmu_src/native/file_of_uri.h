/* A file that a URI names. */
#ifndef MOBOD_FILE_OF_URI_H
#define MOBOD_FILE_OF_URI_H

#include <stdio.h>

/* Open a file for reading, in a folder that a file URI (RFC 8089) or a plain path names; NULL if there is none, or no memory. */
FILE *open_in_folder(const char *folder, const char *name);

#endif
