"""Flexible bodies in model files: restored bit for bit, with what belongs to their modes and frames; faults of a file are named."""

import dataclasses
import json

import numpy as np
import pytest

import mobod as mb
from mobod.errors import ModelFileError, UnsupportedError
from mobod.files.model.flexible_bodies import ModalDataCodec
from mobod.flexible.surface import ModalSurface
from mobod.matter.bodies import decorations
from tests.flexible.flexible_tree import Tree
from tests.unit.files.test_model_file import same_bits, same_bytes

STEEL = mb.Material(E=2.1e11, nu=0.3, density=7850)


def filled(tree):
    """Defaults of modes, limits, shapes, a load and a measure on parts of flexible bodies."""
    node = tree.base.flexible.node
    node.set_default_q([0.1, -0.0, 0.02])
    node.set_lockable_by_default(True)
    node.set_default_parameter("stiffness_scale", 1.3)
    node.set_default_parameter("damping_ratio", [0.2, 0.1, 0.05])
    tree.base.interface("one").add_body_decoration(mb.Transform(p=[0, 0.1, 0]), decorations.Sphere(0.2))
    tree.base.flexible.core.add_body_decoration(mb.Transform(), decorations.Sphere(0.1))
    forces = mb.ForceSubsystem(tree.system, "loads")
    mb.ConstantForce(forces, tree.arm.interface("end"), force=[1.0, 2.0, 3.0], station=[0.1, 0, 0], name="push")
    mb.Rod(tree.matter.ground, [0, 0, 0], tree.base.interface("other"), [0.1, 0, 0], 2.0, name="bar")


@pytest.mark.parametrize("points", [None, "straight", "curved"])
def test_flexible_bodies_are_restored_bit_for_bit(tmp_path, points):
    tree = Tree(4, between=filled, points=points)
    loaded = same_bytes(tree.system, tmp_path)
    same_bits(tree.system, loaded, tree.state, mb.Stage.ACCELERATION)
    found = loaded.matter.body("base").flexible
    assert found.node.is_lockable_by_default
    assert np.signbit(found.node.default_q[1])
    assert [type(each.geometry) for each in found.core.decorations] == [decorations.Sphere]


def test_a_beam_is_restored_bit_for_bit_from_its_arguments(tmp_path):
    system = mb.MultibodySystem("beam")
    matter = mb.MatterSubsystem(system)
    body = mb.FlexibleBeam(1.7, mb.Section.tube(0.02, 0.018), STEEL, modes=3, at=[0.4], axis="z", damping_ratio=[0.1, 0.2, 0.3])
    beam = mb.Pin(matter.ground, body, name="beam")
    mb.Weld(beam.interface("at0"), mb.MassProperties.point(0.1, [0, 0, 0.1]), name="load")
    loaded = same_bytes(system, tmp_path)
    state = system.realize_topology()
    beam.set_eta(state, [0.01, -0.02, 0.003])
    beam.set_eta_dot(state, [0.1, 0.2, 0.3])
    same_bits(system, loaded, state, mb.Stage.ACCELERATION)
    (written,) = (each for each in json.loads((tmp_path / "one.json").read_text())["bodies"] if each["name"] == "beam")
    assert set(written["flexible"]) == {"type", "length", "section", "material", "modes", "at", "axis", "damping_ratio"}


def test_the_static_correction_of_a_beam_is_restored(tmp_path):
    system = mb.MultibodySystem("beam")
    body = mb.FlexibleBeam(1.7, mb.Section.tube(0.02, 0.018), STEEL, modes=2, static_correction="forces")
    mb.Weld(mb.MatterSubsystem(system).ground, body, name="beam")
    loaded = same_bytes(system, tmp_path)
    assert loaded.matter.body("beam").flexible.data.static_correction == "forces"
    assert loaded.matter.body("beam").flexible.node.nu == 4


def test_a_body_without_modes_is_restored(tmp_path):
    system = mb.MultibodySystem()
    modal = Tree(4).modal[0]
    none = {"coupling": np.zeros((6, 0)), "stiffness": np.zeros(0), "damping": np.zeros((0, 0))}
    rigid = mb.ModalData(
        inboard="root",
        interfaces={"root": type(modal.interfaces["root"])(mb.Transform(), np.zeros((6, 0)))},
        mass_properties=modal.mass_properties,
        size=1.0,
        flexibility_lost=0.0,
        **none,
    )
    mb.Pin(mb.MatterSubsystem(system).ground, mb.FlexibleBody(rigid), name="arm")
    same_bits(system, same_bytes(system, tmp_path), system.realize_topology())


