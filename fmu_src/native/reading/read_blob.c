#include "read_blob.h"

#include "table_checks.h"

Blob *read_blob(const char *bytes, size_t size, const char **fault) {
    Blob *blob = blob_of_bytes(bytes, size, fault);
    *fault = blob ? fault_of_tables(blob, model_of_blob(blob), interface_of_blob(blob)) : *fault;
    if (!*fault)
        return blob;
    free_blob(blob);
    return NULL;
}
