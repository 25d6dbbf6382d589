/* An order of the columns of sparse rows in which those of rows that share columns are near each other, so that the envelope of the sum of
 * their products is narrow (envelope.h): breadth first from a column far from the others, backwards.
 *
 * Source: Cuthill & McKee, Reducing the bandwidth of sparse symmetric matrices, Proc. 24th Nat. Conf. ACM (1969); George & Liu, Computer
 * Solution of Large Sparse Positive Definite Systems (1981), ch. 4. */
#ifndef MOBOD_COLUMN_ORDER_H
#define MOBOD_COLUMN_ORDER_H

#include "sparse_rows.h"

#include <stddef.h>

/* how many integers it needs beside the order, for up to this many entries */
static inline size_t column_order_integers(int n, int m, size_t n_entries) { return 2 * (size_t)n + 1 + (size_t)m + n_entries; }

/* Set order [n] to the columns in their new order. work: column_order_integers */
void order_columns(const SparseRows *rows, int *order, int *work);

/* Write the rows with their columns renumbered: `to` has memory for as many entries. place [n] becomes the new number of each column. */
void permute_columns(const SparseRows *rows, const int *order, int *place, SparseRows *to);

#endif
