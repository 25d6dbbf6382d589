/* Reads quadratic programs from the standard input, and writes what quadratic_program.c makes of each: outcome, against, u, multipliers.
 *
 * With the argument "z" or "y" the active set gives wrong multipliers or a wrong y, with "unsettled" it finds no end: what comes out is
 * then wrong unless the check of solutions finds it.
 *
 * One program is: n m n_equations, M, u*, J, b, lower and upper of the unilateral rows. Each array is allocated by itself, as large as it
 * has to be, so that the sanitizers see what lies beside it. */
#define solve_active_set right_active_set
#include "active_set.c"
#undef solve_active_set
#include "quadratic_program.h"

#include <stdio.h>
#include <stdlib.h>

int solve_active_set(ActiveSet *set, const UnitRows *rows, int n_held, const int *held, double rank_tolerance);

static const char *fault = "";

int solve_active_set(ActiveSet *set, const UnitRows *rows, int n_held, const int *held, double rank_tolerance) {
    int outcome = right_active_set(set, rows, n_held, held, rank_tolerance);
    double error = 0;
    for (int i = 0; i < rows->m; i++)
        error += 1e-5 * fabs(set->z[i]);
    /* of multipliers of rows that are held, so that forces alone are wrong */
    for (int i = 0; i < rows->m && !strcmp(fault, "z"); i++)
        if (set->z[i] > 0)
            set->z[i] += error;
    for (int i = 0; i < rows->n && !strcmp(fault, "y"); i++)
        set->y[i] += error;
    return strcmp(fault, "unsettled") ? outcome : ROWS_CYCLING;
}

static double *read_array(int n) {
    double *array = malloc((size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        if (scanf("%lf", array + i) != 1)
            exit(2);
    return array;
}

static void write_array(int n, const double *array) {
    for (int i = 0; i < n; i++)
        printf(" %.17g", array[i]);
}

int main(int n_arguments, char **arguments) {
    int n, m, k;
    if (n_arguments > 1)
        fault = arguments[1];
    while (scanf("%d %d %d", &n, &m, &k) == 3) {
        double *M = read_array(n * n), *u_star = read_array(n), *J = read_array(m * n), *b = read_array(m);
        double *lower = read_array(m - k), *upper = read_array(m - k), *u = malloc((size_t)n * sizeof(double));
        QuadraticProgram program;
        program.reals = malloc(quadratic_program_reals(n, m) * sizeof(double));
        program.integers = malloc(quadratic_program_integers(n, m) * sizeof(int));

        int outcome = solve_quadratic_program(&program, n, m, k, M, u_star, J, b, lower, upper, 0, u);
        printf("%d %d", outcome, outcome == ROWS_CONTRADICT ? program.rows.n_against : 0);
        if (outcome == ROWS_SOLVED) {
            write_array(n, u);
            write_array(m, program.rows.multipliers);
        }
        printf("\n");

        double *arrays[] = {M, u_star, J, b, lower, upper, u, program.reals};
        for (int i = 0; i < 8; i++)
            free(arrays[i]);
        free(program.integers);
    }
    return 0;
}
