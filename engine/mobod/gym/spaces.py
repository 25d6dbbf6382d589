"""The spaces of actions and observations."""

from collections.abc import Mapping

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import real_numbers
from mobod.errors import InputError
from mobod.simulate.run_variables import RunVariables
from mobod.system import CatalogueVariable

Bounds = tuple[ArrayLike, ArrayLike]


def action_space(handle: RunVariables, bounds: Mapping[str, Bounds]) -> spaces.Box:
    """Actions between bounds, which are checked. bounds: in the order of the handle's variables"""
    pairs = [(each, _pair(each, bounds_of)) for each, bounds_of in zip(handle.variables, bounds.values(), strict=True)]
    low, high = (np.concatenate([np.broadcast_to(pair[side], each.slot.shape).reshape(-1) for each, pair in pairs]) for side in (0, 1))
    return spaces.Box(low, high, dtype=np.float64)


def _pair(variable: CatalogueVariable, bounds: Bounds) -> list[np.ndarray]:
    """The bounds of an action. Raises InputError if they are not finite, in the wrong order, or beyond those of the variable."""
    name = variable.name
    if variable.role not in ("input", "parameter"):
        raise InputError(f"SystemEnv: '{name}' cannot be an action. Inputs and parameters can.")
    try:
        low, high = (real_numbers(each, f"SystemEnv: the bounds of '{name}'") for each in bounds)
        np.broadcast_shapes(low.shape, high.shape, variable.slot.shape)
    except (TypeError, ValueError) as error:
        raise InputError(f"SystemEnv: '{name}' needs two bounds, (lower, upper), not {bounds!r}.") from error
    if not (np.isfinite(low).all() and np.isfinite(high).all() and (low < high).all()):
        raise InputError(f"SystemEnv: the bounds of '{name}' must be finite and increase, not {bounds!r}.")
    least, greatest = (
        (-np.inf if variable.minimum is None else variable.minimum),
        (np.inf if variable.maximum is None else variable.maximum),
    )
    if (low < least).any() or (high > greatest).any():
        raise InputError(f"SystemEnv: '{name}' is limited to {least:g} ... {greatest:g}, so {bounds!r} are no bounds for it.")
    return [low, high]


def observation_space(handle: RunVariables) -> spaces.Box:
    """Observations between the bounds of their variables."""
    return spaces.Box(handle.least, handle.greatest, dtype=np.float64)
