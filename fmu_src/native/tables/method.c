#include "method.h"

#include <stddef.h>

/* Stability limits: Hairer & Wanner, Solving Ordinary Differential Equations II (1996), IV.2, and their codes; for the others the error
 * stays below the limit somewhat before. Gains: their codes DOPRI5, DOP853 and RODAS. */
static const Method methods[N_INTEGRATORS] = {
    [INTEGRATOR_RK23] = {2, 3, 3, 0.04, 2.5, &bogacki_shampine_32, NULL},
    [INTEGRATOR_RK45] = {4, 4, 6, 0.04, 3.25, &dormand_prince_54, NULL},
    [INTEGRATOR_DOP853] = {7, 7, 12, 0, 6.1, &dormand_prince_853, NULL},
    [INTEGRATOR_RODAS5P] = {4, 4, RODAS_STAGES + 1, 0, 0, NULL, &rodas_5p},
    [INTEGRATOR_RK4] = {0, 3, 4, 0, 2.75, &runge_kutta_4, NULL},
    [INTEGRATOR_SEMI_IMPLICIT_EULER] = {0, 2, 1, 0, 2, NULL, NULL},
};

const Method *method_of(Integrator integrator) { return methods + integrator; }
Integrator integrator_of(const Method *method) { return (Integrator)(method - methods); }
