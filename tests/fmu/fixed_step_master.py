"""Masters of model exchange that take fixed steps and do not search for events, by FMI 2.0 and 3.0."""

import ctypes

import fmpy
import numpy as np
from fmpy.simulation import instantiate_fmu

RK4 = ([0.5, 0.5, 1.0], np.array([1, 2, 2, 1]) / 6)  # the fraction of the step before each further stage, weights
EULER = ([], np.array([1.0]))


class FixedStepMaster:
    """looks: whether it enters event mode where an event indicator has changed its sign, or only if completedIntegratorStep asks for it.

    log  messages of the FMU
    """

    def __init__(self, fmu, step, method=EULER, *, looks=True, tolerance=1e-6, start=None):
        self.step, self.method, self.looks, self.n_steps, self.n_events, self.is_in_event_mode = step, method, looks, 0, 0, True
        self.log = []
        described = fmpy.read_model_description(str(fmu))
        self.is_3 = described.fmiVersion.startswith("3")
        self.references = {variable.name: variable.valueReference for variable in described.modelVariables}
        self.model = instantiate_fmu(
            fmpy.extract(str(fmu)),
            described,
            "ModelExchange",
            debug_logging=True,
            logger=lambda *message: self.log.append(message[-1].decode()),
        )
        self.n, self.n_indicators = described.numberOfContinuousStates, described.numberOfEventIndicators
        self.set = self.model.setFloat64 if self.is_3 else self.model.setReal
        if self.is_3:
            self.model.enterInitializationMode(startTime=0.0, tolerance=tolerance)
        else:
            self.model.setupExperiment(startTime=0.0, tolerance=tolerance)
            self.model.enterInitializationMode()
        for name, value in (start or {}).items():
            self.set([self.references[name]], [value])
        self.model.exitInitializationMode()
        self.update()

    # ---- values ----

    def _read(self, read, n):
        values = (ctypes.c_double * n)()
        read(values, n)
        return np.array(values)

    def states(self):
        return self._read(self.model.getContinuousStates, self.n)

    def rates(self):
        return self._read(self.model.getContinuousStateDerivatives if self.is_3 else self.model.getDerivatives, self.n)

    def indicators(self):
        return self._read(self.model.getEventIndicators, self.n_indicators)

    def move(self, time, states):
        self.model.setTime(time)
        self.model.setContinuousStates((ctypes.c_double * self.n)(*states), self.n)

    @property
    def time(self):
        return self.n_steps * self.step

    # ---- steps ----

    def update(self):
        """The end of event mode. Returns whether states have changed."""
        info = self.model.updateDiscreteStates() if self.is_3 else self.model.newDiscreteStates()
        assert not info[0]
        self.model.enterContinuousTimeMode()
        return bool(info[3])

    def integrate(self):
        """States at the end of a step."""
        y, (fractions, weights) = self.states(), self.method
        rates = [self.rates()]
        for fraction in fractions:
            self.move(self.time + fraction * self.step, y + fraction * self.step * rates[-1])
            rates.append(self.rates())
        return y + self.step * weights @ np.array(rates)

    def take_step(self):
        """Up to event mode, which it enters if it is needed: whether it is."""
        above = self.indicators() > 0
        end = self.integrate()
        self.n_steps += 1
        self.move(self.time, end)
        needs_events = bool(self.model.completedIntegratorStep()[0]) or (self.looks and np.any((self.indicators() > 0) != above))
        if needs_events:
            self.model.enterEventMode()
            self.n_events += 1
        return needs_events

    def run(self, until):
        """(n, 1 + n_states) time and states at the start and after each step."""
        rows = [[self.time, *self.states()]]
        while self.time < until - self.step / 2:
            if self.take_step():
                self.update()
            rows.append([self.time, *self.states()])
        return np.array(rows)

    def close(self):
        self.model.terminate()
        self.model.freeInstance()
