#include "find_tables.h"

#include "file_of_uri.h"
#include "read_blob.h"

#include <stdlib.h>
#include <string.h>

/* as in engine/mobod/fmu/native_export.py */
static const char FILE_NAME[] = "model.mobod";

/* of tables */
static const long MOST_BYTES = 1L << 30;

/* the whole file; NULL if it cannot be read, or there is no memory for it */
static char *read_file(FILE *file, size_t *size) {
    const long length = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
    if (length < 0 || length > MOST_BYTES || fseek(file, 0, SEEK_SET))
        return NULL;
    char *bytes = malloc((size_t)length + 1);
    *size = (size_t)length;
    if (bytes && fread(bytes, 1, *size, file) == *size)
        return bytes;
    free(bytes);
    return NULL;
}

static Tables no_tables(char *fault, const char *resources, const char *why) {
    snprintf(fault, LONGEST_FAULT, "the tables of the model, '%s' in '%.200s', cannot be used: %s.", FILE_NAME, resources, why);
    return (Tables){NULL, NULL, NULL};
}

Tables find_tables(const char *resources, char *fault) {
    if (!resources || !*resources)
        return no_tables(fault, "", "no location of the resources was given");
    FILE *file = open_in_folder(resources, FILE_NAME);
    if (!file)
        return no_tables(fault, resources, "there is no such file");
    size_t size;
    char *bytes = read_file(file, &size);
    fclose(file);
    if (!bytes)
        return no_tables(fault, resources, "the file cannot be read");
    const char *why;
    Blob *blob = read_blob(bytes, size, &why);
    free(bytes);
    if (!blob)
        return no_tables(fault, resources, why ? why : "there is no memory for them");
    return (Tables){model_of_blob(blob), interface_of_blob(blob), blob};
}

void release_tables(Tables tables) { free_blob(tables.memory); }
