"""Each type as parameter, input and output; the outputs follow the inputs at each step."""

from pythonfmu import Boolean, Fmi2Causality, Fmi2Slave, Fmi2Variability, Integer, Real, String


class AllTypes(Fmi2Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        starts = {"real": (Real, -1.25), "integer": (Integer, 41), "boolean": (Boolean, True), "string": (String, "größe, 1")}
        self.steps = 0
        for kind, (variable, start) in starts.items():
            setattr(self, f"{kind}_in", start)
            setattr(self, f"{kind}_out", start)
            self.register_variable(variable(f"{kind}_in", causality=Fmi2Causality.input, variability=Fmi2Variability.discrete))
            self.register_variable(variable(f"{kind}_out", causality=Fmi2Causality.output, variability=Fmi2Variability.discrete))
        self.register_variable(Integer("steps", causality=Fmi2Causality.local, variability=Fmi2Variability.discrete))

    def do_step(self, current_time, step_size):
        self.steps += 1
        self.real_out = 0.5 * self.real_in
        self.integer_out = self.integer_in + 1
        self.boolean_out = not self.boolean_in
        self.string_out = self.string_in + "."
        return True
