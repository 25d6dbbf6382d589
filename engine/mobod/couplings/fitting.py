"""Coordinates of a coupling that has no way of its own from a pose to them."""

import numpy as np

from mobod.couplings.coupling_methods import CouplingMethods
from mobod.couplings.equations import CouplingEquations
from mobod.matter.equations.fitting import q_to_fit
from mobod.spatial import Transform


def fitted_coordinates(coupling: CouplingMethods, TCD: Transform) -> np.ndarray:
    """(n,) whose pose differs least from T_CD, in the squares of its entries (of the position in m), beginning at the stored values."""
    stored = np.array([each.value for each in coupling.coordinates], dtype=float)
    return q_to_fit(CouplingEquations(coupling, None), stored, R=TCD.R, p=TCD.p)
