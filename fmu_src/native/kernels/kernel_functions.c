#include "kernel_functions.h"

#include "change_of_procedure.h"
#include "delays.h"
#include "elimination.h"
#include "gathered_bodies.h"
#include "interpreter.h"
#include "joint_loads.h"
#include "matrix_steps.h"
#include "multipliers.h"
#include "pressed_pair.h"
#include "seen_terrain.h"
#include "shape_gap.h"
#include "sweep.h"

#include <stddef.h>
#include <string.h>

static const KernelName FUNCTIONS[] = {
    {"run_no_operation", run_no_operation, CONTEXT_NONE},
    {"run_program", run_program, CONTEXT_PROGRAM},
    {"run_elimination", run_elimination, CONTEXT_ROWS},
    {"run_elimination_tangent", run_elimination_tangent, CONTEXT_ROWS},
    {"run_elimination_adjoint", run_elimination_adjoint, CONTEXT_ROWS},
    {"run_multipliers", run_multipliers, CONTEXT_ROWS},
    {"run_multipliers_tangent", run_multipliers_tangent, CONTEXT_ROWS},
    {"run_multipliers_adjoint", run_multipliers_adjoint, CONTEXT_ROWS},
    {"run_load_begin", run_load_begin, CONTEXT_ROWS},
    {"run_load_begin_tangent", run_load_begin_tangent, CONTEXT_ROWS},
    {"run_load_begin_adjoint", run_load_begin_adjoint, CONTEXT_ROWS},
    {"run_load_check", run_load_check, CONTEXT_ROWS},
    {"run_load_check_tangent", run_load_check_tangent, CONTEXT_ROWS},
    {"run_load_check_adjoint", run_load_check_adjoint, CONTEXT_ROWS},
    {"run_delay", run_delay, CONTEXT_DELAY},
    {"run_delay_tangent", run_delay_tangent, CONTEXT_DELAY},
    {"run_delay_adjoint", run_delay_adjoint, CONTEXT_DELAY},
    {"run_gather", run_gather, CONTEXT_GATHER},
    {"run_gather_tangent", run_gather_tangent, CONTEXT_GATHER},
    {"run_gather_adjoint", run_gather_adjoint, CONTEXT_GATHER},
    {"run_product", run_product, CONTEXT_PRODUCT},
    {"run_product_tangent", run_product_tangent, CONTEXT_PRODUCT},
    {"run_product_adjoint", run_product_adjoint, CONTEXT_PRODUCT},
    {"run_inverse", run_inverse, CONTEXT_INVERSE},
    {"run_inverse_tangent", run_inverse_tangent, CONTEXT_INVERSE},
    {"run_inverse_adjoint", run_inverse_adjoint, CONTEXT_INVERSE},
    {"run_pressed_pair", run_pressed_pair, CONTEXT_PRESSED},
    {"run_pressed_pair_tangent", run_pressed_pair_tangent, CONTEXT_PRESSED},
    {"run_pressed_pair_adjoint", run_pressed_pair_adjoint, CONTEXT_PRESSED},
    {"run_seen_terrain", run_seen_terrain, CONTEXT_SEEN},
    {"run_seen_terrain_tangent", run_seen_terrain_tangent, CONTEXT_SEEN},
    {"run_seen_terrain_adjoint", run_seen_terrain_adjoint, CONTEXT_SEEN},
    {"run_shape_gap", run_shape_gap, CONTEXT_GAP},
    {"run_shape_gap_tangent", run_shape_gap_tangent, CONTEXT_GAP},
    {"run_shape_gap_adjoint", run_shape_gap_adjoint, CONTEXT_GAP},
    {"run_change_of_procedure", run_change_of_procedure, CONTEXT_CHANGE},
    {"run_change_of_procedure_tangent", run_change_of_procedure_tangent, CONTEXT_CHANGE},
    {"run_change_of_procedure_adjoint", run_change_of_procedure_adjoint, CONTEXT_CHANGE},
};
enum { N_FUNCTIONS = sizeof FUNCTIONS / sizeof FUNCTIONS[0] };

const KernelName *kernel_of_name(const char *name) {
    for (int i = 0; i < N_FUNCTIONS; i++)
        if (strcmp(FUNCTIONS[i].name, name) == 0)
            return FUNCTIONS + i;
    return NULL;
}

const KernelName *kernel_of_function(KernelFunction *function) {
    for (int i = 0; i < N_FUNCTIONS; i++)
        if (FUNCTIONS[i].function == function)
            return FUNCTIONS + i;
    return NULL;
}
