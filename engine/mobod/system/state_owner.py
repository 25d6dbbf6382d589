"""StateOwner: the part of a System that its States refer to."""

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

import numpy as np

from mobod.errors import InputError
from mobod.system.named_arguments import NamedArguments
from mobod.system.snapshot import Snapshot
from mobod.system.stage import Stage
from mobod.system.variable import CatalogueVariable

S = TypeVar("S")


class StateOwner(NamedArguments, ABC, Generic[S]):
    """What a State, and what stands for one, may ask of its System. S: the type of the States.

    called            what messages call a System that has this part
    topology_version  grows when the States made so far become unusable
    """

    called = "System"

    def __init__(self, name: str):
        given: object = name
        if not isinstance(given, str):
            raise InputError(f"the name of a System is a text, not {name!r}.")
        self.name = name
        self.as_text = False
        self.uses_cache = True
        self.topology_version = 0

    @property
    @abstractmethod
    def parts(self) -> tuple[tuple[str, str], ...]:
        """Names and versions of the subsystems."""

    @abstractmethod
    def new_state(self, snapshot: Snapshot) -> S:
        """See System."""

    @abstractmethod
    def realize(self, state: S, stage: Stage | str = Stage.REPORT) -> None:
        """See System."""

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
