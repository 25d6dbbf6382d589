"""force = stiffness * (target - position) - damping * rate, the rate from the positions of two steps."""

from pythonfmu import Fmi2Causality, Fmi2Slave, Fmi2Variability, Real


class PdController(Fmi2Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.stiffness = 30.0  # N/m
        self.damping = 4.0  # N s/m
        self.target = 0.6  # m
        self.position = 0.1  # m
        self.rate = 0.0  # m/s
        self.before = None  # m
        for name in ("stiffness", "damping", "target"):
            self.register_variable(Real(name, causality=Fmi2Causality.parameter, variability=Fmi2Variability.tunable))
        self.register_variable(Real("position", causality=Fmi2Causality.input))
        self.register_variable(Real("force", causality=Fmi2Causality.output, getter=self.force))

    def force(self):
        return self.stiffness * (self.target - self.position) - self.damping * self.rate

    def do_step(self, current_time, step_size):
        if self.before is not None:
            self.rate = (self.position - self.before) / step_size
        self.before = self.position
        return True
