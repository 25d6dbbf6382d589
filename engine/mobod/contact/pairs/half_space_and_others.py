"""The distance of a half-space from every other shape. It can be recorded."""

from mobod.contact.pairs.contact_pair import touching
from mobod.contact.proximity import Gap
from mobod.contact.shapes import BoundedShape, HalfSpace
from mobod.spatial import Transform


@touching(HalfSpace, BoundedShape, names=lambda half_space, shape: shape.features)
def half_space_gaps(half_space: HalfSpace, X_AH: Transform, shape: BoundedShape, X_AS: Transform) -> list[Gap]:
    """The gaps between a half-space H and a shape S, in frame A."""
    n = X_AH.R[:, 2]
    height_of_origin = n @ (X_AS.p - X_AH.p)
    gaps = []
    for lowest in shape.lowest_points(X_AS.R.T @ n):
        distance = height_of_origin + lowest.height
        gaps.append(Gap(distance, n, X_AS.apply(lowest.p) - distance / 2 * n, lowest.regularity))
    return gaps
