/* Tables that are read and checked. */
#ifndef MOBOD_READ_BLOB_H
#define MOBOD_READ_BLOB_H

#include "blob.h"

/* Returns NULL if memory is exhausted or the bytes are not valid tables; `fault` describes why. The bytes are not needed afterwards.
 *
 * A runtime that works on accepted tables stays within its memory, whatever the bytes are. */
Blob *read_blob(const char *bytes, size_t size, const char **fault);

#endif
