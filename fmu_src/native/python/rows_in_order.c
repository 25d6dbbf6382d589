#include "rows_in_order.h"

int run_rows_in_order(const void *context, Call *call, const int *at) {
    const RowsInOrder *rows = context;
    int result = 0;
    for (int row = 0; row < rows->n_rows && !result; row++)
        result = rows->kernel.run(rows->kernel.context, call, at + row * rows->n_places);
    return result;
}
