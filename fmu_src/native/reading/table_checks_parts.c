/* Checks of the structure of rows: which of them overlap, their parts, and the patterns of sparse factors. */
#include "table_checks.h"

#include "rows.h"

static int is_among(int at, int64_t n, int64_t size) { return at >= 0 && n >= 0 && at + n <= size; }

const char *fault_of_overlaps(const RowTable *rows, int number) {
    const RowBlock *block = rows->blocks + number;
    if (block->n_before < 0 || block->n_before >= block->n_overlaps)
        return "rows that do not overlap themselves";
    if (!block->overlaps)
        return block->n_overlaps == rows->n_blocks && block->n_before == number && rows->n_A >= (int64_t)rows->n_rows * rows->n_rows
                   ? NULL
                   : "products that are not in w";
    for (int i = 0; i < block->n_overlaps; i++) {
        const int *overlap = block->overlaps + 4 * i;
        if (overlap[0] < 0 || overlap[0] >= rows->n_blocks || (i < block->n_before) != (overlap[0] < number) ||
            (i == block->n_before) != (overlap[0] == number))
            return "an overlap with rows that do not exist";
        const int64_t n = block->n, n_other = rows->blocks[overlap[0]].n;
        if (overlap[1] < 0 || overlap[2] < 1 || overlap[3] < 1 ||
            (n > 0 && n_other > 0 && overlap[1] + (n - 1) * overlap[2] + (n_other - 1) * overlap[3] >= rows->n_A))
            return "products that are not in w";
    }
    return NULL;
}

/* the columns of a pattern, and its entries; all blocks are within the factor */
static const char *fault_of_pattern(const Checks *checks, const CholeskyPattern *pattern) {
    if (!has_items(checks, pattern, 1) || !has_items(checks, pattern->columns, pattern->n_columns) ||
        !has_items(checks, pattern->entries, 3 * (int64_t)pattern->n_entries) || pattern->size < 0)
        return "factors that are cut off";
    for (int j = 0; j < pattern->n_columns; j++)
        if (pattern->columns[j].n < 0 || pattern->columns[j].n > pattern->size)
            return "a column of factors that does not exist";
    for (int j = 0; j < pattern->n_columns; j++) {
        const CholeskyColumn *column = pattern->columns + j;
        const int64_t n = column->n, n_after = column->n_after;
        int64_t tall = 0;
        int before = j;
        if (!is_among(column->at, n * n, pattern->size) || !has_items(checks, column->after, 2 * n_after) ||
            !has_items(checks, column->pairs, n_after * (n_after + 1) / 2))
            return "a column of factors that is cut off";
        const int *pair = column->pairs;
        for (int a = 0; a < n_after; a++) {
            const int row = column->after[2 * a];
            if (row <= before || row >= pattern->n_columns ||
                !is_among(column->after[2 * a + 1], pattern->columns[row].n * n, pattern->size))
                return "a row of factors that does not exist";
            tall += pattern->columns[row].n * n;
            before = row;
            for (int b = 0; b <= a; b++, pair++) {
                const int64_t n_other = pattern->columns[column->after[2 * b]].n;
                if (!is_among(*pair, pattern->columns[row].n * n_other, pattern->size))
                    return "a pair of factors that does not exist";
            }
        }
        if (tall > pattern->tallest)
            return "factors without room";
    }
    for (int e = 0; e < pattern->n_entries; e++) {
        const int *entry = pattern->entries + 3 * e;
        if (entry[1] < 0 || entry[0] < entry[1] || entry[0] >= pattern->n_columns ||
            !is_among(entry[2], (int64_t)pattern->columns[entry[0]].n * pattern->columns[entry[1]].n, pattern->size))
            return "an entry of factors that does not exist";
    }
    return NULL;
}

/* whether a part has a block; its blocks are ascending */
static int has_block(const RowPart *part, int block) {
    int at = 0, end = part->n_blocks;
    while (at < end) {
        const int middle = at + (end - at) / 2;
        if (part->blocks[middle] < block)
            at = middle + 1;
        else
            end = middle;
    }
    return at < part->n_blocks && part->blocks[at] == block;
}

