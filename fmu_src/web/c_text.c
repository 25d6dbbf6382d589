/* Texts for WebAssembly, in place of a C library: the functions of stdio.h and string.h that the runtime calls, for its messages.
 *
 * Of the conversions there are those of the runtime's messages: %s, %d, %u, %e, %f, %g and %%, with a precision and the lengths l and z,
 * and neither flags nor a width. Numbers are rounded from all their digits, so that the texts are those of any C library. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    BASE = 1000000000, /* of the limbs of a long number; each has 9 digits */
    LIMB_DIGITS = 9,
    LONGEST = 90,       /* limbs: a double has at most 767 digits */
    MANTISSA_BITS = 52, /* of a double, without the leading one */
    BIAS = 1075,        /* of its exponent, if the mantissa is an integer */
    TWOS = 29,          /* 2^29 and 5^12 are the largest powers by which a limb is multiplied at once */
    FIVES = 12
};

/* ---- the decimal digits of a double ---- */

/* its absolute value is 0.d0 d1 d2 ... 10^point, exactly */
typedef struct {
    int n, point;
    char digits[LONGEST * LIMB_DIGITS + 1]; /* 0 to 9; one more for a carry */
} Decimal;

typedef struct {
    int n;
    uint32_t limbs[LONGEST]; /* the lowest first */
} LongNumber;

static void multiply(LongNumber *number, uint32_t factor) {
    uint64_t carry = 0;
    for (int i = 0; i < number->n; i++) {
        carry += (uint64_t)number->limbs[i] * factor;
        number->limbs[i] = (uint32_t)(carry % BASE);
        carry /= BASE;
    }
    if (carry)
        number->limbs[number->n++] = (uint32_t)carry;
}

static void multiply_by_power(LongNumber *number, uint32_t base, int power, int most_at_once) {
    while (power > 0) {
        uint32_t factor = 1;
        int now = power < most_at_once ? power : most_at_once;
        for (int i = 0; i < now; i++)
            factor *= base;
        multiply(number, factor);
        power -= now;
    }
}

/* of a finite number */
static void find_digits(double value, Decimal *decimal) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t mantissa = bits & (((uint64_t)1 << MANTISSA_BITS) - 1);
    int exponent = (int)(bits >> MANTISSA_BITS & 0x7ff);
    if (exponent)
        mantissa |= (uint64_t)1 << MANTISSA_BITS;
    else
        exponent = 1;
    exponent -= BIAS;
    decimal->n = decimal->point = 0;
    if (!mantissa)
        return;
    while (!(mantissa & 1) && exponent < 0) {
        mantissa >>= 1;
        exponent++;
    }
    LongNumber number = {.n = 0};
    for (; mantissa; mantissa /= BASE)
        number.limbs[number.n++] = (uint32_t)(mantissa % BASE);
    // m 2^-k = m 5^k 10^-k
    if (exponent >= 0)
        multiply_by_power(&number, 2, exponent, TWOS);
    else
        multiply_by_power(&number, 5, -exponent, FIVES);
    for (int i = number.n - 1; i >= 0; i--) {
        uint32_t limb = number.limbs[i];
        for (uint32_t unit = BASE / 10; unit; unit /= 10) {
            char digit = (char)(limb / unit % 10);
            if (decimal->n || digit)
                decimal->digits[decimal->n++] = digit;
        }
    }
    decimal->point = decimal->n + (exponent < 0 ? exponent : 0);
}

/* Leaves n digits, rounded to the nearest number, and to an even digit in the middle. n <= 0: no digit is left, or a 1 before them. */
static void round_digits(Decimal *decimal, int n) {
    if (n >= decimal->n)
        return;
    if (n < 0) {
        decimal->n = 0;
        return;
    }
    int is_above = decimal->digits[n] > 5, is_middle = decimal->digits[n] == 5;
    for (int i = n + 1; is_middle && i < decimal->n; i++)
        if (decimal->digits[i]) {
            is_middle = 0;
            is_above = 1;
        }
    if (is_middle)
        is_above = n > 0 && decimal->digits[n - 1] % 2;
    decimal->n = n;
    if (!is_above)
        return;
    while (n > 0 && decimal->digits[n - 1] == 9)
        decimal->digits[--n] = 0;
    if (n > 0) {
        decimal->digits[n - 1]++;
        return;
    }
    // all were 9, or there were none: 1 with zeros
    decimal->digits[0] = 1;
    for (int i = 1; i <= decimal->n; i++)
        decimal->digits[i] = 0;
    decimal->n++;
    decimal->point++;
}

/* ---- conversions ---- */

typedef struct {
    char *place;
    size_t size, length; /* of the memory; of the whole text, which may be longer */
} Text;

