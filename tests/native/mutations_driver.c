/* Mutates the programs of programs.h (test_mutated_programs.py) and runs those that the check finds sound. Each array lies in a block of
 * its own, and what lies between the places in w and dw is poisoned: whatever a program touches beside its own, the sanitizer sees.
 *
 * It ends with 0 if programs of both sorts were among them. */
#include "interpreter.h"
#include "programs.h"

#include <math.h>
#include <sanitizer/asan_interface.h>
#include <stdlib.h>
#include <string.h>

#define GAP 4 /* numbers between two places */

static uint64_t random_state = 88172645463325252u;

static const double SPECIAL[] = {NAN, INFINITY, -INFINITY, 1e300};

/* Marsaglia's xorshift */
static uint32_t random_below(uint32_t n) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 32) % n;
}

static void *copied(const void *from, size_t size) {
    void *to = malloc(size ? size : 1);
    if (!to)
        abort();
    if (size)
        memcpy(to, from, size);
    if (!size)
        __asan_poison_memory_region(to, 1);
    return to;
}

static void dropped(const void *block) { free((void *)block); }

/* one of: another small number, a number near the old one, a large one, a bit turned, another word of the program */
static uint32_t mutated(uint32_t word, const Program *program) {
    switch (random_below(6)) {
    case 0:
        return random_below(160);
    case 1:
        return word + 1;
    case 2:
        return word - 1;
    case 3:
        return UINT32_MAX - random_below(16);
    case 4:
        return word ^ (uint32_t)1 << random_below(32);
    default:
        return program->n_code ? program->code[random_below(program->n_code)] : word;
    }
}

static void mutate(Program *program, uint32_t *code, uint32_t *sizes) {
    uint32_t *const counts[] = {&program->n_constants, &program->n_table_numbers, &program->n_inputs, &program->n_outputs,
                                &program->n_registers};
    const uint32_t n_places = program->n_inputs + program->n_outputs;
    const uint32_t what = random_below(16);
    uint32_t *const count = counts[random_below(5)];
    if (what == 0) /* counts only shrink, as there is no more to copy */
        *count = random_below(*count + 1);
    else if (what == 1 && n_places)
        sizes[random_below(n_places)] = random_below(12);
    else if (what == 2)
        program->n_code = random_below(program->n_code + 1);
    else if (what == 3)
        program->is_tangent = !program->is_tangent;
    else if (what == 4)
        program->is_adjoint = !program->is_adjoint;
    else if (program->n_code)
        for (uint32_t n = 1 + random_below(2); n; n--) {
            const uint32_t place = random_below(program->n_code);
            code[place] = mutated(code[place], program);
        }
}

/* room for all places, with poisoned gaps around them */
static double *numbers(const Program *program, const int *at, size_t n_w) {
    double *w = calloc(n_w, sizeof *w);
    if (!w)
        abort();
    __asan_poison_memory_region(w, n_w * sizeof *w);
    for (uint32_t i = 0; i < program->n_inputs + program->n_outputs; i++) {
        __asan_unpoison_memory_region(w + at[i], program->sizes[i] * sizeof *w);
        for (uint32_t k = 0; k < program->sizes[i]; k++)
            w[at[i] + (int)k] = random_below(20) ? (double)random_below(2000) / 1000 - 1 : SPECIAL[random_below(4)];
    }
    return w;
}

static void run(const Program *program) {
    const uint32_t n_places = program->n_inputs + program->n_outputs;
    int *at = malloc((n_places + 1) * sizeof *at);
    double *registers = calloc(program->n_registers ? program->n_registers : 1, sizeof *registers);
    if (!at || !registers)
        abort();
    size_t n_w = GAP;
    for (uint32_t i = 0; i < n_places; i++) {
        at[i] = (int)n_w;
        n_w += program->sizes[i] + GAP;
    }
    double *w = numbers(program, at, n_w);
    Call call = {w, program->is_tangent || program->is_adjoint ? numbers(program, at, n_w) : NULL, registers, NULL};
    if (run_program(program, &call, at) != 0)
        abort();
    free(call.w);
    free(call.dw);
    free(registers);
    free(at);
}

int main(void) {
    int n_refused = 0, n_run = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const Program *original = &PROGRAMS[random_below(sizeof PROGRAMS / sizeof PROGRAMS[0])];
        Program program = *original;
        const uint32_t n_places = original->n_inputs + original->n_outputs;
        uint32_t *code = copied(original->code, original->n_code * sizeof *code);
        uint32_t *sizes = copied(original->sizes, n_places * sizeof *sizes);
        program.code = code;
        program.sizes = sizes;
        mutate(&program, code, sizes);

        /* each array just as long as the mutated program says */
        program.code = copied(code, program.n_code * sizeof *code);
        program.sizes = copied(sizes, (program.n_inputs + program.n_outputs) * sizeof *sizes);
        program.constants = copied(original->constants, program.n_constants * sizeof *program.constants);
        program.tables = copied(original->tables, program.n_table_numbers * sizeof *program.tables);
        if (fault_of_program(&program)) {
            n_refused++;
        } else {
            n_run++;
            run(&program);
        }
        dropped(program.code);
        dropped(program.sizes);
        dropped(program.constants);
        dropped(program.tables);
        free(code);
        free(sizes);
    }
    return n_refused < ROUNDS / 10 || n_run < ROUNDS / 10;
}
