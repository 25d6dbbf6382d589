/* A kernel: a function with a context, called on the numbers of a State.
 *
 * The runtime does not depend on how a kernel is implemented: compiled C, a program for the interpreter (interpreter.h), a procedure of
 * the runtime with its tables, or a callback into the host. */
#ifndef MOBOD_KERNEL_H
#define MOBOD_KERNEL_H

/* the data of a kernel call */
typedef struct {
    double *w;       /* the numbers of the State */
    double *dw;      /* for tangents of kernels their changes along a direction, for adjoints of kernels their adjoints; else NULL */
    double *scratch; /* memory for intermediate results of a kernel, with undefined contents */
    void *host;      /* the host's handle of the State, for callbacks; else NULL */
} Call;

/* The result of a kernel whose outputs do not exist, such as an acceleration at a singularity. A step that needs them is refused, and a
 * shorter one is tried. */
enum { NO_VALUE = 2 };

/* Results of kernels at both ends of a part of a sweep that is repeated: the part begins with a kernel that returns REPEAT_FROM_HERE, and
 * is done again from the kernel after that one each time a later kernel returns REPEAT. Adjoints, which run backwards, begin and repeat it
 * at the other ends. */
enum { REPEAT_FROM_HERE = 3, REPEAT = 4 };

/* Reads the inputs at the first offsets of `at`, writes the outputs at those that follow. All inputs are read before an output is
 * written that overlaps one. A tangent reads w, on which its kernel has been called, and dw, and writes dw; where the kernel adds, so does
 * its tangent. An adjoint does the transposed operation on dw: it adds to the entries of the inputs what those of the outputs cause, and
 * sets the latter to 0 first, except where the kernel adds.
 * Returns 0, or another number, which stops the sweep: NO_VALUE, or any other where it failed; or one of those that repeat. */
typedef int KernelFunction(const void *context, Call *call, const int *at);

/* context: constant, shared by all threads */
typedef struct {
    KernelFunction *run;
    const void *context;
} Kernel;

#endif
