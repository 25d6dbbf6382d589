#include "table_checks.h"

#include "change_of_procedure.h"
#include "delays.h"
#include "elementary.h"
#include "factor.h"
#include "gathered_bodies.h"
#include "interpreter.h"
#include "kernel_functions.h"
#include "matrix_steps.h"
#include "rows.h"

const char *fault_of_delay(const Checks *checks, const void *delay) {
    const Delay *self = delay;
    if (!has_items(checks, self, 1) || self->n < 0 || self->capacity < 2 || (self->before && !has_items(checks, self->before, self->n)))
        return "a delay that is cut off";
    if (!(self->delay > 0) || !isfinite(self->delay))
        return "a delay of no positive time";
    const int64_t n = self->n;
    return are_in_w(checks, self->time, 1) && are_in_w(checks, self->operand, n) && are_in_w(checks, self->rate, n) &&
                   are_in_w(checks, self->value, n) && are_in_w(checks, self->slope, n) &&
                   are_in_w(checks, self->memory, 2 + self->capacity * (1 + 2 * n))
               ? NULL
               : "a delay that is not in w";
}

static const char *fault_of_stored_program(const Checks *checks, const Program *program) {
    if (!has_items(checks, program, 1))
        return "a kernel without a program";
    const int64_t n_places = (int64_t)program->n_inputs + program->n_outputs;
    if (!has_items(checks, program->code, program->n_code) || !has_items(checks, program->constants, program->n_constants) ||
        !has_items(checks, program->tables, program->n_table_numbers) || !has_items(checks, program->sizes, n_places))
        return "a program that is cut off";
    if (program->n_registers > (uint32_t)(checks->model->n_w - checks->model->scratch_at))
        return "a program that needs more room than there is";
    return fault_of_program(program);
}

static const char *fault_of_gather(const Checks *checks, const GatherTable *table) {
    if (!has_items(checks, table, 1) || table->n < 0 || table->n_paths < 1 || table->n_bodies < 1 || table->n_parts < 0 ||
        !has_items(checks, table->bodies, 2 * (int64_t)table->n_paths) || !has_items(checks, table->sizes, table->n_parts) ||
        !has_items(checks, table->places, (int64_t)table->n_bodies * table->n_parts))
        return "copies of bodies that are cut off";
    for (int i = 0; i < 2 * table->n_paths; i++)
        if (table->bodies[i] < 0 || table->bodies[i] >= table->n_bodies)
            return "copies of bodies that do not exist";
    int64_t sum = 0;
    for (int part = 0; part < table->n_parts; part++) {
        sum += table->sizes[part];
        for (int body = 0; body < table->n_bodies; body++)
            if (table->sizes[part] < 0 || !are_in_w(checks, table->places[body * table->n_parts + part], table->sizes[part]))
                return "copies of bodies that are not in w";
    }
    return sum == table->n_numbers && are_in_w(checks, table->choices, table->n) && are_in_w(checks, table->idle, table->n) &&
                   are_in_w(checks, table->to, 2 * table->n * sum)
               ? NULL
               : "copies of bodies that are not in w";
}

/* whether all entries of a matrix are in w */
static int is_matrix_in_w(const Checks *checks, MatrixPlace place, int n_rows, int n_columns) {
    const int64_t last = (int64_t)place.down * (n_rows - 1) + (int64_t)place.across * (n_columns - 1);
    return place.down >= 0 && place.across >= 0 && last < checks->n_w && are_in_w(checks, place.at, last + 1);
}

static const char *fault_of_product(const Checks *checks, const MatrixProduct *product) {
    if (!has_items(checks, product, 1) || product->n_rows < 1 || product->n_inner < 1 || product->n_columns < 1)
        return "a product of matrices that is cut off";
    return is_matrix_in_w(checks, product->a, product->n_rows, product->n_inner) &&
                   is_matrix_in_w(checks, product->b, product->n_inner, product->n_columns) &&
                   is_matrix_in_w(checks, product->c, product->n_rows, product->n_columns) &&
                   (product->start.at == -1 || is_matrix_in_w(checks, product->start, product->n_rows, product->n_columns))
               ? NULL
               : "a product of matrices that are not in w";
}

static const char *fault_of_inverse(const Checks *checks, const SumInverse *step) {
    if (!has_items(checks, step, 1) || step->n < 1)
        return "an inverse of a matrix that is cut off";
    const int64_t n = step->n, all = n * n;
    return are_in_w(checks, step->a, all) && are_in_w(checks, step->b, all) && are_in_w(checks, step->inverse, all) &&
                   are_in_w(checks, step->spare, 2 * n) && (step->known_level == -1 || are_in_w(checks, step->known_level, 1))
               ? NULL
               : "an inverse of a matrix that is not in w";
}

static int is_procedure(ContextType context) {
    return context == CONTEXT_ROWS || context == CONTEXT_DELAY || context == CONTEXT_GATHER || context == CONTEXT_PRODUCT ||
           context == CONTEXT_INVERSE || context == CONTEXT_PRESSED || context == CONTEXT_SEEN || context == CONTEXT_GAP;
}

