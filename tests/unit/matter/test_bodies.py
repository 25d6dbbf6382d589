"""Mobilized bodies: construction, names, lookup, properties, and errors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.errors import DuplicateNameError, InputError, MassPropertiesError, StageError, StateError, UnknownNameError
from mobod.system import Stage

MASS = mb.MassProperties(1.3, [0.1, -0.2, 0.3], mb.Inertia.sphere(mass=1.3, radius=0.4).shifted([0.1, -0.2, 0.3]))
TILTED = mb.Transform(mb.spatial.rotation_about([1, -2, 0.5], 0.9), [0.2, 0.1, -0.3])
KINDS = {"Pin": (mb.Pin, 1, 1), "Slider": (mb.Slider, 1, 1), "Weld": (mb.Weld, 0, 0), "Free": (mb.Free, 7, 6)}


@pytest.fixture
def matter():
    return mb.MatterSubsystem(mb.MultibodySystem("crane"))


@pytest.fixture
def crane(matter):
    """A pin on Ground, a slider and a free body on the pin, and a weld on the free body."""
    mast = mb.Pin(matter.ground, MASS, TILTED, TILTED, name="mast")
    mb.Slider(mast, MASS, TILTED, name="trolley")
    load = mb.Free(mast, MASS, name="load")
    mb.Weld(load, MASS, TILTED, name="hook")
    return matter


# how they are made


@pytest.mark.parametrize(("kind", "nq", "nu"), KINDS.values(), ids=KINDS)
def test_each_mobilizer_has_its_coordinates_and_speeds(matter, kind, nq, nu):
    body = kind(matter.ground, MASS)
    state = matter.system.realize_topology()
    assert (body.nq, body.nu) == (nq, nu)
    assert (body.q(state).shape, body.u(state).shape) == ((nq,), (nu,))
    matter.system.realize(state, Stage.ACCELERATION)
    assert (body.q_dot(state).shape, body.u_dot(state).shape, body.q_dot_dot(state).shape) == ((nq,), (nu,), (nq,))


def test_bodies_are_found_by_index_and_name_parents_first(crane):
    assert crane.n_bodies == 5
    assert [body.name for body in crane.bodies] == ["mast", "trolley", "load", "hook"]
    for index, name in enumerate(["ground", "mast", "trolley", "load", "hook"]):
        assert crane.body(index) is crane.body(name)
        assert crane.body(index).index == index
    assert all(body.parent.index < body.index for body in crane.bodies)


def test_bodies_without_a_name_are_numbered(matter):
    first = mb.Pin(matter.ground, MASS)
    named = mb.Pin(first, MASS, name="arm")
    assert (first.name, mb.Pin(named, MASS).name) == ("body1", "body3")


def test_numbers_of_existing_names_are_skipped(matter):
    first = mb.Pin(matter.ground, MASS, name="body2")
    assert mb.Pin(first, MASS).name == "body3"


def test_mass_properties_can_be_a_body_and_a_rigid_body_can_be_shared(matter):
    rod = mb.RigidBody(MASS)
    first, second = mb.Pin(matter.ground, rod), mb.Pin(matter.ground, rod)
    assert first.body is second.body is rod
    assert mb.Pin(matter.ground, MASS).body.mass_properties is MASS


# what is refused


@pytest.mark.parametrize("which", [5, -1, 100])
def test_an_index_out_of_range_is_refused_with_the_range(crane, which):
    with pytest.raises(InputError, match=rf"there is no body {which}: the indices run from 0 \(ground\) to 4"):
        crane.body(which)


@pytest.mark.parametrize(("name", "nearest"), [("trolly", "trolley"), ("Mast", "mast"), ("lod", "load")])
def test_an_unknown_name_is_refused_with_the_nearest(crane, name, nearest):
    with pytest.raises(UnknownNameError, match=f"no body is named '{name}'. Did you mean '{nearest}'?"):
        crane.body(name)


def test_an_unknown_name_without_a_similar_one_lists_all_names(crane):
    with pytest.raises(UnknownNameError, match=r"no body is named 'xyzzy'. There are: ground, hook, load, mast, trolley"):
        crane.body("xyzzy")


@pytest.mark.parametrize(("name", "owner"), [("mast", "a body"), ("ground", "Ground")])
def test_a_used_name_is_refused(crane, name, owner):
    with pytest.raises(DuplicateNameError, match=f"the name '{name}' is taken by {owner} of System 'crane'. Give a body another name"):
        mb.Pin(crane.ground, MASS, name=name)
    assert crane.n_bodies == 5


@pytest.mark.parametrize("parent", ["mast", 0, None, MASS], ids=["name", "index", "None", "mass"])
def test_a_parent_must_be_ground_or_a_mobilized_body(matter, parent):
    with pytest.raises(InputError, match=r"the parent of a Pin is matter\.ground or another mobilized body, not"):
        mb.Pin(parent, MASS)


@pytest.mark.parametrize("body", [1.3, None, "rod", TILTED], ids=["number", "None", "name", "frame"])
def test_the_body_must_be_a_rigid_body(matter, body):
    with pytest.raises(InputError, match="Pin: the body is a RigidBody, a FlexibleBody or MassProperties, not"):
        mb.Pin(matter.ground, body)
    with pytest.raises(InputError, match="RigidBody takes MassProperties, not"):
        mb.RigidBody(body)


@pytest.mark.parametrize("frame", ["X_PF", "X_BM"])
@pytest.mark.parametrize("value", [[1, 0, 0], np.eye(3), 0.0], ids=["point", "rotation", "zero"])
def test_a_frame_must_be_a_transform(matter, frame, value):
    with pytest.raises(InputError, match=rf"Pin: {frame} is a Transform, not .* Write Transform\(R, p\) or Transform\(p=\[x, y, z\]\)"):
        mb.Pin(matter.ground, MASS, **{frame: value})


def test_a_refused_body_is_not_added(matter):
    with pytest.raises(InputError):
        mb.Pin(matter.ground, MASS, X_PF=[1, 0, 0], name="arm")
    assert matter.n_bodies == 1
    mb.Pin(matter.ground, MASS, name="arm")


@pytest.mark.parametrize("kind", [mb.Pin, mb.Slider, mb.Free])
def test_a_massless_body_at_the_end_of_a_branch_is_refused(matter, kind):
    arm = mb.Pin(matter.ground, MASS, name="arm")
    kind(arm, mb.MassProperties.massless(), name="tip")
    with pytest.raises(
        MassPropertiesError, match=r"body 'tip' ends its branch of the tree, can move \(.*\), and has no mass.*Give it mass"
    ):
        matter.system.realize_topology()


def test_a_massless_body_may_carry_others_or_be_welded(matter):
    link = mb.Pin(matter.ground, mb.MassProperties.massless(), name="link")
    tip = mb.Pin(link, MASS, X_PF=TILTED, name="tip")
    mb.Weld(tip, mb.MassProperties.massless(), name="marker")
    state = matter.system.realize_topology()
    link.set_u(state, 1.2)
    tip.set_u(state, -0.7)
    matter.system.realize(state, Stage.ACCELERATION)
    assert np.isfinite(state.u_dot).all()


# coordinates and speeds


def test_setting_coordinates_changes_only_the_state(crane):
    first, second = crane.system.realize_topology(), crane.system.realize_topology()
    mast, load = crane.body("mast"), crane.body("load")
    mast.set_q(first, 0.4)
    mast.set_u(first, [1.5])
    load.set_q(first, [0.9, 0.1, -0.2, 0.3, 4.0, 5.0, 6.0])
    load.set_u(first, np.arange(6.0))
    assert (mast.q(first), mast.u(first)) == ([0.4], [1.5])
    assert_array_equal(load.q(first), [0.9, 0.1, -0.2, 0.3, 4, 5, 6])
    assert_array_equal(load.u(first), np.arange(6))
    assert_array_equal(first.q, [0.4, 0.0, 0.9, 0.1, -0.2, 0.3, 4, 5, 6])
    assert_array_equal(second.q, [0.0, 0.0, 1, 0, 0, 0, 0, 0, 0])


@pytest.mark.parametrize(("name", "stage"), [("q", Stage.POSITION), ("u", Stage.VELOCITY)])
def test_setting_coordinates_and_speeds_invalidates_their_stages(crane, name, stage):
    state = crane.system.realize_topology()
    crane.system.realize(state, Stage.REPORT)
    getattr(crane.body("trolley"), f"set_{name}")(state, 0.3)
    assert state.stage == stage.previous()


@pytest.mark.parametrize("name", ["q", "u"])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([0.1, 0.2], r"trolley\.{} of a Slider has shape \(1,\), but a value of shape \(2,\) was given"),
        ([[0.1]], r"trolley\.{} of a Slider has shape \(1,\), but a value of shape \(1, 1\)"),
        ([], r"trolley\.{} of a Slider has shape \(1,\), but a value of shape \(0,\)"),
        (np.nan, r"trolley\.{} cannot be nan: not a finite number"),
        (-np.inf, r"trolley\.{} cannot be -inf: not a finite number"),
        ("far", r"trolley\.{} takes numbers, not 'far'"),
        (1 + 2j, r"trolley\.{} takes numbers"),
    ],
)
def test_invalid_values_are_refused_and_change_nothing(crane, name, value, message):
    state = crane.system.realize_topology()
    trolley = crane.body("trolley")
    trolley.set_q(state, 0.25)
    trolley.set_u(state, 0.25)
    with pytest.raises(InputError, match=message.format(name)):
        getattr(trolley, f"set_{name}")(state, value)
    assert getattr(trolley, name)(state) == 0.25


def test_read_arrays_are_read_only(crane):
    state = crane.system.realize_topology()
    crane.system.realize(state, Stage.ACCELERATION)
    load = crane.body("load")
    for array in (load.q(state), load.u(state), load.X_GB(state).p, load.X_GB(state).R, load.V_GB(state), load.A_GB(state)):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_default_coordinates_are_topological(crane):
    before = crane.system.realize_topology()
    trolley = crane.body("trolley")
    trolley.set_default_q(0.75)
    assert trolley.default_q == [0.75]
    with pytest.raises(StateError, match="the topology of System 'crane' changed after this State was made"):
        trolley.q(before)
    assert trolley.q(crane.system.realize_topology()) == [0.75]
    with pytest.raises(InputError, match=r"trolley\.default_q of a Slider has shape \(1,\)"):
        trolley.set_default_q([1, 2])


def test_a_new_body_is_a_change_of_topology(crane):
    before = crane.system.realize_topology()
    mb.Pin(crane.body("hook"), MASS)
    with pytest.raises(StateError, match=r"changed after this State was made \(a default_ value was set or an element added\)"):
        crane.system.realize(before, Stage.TIME)


# stages


@pytest.mark.parametrize(
    ("quantity", "stage"),
    [
        ("X_GB", Stage.POSITION),
        ("X_FM", Stage.POSITION),
        ("V_GB", Stage.VELOCITY),
        ("V_FM", Stage.VELOCITY),
        ("q_dot", Stage.VELOCITY),
        ("A_GB", Stage.ACCELERATION),
        ("u_dot", Stage.ACCELERATION),
        ("q_dot_dot", Stage.ACCELERATION),
    ],
)
def test_a_quantity_before_its_stage_is_refused_with_its_name_and_both_stages(crane, quantity, stage):
    state, load = crane.system.realize_topology(), crane.body("load")
    crane.system.realize(state, stage.previous())
    message = f"{quantity} of 'load' needs a State realized to {stage.name}; this one is at {stage.previous().name}"
    with pytest.raises(StageError, match=message):
        getattr(load, quantity)(state)
    crane.system.realize(state, stage)
    getattr(load, quantity)(state)


@pytest.mark.parametrize(
    ("quantity", "stage"),
    [
        (lambda matter, state: matter.mass_matrix(state), Stage.POSITION),
        (lambda matter, state: matter.multiply_by_mass_matrix(state, np.ones(8)), Stage.POSITION),
        (lambda matter, state: matter.system.potential_energy(state), None),
        (lambda matter, state: matter.system.kinetic_energy(state), Stage.VELOCITY),
        (lambda matter, state: matter.body_forces(state), Stage.DYNAMICS),
        (lambda matter, state: matter.mobility_forces(state), Stage.DYNAMICS),
        (lambda matter, state: matter.inverse_dynamics(state, np.ones(8)), Stage.DYNAMICS),
    ],
    ids=["mass matrix", "product", "potential energy", "kinetic energy", "body forces", "mobility forces", "inverse dynamics"],
)
def test_a_quantity_of_the_matter_before_its_stage_is_refused(crane, quantity, stage):
    state = crane.system.realize_topology()
    if stage is None:
        assert quantity(crane, state) == 0  # there is no force that could have any
        return
    crane.system.realize(state, stage.previous())
    with pytest.raises(StageError, match=f"needs a State realized to {stage.name}; this one is at {stage.previous().name}"):
        quantity(crane, state)
    crane.system.realize(state, stage)
    quantity(crane, state)


# States of other Systems


def test_a_state_of_another_system_is_refused_by_every_quantity(crane):
    other = mb.MultibodySystem("dredger")
    mb.Pin(mb.MatterSubsystem(other).ground, MASS)
    crane.system.realize_topology()
    state = other.realize_topology()
    other.realize(state)
    load = crane.body("load")
    quantities = [load.q, load.u, load.X_GB, load.V_GB, load.A_GB, load.X_FM, load.u_dot, load.q_dot_dot]
    quantities += [crane.mass_matrix, crane.body_forces, crane.mobility_forces, crane.kinetic_energy, crane.system.energy]
    for quantity in [*quantities, lambda state: load.set_q(state, np.ones(7)), lambda state: crane.inverse_dynamics(state, np.ones(8))]:
        with pytest.raises(StateError, match="a State of System 'dredger' was given to System 'crane'"):
            quantity(state)


# the catalogue


def test_each_body_catalogues_its_coordinates_and_its_motion(crane):
    state = crane.system.realize_topology()
    state.q, state.u = np.linspace(-0.8, 0.9, 9), np.linspace(0.7, -0.6, 8)
    crane.system.realize(state, Stage.ACCELERATION)
    load = crane.body("load")
    expected = {
        "load.q": (load.q(state), ("1", "1", "1", "1", "m", "m", "m")),
        "load.u": (load.u(state), ("rad/s",) * 3 + ("m/s",) * 3),
        "der(load.q)": (load.q_dot(state), ("1/s",) * 4 + ("m/s",) * 3),
        "der(load.u)": (load.u_dot(state), ("rad/s2",) * 3 + ("m/s2",) * 3),
        "load.p_GB": (load.X_GB(state).p, ("m",)),
        "load.R_GB": (load.X_GB(state).R, ("1",)),
        "load.w_GB": (load.V_GB(state)[:3], ("rad/s",)),
        "load.v_GB": (load.V_GB(state)[3:], ("m/s",)),
        "load.alpha_GB": (load.A_GB(state)[:3], ("rad/s2",)),
        "load.a_GB": (load.A_GB(state)[3:], ("m/s2",)),
    }
    for name, (value, units) in expected.items():
        variable = crane.system.variable(state, name)
        assert variable.units == units
        assert_allclose(crane.system.value(state, variable), value, rtol=1e-14, atol=1e-14)


def test_a_weld_has_no_coordinates_to_catalogue(crane):
    state = crane.system.realize_topology()
    names = [variable.name for variable in crane.system.variables(state)]
    assert not {"hook.q", "hook.u", "der(hook.q)"} & set(names)
    assert "hook.p_GB" in names
    assert len(set(names)) == len(names)


@pytest.mark.slow
def test_an_unknown_catalogue_name_is_refused_with_the_nearest(crane):
    with pytest.raises(UnknownNameError, match=r"no variable of System 'crane' is named 'load\.p_BG'. Did you mean 'load\.p_GB'\?"):
        crane.system.variable(crane.system.realize_topology(), "load.p_BG")