def test_every_field_of_modal_data_has_a_place_in_a_file(tmp_path):
    fields = {each.name for each in dataclasses.fields(mb.ModalData)} - {"mass_properties"}
    assert fields <= set(ModalDataCodec.record.fields)

    modal = Tree(4).modal[0]
    drawn = ModalSurface(np.eye(3), np.array([[0, 1, 2]]), np.arange(9.0 * modal.n).reshape(3, 3, modal.n))
    system = mb.MultibodySystem()
    mb.Pin(mb.MatterSubsystem(system).ground, mb.FlexibleBody(dataclasses.replace(modal, surface=drawn)), name="arm")
    loaded = same_bytes(system, tmp_path)
    found = loaded.matter.body("arm").flexible.modal.surface
    assert [each.tolist() for each in (found.vertices, found.faces, found.shapes)] == [
        each.tolist() for each in (drawn.vertices, drawn.faces, drawn.shapes)
    ]


def changed(folder, change):
    """The file of a tree with a change of its first body."""
    path = mb.save_model(Tree(4).system, folder / "tree.json")
    document = json.loads(path.read_text())
    change(document["bodies"][0])
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda body: body.update(mass=1.0), r"/bodies/0/mass: a flexible body has its mass in its data"),
        (lambda body: body.pop("flexible"), r"/bodies/0: the key 'mass' is missing"),
        (lambda body: body["flexible"]["modal"].update(inboard="rot"), "no interface is named 'rot'"),
        (lambda body: body["flexible"]["modal"]["stiffness"].pop(), r"shapes: an array of shape \(6, 2\) is needed, not \(6, 3\)"),
        (lambda body: body["flexible"]["modal"].update(stiffness=[1.0, 0.0, 2.0]), r"modal: ModalData: stiffness has the entry 0 1/s\^2"),
        (lambda body: body["flexible"]["modal"].update(coupling=(10 * np.ones((6, 3))).tolist()), "the coupling is too large"),
        (lambda body: body["flexible"].update(inertia="full"), "inertia='full' needs ModalData with mass points"),
        (lambda body: body["flexible"].update(damping=1.0), "flexible/damping|no key here is named 'damping'"),
        (lambda body: body.update(modes={"default_q": [1.0]}), "/bodies/0/modes/default_q: .* has shape"),
        (lambda body: body.update(decorations_of_frames={"tow": []}), r"no frame of 'base' is named 'tow'\. Did you mean 'root'|There are"),
    ],
)
def test_faults_in_the_data_of_a_flexible_body_are_named(tmp_path, change, message):
    with pytest.raises(ModelFileError, match=message):
        mb.load_model(changed(tmp_path, change))


def test_a_rigid_body_has_no_modes(tmp_path):
    path = changed(tmp_path, lambda body: None)
    document = json.loads(path.read_text())
    document["bodies"][1]["modes"] = {}
    path.write_text(json.dumps(document))
    with pytest.raises(ModelFileError, match="/bodies/1/modes: only a body with the key 'flexible' has it"):
        mb.load_model(path)


def test_a_class_of_the_users_own_is_refused(tmp_path):
    class Mine(mb.FlexibleBody):
        pass

    system = mb.MultibodySystem()
    mb.Pin(mb.MatterSubsystem(system).ground, Mine(Tree(4).modal[0]), name="arm")
    with pytest.raises(UnsupportedError, match="body 'arm' cannot be saved: it has a Mine; a model file has FlexibleBody and FlexibleBeam"):
        mb.save_model(system, tmp_path / "model.json")


def test_files_with_flexible_bodies_satisfy_the_schema(tmp_path):
    jsonschema = pytest.importorskip("jsonschema", reason="a validator of JSON schemas is not installed")
    path = mb.save_model(Tree(4, between=filled, points="curved").system, tmp_path / "tree.json")
    jsonschema.Draft202012Validator(mb.model_schema()).validate(json.loads(path.read_text()))
