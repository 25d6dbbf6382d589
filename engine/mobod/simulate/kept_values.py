"""KeptValues: coordinates and speeds that an assembly holds, by their names."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.errors import AssemblyError, InputError
from mobod.matter import MatterSubsystem
from mobod.system import State
from mobod.system.scales import Scales


@final
@dataclass(frozen=True)
class KeptValues:
    """Single coordinates and speeds of bodies, and the values that they had when they were named.

    names, units  of the numbers
    offsets       (n,) in State.values
    values        (n,)
    q, u          (nq,), (nu,) which coordinates and speeds of the bodies they are; of a quaternion all four entries
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    offsets: np.ndarray
    values: np.ndarray
    q: np.ndarray
    u: np.ndarray

    def __bool__(self) -> bool:
        return bool(self.names)

    @property
    def text(self) -> str:
        """What is kept, for messages."""
        each = zip(self.names, self.values.tolist(), self.units, strict=True)
        return ", ".join(f"'{name}' at {value:.6g}{'' if unit == '1' else f' {unit}'}" for name, value, unit in each)

    def check_not_prescribed(self, state: State, tolerance: float, scales: Scales) -> None:
        """Raise AssemblyError if a motion or a lock gives one of them another value. state: realized."""
        for i, value in enumerate(state.values[self.offsets].tolist()):
            if not abs(value - self.values[i]) <= tolerance * (scales.of(self.units[i]) + abs(self.values[i])):
                unit = "" if self.units[i] == "1" else f" {self.units[i]}"
                raise AssemblyError(
                    f"Assembler: '{self.names[i]}' cannot be kept at {self.values[i]:.6g}{unit}: a motion or a lock gives it the value "
                    f"{value:.6g}{unit} at {state.time:g} s. Disable that, or do not keep it."
                )


def kept_values(matter: MatterSubsystem, state: State, names: Iterable[str]) -> KeptValues:
    """The coordinates and speeds with these names, 'crank.u' or 'free.q[2]', at their values in the State.

    Raises UnknownNameError with the nearest name; InputError for a variable that is no coordinate and no speed of a body.
    """
    if isinstance(names, str):
        raise InputError(f"Assembler: keep is a list of names. Write keep=['{names}'].")
    tree = matter.tree(state.layout)
    q, u = np.zeros(tree.all_q.size, dtype=bool), np.zeros(tree.all_u.size, dtype=bool)
    named: dict[int, tuple[str, str]] = {}
    for name in names:
        variable = matter.system.variable(state, name)
        first, size = variable.slot.offset, variable.slot.size
        for slot, chosen in ((tree.all_q, q), (tree.all_u, u)):
            if slot.offset <= first < slot.offset + slot.size:
                chosen[first - slot.offset : first - slot.offset + size] = True
                break
        else:
            raise InputError(f"Assembler: '{name}' cannot be kept. Coordinates and speeds of bodies can, such as 'crank.q' and 'crank.u'.")
        named.update({first + i: (each, variable.unit(i)) for i, each in enumerate(variable.entry_names())})
    for offset in state.layout.quaternions:
        entries = slice(offset - tree.all_q.offset, offset - tree.all_q.offset + 4)
        if q[entries].any():
            q[entries] = True
    offsets = np.array(list(named), dtype=np.intp)
    found = list(named.values())
    return KeptValues(tuple(n for n, _ in found), tuple(unit for _, unit in found), offsets, state.values[offsets].copy(), q, u)
