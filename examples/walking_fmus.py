"""The walking robot and its policy as two FMUs, which FMPy connects (see 24_learning_to_walk.py)."""

import fmpy
import fmpy.fmi2
import numpy as np
from walking_robot import ACTION, OBSERVED, STEP, policy, quadruped, rules

import mobod as mb


def write_fmus(weights: np.ndarray) -> None:
    """robot.fmu and policy.fmu"""
    mb.export_fmu(quadruped(), "robot.fmu", inputs=["servos.targets"], outputs=OBSERVED, integrator="velocity_level", step=STEP)
    mb.export_fmu(policy(weights), "policy.fmu", inputs=["q.value", "u.value"], outputs=["targets.value"])


def start_values(state: mb.State) -> dict[str, float]:
    """The random values of the start of an episode, by their names in the FMU."""
    found: dict[str, float] = {}
    for name in rules()["randomize"]:
        values = np.ravel(state.system.value(state, name))
        in_fmu = f"{name}_start" if name == "body.u" else name
        found |= {in_fmu: values[0]} if len(values) == 1 else {f"{in_fmu}[{k}]": value for k, value in enumerate(values, start=1)}
    return found


class Slave:
    """An FMU for co-simulation (FMI 2.0) that has begun, whose numbers are read and set by their names."""

    def __init__(self, file: str, start: dict[str, float]) -> None:
        description, folder = fmpy.read_model_description(file), fmpy.extract(file)
        self._references = {each.name: each.valueReference for each in description.modelVariables}
        identifier = description.coSimulation.modelIdentifier
        self._fmu = fmpy.fmi2.FMU2Slave(guid=description.guid, unzipDirectory=folder, modelIdentifier=identifier)
        self._fmu.instantiate()
        self._fmu.setupExperiment()
        self.set(list(start), list(start.values()))
        self._fmu.enterInitializationMode()
        self._fmu.exitInitializationMode()

    def get(self, names: list[str]) -> list[float]:
        return list(self._fmu.getReal([self._references[name] for name in names]))

    def set(self, names: list[str], values: list[float]) -> None:
        self._fmu.setReal([self._references[name] for name in names], values)

    def step(self, time: float, size: float) -> None:
        self._fmu.doStep(time, size)


def entries(name: str, n: int) -> list[str]:
    return [f"{name}[{k}]" for k in range(1, n + 1)]


def walk_of_fmus(start: dict[str, float], duration: float) -> np.ndarray:
    """(n, 3) m, places of the body after each action, as those of `filmed_walk`."""
    robot, controller, places = Slave("robot.fmu", start), Slave("policy.fmu", {}), []
    for number in range(round(duration / ACTION)):
        controller.set(entries("q.value", 7) + entries("u.value", 6), robot.get(entries("body.q", 7) + entries("body.u", 6)))
        robot.set(entries("servos.targets", 12), controller.get(entries("targets.value", 12)))
        for each in (robot, controller):
            each.step(number * ACTION, ACTION)
        places.append(robot.get(entries("body.q", 7)[4:]))
    return np.array(places)
