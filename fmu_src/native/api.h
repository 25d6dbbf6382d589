/* All that Python sees of the runtime. engine/mobod/runtime/library.py reads the declarations from here and from the headers included. */
#ifndef MOBOD_API_H
#define MOBOD_API_H

#include "interpreter.h"
#include "sweep.h"

#if defined _WIN32
#define MOBOD_API __declspec(dllexport)
#else
#define MOBOD_API __attribute__((visibility("default")))
#endif

/* NULL if the program is sound, else what is wrong with it; see why_not_a_program */
MOBOD_API const char *mobod_why_not_a_program(const Program *program);

/* the kernel of a sound program, which must outlive it */
MOBOD_API Kernel mobod_program_kernel(const Program *program);

/* Do a sweep on w, or, where dw is given, its tangents on w and dw. scratch: as many numbers as the largest program has registers. */
MOBOD_API int mobod_call_kernels(const Sweep *sweep, const Kernel *kernels, double *w, double *dw, double *scratch);

#endif