/* the order of elimination of a part: its blocks, each at most once */
static const char *fault_of_order(const Checks *checks, const RowTable *rows, const RowPart *part) {
    const CholeskyPattern *pattern = part->pattern;
    const char *fault = fault_of_pattern(checks, pattern);
    if (fault)
        return fault;
    if (!has_items(checks, part->order, pattern->n_columns) || !has_items(checks, part->products, 3 * (int64_t)pattern->n_entries) ||
        pattern->n_columns > part->n_blocks)
        return "an order of rows that is cut off";
    for (int k = 0; k < pattern->n_columns; k++) {
        if (part->order[k] < 0 || part->order[k] >= rows->n_blocks || rows->blocks[part->order[k]].n != pattern->columns[k].n)
            return "an order of rows that do not exist";
        int is_new = has_block(part, part->order[k]);
        for (int i = 0; i < k; i++)
            is_new = is_new && part->order[i] != part->order[k];
        if (!is_new)
            return "an order of rows of other parts";
    }
    for (int e = 0; e < pattern->n_entries; e++) {
        const int *entry = pattern->entries + 3 * e, *of = part->products + 3 * e;
        const int64_t n = pattern->columns[entry[0]].n, n_other = pattern->columns[entry[1]].n;
        if (of[0] < 0 || of[1] < 1 || of[2] < 1 || (n > 0 && n_other > 0 && of[0] + (n - 1) * of[1] + (n_other - 1) * of[2] >= rows->n_A))
            return "products that are not in w";
    }
    return NULL;
}

static const char *fault_of_part(const Checks *checks, const RowTable *rows, const RowPart *part) {
    if (!has_items(checks, part->blocks, part->n_blocks) || !has_items(checks, part->runs, 2 * (int64_t)part->n_runs) ||
        !has_items(checks, part->carried, part->n_carried))
        return "a part of rows that is cut off";
    int64_t n_rows = 0, n_columns = 0;
    int n_carried = 0;
    for (int i = 0; i < part->n_blocks; i++) {
        if (part->blocks[i] < 0 || part->blocks[i] >= rows->n_blocks || (i && part->blocks[i] <= part->blocks[i - 1]))
            return "a part of rows that do not exist";
        const RowBlock *block = rows->blocks + part->blocks[i];
        n_rows += block->n;
        if (block->carried && (n_carried >= part->n_carried || part->carried[n_carried++] != part->blocks[i]))
            return "a part with other friction";
    }
    for (int i = 0; i < part->n_blocks; i++)
        for (int k = 0; k < rows->blocks[part->blocks[i]].n_overlaps; k++)
            if (!has_block(part, rows->blocks[part->blocks[i]].overlaps ? rows->blocks[part->blocks[i]].overlaps[4 * k] : k))
                return "rows that overlap with those of another part";
    for (int i = 0; i < part->n_runs; n_columns += part->runs[2 * i++ + 1])
        if (part->runs[2 * i] < 0 || part->runs[2 * i + 1] < 0 || part->runs[2 * i] > rows->nu - part->runs[2 * i + 1])
            return "a part of speeds that do not exist";
    if (n_rows != part->n_rows || n_columns != part->n_columns || n_columns > rows->nu || n_carried != part->n_carried)
        return "a part of another size";
    return part->pattern ? fault_of_order(checks, rows, part) : NULL;
}

const char *fault_of_parts(const Checks *checks, const RowTable *rows) {
    int64_t n_blocks = 0, n_rows = 0, of_G = 0;
    if (!has_items(checks, rows->parts, rows->n_parts))
        return "parts of rows that are cut off";
    for (int i = 0; i < rows->n_parts; i++) {
        const RowPart *part = rows->parts + i;
        const char *fault = fault_of_part(checks, rows, part);
        if (fault)
            return fault;
        const int64_t m = part->n_rows, n = part->n_columns, sparse = part->pattern ? part->pattern->size + 2 * m : 0;
        const int64_t of_A = 2 * m * m + 7 * m, dense = m * n + m * m + 6 * m + n, entries = m * (m > n ? m : n);
        of_G += 2 + (dense > sparse ? dense : sparse);
        if (m > rows->most_rows || entries > rows->most_entries || of_A > rows->n_factors || sparse > rows->n_factors ||
            (part->pattern && (int64_t)part->pattern->size + part->pattern->tallest > rows->most_entries))
            return "parts without room";
        n_blocks += part->n_blocks;
        n_rows += m;
    }
    return n_blocks != rows->n_blocks || n_rows != rows->n_rows || of_G > rows->n_factors ? "parts of other rows" : NULL;
}
