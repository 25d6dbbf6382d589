#include "bare.h"
#include "elementary.h"

size_t bare_length(const char *text) {
    size_t n = 0;
    while (text[n])
        n++;
    return n;
}

int bare_compare(const char *a, const char *b) {
    while (*a && *a == *b)
        a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}

char *bare_copy(char *to, const char *from) { return memcpy(to, from, bare_length(from) + 1); }

/* ---------------------------------------------------------------------------------------------------------------------------- messages */

/* a text that is being written; what has no room is counted */
typedef struct {
    char *text;
    size_t size, n;
} Line;

static void put(Line *line, char c) {
    if (line->n + 1 < line->size)
        line->text[line->n] = c;
    line->n++;
}

static void put_text(Line *line, const char *text) {
    for (; *text; text++)
        put(line, *text);
}

static void put_whole(Line *line, uint64_t number) {
    char digits[20];
    int n = 0;
    do
        digits[n++] = (char)('0' + number % 10);
    while (number /= 10);
    while (n)
        put(line, digits[--n]);
}

/* `n` significant digits of a positive number, without zeros at the end, as %g; the last digit may be off by one */
static void put_digits(Line *line, double x, int n) {
    int exponent = 0;
    while (x >= 10)
        x /= 10, exponent++;
    while (x < 1)
        x *= 10, exponent--;
    uint64_t scale = 1;
    for (int i = 1; i < n; i++)
        scale *= 10;
    uint64_t digits = (uint64_t)(x * (double)scale + 0.5);
    if (digits >= 10 * scale)
        digits /= 10, exponent++;
    const int is_scientific = exponent < -4 || exponent >= n;
    int at_point = is_scientific ? 0 : exponent; /* the power of ten of the first digit that is written */
    for (int i = at_point; i < 0; i++)
        put_text(line, i == at_point ? "0." : "0");
    for (; digits || at_point >= 0; at_point--) {
        if (at_point == -1 && digits && (is_scientific || exponent >= 0))
            put(line, '.');
        put(line, (char)('0' + digits / scale));
        digits = digits % scale * 10;
    }
    if (is_scientific) {
        put(line, 'e');
        put(line, exponent < 0 ? '-' : '+');
        if (exponent > -10 && exponent < 10)
            put(line, '0');
        put_whole(line, (uint64_t)(exponent < 0 ? -exponent : exponent));
    }
}

static void put_number(Line *line, double x, int digits) {
    if (isnan(x)) {
        put_text(line, "nan");
        return;
    }
    if (x < 0)
        put(line, '-');
    x = fabs(x);
    if (isinf(x))
        put_text(line, "inf");
    else if (x == 0)
        put(line, '0');
    else
        put_digits(line, x, digits < 1 ? 1 : digits > 17 ? 17 : digits);
}

int bare_print_list(char *text, size_t size, const char *format, va_list arguments) {
    Line line = {text, size, 0};
    for (; *format; format++) {
        if (*format != '%') {
            put(&line, *format);
            continue;
        }
        int precision = 6, is_long = 0;
        format++;
        if (*format == '.')
            for (precision = 0, format++; *format >= '0' && *format <= '9'; format++)
                precision = 10 * precision + (*format - '0');
        for (; *format == 'l' || *format == 'z'; format++)
            is_long = 1;
        switch (*format) {
        case 's':
            put_text(&line, va_arg(arguments, const char *));
            break;
        case 'd': {
            const long number = is_long ? va_arg(arguments, long) : va_arg(arguments, int);
            if (number < 0)
                put(&line, '-');
            put_whole(&line, number < 0 ? (uint64_t)-number : (uint64_t)number);
            break;
        }
        case 'u':
            put_whole(&line, is_long ? va_arg(arguments, unsigned long) : va_arg(arguments, unsigned));
            break;
        case 'g':
            put_number(&line, va_arg(arguments, double), precision);
            break;
        case 'e':
            put_number(&line, va_arg(arguments, double), precision + 1);
            break;
        case 'f': /* of whole numbers: counts that are doubles */
            put_number(&line, va_arg(arguments, double), 17);
            break;
        default:
            put(&line, *format);
        }
    }
    if (size)
        text[line.n < size ? line.n : size - 1] = '\0';
    return (int)line.n;
}

int bare_print(char *text, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int n = bare_print_list(text, size, format, arguments);
    va_end(arguments);
    return n;
}
