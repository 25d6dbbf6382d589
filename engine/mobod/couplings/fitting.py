"""Coordinates of a coupling that has no way of its own from a pose to them."""

import numpy as np

from mobod.couplings.coupling_methods import CouplingMethods
from mobod.couplings.equations import CouplingEquations
from mobod.matter.equations.fitting import q_to_fit
from mobod.spatial import Transform


def fitted_coordinates(coupling: CouplingMethods, TCD: Transform) -> np.ndarray:
    """(n,) the coordinates whose pose is nearest to T_CD: least squares over the entries (position in m), starting from the stored
    values.
    """
    stored = np.array([each.value for each in coupling.coordinates], dtype=float)
    return q_to_fit(CouplingEquations(coupling, None), stored, R=TCD.R, p=TCD.p)
