"""x' = -rate x by Euler's explicit method; FAULT selects a defect; tests replace this line."""

import math

from pythonfmu import Boolean, Fmi2Causality, Fmi2Initial, Fmi2Slave, Fmi2Variability, Real

FAULT = ""


class Decay(Fmi2Slave):
    last = 0  # which instance stepped last

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.time = 0.0  # s
        self.x = 1.3
        self.positive = True
        self.rate = 5.0  # 1/s
        self.steps = 0  # no variable, so that pythonfmu does not save it
        self.register_variable(Real("time", causality=Fmi2Causality.local))
        exact = {"causality": Fmi2Causality.output, "initial": Fmi2Initial.exact}
        self.register_variable(Real("x", **exact))
        self.register_variable(Boolean("positive", variability=Fmi2Variability.discrete, **exact))

    def do_step(self, current_time, step_size):
        self.time = current_time + step_size
        self.x -= self.rate * self.x * step_size
        self.positive = self.x > 0
        self.steps += 1
        is_interrupted = self.steps > 1 and Decay.last != id(self)
        Decay.last = id(self)
        if FAULT == "forgets" and self.steps == 8:
            self.x *= 1 + 1e-15
        if FAULT == "counts steps":
            self.x += 1.3
        if FAULT == "shared" and is_interrupted:
            self.x *= 1 + 1e-15
        if FAULT == "overshoots":
            self.time += 0.01
        if FAULT == "not finite" and current_time > 0.5 and step_size < 0.03:
            self.x = math.inf
        return FAULT != "refuses small steps" or step_size > 0.03
