/* The kernel functions that tables refer to by name. */
#ifndef MOBOD_KERNEL_FUNCTIONS_H
#define MOBOD_KERNEL_FUNCTIONS_H

#include "kernel.h"

typedef enum {
    CONTEXT_NONE,
    CONTEXT_PROGRAM,
    CONTEXT_ROWS,
    CONTEXT_DELAY,
    CONTEXT_GATHER,
    CONTEXT_PRODUCT,
    CONTEXT_INVERSE,
    CONTEXT_PRESSED,
    CONTEXT_SEEN,
    CONTEXT_GAP,
    CONTEXT_CHANGE
} ContextType;

typedef struct {
    const char *name;
    KernelFunction *function;
    ContextType context; /* the type of its context */
} KernelName;

/* the function with this name, or NULL */
const KernelName *kernel_of_name(const char *name);
const KernelName *kernel_of_function(KernelFunction *function);

#endif
