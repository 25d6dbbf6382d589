/* The methods of integration: their names in `Integrator`, and those of their Method, which a file of this folder defines. The numbers
 * follow the order, from INTEGRATOR_AUTO + 1 on. FMUs and States have stored them: a new method becomes the last line. */
/* clang-format off */
#ifndef MOBOD_METHOD_LIST_H
#define MOBOD_METHOD_LIST_H

#define METHODS(METHOD) \
    METHOD(RK23, rk23) \
    METHOD(RK45, rk45) \
    METHOD(DOP853, dop853) \
    METHOD(RODAS5P, rodas5p) \
    METHOD(RK4, rk4) \
    METHOD(SEMI_IMPLICIT_EULER, semi_implicit_euler) \
    METHOD(RK3, rk3) \

#endif
