/* The active rows of a part and products with A, over Numbers: of one run, and of several side by side (lanes.h), whose rows are enabled in
 * all lanes alike. */
#ifndef MOBOD_PART_ARITHMETIC_H
#define MOBOD_PART_ARITHMETIC_H

#include "row_arithmetic.h"

enum { LEAST_SPARSE = 9 }; /* active rows of a part that is factored as a sparse matrix; fewer take less time as a dense one */

/* Set the numbers of the active rows of a part, and their places. Returns how many these are. */
static inline int take_active(const RowTable *table, const RowPart *part, const Number *w, RowWorkspace *work) {
    int n = 0;
    for (int i = 0; i < part->n_blocks; i++) {
        const RowBlock *block = table->blocks + part->blocks[i];
        for (int row = 0; FIRST_LANE(w[block->enabled]) != 0 && row < block->n; row++) {
            work->place[block->first + row] = n;
            work->active[n++] = block->first + row;
        }
    }
    return n;
}

/* Set work->A [n][n] to the products of the active rows. `products` [n_A] are A, or its changes. */
static inline void gather_A(const RowTable *table, const RowPart *part, const Number *w, const Number *products, RowWorkspace *work,
                            int n) {
    memset(work->A, 0, (size_t)n * (size_t)n * sizeof(Number));
    for (int i = 0; i < part->n_blocks; i++) {
        const RowBlock *block = table->blocks + part->blocks[i];
        for (int o = 0; FIRST_LANE(w[block->enabled]) != 0 && o < block->n_overlaps; o++) {
            const Overlap overlap = overlap_of(table, block, o);
            const RowBlock *other = table->blocks + overlap.block;
            if (FIRST_LANE(w[other->enabled]) == 0)
                continue;
            Number *first = work->A + work->place[block->first] * n + work->place[other->first];
            for (int r = 0; r < block->n; r++)
                for (int s = 0; s < other->n; s++)
                    first[r * n + s] = products[overlap.at + r * overlap.down + s * overlap.across];
        }
    }
}

/* product [n] = A v, of the active rows; see gather_A */
static inline void multiply_by_A(const RowTable *table, const RowPart *part, const Number *w, const Number *products,
                                 const RowWorkspace *work, const Number *v, Number *product) {
    for (int i = 0; i < part->n_blocks; i++) {
        const RowBlock *block = table->blocks + part->blocks[i];
        for (int r = 0; FIRST_LANE(w[block->enabled]) != 0 && r < block->n; r++) {
            Number sum = NUMBER(0.0);
            for (int o = 0; o < block->n_overlaps; o++) {
                const Overlap overlap = overlap_of(table, block, o);
                const RowBlock *other = table->blocks + overlap.block;
                for (int s = 0; FIRST_LANE(w[other->enabled]) != 0 && s < other->n; s++)
                    sum += products[overlap.at + r * overlap.down + s * overlap.across] * v[work->place[other->first + s]];
            }
            product[work->place[block->first + r]] = sum;
        }
    }
}

/* values [n] of the active rows += factor times their products with the first row of a block */
static inline void add_products_with(const RowTable *table, const RowBlock *block, Number factor, const Number *w, const Number *products,
                                     const RowWorkspace *work, Number *values) {
    for (int o = 0; o < block->n_overlaps; o++) {
        const Overlap overlap = overlap_of(table, block, o);
        const RowBlock *other = table->blocks + overlap.block;
        for (int s = 0; FIRST_LANE(w[other->enabled]) != 0 && s < other->n; s++)
            values[work->place[other->first + s]] += factor * products[overlap.at + s * overlap.across];
    }
}

/* Set how many rows each block of the order of elimination has, and their places. n: active rows. Returns whether all are in the order. */
static inline int count_in_blocks(const RowTable *table, const RowPart *part, const Number *w, RowWorkspace *work, int n) {
    const int n_columns = part->pattern->n_columns;
    int *rows = work->in_blocks, *first = rows + n_columns;
    for (int k = 0; k < n_columns; k++) {
        const RowBlock *block = table->blocks + part->order[k];
        rows[k] = FIRST_LANE(w[block->enabled]) != 0 ? block->n : 0;
        first[k] = rows[k] ? work->place[block->first] : 0;
        n -= rows[k];
    }
    return n == 0;
}

/* the memory of sparse factors: `kept` [size of the pattern + 2 n_rows] stays, the rest is needed by the factorisation alone */
static inline SparseFactors sparse_factors_in(const CholeskyPattern *pattern, const int *in_blocks, int n_rows, Number *kept,
                                              Number *rest) {
    SparseFactors factors = {.pattern = pattern, .rows = in_blocks, .first = in_blocks + pattern->n_columns, .L = kept, .inverse = rest};
    factors.scale = kept + pattern->size;
    factors.weight = factors.scale + n_rows;
    factors.column = rest + pattern->size;
    return factors;
}

/* whether a part of many rows is factored by its pattern; then work->sparse is ready for its matrix */
static inline int takes_sparse_factors(const RowTable *table, const RowPart *part, const Number *w, RowWorkspace *work, int n) {
    if (!part->pattern || n < LEAST_SPARSE || !count_in_blocks(table, part, w, work, n))
        return 0;
    work->sparse = sparse_factors_in(part->pattern, work->in_blocks, part->n_rows, work->factors.reals, work->A);
    return 1;
}

/* set the matrix to the products of the active rows, and 0 in all other places of its factor */
static inline void gather_sparse(const RowPart *part, const Number *products, SparseFactors *factors) {
    const CholeskyPattern *pattern = part->pattern;
    memset(factors->L, 0, (size_t)pattern->size * sizeof(Number));
    for (int e = 0; e < pattern->n_entries; e++) {
        const int *entry = pattern->entries + 3 * e, *of = part->products + 3 * e, stride = pattern->columns[entry[1]].n;
        for (int r = 0; r < factors->rows[entry[0]]; r++)
            for (int s = 0; s < factors->rows[entry[1]]; s++)
                factors->L[entry[2] + r * stride + s] = products[of[0] + r * of[1] + s * of[2]];
    }
}

#endif
