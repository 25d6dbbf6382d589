"""Limits and other unilateral constraints in model files."""

import json

import numpy as np
import pytest

import mobod as mb
from mobod.errors import ModelFileError, UnsupportedError
from mobod.matter import UnilateralConstraint
from tests.unit.files.test_model_file import same_bits, same_bytes
from tests.unit.files.users_elements import HeightEquations


def falling():
    """A double pendulum with stops, whose tip hits a floor, and a table with disabled limits; the limits are added last."""
    system = mb.MultibodySystem("falling")
    matter = mb.MatterSubsystem(system)
    upper = mb.Pin(matter.ground, mb.MassProperties.point(1.2, [0.7, 0.0, 0.0]), name="upper")
    lower = mb.Pin(upper, mb.MassProperties.point(0.8, [0.5, 0.1, 0.0]), mb.Transform(p=[0.7, 0, 0]), name="lower", reversed=True)
    table = mb.Planar(matter.ground, mb.MassProperties(2.0, [0, 0, 0], np.eye(3)), name="table")
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.7, name="gravity")
    mb.LinearBushing(forces, matter.ground, table, stiffness=[3.0] * 6, damping=[0.2] * 6, name="bushing")
    floor = mb.UnilateralConstraint(HeightEquations(-0.9), [lower, matter.ground], restitution=0.35, name="floor")
    lower.set_limits(-0.4, 1.1, restitution=0.6)
    rod = mb.Rod(matter.ground, [0, 0, 0], table, [0, 1, 0], 0.7, name="rod", disabled=True)
    upper.set_limits(lower=-1.3)
    table.set_limits(0.1, 0.3, coordinate=2)
    table.set_limits(upper=0.5, restitution=1.0, coordinate=0)
    table.limits[2].set_disabled_by_default(True)
    return system, [floor, lower.limits[0], rod, upper.limits[0], table.limits[2], table.limits[0]]


def test_limits_are_restored_in_their_order(tmp_path):
    system, constraints = falling()

    loaded = same_bytes(system, tmp_path, allow_imports=True)

    names = ["floor", "lower.limit", "rod", "upper.limit", "table.limit_2", "table.limit_0"]
    assert [each.name for each in constraints] == [each.name for each in loaded.matter.constraints] == names
    state = loaded.realize_topology()
    bounds = {each.name: (*each.bounds(state), each.restitution(state)) for each in loaded.matter.constraints if "limit" in each.name}
    assert bounds == {
        "lower.limit": (-0.4, 1.1, 0.6),
        "upper.limit": (-1.3, np.inf, 0.0),
        "table.limit_2": (0.1, 0.3, 0.0),
        "table.limit_0": (-np.inf, 0.5, 1.0),
    }
    assert [each.name for each in loaded.matter.constraints if each.is_disabled(state)] == ["rod", "table.limit_2"]
    assert loaded.matter.body("table").limits[2] is loaded.matter.constraints[4]
    found = loaded.matter.constraints[0]
    assert (type(found), found.equations.distances, found.restitution(state)) == (UnilateralConstraint, HeightEquations(-0.9), 0.35)
    same_bits(system, loaded, system.realize_topology())


@pytest.mark.slow
def test_impacts_and_resting_contacts_are_the_same_bit_for_bit(tmp_path):
    system, _ = falling()
    loaded = same_bytes(system, tmp_path, allow_imports=True)
    state = system.realize_topology()
    assert state.y.size == loaded.realize_topology().y.size

    runs = [
        mb.Simulation(each, accuracy=1e-7, backend="interpreted").run(each.realize_topology(), until=1.5, report_every=0.05)
        for each in (system, loaded)
    ]

    assert {event.name for event in runs[0].events} >= {"lower.lower_limit", "upper.lower_limit"}
    assert [repr(event) for event in runs[0].events] == [repr(event) for event in runs[1].events]
    assert runs[0].final_state.y.tobytes() == runs[1].final_state.y.tobytes()
    for name in ("upper.q", "lower.limit.force", "upper.limit.engaged", "table.q"):
        assert runs[0][name].tobytes() == runs[1][name].tobytes(), name
    assert runs[0].steps == runs[1].steps


