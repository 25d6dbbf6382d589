"""A new shape is one class, a new pair of shapes one function."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.contact import Ellipsoid, HalfSpace, Sphere, decorations_of, pair_of
from mobod.contact.pairs import contact_pair
from mobod.contact.pairs.contact_pair import touching
from mobod.contact.proximity import Gap
from mobod.contact.shapes import BoundedShape
from mobod.contact.shapes.bounded_shape import lowest_of
from mobod.errors import UnsupportedError
from mobod.matter.parameters import equations
from mobod.spatial import Transform
from mobod.system.elements import parameter


@equations
class Dumbbell(BoundedShape):
    """Two points on x."""

    half_length: float = parameter("m", "half of the distance", above=0.0, kw_only=False)

    @property
    def features(self):
        return "left", "right"

    def lowest_points(self, m):
        return lowest_of([[-self.half_length, 0, 0], [self.half_length, 0, 0]], m)

    def decorations(self, look):
        return [(Transform(p=[x, 0, 0]), mb.decorations.Sphere(0.01, **look.of_geometry)) for x in (-self.half_length, self.half_length)]


@pytest.mark.parametrize("is_first", [True, False])
def test_a_shape_with_lowest_points_lies_on_a_half_space(is_first):
    system = mb.MultibodySystem("lying")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1])
    bar = mb.Free(matter.ground, mb.MassProperties(2.0, [0.1, 0, 0], mb.Inertia(np.diag([0.2, 0.3, 0.3]))), name="bar")
    on_ground, on_bar = (matter.ground, HalfSpace()), (bar, Dumbbell(0.4))
    contact = mb.RigidContact(*(on_ground + on_bar if is_first else on_bar + on_ground), static_friction=0.5, name="contact")
    final = mb.Simulation(system, backend="interpreted").run(system.realize_topology(), 0.1).final_state
    system.realize(final, mb.Stage.ACCELERATION)
    # moments about the other end: 0.5 and 0.3 of the weight's arm of 0.8
    assert_allclose(np.sort(contact.normal_force(final)), 2 * 9.80665 * np.array([0.3, 0.5]) / 0.8, rtol=1e-9)  # of round-off in 0.1 s
    assert pair_of(Dumbbell(0.4), HalfSpace()).names == ("left", "right")
    assert [X.p[0] for X, _ in decorations_of(Dumbbell(0.4))] == [-0.4, 0.4]


def test_a_function_for_two_types_makes_a_pair_in_either_order(monkeypatch):
    one, other = Ellipsoid([1, 2, 3]), Sphere(0.5)
    with pytest.raises(UnsupportedError, match=r"no distance between an Ellipsoid and a Sphere. Shapes that touch: Box with Sphere; .*"):
        pair_of(one, other)
    monkeypatch.setattr(contact_pair, "_DISTANCES", dict(contact_pair._DISTANCES))

    @touching(Ellipsoid, Sphere, names=lambda ellipsoid, sphere: ("along_x",))
    def along_x(ellipsoid, X_AE, sphere, X_AS):
        gap = X_AS.p[0] - X_AE.p[0] - ellipsoid.radii[0] - sphere.radius
        return [Gap(gap, np.array([1.0, 0, 0]), X_AE.p, 1.0)]

    for shapes, places, normal in (((one, other), (0.0, 2.0), 1.0), ((other, one), (2.0, 0.0), -1.0)):
        pair = pair_of(*shapes)
        assert pair.names == ("along_x",)
        (found,) = pair.proximities(shapes[0], Transform(p=[places[0], 0, 0]), shapes[1], Transform(p=[places[1], 0, 0]))
        assert (found.distance, found.normal[0]) == (0.5, normal)
