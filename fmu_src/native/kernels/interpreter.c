#include "interpreter.h"

#include "run_program.h"

#include <limits.h>
#include <stddef.h>

/* the words of an instruction, after its number */
typedef enum {
    END,          /* nothing */
    LOAD,         /* first register, place, first entry; the number of entries if the instruction does not fix it */
    LOAD_CHANGES, /* the same, from dw */
    STORE,        /* place, first entry, a register for each entry */
    TABLE,        /* register of the result, first number of the table, their count, register of the operand */
    REGISTERS,    /* registers of results, registers of operands */
} Layout;

static const struct {
    Layout layout;
    uint32_t n_words, n_entries;
} FORMATS[] = {
#define INSTRUCTION(number, layout, n_words, n_entries, ...) {layout, n_words, n_entries},
#include "instructions.h"
#undef INSTRUCTION
};

#define N_INSTRUCTIONS (sizeof FORMATS / sizeof FORMATS[0])

/* whether `count` numbers from `first` on lie below `end` */
static int lie_below(uint32_t first, uint32_t count, uint32_t end) { return count <= end && first <= end - count; }

static int are_registers(const Program *program, const uint32_t *words, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (words[i] >= program->n_registers)
            return 0;
    return 1;
}

/* the fault of the instruction at p, whose words all exist; NULL if it is valid */
static const char *fault_of_instruction(const Program *program, const uint32_t *p) {
    const Layout layout = FORMATS[*p].layout;
    const uint32_t n_words = FORMATS[*p].n_words, n_entries = FORMATS[*p].n_entries;
    if (layout == LOAD || layout == LOAD_CHANGES) {
        const uint32_t n = n_entries ? n_entries : p[4];
        if (layout == LOAD_CHANGES && !program->is_tangent && !program->is_adjoint)
            return "a kernel that is no tangent loads from a direction";
        const int loads_adjoints = layout == LOAD_CHANGES && program->is_adjoint;
        if (p[2] >= (loads_adjoints ? program->n_inputs + program->n_outputs : program->n_inputs))
            return "a load from a place that is no input";
        if (!lie_below(p[3], n, program->sizes[p[2]]))
            return "a load of an entry that the input does not have";
        if (!lie_below(p[1], n, program->n_registers))
            return "a register that does not exist";
    } else if (layout == STORE) {
        if ((p[1] < program->n_inputs && !program->is_adjoint) || p[1] >= program->n_inputs + program->n_outputs)
            return "a store to a place that is no output";
        if (!lie_below(p[2], n_entries, program->sizes[p[1]]))
            return "a store to an entry that the output does not have";
        if (!are_registers(program, p + 3, n_entries))
            return "a register that does not exist";
    } else if (layout == TABLE) {
        if (p[3] < 1 || !lie_below(p[2], p[3], program->n_table_numbers))
            return "a table that does not exist";
        if (!are_registers(program, p + 1, 1) || !are_registers(program, p + 4, 1))
            return "a register that does not exist";
    } else if (!are_registers(program, p + 1, n_words - 1)) {
        return "a register that does not exist";
    }
    return NULL;
}

const char *fault_of_program(const Program *program) {
    if (program->n_table_numbers > INT_MAX || program->n_inputs > INT_MAX || program->n_outputs > INT_MAX - program->n_inputs)
        return "more numbers of tables, inputs or outputs than can be counted";
    if (program->is_tangent && program->is_adjoint)
        return "a tangent that is an adjoint";
    if (program->n_constants > program->n_registers)
        return "fewer registers than constants";
    uint32_t at = 0;
    while (at < program->n_code) {
        const uint32_t *const p = program->code + at;
        if (*p >= N_INSTRUCTIONS)
            return "an instruction that does not exist";
        const uint32_t n_words = FORMATS[*p].n_words;
        if (n_words > program->n_code - at)
            return "an instruction that is cut off";
        if (FORMATS[*p].layout == END)
            return n_words == program->n_code - at ? NULL : "code behind the end";
        const char *const reason = fault_of_instruction(program, p);
        if (reason)
            return reason;
        at += n_words;
    }
    return "no end";
}
