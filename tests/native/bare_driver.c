/* integer_root.c, bare_text.c and bare_memory.c, from Python */
#include "bare_memory.h"
#include "elementary.h"

double root_of(double x) { return mobod_integer_sqrt(x); }

int text_of_number(char *text, size_t size, const char *format, double x) { return bare_print(text, size, format, x); }
int text_of_whole(char *text, size_t size, const char *format, int n) { return bare_print(text, size, format, n); }
int text_of_text(char *text, size_t size, const char *format, const char *part) { return bare_print(text, size, format, part); }
