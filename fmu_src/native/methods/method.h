/* The integration methods: under error control, and with fixed steps. */
#ifndef MOBOD_METHOD_H
#define MOBOD_METHOD_H

#include "method_list.h"
#include "rosenbrock.h"
#include "tableau.h"

/* The user's choice: INTEGRATOR_RK23 and so on; INTEGRATOR_AUTO chooses among those under error control, see stiffness.h. The numbers are
 * those of the enumeration in an FMU's description, which begins at 1. */
#define ENUMERATOR(NUMBER, name) INTEGRATOR_##NUMBER,
typedef enum { INTEGRATOR_AUTO = 1, METHODS(ENUMERATOR) N_INTEGRATORS } Integrator;
#undef ENUMERATOR

/* The interpolant of a step of size h, at the fraction x of it, is
 *     y + x (r[0] + (1 - x) (r[1] + x (r[2] + (1 - x) (r[3] + ...))))
 * with as many r as it has degrees: r[0] = y_new - y. */
enum { MOST_DEGREES = 7, MOST_SLOPES = 16 };

/* What a method can do follows from its form. Explicit ones have tangents (sensitivity.h); they and semi-implicit Euler run side by side
 * (lanes.h). All hold constraints.
 *
 * Stability limits: Hairer & Wanner, Solving Ordinary Differential Equations II (1996), IV.2, and their codes; for the others the error
 * stays below the limit somewhat before. Gains: their codes DOPRI5, DOP853 and RODAS. */
typedef struct {
    const char *name;                    /* for users */
    const char *title;                   /* order and authors, for the table in the documentation, as is the next one */
    const char *use;                     /* what it is for */
    int order;                           /* of the solution */
    int estimate_order;                  /* of the error estimate; 0: there is none, and the steps have a fixed size */
    int degree;                          /* of the interpolant */
    int last;                            /* row of Work.slopes with the rates at the end of the step */
    double integral_gain;                /* of the step control, see `growth` */
    double stability;                    /* A step of size h is stable for rates -lambda y up to this h lambda; 0: for any */
    double oscillations;                 /* The same for oscillations of angular frequency w, up to this h w; of fixed steps alone */
    const Tableau *pair;                 /* explicit, or NULL */
    const RosenbrockTableau *rosenbrock; /* implicit, or NULL; neither: semi-implicit Euler */
} Method;

/* the methods: a file each */
#define DECLARATION(NUMBER, name) extern const Method name;
METHODS(DECLARATION)
#undef DECLARATION

/* the method of an integrator other than INTEGRATOR_AUTO */
const Method *method_of(Integrator integrator);
Integrator integrator_of(const Method *method);

/* whether an integrator always takes fixed, or implicit, steps; not INTEGRATOR_AUTO */
int is_of_fixed_steps(Integrator integrator);
int is_implicit(Integrator integrator);

#endif
