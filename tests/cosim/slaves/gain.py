"""y = gain * u + offset, without delay; the same again under a name with dots, brackets and parentheses."""

from pythonfmu import Fmi2Causality, Fmi2Slave, Fmi2Variability, Real


class Gain(Fmi2Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.gain = 2.5
        self.offset = 0.0
        self.u = 0.75
        for name in ("gain", "offset"):
            self.register_variable(Real(name, causality=Fmi2Causality.parameter, variability=Fmi2Variability.tunable))
        self.register_variable(Real("u", causality=Fmi2Causality.input))
        for name in ("y", "block.y[1](a.b)"):
            self.register_variable(Real(name, causality=Fmi2Causality.output, getter=self.amplified), nested=False)

    def amplified(self):
        return self.gain * self.u + self.offset

    def do_step(self, current_time, step_size):
        return True
