"""A coupling in a System: as a mobilizer it moves like the built-in one of its kind, and as a loop it allows the same motion."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import InputError, UnsupportedError
from mobod.spatial import from_body_xyz
from tests.unit.couplings.test_coupling import Helix

X_BD = mb.Transform(from_body_xyz([0.3, -0.5, 0.8]), [0.2, 0.1, -0.4])
X_AC = mb.Transform(from_body_xyz([-0.7, 0.2, 0.4]), [-0.3, 0.25, 0.15])


def body(seed=0):
    rng = np.random.default_rng(seed)
    com = rng.uniform(-0.2, 0.2, 3)
    return mb.RigidBody(mb.MassProperties(1.3, com, mb.Inertia.box(mass=1.3, size=[0.4, 0.6, 0.9]).shifted(com)))


class Model:
    """A base on a Universal, and a body that moves on the base; gravity and a spring act."""

    def __init__(self, connect):
        self.system = mb.MultibodySystem("model")
        matter = mb.MatterSubsystem(self.system)
        forces = mb.ForceSubsystem(self.system)
        mb.Gravity(forces, matter, down=[0.2, -1, 0.3], magnitude=9.81)
        self.base = mb.Universal(matter.ground, body(1), name="base")
        self.joint = connect(self.base, body(2))
        self.moving = self.joint if isinstance(self.joint, mb.MobilizedBody) else matter.body("moving")
        mb.TwoPointLinearSpring(forces, self.moving, [0.1, 0.3, -0.2], matter.ground, [1, 1, 1], stiffness=37.0, rest_length=0.4)
        self.state = self.system.realize_topology()
        self.base.set_q(self.state, [0.4, -0.3])
        self.base.set_u(self.state, [1.1, 0.7])

    def move_as(self, X_BA, V_BA):
        """Brings the body to a pose and a velocity, both relative to the base and expressed in it."""
        X_FM = self.moving.X_PF.inverse() @ X_BA @ self.moving.X_BM
        self.moving.set_q_to_fit_transform(self.state, X_FM)
        w, v = V_BA[:3], V_BA[3:] + np.cross(V_BA[:3], X_BA.R @ self.moving.X_BM.p)
        R = self.moving.X_PF.R.T
        self.moving.set_u_to_fit_velocity(self.state, np.concatenate([R @ w, R @ v]))
        self.system.realize(self.state, mb.Stage.ACCELERATION)

    @property
    def accelerations(self):
        return np.array([self.base.A_GB(self.state), self.moving.A_GB(self.state)])


def coupled(coupling):
    return Model(lambda base, body: mb.CouplingJoint(coupling, body, base, X_AC=X_AC, X_BD=X_BD, name="moving"))


def moved(coupling, seed=5):
    """A model whose joint is a mobilizer, at random coordinates and speeds, with its pose and velocity."""
    model = coupled(coupling)
    rng = np.random.default_rng(seed)
    model.joint.set_q(model.state, rng.uniform(-0.8, 0.8, model.joint.nq))
    model.joint.set_u(model.state, rng.normal(size=model.joint.nu))
    model.system.realize(model.state, mb.Stage.ACCELERATION)
    return model, model.joint.X_AB(model.state, model.base), model.joint.V_AB(model.state, model.base)


@pytest.mark.fast(7)
@pytest.mark.parametrize(
    ("coupling", "mobilizer"),
    [
        (mb.HingeCoupling(), mb.Pin),
        (mb.SliderCoupling(), None),
        (mb.CylindricalCoupling(clockwise=False), mb.Cylinder),
        (mb.UniversalCoupling(axes="XY"), mb.Universal),
        (mb.GimbalCoupling(axes="XYZ"), mb.Gimbal),
        (mb.PlanarCoupling(), mb.Planar),
        (mb.FreeCoupling(), mb.Free),
        (mb.SolidCoupling(), mb.Weld),
        (Helix(pitch=0.2), lambda *args, **options: mb.Screw(*args, pitch=0.2, **options)),
    ],
    ids=lambda each: type(each).__name__ if isinstance(each, mb.Coupling) else "",
)
def test_accelerations_match_the_built_in_mobilizer(coupling, mobilizer):
    if mobilizer is None:  # Slider goes along x, the coupling along z
        turn = mb.Transform(from_body_xyz([0, -np.pi / 2, 0]))
        built_in = Model(lambda base, body: mb.Slider(base, body, X_BD @ turn, X_AC @ turn, name="moving"))
    else:
        built_in = Model(lambda base, body: mobilizer(base, body, X_BD, X_AC, name="moving"))
    model, X, V = moved(coupling)
    built_in.move_as(X, V)

    assert built_in.moving.X_AB(built_in.state, built_in.base).isclose(X, atol=1e-10)
    assert_allclose(model.accelerations, built_in.accelerations, atol=1e-10 * np.abs(built_in.accelerations).max())


MOVING = [
    Helix(),
    mb.HingeCoupling(),
    mb.SliderCoupling(),
    mb.CylindricalCoupling(),
    mb.SlottedHingeCoupling(),
    mb.SkewedUniversalCoupling(0.3),
    mb.UniversalCoupling(axes="XY"),
    mb.GimbalCoupling(),
    mb.PlanarCoupling(),
    mb.PlanarTranslationCoupling(),
    mb.EllipsoidCoupling([1, 1.5, 2], 0.2),
    mb.Ellipsoid3dCoupling([1, 1.5, 2]),
    mb.SolidCoupling(),
    mb.FixedAxisCoupling(),
]


@pytest.mark.fast(1)
@pytest.mark.parametrize("coupling", MOVING[1::3], ids=lambda each: type(each).__name__)
def test_a_loop_gives_the_same_accelerations_as_the_mobilizer(coupling):
    model, X, V = moved(coupling)

    def loop(base, body):
        moving = mb.Free(base, body, name="moving")
        return mb.CouplingJoint(coupling, moving, base, X_AC=X_AC, X_BD=X_BD)

    closed = Model(loop)
    closed.move_as(X, V)

    checked = mb.check_element(closed.joint, [closed.state])
    assert checked.is_consistent, str(checked)
    assert_allclose(closed.joint.position_errors(closed.state), 0, atol=1e-13)
    assert_allclose(closed.joint.velocity_errors(closed.state), 0, atol=1e-12)
    assert_allclose(closed.joint.coordinates(closed.state), model.joint.q(model.state), atol=1e-12)
    assert_allclose(closed.accelerations, model.accelerations, atol=1e-10 * np.abs(model.accelerations).max())


@pytest.mark.fast(2)
@pytest.mark.parametrize("coupling", MOVING[::2], ids=lambda each: type(each).__name__)
def test_the_laws_of_mobilizers_hold_in_both_directions(coupling):
    """Also with D on the new body: the coordinates still measure the pose of C in D."""
    for connect in (
        lambda base, body: mb.CouplingJoint(coupling, body, base, X_AC=X_AC, X_BD=X_BD, name="moving"),
        lambda base, body: mb.CouplingJoint(coupling, base, body, X_AC=X_AC, X_BD=X_BD, name="moving"),
    ):
        model = Model(connect)
        states = []
        rng = np.random.default_rng(6)
        for _ in range(2):
            state = model.state.copy()
            model.joint.set_q(state, rng.uniform(-0.8, 0.8, model.joint.nq))  # away from where coordinates are singular
            model.joint.set_u(state, rng.normal(size=model.joint.nu))
            states.append(state)
        checked = mb.check_element(model.joint, states)
        assert checked.is_consistent, str(checked)


def test_a_joint_with_D_on_the_new_body_measures_C_in_D():
    model = Model(lambda base, body: mb.CouplingJoint(mb.PlanarCoupling(), base, body, X_AC=X_AC, X_BD=X_BD, name="moving"))
    q = np.array([0.3, -0.2, 0.7])
    model.joint.set_q(model.state, q)
    model.system.realize(model.state, mb.Stage.POSITION)
    X_GC = model.base.X_GB(model.state) @ X_AC
    X_GD = model.joint.X_GB(model.state) @ X_BD

    assert (X_GD.inverse() @ X_GC).isclose(mb.PlanarCoupling().coordinates_to_TCD(q), atol=1e-14)


@pytest.mark.slow
def test_a_solid_loop_is_a_weld_and_a_spherical_loop_a_ball():
    def joined(connect):
        def both(base, body):
            moving = mb.Free(base, body, name="moving")
            return connect(base, moving)

        model = Model(both)
        model.move_as(X_BD @ X_AC.inverse(), np.zeros(6))
        return model.accelerations

    solid = joined(lambda base, moving: mb.CouplingJoint(mb.SolidCoupling(), moving, base, X_AC=X_AC, X_BD=X_BD))
    weld = joined(lambda base, moving: mb.WeldConstraint(base, X_BD, moving, X_AC))
    assert_allclose(solid, weld, atol=1e-10 * np.abs(weld).max())

    spherical = joined(lambda base, moving: mb.CouplingJoint(mb.SphericalCoupling(), moving, base, X_AC=X_AC, X_BD=X_BD))
    ball = joined(lambda base, moving: mb.BallConstraint(base, X_BD.p, moving, X_AC.p))
    assert_allclose(spherical, ball, atol=1e-10 * np.abs(ball).max())


def test_frames_can_be_given_by_one_pose_in_ground():
    X_WD = mb.Transform(from_body_xyz([0.2, 0.4, -0.1]), [0.5, 0.6, 0.7])
    placed = {}

    def loop(base, body):
        moving = mb.Free(base, body, X_BM=mb.Transform(p=[0.1, 0.2, 0.3]), name="moving")
        moving.set_default_q([1, 0, 0, 0, 0.4, 0.5, 0.6])
        placed["loop"] = mb.CouplingJoint(mb.HingeCoupling(), moving, base, X_WD, name="loop")
        return placed["loop"]

    model = Model(loop)
    start = model.system.realize_topology()
    model.system.realize(start, mb.Stage.POSITION)
    assert_allclose(placed["loop"].position_errors(start), 0, atol=1e-14)
    assert (model.moving.X_GB(start) @ placed["loop"].default_frame_C).isclose(X_WD, atol=1e-14)

    hung = Model(lambda base, body: mb.CouplingJoint(mb.HingeCoupling(), body, base, X_WD=X_WD, name="moving"))
    start = hung.system.realize_topology()
    hung.system.realize(start, mb.Stage.POSITION)
    assert hung.moving.X_GB(start).isclose(X_WD, atol=1e-14)


@pytest.mark.slow
def test_a_loop_runs_and_stays_closed():
    def loop(base, body):
        moving = mb.Free(base, body, name="moving")
        return mb.CouplingJoint(mb.SlottedHingeCoupling(), moving, base, X_AC=X_AC, X_BD=X_BD, name="slot")

    model, tree = Model(loop), coupled(mb.SlottedHingeCoupling())
    for each in (model, tree):
        each.move_as(X_BD @ X_AC.inverse(), np.zeros(6))
    ends = []
    for each in (model, tree):
        results = mb.Simulation(each.system, accuracy=1e-9).run(each.state, until=0.5, report_every=0.25)
        ends.append(results["moving.p_GB"][-1])
    assert_allclose(ends[0], ends[1], atol=1e-6)  # 1000 times the accuracy


@pytest.mark.parametrize(
    ("coupling", "words"),
    [
        (mb.HingeCoupling((-1, np.inf)), "'theta' of HingeCoupling is limited to -1 ... inf rad"),
        (mb.HingeCoupling((-4, 1)), "between -pi and pi"),
    ],
)
def test_a_loop_supports_no_angles_beyond_half_a_turn(coupling, words):
    def loop(base, body):
        return mb.CouplingJoint(coupling, mb.Free(base, body, name="moving"), base, name="stop")

    with pytest.raises(UnsupportedError, match=words):
        Model(loop)
    assert coupled(coupling).joint.limits.keys() == {0}  # a mobilizer counts turns


def test_a_compliant_or_locked_mobilizer_is_refused():
    compliant, locked = mb.HingeCoupling(), mb.HingeCoupling()
    compliant.constraint(1).compliance = 1e-3
    locked.coordinate(0).lock()
    for coupling, words in (
        (compliant, "bilateral constraint 1 of HingeCoupling is compliant.*let the joint close a loop"),
        (locked, "'theta' is locked"),
    ):
        with pytest.raises(UnsupportedError, match=words):
            coupled(coupling)


class WrongSign(Helix):
    """A coupling whose limit wrench has the wrong sign."""

    def update_constraints(self, TGD, TCD, errC, velGD, update_engaged):
        super().update_constraints(TGD, TCD, errC, velGD, update_engaged)
        self.constraint(5).wrench_G = -self.constraint(5).wrench_G


class WrongWrench(mb.Coupling):
    def initialize_constraints(self):
        self.add_constraint(self.BILATERAL | self.LINEAR, [0, 0, 1, 0, 0, 0])
        self.add_coordinate(limit_constraint=self.add_constraint(self.LINEAR, [0, 0, 1, 0, 0, 0]), name="z")

    def coordinates_to_TCD(self, coordinates):
        return mb.Transform(p=np.array([0, 0, coordinates[0]]))


@pytest.mark.parametrize(
    ("coupling", "words"),
    [(WrongSign(), "limit wrench of coordinate 'turn'.*the error is 2"), (WrongWrench(), "constraint 0 .*works against coordinate 'z'")],
)
def test_wrenches_inconsistent_with_the_coordinates_are_refused(coupling, words):
    with pytest.raises(InputError, match=words):
        coupled(coupling)


def test_a_coupling_without_coordinates_cannot_be_a_mobilizer():
    with pytest.raises(UnsupportedError, match="leaves 3 degrees of freedom and has 0 coordinates"):
        coupled(mb.SphericalCoupling())


def test_a_loop_needs_a_projection_that_can_be_recorded():
    def loop(base, body):
        return mb.CouplingJoint(Helix(), mb.Free(base, body, name="moving"), base)

    with pytest.raises(UnsupportedError, match="fitted numerically"):
        Model(loop)


def test_later_changes_of_a_coupling_do_not_affect_its_joint():
    coupling = Helix(pitch=0.2)
    model = Model(lambda base, body: mb.CouplingJoint(coupling, body, base, name="moving"))
    coupling.pitch = 0.9
    model.joint.set_q(model.state, 0.5)
    model.system.realize(model.state, mb.Stage.POSITION)
    assert model.joint.X_FM(model.state).p[2] == pytest.approx(0.1)


@pytest.mark.slow
def test_an_invalid_frame_of_a_loop_is_refused():
    system = mb.MultibodySystem("loop")
    free = mb.Free(mb.MatterSubsystem(system).ground, body(), name="free")
    with pytest.raises(InputError, match="CouplingJoint 'loop': X_AC is a Transform, not int"):
        mb.CouplingJoint(mb.HingeCoupling((-1, 1)), free, system.matter.ground, X_AC=3, name="loop")
