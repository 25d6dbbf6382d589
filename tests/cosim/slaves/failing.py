"""Works until its time is up; then does what the parameter `manner` says."""

from pythonfmu import Fmi2Causality, Fmi2Slave, Fmi2Variability, Real, String
from pythonfmu.enums import Fmi2Status


class Failing(Fmi2Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.manner = "raise"
        self.limit = 0.25  # s
        self.y = 0.5
        self.register_variable(String("manner", causality=Fmi2Causality.parameter, variability=Fmi2Variability.fixed))
        self.register_variable(Real("limit", causality=Fmi2Causality.parameter, variability=Fmi2Variability.fixed))
        self.register_variable(Real("y", causality=Fmi2Causality.output))

    def do_step(self, current_time, step_size):
        if current_time + step_size <= self.limit:
            return True
        if self.manner == "raise":
            self.log("the spring broke", Fmi2Status.error)
            raise RuntimeError("broken")
        if self.manner == "discard":
            return False
        if self.manner == "warn":
            self.log("the spring is hot", Fmi2Status.warning)
            return True
        if self.manner == "nan":
            self.y = float("nan")
        return True

    def terminate(self):
        if self.manner == "terminate":
            raise RuntimeError("cannot stop")
