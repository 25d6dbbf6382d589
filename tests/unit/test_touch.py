"""Touch: weights and impulses of rigid and compliant contacts, zones, FMUs, model files, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import InputError, UnknownNameError, UnsupportedError

G = 9.81
SHAPE = mb.contact.Box([0.2, 0.1, 0.05])
LOAD = mb.MassProperties(1.3, [0.08, 0, 0], mb.Inertia.box(mass=1.3, size=[0.4, 0.2, 0.1]).shifted([0.08, 0, 0]))


def resting(kind, height=0.05):
    """A box on the floor, with its mass center 8 cm before its middle."""
    system = mb.MultibodySystem("table")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=G)
    box = mb.Free(matter.ground, LOAD, name="box")
    box.set_default_q([1, 0, 0, 0, 0, 0, height])
    material = mb.ContactMaterial(stiffness=2e4, dissipation=0.005, static_friction=0.6, dynamic_friction=0.5)
    contacts = mb.ContactSet(matter, forces)
    contacts.add(matter.ground, mb.contact.HalfSpace(), material=material, name="floor")
    contacts.add(box, SHAPE, material=material)
    made = contacts.rigid() if kind == "rigid" else contacts.compliant(normal="kelvin_voigt")
    return system, box, made


def run(system, until, **options):
    return mb.Simulation(system, backend="interpreted", **options).run(system.realize_topology(), until=until, report_every=until / 10)


@pytest.mark.parametrize("kind", ["rigid", "compliant"])
@pytest.mark.parametrize("options", [{}, {"integrator": "velocity_level", "step": 1e-3}])
def test_a_box_at_rest_presses_with_its_weight_and_its_front_with_its_share(kind, options):
    """Moments about the back edge: the front half carries (0.2 + 0.08) / 0.4 of the weight."""
    system, box, contacts = resting(kind)
    mb.Touch(system, contacts, name="all")
    mb.Touch(system, contacts, cutoff=4.0, name="cut")
    front = mb.Transform(p=[0.2, 0, -0.05])
    mb.Touch(system, contacts, box, zone=mb.contact.Box([0.05, 0.2, 0.02]), frame=front, name="front")
    mb.Touch(system, contacts[0], system.matter.ground, zone=mb.contact.Sphere(1.0), frame=mb.Transform(p=[3, 0, 0]), name="elsewhere")
    results = run(system, 1.0, **options)
    weight = 1.3 * G
    tolerance = 1e-9 if kind == "rigid" else 1e-3  # it tilts on its springs
    assert_allclose(results["all.force"][-1], weight, rtol=tolerance)
    assert_allclose(results["front.force"][-1], 0.7 * weight, rtol=tolerance)
    assert results["elsewhere.force"][-1] == 0
    assert results["cut.force"][-1] == 4.0


def test_at_velocity_level_the_forces_of_all_steps_are_the_momentum_that_the_floor_gives():
    """Impact included: sum of force times step = m (v_after - v_before) + m g t."""
    system, box, contacts = resting("rigid", height=0.15)
    mb.Touch(system, contacts, box, name="touch")
    mb.Sampled(system, mb.FrameSensor(system, box, mb.Transform(p=[0.08, 0, 0]), name="center"), 0.001, name="seen")
    simulation = mb.Simulation(system, integrator="velocity_level", step=1e-3, backend="interpreted")
    results = simulation.run(system.realize_topology(), until=0.3, report_every=1e-3)
    given = results["touch.force"][1:].sum() * 1e-3
    gained = 1.3 * results["center.velocity"][-1, 2] + 1.3 * G * 0.3
    assert results["touch.force"].max() > 10 * 1.3 * G
    assert_allclose(given, gained, rtol=1e-9)


@pytest.mark.parametrize(
    ("zone", "inside", "outside"),
    [
        (mb.contact.Sphere(0.3), [0.1, 0.2, 0.19], [0.1, 0.2, 0.21]),
        (mb.contact.Box([0.1, 0.2, 0.3]), [0.09, -0.19, 0.29], [0.09, -0.21, 0.29]),
        (mb.contact.Capsule(0.1, 0.3), [0.05, 0.05, 0.36], [0.05, 0.05, -0.38]),
        (mb.contact.Cylinder(0.1, 0.3), [0.05, 0.08, 0.29], [0.05, 0.08, 0.31]),
        (mb.contact.Ellipsoid([0.1, 0.2, 0.3]), [0.05, 0.1, 0.2], [0.05, 0.1, 0.22]),
    ],
)
def test_a_point_counts_in_the_zone_alone(zone, inside, outside):
    """A ball rests on the floor; the zone is placed so that the point of contact is at a point of its frame."""
    system = mb.MultibodySystem("table")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=G)
    ball = mb.Free(matter.ground, mb.MassProperties(2.0, [0, 0, 0], mb.Inertia.sphere(mass=2.0, radius=0.1)), name="ball")
    ball.set_default_q([1, 0, 0, 0, 0.4, 0.5, 0.1])
    contact = mb.RigidContact(matter.ground, mb.contact.HalfSpace(), ball, mb.contact.Sphere(0.1), static_friction=0.3)
    R = mb.spatial.rotation_x(0.4) @ mb.spatial.rotation_y(0.3)
    for name, p in (("inside", inside), ("outside", outside)):
        mb.Touch(system, contact, ball, zone=zone, frame=mb.Transform(R, np.array([0, 0, -0.1]) - R @ p), name=name)
    results = run(system, 0.1)
    assert_allclose(results["inside.force"][-1], 2.0 * G, rtol=1e-9)
    assert results["outside.force"][-1] == 0


@pytest.mark.parametrize("kind", ["rigid", "compliant"])
def test_it_is_an_output_of_an_fmu_and_lies_in_a_model_file(tmp_path, kind):
    system, box, contacts = resting(kind)
    mb.Touch(system, contacts, box, zone=mb.contact.Box([0.3, 0.2, 0.1]), name="touch")
    loaded = mb.load_model(mb.save_model(system, tmp_path / "table.json"))
    results = [run(each, 0.1)["touch.force"] for each in (system, loaded)]
    assert results[0].tobytes() == results[1].tobytes()
    mb.export_fmu(system, tmp_path / "table.fmu", outputs=["touch.force"], code="interpreted", reference=False)


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (lambda system, box, contacts: mb.Touch(system, []), InputError, "at least one"),
        (lambda system, box, contacts: mb.Touch(system, box), InputError, "contacts are contacts or their names"),
        (lambda system, box, contacts: mb.Touch(system, [box]), InputError, "is no contact"),
        (lambda system, box, contacts: mb.Touch(system, contacts, zone=SHAPE), InputError, "Give body="),
        (
            lambda system, box, contacts: mb.Touch(system, contacts, box, zone=mb.contact.Torus(0.2, 0.1)),
            UnsupportedError,
            "Torus is no zone",
        ),
        (lambda system, box, contacts: mb.Touch(system, resting("rigid")[2]), InputError, "does not belong to System"),
    ],
)
def test_what_cannot_be_is_refused(make, kind, text):
    with pytest.raises(kind, match=text):
        make(*resting("rigid"))


def test_contacts_that_are_not_there_are_named_when_a_state_is_made():
    system, _, _ = resting("rigid")
    mb.Touch(system, ["floor_bax"], name="touch")
    with pytest.raises(UnknownNameError, match=r"no contact is named 'floor_bax'\. Did you mean 'floor_box'"):
        system.realize_topology()
    system, _, contacts = resting("rigid")
    other = mb.Free(system.matter.ground, LOAD, name="other")
    mb.Touch(system, contacts, other, name="touch")
    with pytest.raises(InputError, match="none of its contacts, floor_box, is one of body 'other'"):
        system.realize_topology()
