"""A mass on a spring to the wall, and on a second spring whose far end is at the input; solved exactly for a constant input."""

from math import cos, sin, sqrt

from pythonfmu import Fmi2Causality, Fmi2Initial, Fmi2Slave, Fmi2Variability, Real


class SpringMass(Fmi2Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.mass = 1.3  # kg
        self.stiffness = 20.0  # N/m, to the wall
        self.coupling = 35.0  # N/m, to the other end
        self.x = 0.2  # m
        self.v = 0.0  # m/s
        self.other = 0.0  # m, the displacement of the far end
        for name in ("mass", "stiffness", "coupling"):
            self.register_variable(Real(name, causality=Fmi2Causality.parameter, variability=Fmi2Variability.tunable))
        self.register_variable(Real("other", causality=Fmi2Causality.input))
        self.register_variable(Real("x", causality=Fmi2Causality.output, initial=Fmi2Initial.exact))
        self.register_variable(Real("v", causality=Fmi2Causality.output, initial=Fmi2Initial.exact))

    def do_step(self, current_time, step_size):
        rest = self.coupling * self.other / (self.stiffness + self.coupling)
        omega = sqrt((self.stiffness + self.coupling) / self.mass)
        c, s = cos(omega * step_size), sin(omega * step_size)
        x, v = self.x - rest, self.v
        self.x = rest + c * x + s / omega * v
        self.v = -omega * s * x + c * v
        return True
