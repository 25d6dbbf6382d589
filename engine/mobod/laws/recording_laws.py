"""Law of recorded elements: the recording gives the same numbers as the NumPy code."""

from collections.abc import Iterator

import numpy as np

from mobod.laws.comparison import differ, shown
from mobod.system import CacheEntry, Stage, State, System


def recording_laws(system: System, state: State) -> Iterator[str]:
    """Messages about the first computed values that differ. The State must be realized to DYNAMICS."""
    as_text = state.copy()
    was_text, system.as_text = system.as_text, True
    try:
        with np.errstate(all="ignore"):  # values that are not finite are not checked here
            system.realize(as_text, Stage.DYNAMICS)
    finally:
        system.as_text = was_text
    for handle, slot in state.layout.slots.items():
        recorded, plain = state.values[slot.slice], as_text.values[slot.slice]
        if isinstance(handle, CacheEntry) and handle.computed_by is not None and np.isfinite(plain).all() and differ(recorded, plain):
            yield (
                f"'{handle.name}' differs between what is recorded and plain numbers, {shown(recorded, plain)}: something in the element's "
                "text does one thing with numbers and another while it is recorded, such as a branch by type, or a random number."
            )
            return
