/* For a compiler with options of an importer's choice. Each C file in the sources of an FMU includes this header first
   (native_sources.py). It has the effect of the options -ffp-contract=off and -fvisibility=hidden, which mobod itself gives (compiler.py):
   the library computes the same bits, and exports only the functions of FMI. */
#ifndef MOBOD_ANY_COMPILER_H
#define MOBOD_ANY_COMPILER_H

#if defined __clang__
#pragma STDC FP_CONTRACT OFF
#elif defined __GNUC__
#pragma GCC optimize("fp-contract=off")
#elif defined _MSC_VER
#pragma fp_contract(off)
#endif

#if defined __GNUC__ && !defined _WIN32
/* all headers of the C library that the sources include: its functions stay visible */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#pragma GCC visibility push(hidden)
#endif

#endif
