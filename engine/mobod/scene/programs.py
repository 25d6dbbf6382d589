"""Programs of joints: the recording of X_FM as a list of instructions."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mobod.matter.equations.interface_equations import InterfaceEquations
from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.scalar.recording import record
from mobod.scene.scene import JointProgram
from mobod.spatial import Transform


def program_of(equations: MobilizerEquations) -> JointProgram:
    """The program of all joints with these equations; their parameters are arguments."""
    return _recorded(lambda q, parameters: equations.with_parameters(parameters).X_FM(q), equations, equations.n_parameters)


def program_of_interface(equations: InterfaceEquations) -> JointProgram:
    """The program of a frame on a flexible body, by its modal coordinates; shapes are constants."""
    return _recorded(lambda q, _: equations.X_FM(q), equations, 0)


def _recorded(X_FM: Callable[[Any, Any], Transform], equations: MobilizerEquations, n_parameters: int) -> JointProgram:
    n_q = equations.nq

    def pose(q: Any, parameters: Any) -> np.ndarray:
        X = X_FM(q, parameters)
        return np.concatenate([np.asarray(X.R).ravel(), np.asarray(X.p)])

    recording = record(pose, [np.full(n_q, np.nan), np.full(n_parameters, np.nan)], about=f"X_FM of {type(equations).__name__}")
    registers = {entry.number: i for i, entry in enumerate(entry for array in recording.inputs for entry in array)}
    tables: dict[int, int] = {}  # number of an entry -> number of its table
    numbers: list[tuple[float, ...]] = []
    instructions: list[tuple[str, *tuple[float, ...]]] = []
    for number in recording.needed:
        operation, operands = recording.tape.entries[number]
        if operation == "table":
            tables[number] = len(numbers)
            numbers.append(tuple(operands.numbers.tolist()))
        elif operation != "symbol":
            registers[number] = n_q + n_parameters + len(instructions)
            read = (operands,) if operation == "constant" else (tables.get(each, registers.get(each, 0)) for each in operands)
            instructions.append((operation, *read))
    return JointProgram(
        n_q, n_parameters, tuple(instructions), tuple(registers[entry.number] for entry in recording.outputs[0]), tuple(numbers)
    )
