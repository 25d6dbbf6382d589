"""The nearest inertia that a rigid body can have."""

import numpy as np
import scipy

# principal moments of unit second moments along each axis: a moment is the sum of the other two second moments
_MOMENTS_OF_SECOND_MOMENTS = np.ones((3, 3)) - np.eye(3)


def nearest_inertia(matrix: np.ndarray) -> np.ndarray:
    """The inertia of a rigid body about its mass center that is nearest to a symmetric matrix, by the Frobenius norm.

    It has the same principal axes. Its principal moments are the nearest, in the sense of least squares, of those of which none is greater
    than the sum of the others: sums of two of three second moments of mass that are not negative.

    matrix   (3, 3)  kg m^2
    returns  (3, 3)  kg m^2

    The principal axes stay, since the set of possible inertias and the norm are the same in all axes.
    Source: Lewis, The convex analysis of unitarily invariant matrix functions, J. Convex Analysis 2 (1995).
    """
    moments, axes = np.linalg.eigh(matrix)
    size = np.abs(moments).max()
    if size == 0:
        return np.zeros((3, 3))
    second_moments, _ = scipy.optimize.nnls(_MOMENTS_OF_SECOND_MOMENTS, moments / size)
    nearest = (axes * (_MOMENTS_OF_SECOND_MOMENTS @ second_moments * size)) @ axes.T
    return (nearest + nearest.T) / 2
