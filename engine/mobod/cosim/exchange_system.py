"""ExchangeSystem: the equations of an FMU for model exchange as a System, which the integrators of the C runtime integrate."""

from collections.abc import Callable
from typing import final

import numpy as np

from mobod.importer.exchange_equations import FmuEquations
from mobod.matter import MultibodySystem
from mobod.system import (
    NEVER,
    CustomSubsystem,
    HandlerActions,
    Label,
    ScheduledEventHandler,
    Stage,
    State,
    TimeAdvancedEventHandler,
    TriggeredEventHandler,
)

NAME = "fmu"
STATES, CHANGES = f"{NAME}.x", f"{NAME}.changes"


@final
class _States(CustomSubsystem):
    """The continuous states of the FMU, or one that stays 0 if it has none."""

    recordable = False

    def __init__(self, system: MultibodySystem, equations: FmuEquations, start: np.ndarray) -> None:
        super().__init__(system, NAME)
        self.equations = equations
        self.start = start if equations.n_states else np.zeros(1)

    def realize_topology(self, state: State) -> None:
        # counts the changes of inputs and the events outside of the run, so that rates are computed again
        state.allocate_discrete_variable(self, "changes", 0.0, Stage.TIME)

    def realize_model(self, state: State) -> None:
        nominals = tuple(self.equations.nominals().tolist()) if self.equations.n_states else None
        state.allocate_z(self, self.start.tolist(), "x", label=Label(scale=nominals))

    def realize_acceleration(self, state: State) -> None:
        x = np.array(state.get(state.handle(self, "x")), dtype=float)
        rates = self.equations.rates(state.time, x) if self.equations.n_states else np.zeros(1)
        state.set_rate(state.handle(self, "x"), rates)

    def x(self, state: State) -> np.ndarray:
        return np.array(state.get(state.handle(self, "x")), dtype=float)

    def set_x(self, state: State, x: np.ndarray) -> None:
        if self.equations.n_states:
            state.set(state.handle(self, "x"), x)


def exchange_system(equations: FmuEquations, start: np.ndarray) -> MultibodySystem:
    """A System with the states `fmu.x`, whose events are those of the FMU. start: the states at the start"""
    system = MultibodySystem("model exchange")
    states = _States(system, equations, start)

    def handle(state: State, event: HandlerActions) -> None:
        if equations.has_ended or state.time == equations.last_event:  # with another event at this time
            return
        x = equations.handle_event(state.time, states.x(state))
        if x is None:
            event.terminate_when(True)
        else:
            states.set_x(state, x)

    def handle_time_event(state: State, event: HandlerActions) -> None:
        if state.time >= equations.next_event:
            handle(state, event)

    def next_time(state: State, includes_now: bool) -> float:
        return equations.next_event if equations.next_event > state.time else NEVER

    def finish_step(state: State, event: HandlerActions) -> None:
        wants = not equations.has_ended and equations.wants_event(state.time, states.x(state))
        if wants is None:
            event.terminate_when(True)
        elif wants:
            handle(state, event)

    if equations.has_step_events:
        TimeAdvancedEventHandler.of(system, finish_step, name="step", recordable=False)  # before other events at the same time
    for k in range(equations.n_indicators):
        TriggeredEventHandler.of(system, _indicator(states, k), handle, name=f"indicator{k + 1}", recordable=False)
    ScheduledEventHandler.of(system, next_time, handle_time_event, name="time", recordable=False)
    return system


def _indicator(states: _States, k: int) -> Callable[[State], float]:
    return lambda state: states.equations.indicators(state.time, states.x(state))[k]
