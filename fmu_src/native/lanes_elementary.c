/* The elementary functions of Numbers with several lanes: in each lane the bits of elementary.h.

   All lanes are computed by the text of the functions of doubles, over vectors. Lanes whose arguments are not common, such as huge ones,
   infinities and NaN, are then computed again, one by one, by the functions of doubles. */
#define OVER_LANES
#include "trigonometric.h"

/* the result, with these lanes by the function of doubles */
static RARE Number by_doubles(Mask lanes, Number result, Number x, double (*function)(double)) {
    for (int lane = 0; lane < MOBOD_LANES; lane++)
        if (lanes[lane])
            result[lane] = function(x[lane]);
    return result;
}

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

IN_EACH_LANE_OF_TWO(number_pow, mobod_pow)
IN_EACH_LANE_OF_TWO(number_atan2, mobod_atan2)
IN_EACH_LANE(number_exp, mobod_exp)
IN_EACH_LANE(number_log, mobod_log)
IN_EACH_LANE(number_asin, mobod_asin)
IN_EACH_LANE(number_acos, mobod_acos)
IN_EACH_LANE(number_atan, mobod_atan)
IN_EACH_LANE(number_sinh, mobod_sinh)
IN_EACH_LANE(number_cosh, mobod_cosh)
IN_EACH_LANE(number_tanh, mobod_tanh)

static RARE void sincos_by_doubles(Mask lanes, Number x, Number *sine, Number *cosine) {
    for (int lane = 0; lane < MOBOD_LANES; lane++)
        if (lanes[lane]) {
            double s, c;
            mobod_sincos(x[lane], &s, &c);
            (*sine)[lane] = s;
            (*cosine)[lane] = c;
        }
}

void number_sincos(Number x, Number *sine, Number *cosine) {
    Mask others = ~(number_abs(x) < LARGEST_COMMON);
    Bits n;
    Sum r = reduced(x, &n);
    sine_and_cosine(r, n, sine, cosine);
    if (any_lane(others))
        sincos_by_doubles(others, x, sine, cosine);
}

Number number_sin(Number x) {
    Number sine, cosine;
    number_sincos(x, &sine, &cosine);
    return sine;
}

Number number_cos(Number x) {
    Number sine, cosine;
    number_sincos(x, &sine, &cosine);
    return cosine;
}

Number number_tan(Number x) {
    Number size = number_abs(x);
    Mask others = ~(size < LARGEST_COMMON);
    Bits n;
    Sum r = reduced(x, &n);
    Number result = number_chosen(size < LARGEST_TANGENT_OF_ITSELF, x, tangent(r, n));
    return any_lane(others) ? by_doubles(others, result, x, mobod_tan) : result;
}
