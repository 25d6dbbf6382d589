"""The nearest inertia that a rigid body can have."""

import numpy as np
import scipy

# principal moments for a unit second moment along each axis: a moment is the sum of the other two second moments
_MOMENTS_OF_SECOND_MOMENTS = np.ones((3, 3)) - np.eye(3)


def nearest_inertia(matrix: np.ndarray) -> np.ndarray:
    """The inertia of a rigid body about its mass center that is nearest to a symmetric matrix, in the Frobenius norm.

    It has the same principal axes. Its principal moments are the nearest ones, in the least-squares sense, that satisfy the triangle
    inequalities: sums of two of three nonnegative second moments of mass.

    matrix   (3, 3)  kg m^2
    returns  (3, 3)  kg m^2

    The principal axes do not change, since the set of valid inertias and the norm are invariant under rotation.
    Source: Lewis, The convex analysis of unitarily invariant matrix functions, J. Convex Analysis 2 (1995).
    """
    moments, axes = np.linalg.eigh(matrix)
    size = np.abs(moments).max()
    if size == 0:
        return np.zeros((3, 3))
    second_moments, _ = scipy.optimize.nnls(_MOMENTS_OF_SECOND_MOMENTS, moments / size)
    nearest = (axes * (_MOMENTS_OF_SECOND_MOMENTS @ second_moments * size)) @ axes.T
    return (nearest + nearest.T) / 2