static void put(Text *text, char character) {
    if (text->length + 1 < text->size)
        text->place[text->length] = character;
    text->length++;
}

static void put_string(Text *text, const char *string, int precision) {
    for (int i = 0; (precision < 0 || i < precision) && string[i]; i++)
        put(text, string[i]);
}

static void put_integer(Text *text, uint64_t value, int least_digits) {
    char digits[20];
    int n = 0;
    for (; value || n < least_digits; value /= 10)
        digits[n++] = (char)('0' + value % 10);
    while (n > 0)
        put(text, digits[--n]);
}

static char digit_at(const Decimal *decimal, int i) { return (char)('0' + (i >= 0 && i < decimal->n ? decimal->digits[i] : 0)); }

static void put_fixed(Text *text, const Decimal *decimal, int n_decimals) {
    if (decimal->point <= 0 || !decimal->n)
        put(text, '0');
    else
        for (int i = 0; i < decimal->point; i++)
            put(text, digit_at(decimal, i));
    int point = decimal->n ? decimal->point : 0;
    if (n_decimals > 0)
        put(text, '.');
    for (int i = 0; i < n_decimals; i++)
        put(text, digit_at(decimal, point + i));
}

static void put_exponential(Text *text, const Decimal *decimal, int n_decimals) {
    int exponent = decimal->n ? decimal->point - 1 : 0;
    put(text, digit_at(decimal, 0));
    if (n_decimals > 0)
        put(text, '.');
    for (int i = 1; i <= n_decimals; i++)
        put(text, digit_at(decimal, i));
    put(text, 'e');
    put(text, exponent < 0 ? '-' : '+');
    put_integer(text, (uint64_t)(exponent < 0 ? -exponent : exponent), 2);
}

static void put_shortest(Text *text, Decimal *decimal, int precision) {
    int n_digits = precision ? precision : 1;
    round_digits(decimal, n_digits);
    int exponent = decimal->n ? decimal->point - 1 : 0;
    while (decimal->n && !decimal->digits[decimal->n - 1])
        decimal->n--;
    if (exponent < -4 || exponent >= n_digits)
        put_exponential(text, decimal, decimal->n ? decimal->n - 1 : 0);
    else
        put_fixed(text, decimal, decimal->n > decimal->point ? decimal->n - decimal->point : 0);
}

static void put_double(Text *text, double value, char conversion, int precision) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (bits >> 63)
        put(text, '-');
    if (value != value || value - value != 0) {
        put_string(text, value != value ? "nan" : "inf", -1);
        return;
    }
    Decimal decimal;
    find_digits(value, &decimal);
    precision = precision < 0 ? 6 : precision;
    if (conversion == 'g')
        put_shortest(text, &decimal, precision);
    else if (conversion == 'e') {
        round_digits(&decimal, precision + 1);
        put_exponential(text, &decimal, precision);
    } else {
        round_digits(&decimal, decimal.point + precision);
        put_fixed(text, &decimal, precision);
    }
}

int vsnprintf(char *place, size_t size, const char *format, va_list arguments) {
    Text text = {.place = place, .size = size};
    for (; *format; format++) {
        if (*format != '%') {
            put(&text, *format);
            continue;
        }
        int precision = -1, is_long = 0;
        if (*++format == '.' && *++format == '*') {
            precision = va_arg(arguments, int);
            format++;
        } else if (format[-1] == '.')
            for (precision = 0; *format >= '0' && *format <= '9'; format++)
                precision = 10 * precision + (*format - '0');
        for (; *format == 'l' || *format == 'z'; format++)
            is_long = 1; // both have the size of a long in WebAssembly of 32 bits and on Linux and macOS
        if (*format == 's')
            put_string(&text, va_arg(arguments, const char *), precision);
        else if (*format == 'u')
            put_integer(&text, is_long ? va_arg(arguments, unsigned long) : va_arg(arguments, unsigned), 1);
        else if (*format == 'd') {
            long value = is_long ? va_arg(arguments, long) : va_arg(arguments, int);
            if (value < 0)
                put(&text, '-');
            put_integer(&text, value < 0 ? -(uint64_t)value : (uint64_t)value, 1);
        } else if (*format == 'e' || *format == 'f' || *format == 'g')
            put_double(&text, va_arg(arguments, double), *format, precision);
        else
            put(&text, *format); // %%
    }
    if (size)
        place[text.length < size ? text.length : size - 1] = '\0';
    return (int)text.length;
}

int snprintf(char *place, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(place, size, format, arguments);
    va_end(arguments);
    return length;
}

size_t strlen(const char *string) {
    size_t length = 0;
    while (string[length])
        length++;
    return length;
}

int strcmp(const char *left, const char *right) {
    while (*left && *left == *right) {
        left++;
        right++;
    }
    return (unsigned char)*left - (unsigned char)*right;
}
