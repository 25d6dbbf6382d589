/* Where an FMU has its tables from: compiled with it (embedded_tables.c), or a file of its resources (resource_tables.c). */
#ifndef MOBOD_FIND_TABLES_H
#define MOBOD_FIND_TABLES_H

#include "model.h"

typedef struct {
    const Model *model;
    const Interface *interface;
    void *memory; /* that they lie in; NULL: of the library */
} Tables;

enum { LONGEST_FAULT = 600 };

/* resources: the URI of the folder. Without tables the model is NULL, and `fault` [LONGEST_FAULT] says why. */
Tables find_tables(const char *resources, char *fault);
void release_tables(Tables tables);

#endif
