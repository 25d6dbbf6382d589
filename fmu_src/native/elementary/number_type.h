/* The type of the numbers of kernels, and of whole numbers with the same lanes; see number.h. */
#ifndef MOBOD_NUMBER_TYPE_H
#define MOBOD_NUMBER_TYPE_H

#include <stdint.h>

#ifdef MOBOD_LANES
#if MOBOD_LANES != 2 && MOBOD_LANES != 4 && MOBOD_LANES != 8
#error "MOBOD_LANES is 2, 4 or 8"
#endif
typedef double Number __attribute__((vector_size(8 * MOBOD_LANES)));
typedef int64_t Index __attribute__((vector_size(8 * MOBOD_LANES)));
#else
typedef double Number;
typedef int Index;
#endif

/* a small function of inner loops: inlined even where a compiler is asked for small code (compiler.py) */
#define INLINED static inline __attribute__((always_inline))

#endif
