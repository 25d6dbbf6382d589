"""Rigid contacts and their shapes in model files."""

import json

import jsonschema
import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.contact import Box, Capsule, Circle, Cone, ConvexMesh, Cylinder, Ellipsoid, HalfSpace, RoundedBox, Sphere, Torus
from mobod.errors import InputError, ModelFileError
from mobod.files.model.model import model_as_json
from tests.unit.files.users_elements import RollingHeight, SlidingHeight

INERTIA = mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.sphere(mass=1.0, radius=0.1))
CORNERS = [[0, 0, 0], [0.1, 0, 0], [0, 0.2, 0], [0, 0, 0.3]]
SHAPES = {
    "box": Box((0.1, 0.2, 0.3)),
    "capsule": Capsule(0.1, 0.2),
    "circle": Circle(0.1),
    "coin": Circle(0.1, points=4),
    "mesh": ConvexMesh(CORNERS),
    "cylinder": Cylinder(0.1, 0.2),
    "stool": Cylinder(0.1, 0.2, points=3),
    "egg": Ellipsoid((0.1, 0.2, 0.3)),
    "ball": Sphere(0.1),
    "tire": Torus(0.3, 0.1),
    "cone": Cone(0.1, 0.2, points=4),
    "rounded": RoundedBox([0.1, 0.2, 0.3], 0.02),
}
TURNED = mb.Transform(mb.spatial.rotation_about([1, 2, 3], 0.7), [0.1, 0.2, 0.3])


@pytest.fixture
def things():
    """A System with a thing of each shape on a slanted floor."""
    system = mb.MultibodySystem("things")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=9.81)
    for name, shape in SHAPES.items():
        body = mb.Free(matter.ground, INERTIA, name=name)
        body.set_default_q([1, 0, 0, 0, 0, 0, 1.0])
        contact = mb.RigidContact(
            matter.ground,
            HalfSpace(),
            body,
            shape,
            static_friction=0.5,
            dynamic_friction=0.4,
            viscous_friction=0.01,
            restitution=0.1,
            X_B1S1=HalfSpace.frame([0.1, 0.2, 1]),
            X_B2S2=TURNED,
            name=f"floor_{name}",
        )
        contact.tolerance = 1e-5
    mb.RigidContact(matter.body("ball"), Sphere(0.1), matter.body("egg"), Sphere(0.1), name="smooth", disabled=True)
    return system


def test_rigid_contacts_of_all_shapes_are_read_as_they_were_written(things, tmp_path):
    first = mb.save_model(things, tmp_path / "first.json")
    again = mb.load_model(first)
    second = mb.save_model(again, tmp_path / "second.json")
    assert first.read_bytes() == second.read_bytes()
    for contact, read in zip(things.matter.constraints, again.matter.constraints, strict=True):
        assert (read.name, read.shape1, read.shape2, read.tolerance) == (contact.name, contact.shape1, contact.shape2, contact.tolerance)
        assert read.equations == contact.equations
        assert read.is_disabled_by_default == contact.is_disabled_by_default
    smooth = json.loads(first.read_text())["constraints"][-1]
    assert smooth == {
        "type": "RigidContact",
        "name": "smooth",
        "disabled": True,
        "body1": "ball",
        "body2": "egg",
        "shape1": {"type": "Sphere", "radius": 0.1},
        "shape2": {"type": "Sphere", "radius": 0.1},
    }


@pytest.mark.slow
def test_the_motion_has_the_same_bits(things, tmp_path):
    again = mb.load_model(mb.save_model(things, tmp_path / "things.json"))
    ends = []
    for system in (things, again):
        simulation = mb.Simulation(system, integrator="velocity_level", step=1e-2, backend="interpreted")
        state = system.realize_topology()
        # turned over: from its default pose the tire is thrown flat, to a lean of 0.009 rad, where its contact goes around in a step
        system.matter.body("tire").set_q(state, [np.cos(1.25), -np.sin(1.25), 0, 0, 0, 0, 1.0])
        final = simulation.run(state, until=0.55).final_state
        assert all(np.any(body.u(final)[:3]) for body in system.matter.bodies)  # all have landed
        ends.append(final.q.tobytes())
    assert ends[0] == ends[1]


