/* The integration methods under error control. */
#ifndef MOBOD_METHOD_H
#define MOBOD_METHOD_H

#include "rosenbrock.h"
#include "tableau.h"

/* the user's choice; INTEGRATOR_AUTO chooses among the others, see stiffness.h */
typedef enum { INTEGRATOR_AUTO, INTEGRATOR_RK23, INTEGRATOR_RK45, INTEGRATOR_DOP853, INTEGRATOR_RODAS5P, N_INTEGRATORS } Integrator;

/* The interpolant of a step of size h, at the fraction x of it, is
 *     y + x (r[0] + (1 - x) (r[1] + x (r[2] + (1 - x) (r[3] + ...))))
 * with as many r as it has degrees: r[0] = y_new - y. */
enum { MOST_DEGREES = 7, MOST_SLOPES = 16 };

typedef struct {
    int order;                           /* of the error estimate */
    int degree;                          /* of the interpolant */
    int last;                            /* row of Work.slopes with the rates at the end of the step */
    double integral_gain;                /* of the step control, see `growth` */
    double stability;                    /* A step of size h is stable for rates -lambda y up to this h lambda; 0: for any */
    const Tableau *pair;                 /* explicit, or NULL */
    const RosenbrockTableau *rosenbrock; /* implicit, or NULL */
} Method;

/* the method of an integrator other than INTEGRATOR_AUTO */
const Method *method_of(Integrator integrator);

#endif
