/* The order of the methods, each round from where its comment says:
 *
 *     the start itself; if one is given, and nothing slips there, the multipliers with which all contacts that press there stick
 *         (friction_start.h has tried both for more rows than dimensions, without equations and compliance)
 *     Newton's method from the start; by dimensions, which have a start near the solution, proximal Newton, too
 *     Newton's method from zero; with a start, by rows, proximal Newton where the best multipliers are near a solution
 *     by dimensions, the best multipliers if they are certified: further methods improve few of them, and take a thousand times as long
 *     short Gauss-Seidel from the best multipliers, then Newton's method, twice
 *     proximal Newton from the best multipliers
 *     ADMM from zero, each time continued, and proximal Newton from the best point of these iterations, with three penalties
 *     longer Gauss-Seidel from the best multipliers, then proximal Newton
 *
 * A box that is gripped has solutions in which it sticks, and others in which few corners press and it turns: in fixed steps, which
 * give a start, sticking comes first. Under error control it is not tried: a robot that trots took
 * seven times as many steps with it, at accuracy 1e-9.
 * Most problems end in the first three. Newton's method from zero keeps the symmetry of redundant contacts, such as the corners of a box,
 * which Gauss-Seidel breaks; where many joints and contacts slip, Gauss-Seidel finds which of them do. */
#include "complementarity.h"
#include "elementary.h"
#include "friction_rows.h"
#include "friction_tolerances.h"
#include "vectors.h"

#include <string.h>

static const double NEAR = 1e-4; /* residual from which the solution is near */
enum { STEPS = 10, FIRST_SWEEPS = 10, FIRST_PASSES = 30, PASSES = 12, LAST_PASSES = 200, LAST_STEPS = 3 };
enum { BOUNDED_PASSES = 8 }; /* of proximal Newton, each of up to 20 Newton steps */

static void set_zero(const FrictionRows *rows, double *z) {
    memset(z, 0, (size_t)rows->m * sizeof(double));
    project_multipliers(rows, z);
}

static void start_from_best(FrictionRows *rows) {
    memcpy(rows->z, rows->best, (size_t)rows->m * sizeof(double));
    project_multipliers(rows, rows->z);
}

/* Gauss-Seidel from the best multipliers, then Newton's method from where it ends */
static int try_sweeps(FrictionRows *rows) {
    rows->rounds++;
    start_from_best(rows);
    return sweep_contacts(rows, FIRST_SWEEPS) || newton(rows, STEPS);
}

static int try_proximal(FrictionRows *rows, int is_near) {
    rows->rounds++;
    start_from_best(rows);
    return proximal_newton(rows, rows->is_bounded ? BOUNDED_PASSES : FIRST_PASSES, is_near);
}

static int try_admm(FrictionRows *rows, double factor) {
    static const int iterations[] = {20, 60, 200, 600};
    AdmmPenalty penalty;
    begin_admm(rows, &penalty);
    penalty.now = penalty.first * factor;
    set_zero(rows, rows->cone_z);
    memset(rows->dual, 0, (size_t)rows->m * sizeof(double));
    for (int i = 0; i < 4; i++) {
        rows->rounds++;
        if (iterate_admm(rows, &penalty, iterations[i]) || proximal_newton(rows, PASSES, rows->blocks != NULL))
            return 1;
    }
    return 0;
}

static int try_more_sweeps(FrictionRows *rows) {
    static const int sweeps[] = {30, 100, 300};
    for (int i = 0; i < 3; i++) {
        rows->rounds++;
        start_from_best(rows);
        if (sweep_contacts(rows, sweeps[i]) || proximal_newton(rows, LAST_PASSES, rows->blocks != NULL))
            return 1;
    }
    return 0;
}

void search_multipliers(FrictionRows *rows, int has_start) {
    set_zero(rows, rows->best);
    project_multipliers(rows, rows->z);
    find_rates(rows, rows->z, rows->w);
    if (note_multipliers(rows, rows->z, rows->w))
        return;
    int is_zero = largest_number(rows->z, rows->m) == 0;
    rows->rounds++;
    if ((has_start && stick_where_pressed(rows)) || newton(rows, FIRST_STEPS))
        return;
    if (rows->blocks && try_proximal(rows, 1))
        return;
    set_zero(rows, rows->z);
    if (!is_zero && newton(rows, FIRST_STEPS))
        return;
    if (has_start && rows->residual <= NEAR && try_proximal(rows, 1))
        return;
    if (rows->is_bounded) {
        rows->is_cut = 1;
        return;
    }
    if (rows->blocks && is_certified(rows->residual))
        return;
    if (try_sweeps(rows) || try_sweeps(rows) || try_proximal(rows, rows->blocks != NULL))
        return;
    if (try_admm(rows, 1) || try_admm(rows, 0.1) || try_admm(rows, 10))
        return;
    try_more_sweeps(rows);
}

void polish_multipliers(FrictionRows *rows) {
    start_from_best(rows);
    newton(rows, LAST_STEPS);
}
