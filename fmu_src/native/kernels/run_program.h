/* run_program, over Numbers: included by interpreter.c, and by lanes_interpreter.c for Numbers with several lanes. */
#include "interpreter.h"
#include "number.h"

#define INSTRUCTION_FUNCTIONS
#include "instructions.h"
#undef INSTRUCTION_FUNCTIONS

int run_program(const void *program, Call *call, const int *at) {
    const Program *const self = program;
    const double *const tables = self->tables;
    Number *const w = NUMBERS(call->w), *const dw = NUMBERS(call->dw), *const R = NUMBERS(call->scratch);
    Number *const out = self->is_tangent || self->is_adjoint ? dw : w;
    for (uint32_t i = 0; i < self->n_constants; i++)
        R[i] = NUMBER(self->constants[i]);
    const uint32_t *p = self->code;
    for (;;)
        switch ((uint8_t)*p) {
#define INSTRUCTION(number, layout, n_words, n_entries, ...)                                                                               \
    case number:                                                                                                                           \
        __VA_ARGS__                                                                                                                        \
        p += n_words;                                                                                                                      \
        break;
#include "instructions.h"
#undef INSTRUCTION
            OTHER_NUMBERS
            return 1; /* not reached by a valid program */
        }
}
