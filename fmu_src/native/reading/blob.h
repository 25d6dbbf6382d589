/* The tables of a model as bytes, the same on every platform: little-endian, without padding. engine/mobod/compilation/source/blob.py
 * writes them.
 *
 *     8 bytes   "mobodtab"
 *     64 bits   BLOB_FORMAT of table_fields.h
 *     64 bits   hash_of_bytes of all that follows
 *     32 bits   how many objects follow; the numbers, from 1, of Model and Interface among them
 *     objects   type, how many items (32 bits each), items: text, numbers, structures member by member, or pointers
 *
 * A pointer is the number of an earlier object, 0 for NULL, and which of its items (32 bits each). A function is the number of its name.
 */
#ifndef MOBOD_BLOB_H
#define MOBOD_BLOB_H

#include "model.h"

#include <stddef.h>
#include <stdint.h>

typedef struct Blob Blob;

/* Read tables, whose contents are not checked (read_blob.h). Returns NULL if memory is exhausted or the bytes are not tables; `fault`
 * describes why. The bytes are not needed afterwards. */
Blob *blob_of_bytes(const char *bytes, size_t size, const char **fault);
void free_blob(Blob *blob);

const Model *model_of_blob(const Blob *blob);
const Interface *interface_of_blob(const Blob *blob);

/* The number of items from one that a member of a table points to up to the end of its object; 0 for NULL. */
size_t items_from(const Blob *blob, const void *item);

#endif
