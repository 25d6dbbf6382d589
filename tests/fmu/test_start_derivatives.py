"""Derivatives and dependencies in Initialization Mode go through the projection of the start."""

import ctypes

import fmpy
import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import FmuError
from mobod.importer.fmu_model import FmuModel
from mobod.importer.instance import FmuInstance

TOLERANCE = 1e-10
BODY = mb.MassProperties(1.3, [0.2, -0.1, 0.1], np.diag([0.7, 0.6, 0.8]))
OUTPUTS = ["arm.q", "ball.q", "alone.q", "resting.q", "arm.u", "ball.u", "alone.u", "resting.u", "arm.p_GB", "ball.v_GB", "rod.multiplier"]
OUTPUTS += ["resting.limit.force", "der(ball.u)", "der(resting.u)", "top.q", "der(top.u)"]
KNOWNS = {"arm.q_start": 1, "ball.q_start": 4, "alone.q_start": 1, "arm.u_start": 1, "ball.u_start": 3}
KNOWNS |= {"alone.q": 1, "alone.u": 1, "top.q": 4, "top.q_start": 4}  # states that take start values themselves
KNOWNS |= {"rod.length": 1, "rod.point1": 3, "gravity.magnitude": 1}


def joined_machine():
    """A pin and a ball that a rod joins, a pin and a ball alone, and a slider that rests on its limit."""
    system = mb.MultibodySystem("joined machine")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0.1, -1, 0.2], magnitude=9.7, name="gravity")
    arm = mb.Pin(matter.ground, BODY, name="arm")
    ball = mb.Ball(matter.ground, BODY, mb.Transform(p=[1.5, 0.1, 0.2]), name="ball")
    mb.Rod(arm, [0.8, 0.1, 0], ball, [-0.3, 0.2, 0.1], 0.9, name="rod")
    mb.Pin(matter.ground, BODY, name="alone")
    mb.Ball(matter.ground, BODY, name="top")
    upwards = mb.Transform(R=np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]))
    resting = mb.Slider(matter.ground, BODY, upwards, name="resting")
    resting.set_limits(0.4, 3.0, restitution=0.5)
    state = system.realize_topology()
    arm.set_q(state, 0.5)
    ball.set_q(state, [0.9, 0.1, 0.3, -0.2])
    ball.set_u(state, [0.3, -0.2, 0.5])
    resting.set_q(state, 0.4)
    return system, mb.Assembler(system, 1e-14).assemble(state, keep=["ball.u[1]"])


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """The FMU of FMI 3.0, which has vectors and adjoints."""
    system, state = joined_machine()
    path = tmp_path_factory.mktemp("joined") / "machine.fmu"
    mb.export_fmu(system, path, outputs=OUTPUTS, state=state, code="interpreted", fmi_version="3.0", reference=False)
    return FmuModel(path)


@pytest.fixture
def begun(machine):
    """An instance in Initialization Mode."""
    with FmuInstance(machine, "co-simulation") as instance:
        instance.enter_initialization(0.0, None, TOLERANCE, {})
        yield instance


def outputs_of(instance):
    return [instance.model.variable(name) for name in OUTPUTS]


def read(instance):
    return np.concatenate(instance.values(outputs_of(instance)).get())


def derivative(instance, function, known, seed, size):
    """`function`: of the outputs along the seed of a known, or of the known by the weights of the outputs"""
    unknowns, variable = outputs_of(instance), instance.model.variable(known)
    references = (ctypes.c_uint * len(unknowns))(*(each.reference for each in unknowns))
    given, found = (ctypes.c_double * len(seed))(*seed), (ctypes.c_double * size)()
    instance.call(function, references, len(unknowns), (ctypes.c_uint * 1)(variable.reference), 1, given, len(seed), found, size)
    return np.array(found)


