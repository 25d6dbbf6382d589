/* Inputs that change with time within a step. */
#ifndef MOBOD_INPUT_SIGNALS_H
#define MOBOD_INPUT_SIGNALS_H

/* Called whenever the time in w changes within a step; State.inputs is its address. */
typedef struct InputSignals {
    void (*update)(void *owner, double time);   /* write the inputs at this time to w */
    void (*set_rates)(void *owner, double *dw); /* write their rates at the time in w to dw [n_w] */
    void (*clear_rates)(void *owner, double *dw);
    void *owner;
} InputSignals;

#endif
