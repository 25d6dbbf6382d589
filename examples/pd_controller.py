"""torque = stiffness (target - angle) - damping rate: an FMU slave for pythonfmu (see 03_cosimulate.py)."""

from pythonfmu import Fmi2Causality, Fmi2Slave, Fmi2Variability, Real


class PdController(Fmi2Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.stiffness = 30.0  # N m/rad
        self.damping = 5.0  # N m s/rad
        self.target = 1.0  # rad
        self.angle = 0.0  # rad
        self.rate = 0.0  # rad/s
        for name in ("stiffness", "damping", "target"):
            self.register_variable(Real(name, causality=Fmi2Causality.parameter, variability=Fmi2Variability.tunable))
        for name in ("angle", "rate"):
            self.register_variable(Real(name, causality=Fmi2Causality.input))
        self.register_variable(Real("torque", causality=Fmi2Causality.output, getter=self.torque))

    def torque(self):  # N m
        return self.stiffness * (self.target - self.angle) - self.damping * self.rate

    def do_step(self, current_time, step_size):
        return True  # nothing to integrate: the torque depends on the inputs alone
