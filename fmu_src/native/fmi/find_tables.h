/* The source of an FMU's tables: compiled with it (embedded_tables.c), or a file of its resources (resource_tables.c). */
#ifndef MOBOD_FIND_TABLES_H
#define MOBOD_FIND_TABLES_H

#include "model.h"

typedef struct {
    const Model *model;
    const Interface *interface;
    void *memory; /* memory of the tables; NULL: they are part of the library */
} Tables;

enum { LONGEST_FAULT = 600 };

/* resources: the URI of the folder. If no tables are found, the model is NULL, and `fault` [LONGEST_FAULT] describes why. */
Tables find_tables(const char *resources, char *fault);
void release_tables(Tables tables);

#endif