def test_files_follow_the_schema(things):
    jsonschema.Draft202012Validator(mb.model_schema()).validate(model_as_json(things))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"shape2": {"type": "Sphere", "radius": -1}}, "/constraints/0.*radius cannot be -1"),
        ({"shape2": {"type": "Bowl"}}, "/constraints/0/shape2/type: no contact_shape is named 'Bowl'"),
        ({"orientation1": [1, 0, 0]}, "/constraints/0/orientation1: 4 numbers are needed, not 3"),
        ({"static_friction": 0.1}, "is below dynamic_friction"),
        ({"body2": "ground"}, "both shapes are on body 'ground'"),
    ],
)
def test_errors_name_the_place(things, tmp_path, change, message):
    path = mb.save_model(things, tmp_path / "things.json")
    content = json.loads(path.read_text())
    content["constraints"][0] |= change
    path.write_text(json.dumps(content))
    with pytest.raises(ModelFileError, match=message):
        mb.load_model(path)


def test_a_users_distance_with_friction_keeps_its_coefficients(tmp_path):
    system = mb.MultibodySystem("s")
    matter = mb.MatterSubsystem(system)
    body = mb.Translation(matter.ground, INERTIA, name="body")
    for stribeck_speed in (None, 0.2):
        friction = {"static_friction": 0.4, "dynamic_friction": 0.3, "stribeck_speed": stribeck_speed}
        mb.UnilateralConstraint(SlidingHeight(), [matter.ground, body], **friction)
    again = mb.load_model(mb.save_model(system, tmp_path / "s.json"), allow_imports=True)
    assert [each.equations.friction for each in again.matter.constraints] == [(0.4, 0.3, 0.0), (0.4, 0.3, 0.0, 0.2)]


def test_moments_of_friction_are_kept_and_left_out_where_there_are_none(tmp_path):
    system = mb.MultibodySystem("s")
    matter = mb.MatterSubsystem(system)
    body = mb.Free(matter.ground, INERTIA, name="body")
    given = ({"rolling_friction": 0.03}, {"torsional_friction": 0.0}, {"torsional_friction": 0.01, "rolling_friction": 0.02}, {})
    for moments in given:
        mb.RigidContact(matter.ground, mb.contact.HalfSpace(), body, mb.contact.Sphere(0.1), static_friction=0.4, **moments)
    path = mb.save_model(system, tmp_path / "s.json")
    again = mb.load_model(path)

    assert [dict(zip(each.moments, each.equations.moments, strict=True)) for each in again.matter.constraints] == list(given)
    assert path.read_bytes() == mb.save_model(again, tmp_path / "again.json").read_bytes()


def test_a_users_distance_with_moments_of_friction_moves_as_a_rigid_contact_and_is_kept(tmp_path):
    finals = []
    for own in (True, False):
        system = mb.MultibodySystem("s")
        matter = mb.MatterSubsystem(system)
        mb.Gravity(mb.ForceSubsystem(system), matter, down=[0.1, 0, -1], magnitude=9.81)
        ball = mb.Free(matter.ground, mb.MassProperties(1.5, [0, 0, 0], mb.Inertia.sphere(mass=1.5, radius=0.1)), name="ball")
        ball.set_default_q([1, 0, 0, 0, 0, 0, 0.1])
        if own:
            mb.UnilateralConstraint(RollingHeight(), [matter.ground, ball], static_friction=0.4, moment_friction=(0.01, 0.02), name="floor")
            system = mb.load_model(mb.save_model(system, tmp_path / "s.json"), allow_imports=True)
            ball = system.matter.bodies[0]
        else:
            moments = {"torsional_friction": 0.01, "rolling_friction": 0.02}
            shapes = matter.ground, mb.contact.HalfSpace(), ball, mb.contact.Sphere(0.1)
            mb.RigidContact(*shapes, static_friction=0.4, name="floor", **moments)
        state = system.realize_topology()
        ball.set_u(state, [0, 5.0, 4.0, 0.5, 0.2, 0])
        finals.append(mb.Simulation(system, 1e-9, backend="interpreted").run(state, 0.2).final_state)

    assert_allclose(finals[0].y, finals[1].y, atol=1e-8)
    with pytest.raises(InputError, match="moment_friction has 1 coefficients, but RollingHeight has 2 moments of friction"):
        mb.UnilateralConstraint(RollingHeight(), [matter.ground, ball], static_friction=0.4, moment_friction=(0.1,))
