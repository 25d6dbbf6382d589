/* How long a step may be. */
#ifndef MOBOD_STEP_CONTROL_H
#define MOBOD_STEP_CONTROL_H

/* The largest of |error| / (tolerance (1 + max(|y|, |y_new|))): at most 1 if each state is as accurate as asked, relative to its own size
 * where that is above 1 and absolutely below. The largest, not the mean square: how accurate a body is does not hang on how many others
 * there are, and the state that is worst has a name.
 *
 * error, y, y_new  [n]
 * worst            the state that it is the largest for
 * returns          infinite if an error is not finite */
double scaled_error(int n, const double *error, const double *y, const double *y_new, double tolerance, int *worst);

/* The scaled error of a pair of estimates, of order 5 and of order 3: of the order of the method where both fall as they should.
 *
 * Source: Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I (1993), II.10, eq. 10.17 */
double paired_error(double error, double error_below);

/* Of a step whose error was `error`, times what the next one may be; `error_before` is that of the step before. Proportional-integral
 * control damps the swings of the proportional one where stability, not accuracy, limits the step; integral_gain 0: proportional alone.
 *
 * Source: Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I (1993), II.4; Hairer & Wanner II (1996), eq. IV.2.43c,
 * with the constants of their code DOPRI5. */
double growth(double error, double error_before, int order, double integral_gain);

/* Of a step that was refused, times what is tried instead */
double shrinkage(double error, int order);

/* what error_before is at first, and at least: a step much better than asked for says little of the next one */
#define LEAST_ERROR_BEFORE 1e-4

/* The first step, first guess: one of explicit Euler that changes y by a hundredth of its size.
 *
 * Source: Hairer, Norsett & Wanner I, II.4, Starting step size, a) and b) */
double guessed_step(int n, const double *y, const double *y_dot, double tolerance);

/* The first step, from the second derivative that the guess gave: y_dot_guess is the derivative at its end.
 *
 * Source: Hairer, Norsett & Wanner I, II.4, Starting step size, d) to f) */
double first_step(int n, const double *y, const double *y_dot, const double *y_dot_guess, double guess, double tolerance, int order);

#endif
