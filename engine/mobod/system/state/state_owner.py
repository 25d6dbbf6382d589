"""StateOwner: the interface of a System that its States use."""

# Decision: docs/decisions/100-no-import-cycles.md

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

import numpy as np

from mobod.errors import InputError
from mobod.system.named_arguments import NamedArguments
from mobod.system.names import check_characters
from mobod.system.stage import Stage
from mobod.system.state.snapshot import Snapshot
from mobod.system.variable import CatalogueVariable

S = TypeVar("S")


class StateOwner(NamedArguments, ABC, Generic[S]):
    """The interface of a System that a State, or its stand-in, uses. S: the type of the States.

    called            the name of this kind of System in messages
    topology_version  increases when all earlier States become unusable
    """

    called = "System"

    def __init__(self, name: str):
        given: object = name
        if not isinstance(given, str):
            raise InputError(f"the name of a System is a text, not {name!r}.")
        self.name = check_characters(name, f"a {self.called}")
        self.as_text = False
        self.uses_cache = True
        self.topology_version = 0

    @property
    @abstractmethod
    def parts(self) -> tuple[tuple[str, str], ...]:
        """Names and versions of the subsystems."""

    @abstractmethod
    def new_state(self, snapshot: Snapshot) -> S:
        """A new State with the MODEL-stage variables of a snapshot. See System.new_state."""

    @abstractmethod
    def realize(self, state: S, stage: Stage | str = Stage.REPORT) -> None:
        """Compute the State up to a stage. See System.realize."""

    @abstractmethod
    def variables(self, state: S) -> list[CatalogueVariable]:
        """See System."""

    @abstractmethod
    def variable(self, state: S, name: str) -> CatalogueVariable:
        """See System."""

    @abstractmethod
    def value(self, state: S, variable: CatalogueVariable | str) -> np.ndarray:
        """See System."""


AnySystem = StateOwner[Any]
