/* Validation of tables from outside the library: every offset, count, index and stage. */
#ifndef MOBOD_TABLE_CHECKS_H
#define MOBOD_TABLE_CHECKS_H

#include "table_parts.h"

/* Each returns NULL, or a short description of the fault. */

const char *fault_of_tables(const Blob *blob, const Model *model, const Interface *interface);

/* table_checks_kernels.c */

/* a kernel with its function. *n_places: number of entries of `at` that it reads; *sizes: how many numbers each one refers to */
const char *fault_of_kernel(const Checks *checks, const Kernel *kernel, int *n_places, const uint32_t **sizes);

/* a call of a kernel, whose offsets begin at entry `first` of a list */
const char *fault_of_call(const Checks *checks, const Kernel *kernel, const int *at, int first);

const char *fault_of_sweep(const Checks *checks, const Sweep *sweep, const Kernel *kernels, int n_kernels);

/* n kernels of w, or those of tangents or adjoints */
const char *fault_of_kernels(const Checks *checks, const Kernel *kernels, int n, int are_tangents, int are_adjoints);
const char *fault_of_delay(const Checks *checks, const void *delay);
const char *fault_of_pressed(const Checks *checks, const void *pressed);
const char *fault_of_gap(const Checks *checks, const void *gap);
const char *fault_of_seen(const Checks *checks, const void *seen);

/* table_checks_rows.c, table_checks_events.c */
const char *fault_of_rows(const Checks *checks, const struct RowTable *rows);
const char *fault_of_events(const Checks *checks, const struct EventTable *events);
const char *fault_of_contacts(const Checks *checks, const struct ContactTable *contacts);
const char *fault_of_frictions(const Checks *checks, const struct FrictionTable *frictions);

/* table_checks_parts.c */

/* the rows that overlap those of a block */
const char *fault_of_overlaps(const struct RowTable *rows, int number);

/* the parts, which have each block once, and the memory that they need: see entries_size and factors_size in row_memory.py */
const char *fault_of_parts(const Checks *checks, const struct RowTable *rows);

/* table_checks_slots.c, after the tables of contacts and of friction */
const char *fault_of_pairs(const Checks *checks, const struct ContactTable *contacts);

#endif
