/* Step size control. */
#ifndef MOBOD_STEP_CONTROL_H
#define MOBOD_STEP_CONTROL_H

/* The largest of |error| / (tolerance (scale + max(|y|, |y_new|))). It is at most 1 if each state is as accurate as requested: relative to
 * its size if that exceeds its scale, and to its scale otherwise. It is the maximum and not the mean square: so the accuracy of a body does
 * not depend on the number of other bodies, and the worst state can be named.
 *
 * error, y, y_new  [n]
 * scales           [n], NULL: all are 1
 * worst            number of the state with the largest value
 * returns          infinite if an error is not finite */
double scaled_error(int n, const double *error, const double *y, const double *y_new, const double *scales, double tolerance, int *worst);

/* The scaled error from two estimates, of order 5 and of order 3. It has the order of the method if both decrease as expected.
 *
 * Source: Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I (1993), II.10, eq. 10.17 */
double paired_error(double error, double error_below);

/* The factor from the size of an accepted step to that of the next one, from wanted_growth (explicit_arithmetic.h) of its scaled error and
 * that of the step before. Proportional-integral control damps the oscillations of proportional control if stability, not accuracy, limits
 * the step. Method.integral_gain 0: proportional control.
 *
 * Source: Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I (1993), II.4; Hairer & Wanner II (1996), eq. IV.2.43c,
 * with the constants of their code DOPRI5. */
double growth(double wanted);

/* no factor is larger */
#define LARGEST_GROWTH 5.0

/* The factor from the size of a refused step to that of the next trial. */
double shrinkage(double error, int order);

/* the initial and least value of error_before: a step that is much more accurate than requested says little about the next one */
#define LEAST_ERROR_BEFORE 1e-4

/* The first guess of the first step size: a step of explicit Euler that changes y by a hundredth of its size. time: the time scale.
 *
 * Source: Hairer, Norsett & Wanner I, II.4, Starting step size, a) and b) */
double guessed_step(int n, const double *y, const double *y_dot, const double *scales, double time, double tolerance);

/* The first step size, from the second derivative that the guess gives; y_dot_guess is the derivative at the end of the guessed step.
 *
 * Source: Hairer, Norsett & Wanner I, II.4, Starting step size, d) to f) */
double first_step(int n, const double *y, const double *y_dot, const double *y_dot_guess, double guess, const double *scales, double time,
                  double tolerance, int order);

#endif