def jacobian(instance, known, n):
    """(outputs, n)"""
    size = sum(instance.size(each) for each in outputs_of(instance))
    return np.array([derivative(instance, "GetDirectionalDerivative", known, seed, size) for seed in np.eye(n)]).T


def differences(instance, known, n, step=1e-5):
    """The same by central differences of what is read."""
    values = instance.values([instance.model.variable(known)])
    start = np.array(values.get()[0])
    columns = []
    for i in range(n):
        rows = []
        for sign in (1, -1):
            values.set([(start + sign * step * np.eye(n)[i]).tolist()])
            rows.append(read(instance))
        columns.append((rows[0] - rows[1]) / (2 * step))
    values.set([start.tolist()])
    return np.array(columns).T


def test_derivatives_are_those_of_what_is_read(begun):
    for known, n in KNOWNS.items():
        expected, found = differences(begun, known, n), jacobian(begun, known, n)
        # differences: 1e-10 of their step, times curvatures of up to 100; and round-off of 1e-15 * 100 / 1e-5
        assert_allclose(found, expected, atol=1e-6 * (1 + np.abs(expected).max()), err_msg=known)


@pytest.mark.parametrize("known", ["top.q", "top.q_start"])
def test_derivatives_by_a_quaternion_go_through_its_normalization(begun, known):
    begun.values([begun.model.variable(known)]).set([[0.9, -0.4, 0.6, 0.5]])
    expected, found = differences(begun, known, 4), jacobian(begun, known, 4)
    assert np.abs(found).max() > 1
    assert_allclose(found, expected, atol=1e-6 * (1 + np.abs(expected).max()))  # as above


def test_adjoints_are_the_transposed_derivatives(begun):
    chance = np.random.default_rng(3)
    for known, n in KNOWNS.items():
        J = jacobian(begun, known, n)
        weights = chance.uniform(-1, 1, len(J))
        back = derivative(begun, "GetAdjointDerivative", known, weights, n)
        assert_allclose(back, weights @ J, atol=1e-12 * np.abs(J).max(initial=1.0))  # the same columns


def row_of(instance, name):
    return sum(instance.size(each) for each in outputs_of(instance)[: OUTPUTS.index(name)])


def test_states_at_a_contact_follow_their_start_values_and_forces_are_those_of_the_active_contact(begun):
    """A change of q in one direction opens it; in the other one there is no start."""
    q, force = row_of(begun, "resting.q"), row_of(begun, "resting.limit.force")
    for known, of_q in (("resting.q_start", 1), ("resting.limit.lower", 0)):
        found = jacobian(begun, known, 1)
        assert found[q, 0] == pytest.approx(of_q, abs=1e-14)
        assert found[force, 0] == pytest.approx(0, abs=1e-12)
    assert jacobian(begun, "gravity.magnitude", 1)[force, 0] == pytest.approx(1.3 / np.sqrt(1.05), rel=1e-12)


def test_what_changes_is_declared_as_a_dependency(machine, begun):
    description = fmpy.read_model_description(str(machine.path))
    declared = {each.variable.name: each.dependencies for each in description.initialUnknowns}
    numbers = dict(zip(OUTPUTS, np.split(np.arange(len(read(begun))), np.cumsum([begun.size(e) for e in outputs_of(begun)])), strict=False))
    seen = set()
    for known, n in KNOWNS.items():
        J = jacobian(begun, known, n)
        for name in OUTPUTS:
            if name not in declared:  # it has its own start value
                assert known in (name, f"{name}_start") or not J[numbers[name]].any()
                continue
            dependencies = declared[name]
            if dependencies is not None and known not in {each.name for each in dependencies}:
                assert not J[numbers[name]].any(), (name, known)
                seen.add((name, known))
            elif J[numbers[name]].any():
                seen.add(name)
    assert {"rod.enabled", "rod.length"} <= {each.name for each in declared["arm.q"]}
    for known in ("resting.limit.enabled", "resting.q_start", "resting.u_start"):  # these decide whether the contact is active
        assert known in {each.name for each in declared["resting.limit.force"]}
        assert known in {each.name for each in declared["der(resting.u)"]}
    assert {"alone.q", "alone.u", "top.q", "resting.q", "resting.u"}.isdisjoint(declared)
    assert {"top.q", "top.q_start"} <= {each.name for each in declared["der(top.u)"]}
    assert {("arm.q", "alone.q_start"), "arm.q", "ball.u", "der(top.u)"} <= seen  # the rod joins two bodies alone


