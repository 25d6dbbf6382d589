/* In place of <math.h>, <stdio.h>, <stdlib.h> and <string.h>, in sources for targets without an operating system. Each C file that
 * `mobod export --target c` writes includes this header first (native_sources.py).
 *
 * Of a C library, memcpy and memset are called alone. Memory comes from the block that model_init is given (bare_memory.h). */
#ifndef MOBOD_BARE_H
#define MOBOD_BARE_H

#include <float.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* the same bits from every compiler, as any_compiler.h says */
#if defined __clang__
#pragma STDC FP_CONTRACT OFF
#elif defined __GNUC__
#pragma GCC optimize("fp-contract=off")
#endif

/* numbers of a State are compared with enumerators, which are small whole numbers */
#if defined __clang__ && defined __has_warning
#if __has_warning("-Wenum-float-conversion")
#pragma clang diagnostic ignored "-Wenum-float-conversion"
#endif
#endif

void *memcpy(void *to, const void *from, size_t n);
void *memset(void *to, int byte, size_t n);

#define memcmp bare_compare_bytes
#define memmove bare_move_bytes
#define strlen bare_length
#define strcmp bare_compare
#define strcpy bare_copy
#define snprintf bare_print
#define vsnprintf bare_print_list
#define calloc bare_allocate
#define malloc(size) bare_allocate(1, size)
#define free(memory) ((void)(memory)) /* a model is never freed */

int bare_compare_bytes(const void *a, const void *b, size_t n);
void *bare_move_bytes(void *to, const void *from, size_t n);
size_t bare_length(const char *text);
int bare_compare(const char *a, const char *b);
char *bare_copy(char *to, const char *from);

/* as snprintf and vsnprintf, of the formats that the runtime uses: %s, %d, %u, %g, %f with a precision, %% */
int bare_print(char *text, size_t size, const char *format, ...);
int bare_print_list(char *text, size_t size, const char *format, va_list arguments);

/* as calloc */
void *bare_allocate(size_t n, size_t size);

/* Square roots: by an instruction of the processor where it is known to have one for doubles, else by integers (integer_root.c). */
#ifndef MOBOD_OWN_SQRT
#if defined __x86_64__ || defined __aarch64__ || (defined __ARM_FP && __ARM_FP & 8) || (defined __riscv_flen && __riscv_flen >= 64)
#define MOBOD_OWN_SQRT 0
#else
#define MOBOD_OWN_SQRT 1
#endif
#endif

#if defined __GNUC__
#undef INFINITY
#undef NAN
#define HUGE_VAL __builtin_huge_val()
#define INFINITY HUGE_VAL
#define NAN __builtin_nan("")
#define isfinite(x) __builtin_isfinite(x)
#define isinf(x) __builtin_isinf(x)
#define isnan(x) __builtin_isnan(x)
#else
#include <math.h> /* for its macros */
#endif

#endif
