/* The interpreter of bytecode: kernels that need no compiler.
 *
 * engine/mobod/scalar/bytecode.py makes programs from the recordings that c_code.py makes C of; both give the same bits. (Of a result that
 * is NaN, sign and payload are not defined.) instructions.h lists the instructions. */
#ifndef MOBOD_INTERPRETER_H
#define MOBOD_INTERPRETER_H

#include "kernel.h"

#include <stdint.h>

/* Straight-line code: loads of inputs, operations, stores of outputs, one END. A place is a number in `at`: inputs first, then outputs. */
typedef struct {
    const uint32_t *code;    /* [n_code] */
    const double *constants; /* [n_constants]  set into the first registers at each call */
    const double *tables;    /* [n_table_numbers]  the numbers of all tables, one after the other */
    const uint32_t *sizes;   /* [n_inputs + n_outputs]  how many entries lie at each place, in w, and for tangents also in dw */
    uint32_t n_code, n_constants, n_table_numbers, n_inputs, n_outputs;
    uint32_t n_registers; /* of Numbers (number.h) in the scratch of a Call, the constants among them */
    int is_tangent;       /* reads w and dw and writes dw, instead of w alone */
    int is_adjoint;       /* reads w at inputs and dw at outputs, and writes dw at both */
} Program;

/* A KernelFunction whose context is a valid Program. Returns 0. */
int run_program(const void *program, Call *call, const int *at);

/* NULL if the program is valid; else a short description of its fault.
 *
 * A valid program ends. It reads and writes no register from n_registers on, no table entry from n_table_numbers on, and at each place
 * no entry from its size on. The owner of `at` must ensure that all entries of each place lie within w. */
const char *fault_of_program(const Program *program);

#endif
