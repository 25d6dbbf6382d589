"""What an FMU is made from: the C of a System, and where its numbers lie."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from mobod.scalar.slot import Slot
from mobod.system.variable import Variable


class GeneratedModel(Protocol):
    """What recording a System gives: the C file that defines `mobod_model`, and where its numbers lie.

    model_c    the text of model.c
    variables  the catalogue; its 'state' entries cover y, its 'derivative' entries y_dot
    start      the values of w in C, but for the initial conditions, which follow there in the order of y
    y          [q u z]
    y_dot      its time derivative
    time       the independent variable
    """

    @property
    def model_c(self) -> str: ...
    @property
    def variables(self) -> Sequence[Variable]: ...
    @property
    def start(self) -> np.ndarray: ...
    @property
    def y(self) -> Slot: ...
    @property
    def y_dot(self) -> Slot: ...
    @property
    def time(self) -> Slot: ...
    def depends_on(self, offset: int) -> frozenset[int]:
        """Which entries of y, time, parameters and inputs the value at `offset` depends on."""