def test_an_impact_at_the_start_has_no_derivatives_until_the_initialization_ends(begun):
    begun.values([begun.model.variable("resting.u_start")]).set([[-0.3]])
    row = row_of(begun, "resting.u")
    assert read(begun)[row] == pytest.approx(0.15)
    with pytest.raises(FmuError, match="an impact or a handler changes the states"):
        jacobian(begun, "resting.u_start", 1)
    begun.exit_initialization()
    assert read(begun)[row] == pytest.approx(0.15)
    assert jacobian(begun, "gravity.magnitude", 1).any()


def derivative_of_rate(instance, known):
    """Of der(block.u)."""
    references = ((ctypes.c_uint * 1)(instance.model.variable(name).reference) for name in ("der(block.u)", known))
    unknown, known = references
    found = (ctypes.c_double * 1)()
    instance.call("GetDirectionalDerivative", unknown, 1, known, 1, (ctypes.c_double * 1)(1.0), 1, found, 1)
    return found[0]


def test_a_contact_that_neither_presses_nor_separates_has_no_derivatives_until_the_initialization_ends(tmp_path):
    """A block at its limit without a force: a push into the limit changes its acceleration by nothing, one away from it by 1/m."""
    system = mb.MultibodySystem("stop")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    block = mb.Slider(matter.ground, BODY, name="block")
    block.set_limits(0.0, 1.0)
    mb.MobilityForce(forces, block, name="push")
    options = {"code": "interpreted", "fmi_version": "3.0", "reference": False}
    path = mb.export_fmu(system, tmp_path / "stop.fmu", inputs=["push.force"], outputs=["block.u"], **options)
    with FmuInstance(FmuModel(path), "co-simulation") as instance:
        instance.enter_initialization(0.0, None, TOLERANCE, {})
        push = instance.values([instance.model.variable("push.force")])
        for force, derivative in ((0.7, 1 / 1.3), (-0.7, 0.0)):
            push.set([[force]])
            assert derivative_of_rate(instance, "push.force") == pytest.approx(derivative, abs=1e-15)
        push.set([[0.0]])
        with pytest.raises(FmuError, match=r"'block.lower_limit' is zero without a force"):
            derivative_of_rate(instance, "push.force")
        instance.exit_initialization()
        assert derivative_of_rate(instance, "push.force") == pytest.approx(1 / 1.3)


def test_a_start_at_which_friction_acts_has_no_derivatives_until_the_initialization_ends(tmp_path):
    system = mb.MultibodySystem("brake")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    block = mb.Slider(matter.ground, BODY, name="block")
    mb.MobilityForce(forces, block, name="push")
    mb.JointFriction(forces, block, limit=3.0, transition_speed=None, name="brake")
    options = {"code": "interpreted", "fmi_version": "3.0", "reference": False}
    path = mb.export_fmu(system, tmp_path / "brake.fmu", inputs=["push.force"], outputs=["block.u"], **options)

    with FmuInstance(FmuModel(path), "co-simulation") as instance:
        instance.enter_initialization(0.0, None, TOLERANCE, {})
        instance.values([instance.model.variable("block.u_start")]).set([[0.4]])
        instance.values([instance.model.variable("block.u")]).get()
        with pytest.raises(FmuError, match=r"friction of 'brake.*' acts"):
            derivative_of_rate(instance, "block.u_start")
        assert derivative_of_rate(instance, "push.force") == pytest.approx(1 / 1.3)  # forces change no mode while the block slips


