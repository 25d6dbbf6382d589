/* The integration methods: under error control, and with fixed steps. */
#ifndef MOBOD_METHOD_H
#define MOBOD_METHOD_H

#include "rosenbrock.h"
#include "tableau.h"

/* The user's choice; INTEGRATOR_AUTO chooses among the next four, see stiffness.h. The last two take fixed steps. The numbers are those of
 * the enumeration in an FMU's description, which begins at 1. */
typedef enum {
    INTEGRATOR_AUTO = 1,
    INTEGRATOR_RK23,
    INTEGRATOR_RK45,
    INTEGRATOR_DOP853,
    INTEGRATOR_RODAS5P,
    INTEGRATOR_RK4,
    INTEGRATOR_SEMI_IMPLICIT_EULER,
    N_INTEGRATORS
} Integrator;

/* The interpolant of a step of size h, at the fraction x of it, is
 *     y + x (r[0] + (1 - x) (r[1] + x (r[2] + (1 - x) (r[3] + ...))))
 * with as many r as it has degrees: r[0] = y_new - y. */
enum { MOST_DEGREES = 7, MOST_SLOPES = 16 };

typedef struct {
    int order;                           /* of the error estimate; 0: there is none, and the steps have a fixed size */
    int degree;                          /* of the interpolant */
    int last;                            /* row of Work.slopes with the rates at the end of the step */
    double integral_gain;                /* of the step control, see `growth` */
    double stability;                    /* A step of size h is stable for rates -lambda y up to this h lambda; 0: for any */
    const Tableau *pair;                 /* explicit, or NULL */
    const RosenbrockTableau *rosenbrock; /* implicit, or NULL; neither: semi-implicit Euler */
} Method;

/* the method of an integrator other than INTEGRATOR_AUTO */
const Method *method_of(Integrator integrator);
Integrator integrator_of(const Method *method);

#endif