static const char *fault_of_change(const Checks *checks, const ChangeOfProcedure *change) {
    if (!has_items(checks, change, 1) || !has_items(checks, change->outputs, 2 * (int64_t)change->n_outputs))
        return "a change of a procedure that is cut off";
    for (int i = 0; i < change->n_outputs; i++)
        if (!are_in_w(checks, change->outputs[2 * i], change->outputs[2 * i + 1]))
            return "a change of a procedure outside of w";
    const KernelName *tangent = kernel_of_function(change->tangent.run);
    if (!tangent || !is_procedure(tangent->context) || !are_in_w(checks, change->changes, 0))
        return "a change of a kernel that is no procedure";
    const Checks within = {checks->blob, checks->model, checks->n_w - change->changes};
    int n_places;
    const uint32_t *sizes;
    return fault_of_kernel(&within, &change->tangent, &n_places, &sizes);
}

const char *fault_of_kernel(const Checks *checks, const Kernel *kernel, int *n_places, const uint32_t **sizes) {
    const KernelName *function = kernel_of_function(kernel->run);
    const char *fault;
    *n_places = 0;
    *sizes = NULL;
    if (!function)
        return "a kernel without a function";
    switch (function->context) {
    case CONTEXT_NONE:
        return NULL;
    case CONTEXT_PROGRAM: {
        const Program *program = kernel->context;
        if ((fault = fault_of_stored_program(checks, program)))
            return fault;
        *n_places = (int)(program->n_inputs + program->n_outputs);
        *sizes = program->sizes;
        return NULL;
    }
    case CONTEXT_ROWS:
        return fault_of_rows(checks, kernel->context);
    case CONTEXT_DELAY:
        return fault_of_delay(checks, kernel->context);
    case CONTEXT_GATHER:
        return fault_of_gather(checks, kernel->context);
    case CONTEXT_PRODUCT:
        return fault_of_product(checks, kernel->context);
    case CONTEXT_INVERSE:
        return fault_of_inverse(checks, kernel->context);
    case CONTEXT_PRESSED:
        return fault_of_pressed(checks, kernel->context);
    case CONTEXT_GAP:
        return fault_of_gap(checks, kernel->context);
    case CONTEXT_SEEN:
        return fault_of_seen(checks, kernel->context);
    default:
        return fault_of_change(checks, kernel->context);
    }
}

/* places of a program, which has been checked */
static const char *fault_of_places(const Checks *checks, const Program *program, const int *at, int first) {
    const uint32_t n = program->n_inputs + program->n_outputs;
    if (first < 0 || !has_items(checks, at, (int64_t)first + n))
        return "a call that is cut off";
    for (uint32_t i = 0; i < n; i++)
        if (!are_in_w(checks, at[first + (int)i], program->sizes[i]))
            return "a call that reaches outside of w";
    return NULL;
}

const char *fault_of_call(const Checks *checks, const Kernel *kernel, const int *at, int first) {
    const KernelName *function = kernel_of_function(kernel->run);
    return function && function->context == CONTEXT_PROGRAM ? fault_of_places(checks, kernel->context, at, first) : NULL;
}

const char *fault_of_kernels(const Checks *checks, const Kernel *kernels, int n, int are_tangents, int are_adjoints) {
    const char *fault = has_items(checks, kernels, n) ? NULL : "fewer kernels than there are to be";
    for (int i = 0; i < n && !fault; i++) {
        int n_places;
        const uint32_t *sizes;
        fault = fault_of_kernel(checks, kernels + i, &n_places, &sizes);
        const Program *program = !fault && sizes ? kernels[i].context : NULL;
        if (program && (program->is_tangent != are_tangents || program->is_adjoint != are_adjoints))
            fault = "a kernel, a tangent or an adjoint in the place of another one";
    }
    return fault;
}

/* of the conditions by which calls are left out */
static const char *fault_of_spared(const Checks *checks, const Sweep *sweep) {
    for (int i = 0; sweep->spared && i < sweep->n_calls; i++) {
        const int64_t first = sweep->spared[i];
        if (first < 0)
            continue;
        const int *spare = sweep->at + first;
        if (!has_items(checks, sweep->at, first + SPARE_CHOICES) || spare[SPARE_N] < 0 ||
            !has_items(checks, sweep->at, first + SPARE_CHOICES + spare[SPARE_N]))
            return "a call whose choices are cut off";
        for (int k = SPARE_IS_IDLE; k < SPARE_CHOICES + spare[SPARE_N]; k++)
            if (!are_in_w(checks, spare[k], 1))
                return "a call whose choices are not in w";
    }
    return NULL;
}

const char *fault_of_sweep(const Checks *checks, const Sweep *sweep, const Kernel *kernels, int n_kernels) {
    if (!has_items(checks, sweep->clear, 2 * (int64_t)sweep->n_clear) || !has_items(checks, sweep->kernel, sweep->n_calls) ||
        !has_items(checks, sweep->first, sweep->n_calls) || (sweep->spared && !has_items(checks, sweep->spared, sweep->n_calls)))
        return "a sweep that is cut off";
    for (int i = 0; i < sweep->n_clear; i++)
        if (!are_in_w(checks, sweep->clear[2 * i], sweep->clear[2 * i + 1]))
            return "a sweep that clears what is not in w";
    const char *fault = fault_of_spared(checks, sweep);
    for (int i = 0; i < sweep->n_calls && !fault; i++)
        fault = sweep->kernel[i] < 0 || sweep->kernel[i] >= n_kernels
                    ? "a kernel that does not exist"
                    : fault_of_call(checks, kernels + sweep->kernel[i], sweep->at, sweep->first[i]);
    return fault;
}