def two_at_their_limits(path, ratio, **options):
    """Sliders a and b at their lower limits, 0, with b.q = ratio a.q, and one without limits."""
    system = mb.MultibodySystem("two")
    matter = mb.MatterSubsystem(system)
    a, b, _ = (mb.Slider(matter.ground, BODY, name=name) for name in ("a", "b", "alone"))
    for each in (a, b):
        each.set_limits(0.0, 1.0)
    mb.CoordinateCoupler(matter, mb.functions.Linear([ratio, -1.0, 0.0]), [a, b], [0, 0], name="gear")
    mb.export_fmu(system, path, outputs=["a.q", "b.q"], code="interpreted", fmi_version="3.0", reference=False, **options)
    return FmuModel(path)


def of_a_and_b(instance, function, known, seed, size):
    references = (ctypes.c_uint * 2)(*(instance.model.variable(name).reference for name in ("a.q", "b.q")))
    of_known, given = (ctypes.c_uint * 1)(instance.model.variable(known).reference), (ctypes.c_double * len(seed))(*seed)
    found = (ctypes.c_double * size)()
    instance.call(function, references, 2, of_known, 1, given, len(seed), found, size)
    return list(found)


@pytest.mark.parametrize("options", [{}, {"integrator": "velocity_level", "step": 0.01}], ids=["error control", "velocity level"])
def test_limits_that_open_together_have_derivatives(tmp_path, options):
    """Those of the side on which both open, where coordinates change by the least squares, 0.2 and 0.4 of a.q_start for b.q = 2 a.q."""
    with FmuInstance(two_at_their_limits(tmp_path / "two.fmu", 2.0, **options), "co-simulation") as instance:
        instance.enter_initialization(0.0, None, TOLERANCE, {})
        found = of_a_and_b(instance, "GetDirectionalDerivative", "a.q_start", [1.0], 2)
        back = of_a_and_b(instance, "GetAdjointDerivative", "a.q_start", [0.3, -0.7], 1)
        assert back == pytest.approx([0.3 * found[0] - 0.7 * found[1]], rel=1e-12)
        instance.values([instance.model.variable("a.q_start")]).set([[1e-3]])
        shown = instance.values([instance.model.variable(name) for name in ("a.q", "b.q")]).get()
        np.testing.assert_allclose(np.ravel(shown) / 1e-3, found, rtol=1e-9)
        assert found == pytest.approx([0.2, 0.4], rel=1e-9)


@pytest.mark.parametrize("options", [{}, {"integrator": "velocity_level", "step": 0.01}], ids=["error control", "velocity level"])
def test_limits_of_which_one_closes_on_each_side_have_no_derivatives_until_the_initialization_ends(tmp_path, options):
    """b.q = -2 a.q: what opens the limit of one closes that of the other."""
    with FmuInstance(two_at_their_limits(tmp_path / "two.fmu", -2.0, **options), "co-simulation") as instance:
        instance.enter_initialization(0.0, None, TOLERANCE, {})
        for known in ("a.q_start", "b.q_start", "a.u_start"):
            with pytest.raises(FmuError, match=r"'(a|b).lower_limit' would be violated after a change in one direction"):
                of_a_and_b(instance, "GetDirectionalDerivative", known, [1.0], 2)
            with pytest.raises(FmuError, match=r"'(a|b).lower_limit' would be violated after a change in one direction"):
                of_a_and_b(instance, "GetAdjointDerivative", known, [0.3, -0.7], 1)
        assert of_a_and_b(instance, "GetDirectionalDerivative", "alone.q_start", [1.0], 2) == [0, 0]
        instance.exit_initialization()
        assert of_a_and_b(instance, "GetDirectionalDerivative", "alone.q_start", [1.0], 2) == [0, 0]
