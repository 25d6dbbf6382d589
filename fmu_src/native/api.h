/* All that Python sees of the runtime. engine/mobod/runtime/library.py reads the declarations from here and from the headers included. */
#ifndef MOBOD_API_H
#define MOBOD_API_H

#include "change_of_step.h"
#include "delays.h"
#include "exported.h"
#include "interpreter.h"
#include "own_errors.h"
#include "rows.h"
#include "simulation.h"
#include "sweep.h"
#include "unilateral_rows.h"

/* NULL if the program is sound, else what is wrong with it; see why_not_a_program */
MOBOD_API const char *mobod_why_not_a_program(const Program *program);

/* the kernel of a sound program, which must outlive it */
MOBOD_API Kernel mobod_program_kernel(const Program *program);

/* a kernel function by its name, of those that tables of steps refer to; NULL: there is none of that name */
MOBOD_API KernelFunction *mobod_kernel_function(const char *name);

/* Do a sweep on w, or, where dw is given, its tangents on w and dw. scratch: as many numbers as the largest program has registers. */
MOBOD_API int mobod_call_kernels(const Sweep *sweep, const Kernel *kernels, double *w, double *dw, double *scratch);

#endif
