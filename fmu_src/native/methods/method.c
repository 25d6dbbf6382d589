#include "method.h"

#include <stddef.h>

#define PLACE(NUMBER, name) [INTEGRATOR_##NUMBER] = &(name),
static const Method *const methods[N_INTEGRATORS] = {METHODS(PLACE)};

const Method *method_of(Integrator integrator) { return methods[integrator]; }

Integrator integrator_of(const Method *method) {
    int number = INTEGRATOR_AUTO + 1;
    while (methods[number] != method)
        number++;
    return (Integrator)number;
}

int is_of_fixed_steps(Integrator integrator) { return integrator != INTEGRATOR_AUTO && methods[integrator]->estimate_order == 0; }
int is_implicit(Integrator integrator) { return integrator != INTEGRATOR_AUTO && methods[integrator]->rosenbrock; }
