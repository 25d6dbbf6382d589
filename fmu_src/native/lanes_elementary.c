/* The elementary functions of Numbers with several lanes: in each lane the bits of elementary.h. */
#ifndef MOBOD_LANES /* which a library of kernels defines for all files */
#define MOBOD_LANES MOBOD_WIDTH
#endif
#include "number.h"

#define IN_EACH_LANE(name, function)                                                                                                       \
    Number name(Number x) {                                                                                                                \
        for (int lane = 0; lane < MOBOD_LANES; lane++)                                                                                     \
            x[lane] = function(x[lane]);                                                                                                   \
        return x;                                                                                                                          \
    }

#define IN_EACH_LANE_OF_TWO(name, function)                                                                                                \
    Number name(Number x, Number y) {                                                                                                      \
        for (int lane = 0; lane < MOBOD_LANES; lane++)                                                                                     \
            x[lane] = function(x[lane], y[lane]);                                                                                          \
        return x;                                                                                                                          \
    }

IN_EACH_LANE(number_floor, mobod_floor)
IN_EACH_LANE(number_sqrt, mobod_sqrt)
IN_EACH_LANE_OF_TWO(number_pow, mobod_pow)
IN_EACH_LANE_OF_TWO(number_atan2, mobod_atan2)
IN_EACH_LANE(number_exp, mobod_exp)
IN_EACH_LANE(number_log, mobod_log)
IN_EACH_LANE(number_sin, mobod_sin)
IN_EACH_LANE(number_cos, mobod_cos)
IN_EACH_LANE(number_tan, mobod_tan)
IN_EACH_LANE(number_asin, mobod_asin)
IN_EACH_LANE(number_acos, mobod_acos)
IN_EACH_LANE(number_atan, mobod_atan)
IN_EACH_LANE(number_sinh, mobod_sinh)
IN_EACH_LANE(number_cosh, mobod_cosh)
IN_EACH_LANE(number_tanh, mobod_tanh)

void number_sincos(Number x, Number *sine, Number *cosine) {
    for (int lane = 0; lane < MOBOD_LANES; lane++) {
        double s, c;
        mobod_sincos(x[lane], &s, &c);
        (*sine)[lane] = s;
        (*cosine)[lane] = c;
    }
}
