"""Loading: what differs between versions of FMI when a library is loaded and makes an instance. LoadedFmu has one."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from mobod.fmi.fmu_log import FmuLog
from mobod.fmi.version_1.description import Description1

Interface = Literal["co-simulation", "model-exchange"]


class InputsWithinStep(NamedTuple):
    """Inputs that change within steps: their value references, and a function that sets them to their values at a time, s."""

    references: Sequence[int]
    update: Callable[[float], None]


class NewInstance(NamedTuple):
    """The arguments with which an instance is made.

    of_fmi_1                    see FmuArchive
    with_events, inputs_within  see LoadedFmu
    """

    interface: Interface
    log: FmuLog
    of_fmi_1: Description1 | None
    with_events: bool
    inputs_within: InputsWithinStep | None


class Loading(Protocol):
    """A version of FMI."""

    @property
    def digit(self) -> str:
        """The first digit of the version whose functions are called: "2" for FMI 1.0."""

    @property
    def is_called_in_c(self) -> bool:
        """Whether C may call the functions; else Python calls them."""

    @property
    def keeps_categories(self) -> bool:
        """Whether the choice of categories of messages leaves the others on."""

    def binding(self, interface: Interface) -> type:
        """The class with the declarations of the functions."""

    def instantiating(self, interface: Interface) -> str:
        """The name of the function that makes an instance."""

    def instantiate(self, fmu: Any, new: NewInstance) -> None:
        """Make the instance. fmu: an object of the class that `binding` gives. Raises Exception if there is none, as fmpy does."""

    def spelled(self, function: str, interface: Interface) -> str:
        """The name of a function in the FMU's version."""
