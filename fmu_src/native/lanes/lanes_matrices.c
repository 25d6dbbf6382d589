/* Products and inverses of matrices over Numbers with several lanes. */
#define MOBOD_LANES MOBOD_WIDTH /* of this library */
#include "lanes.h"
#include "lanes_trial.h"
#include "matrix_arithmetic.h"

int run_product_on_lanes(const void *context, Call *call, const int *at) {
    (void)at;
    multiply_in(context, ((Lanes *)call->host)->w);
    return 0;
}

int run_inverse_on_lanes(const void *context, Call *call, const int *at) {
    (void)at;
    invert_in(context, ((Lanes *)call->host)->w);
    return 0;
}