def test_users_distances_are_imported_only_if_allowed(tmp_path):
    path = mb.save_model(falling()[0], tmp_path / "falling.json")
    with pytest.raises(ModelFileError, match=r"/constraints/0/equations/type: it needs the Python code .*HeightEquations.*allow_imports"):
        mb.load_model(path)


class Special(UnilateralConstraint):
    pass


def test_unilateral_constraints_that_are_not_data_are_refused_by_name(tmp_path):
    class Local(HeightEquations):
        pass

    for equations, kind, message in (
        (HeightEquations(0.2), Special, "constraint 'mine' cannot be saved: a model file has no constraint of type Special"),
        (Local(0.2), UnilateralConstraint, "the equations of constraint 'mine' cannot be saved: its code.*inside a function"),
    ):
        system, _ = falling()
        kind(equations, [system.matter.body("lower"), system.matter.ground], name="mine")
        with pytest.raises(UnsupportedError, match=message):
            mb.save_model(system, tmp_path / "mine.json")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"body": "ground"}, "/constraints/1/body: Ground has no coordinates"),
        ({"body": "loower"}, "/constraints/1/body: no body is named 'loower'. Did you mean 'lower'"),
        ({"coordinate": 1}, "/constraints/1: set_limits of 'lower'.*1 is not one of them"),
        ({"coordinate": -1}, "/constraints/1/coordinate: a whole number from 0 on"),
        ({"lower": 2.0}, "/constraints/1: set_limits of 'lower': the lower bound, 2, is above the upper one, 1.1"),
        ({"lower": "-inf"}, "/constraints/1/lower: a number is needed, not '-inf'"),
        ({"restitution": 1.5}, "/constraints/1: .*restitution cannot be 1.5: the greatest value is 1"),
        ({"body": "table", "coordinate": 2, "upper": 9.0}, r"^[^:]*: /constraints/4: coordinate 2 of 'table' has limits already"),
        ({"name": "mine"}, "/constraints/1: no key here is named 'name'"),
    ],
)
def test_invalid_limits_are_reported_with_their_place(tmp_path, change, message):
    path = mb.save_model(falling()[0], tmp_path / "falling.json")
    document = json.loads(path.read_text(encoding="utf-8"))
    document["constraints"][1] |= change
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ModelFileError, match=message):
        mb.load_model(path, allow_imports=True)


def test_a_file_with_limits_satisfies_the_schema(tmp_path):
    jsonschema = pytest.importorskip("jsonschema", reason="a validator of JSON schemas is not installed")
    path = mb.save_model(falling()[0], tmp_path / "falling.json")
    jsonschema.Draft202012Validator(mb.model_schema()).validate(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.slow
def test_compliant_limits_are_restored(tmp_path):
    system = mb.MultibodySystem("soft")
    matter = mb.MatterSubsystem(system)
    pin = mb.Pin(matter.ground, mb.MassProperties.point(1.2, [0.7, 0.0, 0.0]), name="pin")
    pin.set_limits(-0.4, 1.1, compliance=1e-3, damping=0.2)
    bodies = [pin, matter.ground]
    mb.UnilateralConstraint(HeightEquations(-0.9), bodies, compliance=2e-3, name="floor")
    mb.UnilateralConstraint(HeightEquations(-0.8), bodies, compliance=[3e-3], damping=[5.0], name="mat")
    coupling = mb.HingeCoupling((-0.5, 0.5))
    for i, each in enumerate(coupling.constraints):
        each.compliance, each.damping = 0.0 if i == 1 else 1e-3 * (1 + i), 0.3 * i
    free = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], np.eye(3)), name="free")
    mb.CouplingJoint(coupling, free, pin, name="hinge")

    loaded = same_bytes(system, tmp_path, allow_imports=True)

    states = system.realize_topology(), loaded.realize_topology()
    for one, other in zip(system.matter.constraints, loaded.matter.constraints, strict=True):
        assert one.compliant_rows == other.compliant_rows != ()
        assert one.compliance(states[0]).tolist() == other.compliance(states[1]).tolist()
        assert one.damping(states[0]).tolist() == other.damping(states[1]).tolist()
    assert [each.name for each in system.variables(states[0])] == [each.name for each in loaded.variables(states[1])]
    written = json.loads((tmp_path / "one.json").read_text(encoding="utf-8"))["constraints"]
    assert [each.get("compliance") for each in written] == [1e-3, 2e-3, 3e-3, None]  # the loop's stand with its coupling
