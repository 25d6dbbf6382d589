"""Couplings of a user: the methods to write, the derived quantities, and the errors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.couplings.projections import displacement, nearest_on_ellipsoid, rotation_vector
from mobod.errors import InputError, RecordingError, UnsupportedError
from mobod.spatial import rotation_about


class Helix(mb.Coupling):
    """A screw defined by its coordinates alone; pitch in m/rad."""

    def __init__(self, pitch=0.2):
        self.pitch = pitch
        super().__init__()

    def initialize_constraints(self):
        for _ in range(5):
            self.add_constraint(self.BILATERAL | self.LINEAR | self.ROTARY)
        self.add_coordinate(limit_constraint=self.add_constraint(self.ROTARY), name="turn")

    def coordinates_to_TCD(self, coordinates):
        c, s = np.cos(coordinates[0]), np.sin(coordinates[0])
        return mb.Transform(np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), np.array([0, 0, self.pitch * coordinates[0]]))


def rows_at(coupling, coordinates, rates):
    """(W, W_dot, J) on the manifold."""
    coordinates = np.array(coordinates, dtype=float)
    T = coupling.coordinates_to_TCD(coordinates)
    J = coupling.recorded.twists(coordinates)
    W, W_dot, _ = coupling.recorded.rows(T, T, coordinates, np.zeros(6), J @ np.array(rates))
    return W, W_dot, J


ALL = [
    Helix(),
    mb.HingeCoupling(clockwise=True),
    mb.CylindricalCoupling(clockwise=False),
    mb.SkewedUniversalCoupling(-0.7),
    mb.UniversalCoupling(axes="XY", skew=0.4),
    mb.GimbalCoupling(axes="XYZ"),
    mb.PlanarCoupling(),
    mb.FixedAxisCoupling(),
    mb.FreeCoupling(axes="XYZ"),
    mb.EllipsoidCoupling([0.9, 1.4, 0.6], 0.3),
    mb.EllipsoidCoupling([0.9, 1.4, 0.6], 0.3, uses_opensim=True),
    mb.Ellipsoid3dCoupling([0.9, 1.4, 0.6]),
]


@pytest.mark.parametrize("coupling", ALL, ids=lambda each: type(each).__name__)
def test_wrenches_are_dual_to_twists_and_their_rates_are_derivatives(coupling):
    rng = np.random.default_rng(7)
    n = len(coupling.coordinates)
    q, q_dot = rng.uniform(-0.9, 0.9, n), rng.normal(size=n)
    W, W_dot, J = rows_at(coupling, q, q_dot)

    bilateral = [each.index for each in coupling.constraints if each.is_bilateral]
    limits = [each.limit_constraint.index for each in coupling.coordinates if each.limit_constraint is not None]
    assert len(bilateral) == 6 - n
    assert_allclose(W[bilateral] @ J, 0, atol=1e-13)
    if limits:
        assert_allclose(W[limits] @ J, np.eye(n), atol=1e-13)
    h = 1e-5
    difference = (rows_at(coupling, q + h * q_dot, q_dot)[0] - rows_at(coupling, q - h * q_dot, q_dot)[0]) / (2 * h)
    assert_allclose(W_dot, difference, atol=1e-8)  # h^2 times third derivatives, and round-off over h


@pytest.mark.parametrize("coupling", ALL, ids=lambda each: type(each).__name__)
def test_coordinates_are_recovered_from_their_pose(coupling):
    rng = np.random.default_rng(8)
    q = rng.uniform(-0.9, 0.9, len(coupling.coordinates))
    for each, value in zip(coupling.coordinates, q + 0.1, strict=True):
        each.value = value
    T = coupling.coordinates_to_TCD(q)

    assert_allclose(coupling.TCD_to_coordinates(T), q, atol=1e-7 if isinstance(coupling, Helix) else 1e-13)  # the Helix is fitted
    assert_allclose(displacement(coupling.project_to_constraints(T).inverse() @ T), 0, atol=1e-7 if isinstance(coupling, Helix) else 1e-13)


@pytest.mark.parametrize("coupling", ALL[1:], ids=lambda each: type(each).__name__)
def test_the_projection_is_nearest_along_bilateral_wrenches(coupling):
    """To first order, the displacement that is projected away is in the span of the bilateral wrenches: free motion is kept."""
    rng = np.random.default_rng(9)
    q = rng.uniform(-0.5, 0.5, len(coupling.coordinates))
    W, _, _ = rows_at(coupling, q, np.zeros(len(q)))
    T = coupling.coordinates_to_TCD(q)
    size = 1e-6
    moved = T @ mb.Transform(rotation_about([1, 0, 0], size) @ rotation_about([0, 1, 0], -2 * size), size * np.array([1.0, 2.0, -3.0]))
    again = coupling.project_to_constraints(coupling.project_to_constraints(moved))

    assert_allclose(displacement(coupling.project_to_constraints(moved).inverse() @ again), 0, atol=1e-14)
    bilateral = W[[each.index for each in coupling.constraints if each.is_bilateral]]
    whole, rest = displacement(T.inverse() @ moved), displacement(coupling.project_to_constraints(moved).inverse() @ moved)
    assert_allclose(bilateral @ rest, bilateral @ whole, atol=1e-11)  # size^2


@pytest.mark.parametrize("turns", [0, 1, -3])
def test_the_nearest_angle_follows_over_many_turns(turns):
    hinge = mb.HingeCoupling(clockwise=True)
    angle = 2 * np.pi * turns
    for _ in range(50):
        angle += 0.4
        hinge.coordinate(0).value = angle - 0.4
        (found,) = hinge.TCD_to_coordinates(hinge.coordinates_to_TCD(np.array([angle])))
        assert found == pytest.approx(angle, abs=1e-13)


def test_a_gimbal_keeps_its_solution_beyond_a_quarter_turn_of_pitch():
    gimbal = mb.GimbalCoupling()
    for pitch in np.arange(0.0, 3.0, 0.1):
        expected = np.array([0.4, pitch, -0.3])
        for each, value in zip(gimbal.coordinates, expected - [0.01, 0.1, -0.01], strict=True):
            each.value = value
        assert_allclose(gimbal.TCD_to_coordinates(gimbal.coordinates_to_TCD(expected)), expected, atol=1e-12)


@pytest.mark.parametrize("axes", ["ZYX", "XYZ"])
def test_a_gimbal_in_lock_keeps_roll_and_its_pose(axes):
    gimbal = mb.GimbalCoupling(axes=axes)
    gimbal.coordinate(0).value = 0.4
    T = gimbal.coordinates_to_TCD(np.array([0.7, np.pi / 2, -0.3]))
    found = gimbal.TCD_to_coordinates(T)

    assert found[0] == pytest.approx(0.4)
    assert_allclose(gimbal.coordinates_to_TCD(found).R, T.R, atol=1e-14)


def test_constraints_are_rebuilt_when_they_are_initialized_again():
    coupling = Helix()
    coupling.constraint(0).compliance = 0.1
    coupling.pitch = 0.5
    coupling.initialize_constraints()

    assert len(coupling.constraints) == 6
    assert coupling.constraint(0).compliance == 0
    assert coupling.recorded.twists(np.array([0.3]))[2, 0] == pytest.approx(0.5)


class Private(Helix):
    """A coupling with a private field."""

    def __init__(self, pitch):
        self._pitch = pitch
        super().__init__(pitch=1.0)

    def coordinates_to_TCD(self, coordinates):
        T = super().coordinates_to_TCD(coordinates)
        return mb.Transform(T.R, self._pitch * T.p)


def test_couplings_with_equal_fields_are_alike():
    assert Private(0.2).likeness == Private(0.2).likeness
    assert Private(0.2).likeness != Private(0.3).likeness
    assert Private(0.2).likeness != Helix(0.2).likeness
    changed = Private(0.2)
    assert changed.recorded.twists(np.array([0.3]))[2, 0] == pytest.approx(0.2)
    changed._pitch = 0.5
    assert changed.recorded.twists(np.array([0.3]))[2, 0] == pytest.approx(0.5)


def test_a_unilateral_constraint_needs_a_tolerance():
    class Bare(mb.Coupling):
        def initialize_constraints(self):
            self.add_constraint(mb.BILATERAL, [1, 0, 0, 0, 0, 0])
            self.add_constraint(0)

    with pytest.raises(InputError, match="unilateral constraint must be LINEAR, ROTARY or both"):
        Bare()


def test_changing_a_field_discards_the_recordings():
    coupling = Helix(pitch=0.2)
    assert coupling.recorded.twists(np.array([0.3]))[2, 0] == pytest.approx(0.2)
    coupling.pitch = 0.5
    assert coupling.recorded.twists(np.array([0.3]))[2, 0] == pytest.approx(0.5)


class AsksWhatIsEngaged(Helix):
    def update_constraints(self, TGD, TCD, errC, velGD, update_engaged):
        if self.constraint(5).engaged != 0:
            self.constraint(5).wrench_G = np.zeros(6)


class ForgetsARegion(Helix):
    def initialize_constraints(self):
        super().initialize_constraints()
        self.add_constraint(self.LINEAR, [1, 0, 0, 0, 0, 0])


class TooFewWrenches(Helix):
    def initialize_constraints(self):
        self.add_constraint(self.BILATERAL | self.LINEAR)
        self.add_coordinate(name="turn")


@pytest.mark.parametrize(
    ("kind", "error", "words"),
    [
        (AsksWhatIsEngaged, RecordingError, "Always set its wrench"),
        (ForgetsARegion, InputError, "See constraint 6"),
        (TooFewWrenches, InputError, "1 coordinates and 1 bilateral"),
    ],
)
def test_unsupported_operations_of_couplings_are_errors(kind, error, words):
    with pytest.raises(error, match=words):
        rows_at(kind(), [0.3], [1.0])


class Range(mb.Coupling):
    def __init__(self, low, high):
        self.low, self.high = low, high
        super().__init__()

    def initialize_constraints(self):
        self.add_coordinate(self.low, self.high, self.add_constraint(self.LINEAR), "x")


@pytest.mark.parametrize(("low", "high"), [(1, 1), (2, 1), (np.nan, 1)])
def test_an_empty_range_is_refused(low, high):
    with pytest.raises(InputError, match="range of coordinate 'x' is "):
        Range(low, high)


def test_a_coupling_without_coordinates_and_projection_is_an_error():
    class Nothing(mb.Coupling):
        def initialize_constraints(self):
            self.add_constraint(self.BILATERAL | self.LINEAR, [1, 0, 0, 0, 0, 0])

    with pytest.raises(UnsupportedError, match="Nothing has no coordinates, so it needs the method project_to_constraints"):
        Nothing().project_to_constraints(mb.Transform())


def test_rotation_vectors_match_their_rotations():
    rng = np.random.default_rng(3)
    for angle in (0.0, 1e-9, 1e-3, 0.0316, 0.032, 1.0, 2.0, 3.1):
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        assert_allclose(rotation_vector(rotation_about(axis, angle)), angle * axis, atol=1e-14)


def test_the_nearest_point_of_an_ellipsoid_is_on_the_ellipsoid_along_its_normal():
    rng = np.random.default_rng(4)
    radii = np.array([0.5, 2.0, 1.1])
    for scale in (0.05, 0.5, 1.0, 3.0, 100.0):
        p = scale * rng.normal(size=3) * radii
        x = nearest_on_ellipsoid(p, radii)
        assert (x / radii) @ (x / radii) == pytest.approx(1, abs=1e-13)
        normal = x / radii**2
        assert_allclose(np.cross(p - x, normal / np.linalg.norm(normal)), 0, atol=1e-12 * max(1, scale))


class Rail(mb.Coupling):
    """Translation along x, with every method correct."""

    def initialize_constraints(self):
        self.add_constraint(self.BILATERAL | self.LINEAR)
        for axis in np.eye(6)[2:]:
            self.add_constraint(self.BILATERAL | self.LINEAR, axis)
        self.add_coordinate(-1, 1, self.add_constraint(self.LINEAR, np.eye(6)[0]), "x")

    def coordinates_to_TCD(self, coordinates):
        return mb.Transform(p=np.array([coordinates[0], 0, 0]))

    def TCD_to_coordinates(self, TCD):
        return TCD.p[:1]

    def project_to_constraints(self, TCD):
        return mb.Transform(p=np.array([TCD.p[0], 0, 0]))

    def update_constraints(self, TGD, TCD, errC, velGD, update_engaged):
        self.constraint(0).wrench_G = np.eye(6)[1]


def rail_with(**methods):
    return type("Rail", (Rail,), methods)


@pytest.mark.parametrize("flags", [64, mb.LINEAR | 64, "LINEAR", 2.5, None, True, [2]], ids=str)
def test_invalid_flags_are_refused(flags):
    def initialize_constraints(self):
        self.add_constraint(flags, np.eye(6)[0])

    with pytest.raises(InputError, match="Rail: the flags of a constraint must be BILATERAL, LINEAR and ROTARY, joined by"):
        rail_with(initialize_constraints=initialize_constraints)()


BALL = mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.sphere(mass=1.0, radius=0.2))


def as_maximal_joint(coupling):
    mb.maximal.MaximalJoint(coupling, mb.maximal.MaximalBody(BALL)).coupling.coordinates_to_TCD(np.zeros(1))


def as_loop(coupling):
    system = mb.MultibodySystem("rail")
    matter = mb.MatterSubsystem(system)
    mb.CouplingJoint(coupling, mb.Free(matter.ground, BALL), matter.ground)
    system.realize(system.realize_topology(), mb.Stage.ACCELERATION)


@pytest.mark.parametrize(
    ("method", "result", "words"),
    [
        ("coordinates_to_TCD", np.eye(4), "coordinates_to_TCD returns a ndarray. It must return a Transform"),
        ("project_to_constraints", None, "project_to_constraints returns a NoneType. It must return a Transform"),
        ("TCD_to_coordinates", 0.3, r"TCD_to_coordinates returns an array of shape \(\). The shape must be \(1,\)"),
        ("TCD_to_coordinates", [0.3, 0.2], r"TCD_to_coordinates returns an array of shape \(2,\). The shape must be \(1,\)"),
        ("update_constraints", None, "constraint 0: update_constraints did not set its wrench_G, and the wrench is not constant"),
    ],
)
@pytest.mark.parametrize("use", [as_maximal_joint, as_loop])
def test_a_method_with_a_wrong_result_is_named(method, result, words, use):
    coupling = rail_with(**{method: lambda *arguments: result})()

    with pytest.raises(InputError, match=words):
        use(coupling)


def test_a_coupling_that_does_not_call_super_init_is_an_error():
    def construct(self):
        self.length = 3.0

    coupling = rail_with(__init__=construct)()
    with pytest.raises(InputError, match=r"Rail has no constraints: its __init__ does not call super\(\).__init__\(\)"):
        mb.maximal.MaximalJoint(coupling, mb.maximal.MaximalBody(BALL))


def test_coordinates_have_limits_and_names_of_their_own():
    def another(limit, name):
        def initialize_constraints(self):
            Rail.initialize_constraints(self)
            self.add_coordinate(limit_constraint=self.constraint(5) if limit else None, name=name)

        return rail_with(initialize_constraints=initialize_constraints)

    with pytest.raises(InputError, match="limit_constraint of coordinate 'y' already limits another coordinate"):
        another(True, "y")()
    with pytest.raises(InputError, match="two coordinates have the name 'x'"):
        another(False, "x")()


def test_missing_records_and_invalid_numbers_are_errors():
    rail = Rail()
    with pytest.raises(InputError, match="Rail has 6 constraints, counted from 0; there is no 6"):
        rail.constraint(6)
    with pytest.raises(InputError, match="Rail has 1 coordinates, counted from 0; there is no -1"):
        rail.coordinate(-1)
    with pytest.raises(InputError, match="coordinate 'x' is nan"):
        rail.coordinate(0).set_value(np.nan)
    with pytest.raises(InputError, match="constraint 0: compliance is -1 "):
        rail.constraint(0).compliance = -1.0
    with pytest.raises(InputError, match="constraint 0: damping is inf"):
        rail.constraint(0).damping = np.inf


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: mb.HingeCoupling(5), r"HingeCoupling: theta_range must be a pair of numbers, \(lower, upper\).*not 5"),
        (lambda: mb.SliderCoupling(("low", 1)), "SliderCoupling: z_range must be a pair"),
        (lambda: mb.UniversalCoupling((0, 1), (None, 1)), "UniversalCoupling: pitch_range must be a pair"),
        (lambda: mb.FreeCoupling(3), "FreeCoupling: ranges must be one for each of the 6 coordinates, x, y, z, roll, pitch, yaw, not 3"),
        (lambda: mb.FreeCoupling([(0, 1)] * 5), "FreeCoupling: ranges must be one for each"),
        (
            lambda: mb.EllipsoidCoupling([1, 2, 3], ranges=[(0, 1), (0, 1), (0, 1), 4]),
            "EllipsoidCoupling: ranges: that of phi must be a pair",
        ),
        (lambda: mb.SphericalCoupling(max_rotation=[1, 2]), r"SphericalCoupling: max_rotation has shape \(2,\)"),
        (lambda: mb.SphericalCoupling(max_tilt=4), "SphericalCoupling: max_tilt is 4 rad. It must be greater than 0, and pi at most"),
        (lambda: mb.GimbalCoupling(axes="ZXZ"), "GimbalCoupling: axes is 'ZXZ'. It can be 'ZYX', 'XYZ'"),
        (lambda: mb.UniversalCoupling(skew=2), "UniversalCoupling: skew is 2.0 rad. It lies between"),
        (lambda: mb.HingeCoupling(clockwise="no"), "HingeCoupling: clockwise is 'no'. True or False is needed"),
    ],
)
def test_invalid_ranges_are_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()
