"""NetworkVariable: one number, truth value or text of a component, as a network sees it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, final

from fmpy.model_description import Unit

Kind = Literal["float", "integer", "boolean", "enumeration", "string"]
Value = float | int | bool | str


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class NetworkVariable:
    """One number, truth value or text of a component. An array is several of them, one for each entry.

    name         'q', or for an entry of an array 'p[2]', 'K[1,2]'
    kind         'float', 'integer', 'boolean', 'enumeration' or 'string'
    type         the name of the type that the component gives it, for messages: 'Real', 'Float64', 'UInt8'
    causality, variability, initial
                 as in FMI
    unit         with its SI exponents, if they are known; None if it has no unit
    is_relative  whether it is a difference, to which the offset of its unit does not apply
    nominal      of its size, in its unit
    minimum, maximum
                 that the component declares, in its unit; None if it has none
    items        of an enumeration: its values by name
    lowest, highest
                 of integers of this type
    array        the name of the array of which it is an entry, or None
    key          equal for two names of one variable (aliases)
    """

    name: str
    kind: Kind = "float"
    type: str = "Float64"
    causality: str
    variability: str = "continuous"
    initial: str | None = None
    unit: Unit | None = None
    is_relative: bool = False
    nominal: float = 1.0
    minimum: float | None = None
    maximum: float | None = None
    items: Mapping[str, int] = field(default_factory=dict)
    lowest: int = -(2**31)
    highest: int = 2**31 - 1
    array: str | None = None
    key: object = None

    @property
    def start_is_open(self) -> bool:
        """Whether FMI allows to set it before the initialization."""
        return self.variability != "constant" and (self.causality == "input" or self.initial in ("exact", "approx"))

    @property
    def is_settable(self) -> bool:
        """Whether FMI allows to set it between steps."""
        return self.causality == "input" or (self.causality == "parameter" and self.variability == "tunable")


def entry_names(array: str, shape: tuple[int, ...]) -> list[str]:
    """The names of the entries of an array by rows: 'p[1]', 'p[2]', ..., or 'K[1,1]', 'K[1,2]', ..."""
    indices: list[tuple[int, ...]] = [()]
    for size in shape:
        indices = [(*index, k + 1) for index in indices for k in range(size)]
    return [f"{array}[{','.join(map(str, index))}]" for index in indices]
