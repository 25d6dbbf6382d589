"""Couplings in model files: in the tree, as loops, with all their settings."""

import copy
import json

import numpy as np
import pytest

import mobod as mb
from mobod import registry
from mobod.errors import ModelFileError, UnsupportedError
from mobod.spatial import from_body_xyz
from tests.unit.files.test_model_file import same_bits, same_bytes
from tests.unit.files.users_elements import MuteCoupling, Tray

X_BD = mb.Transform(from_body_xyz([0.3, -0.5, 0.8]), [0.2, 0.1, -0.4])
X_AC = mb.Transform(from_body_xyz([-0.7, 0.2, 0.4]), [-0.3, 0.25, 0.15])
COM = [0.1, -0.2, 0.05]
BODY = mb.MassProperties(1.3, COM, mb.Inertia.box(mass=1.3, size=[0.4, 0.6, 0.9]).shifted(COM))
RANGES = ((-0.7, 0.9), (-np.inf, 1.1), (-1.2, np.inf), (-1.0, 1.0))

# no argument has its default
COUPLINGS = [
    mb.CylindricalCoupling(RANGES[0], RANGES[3], clockwise=False),
    mb.Ellipsoid3dCoupling([0.9, 1.4, 0.6], uses_opensim=True, ranges=(RANGES[0], (-np.inf, np.inf), RANGES[3])),
    mb.EllipsoidCoupling([0.9, 1.4, 0.6], 0.3, ranges=(RANGES[0], RANGES[3], RANGES[3], (-np.inf, np.inf))),
    mb.FixedAxisCoupling(),
    mb.FreeCoupling((RANGES[1], RANGES[2], RANGES[0], RANGES[3], RANGES[0], RANGES[3]), axes="XYZ"),
    mb.GimbalCoupling(RANGES[0], RANGES[3], RANGES[0], axes="XYZ"),
    mb.HingeCoupling(RANGES[0], clockwise=True),
    mb.PlanarCoupling(RANGES[1], RANGES[2], RANGES[0]),
    mb.PlanarTranslationCoupling(RANGES[0], RANGES[1]),
    mb.PlaneConnectorCoupling([0.3, 0.7, -2.0], unilateral=True),
    mb.SliderCoupling(RANGES[2]),
    mb.SlottedHingeCoupling(RANGES[1], RANGES[3]),
    mb.SolidCoupling(),
    mb.SphericalCoupling(max_tilt=0.9),
    mb.SphericalCoupling(max_rotation=[0.9, 1.3, 0.4]),
    mb.UniversalCoupling(RANGES[0], RANGES[3], axes="XY", skew=0.25),
]


def empty(name="model"):
    system = mb.MultibodySystem(name)
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0.2, -1, 0.3], magnitude=9.7, name="gravity")
    return system, matter


def test_every_coupling_is_in_the_table_and_no_argument_has_its_default():
    assert {type(each).__name__ for each in COUPLINGS} == set(registry.COUPLINGS)


def test_couplings_in_the_tree_are_restored_bit_for_bit(tmp_path):
    system, matter = empty()
    parent, n = matter.ground, 0
    for number, coupling in enumerate(COUPLINGS):
        if len(coupling.coordinates) != 6 - sum(each.is_bilateral for each in coupling.constraints):
            continue  # it cannot be a mobilizer
        name = f"body {number}"
        ends = (BODY, parent) if number % 2 else (parent, BODY)  # D on the parent, D on the body
        parent = mb.CouplingJoint(coupling, *ends, X_AC=X_AC, X_BD=X_BD, restitution=0.4, name=name)
        parent.set_default_q(np.linspace(-0.2, 0.3, parent.nq))
        n += 1
    assert n == 13

    loaded = same_bytes(system, tmp_path)

    assert [(body.name, type(body.coupling), body.is_reversed) for body in loaded.matter.bodies] == [
        (body.name, type(body.coupling), body.is_reversed) for body in matter.bodies
    ]
    same_bits(system, loaded, system.realize_topology())


@pytest.mark.slow
def test_couplings_that_close_loops_are_restored_bit_for_bit(tmp_path):
    system, matter = empty()
    for number, coupling in enumerate(COUPLINGS[3::4]):
        free = mb.Free(matter.ground, BODY, name=f"body {number}")
        free.set_default_q([1, 0.1, -0.2, 0.05, 0.1, 0.2, 0.3])
        mb.CouplingJoint(coupling, free, matter.ground, X_AC=X_AC, X_BD=X_BD, restitution=0.4, name=f"joint {number}")

    loaded = same_bytes(system, tmp_path)

    kinds = [(each.name, type(each), type(each.coupling)) for each in matter.constraints]
    assert kinds == [(each.name, type(each), type(each.coupling)) for each in loaded.matter.constraints]
    same_bits(system, loaded, system.realize_topology(), mb.Stage.POSITION)  # further stages of so many rows take long to record


def hanging():
    """An arm on a hinge with a range, a tray (a user's coupling) with a wall, and a loop with limits; other constraints between them."""
    system, matter = empty("hanging")
    rod = mb.Pin(matter.ground, BODY, name="rod")
    mb.Rod(matter.ground, [0, 2, 0], rod, [0, 0, 0.3], 1.9, name="early", disabled=True)
    arm = mb.CouplingJoint(mb.HingeCoupling((-0.1, 2.0)), BODY, matter.ground, X_BD=X_BD, restitution=0.6, name="arm")
    rod.set_limits(-0.3, 0.4)
    tray = mb.CouplingJoint(Tray(0.1, x_range=(-np.inf, 0.2)), BODY, arm, X_AC=X_AC, restitution=0.2, name="tray")
    free = mb.Free(matter.ground, BODY, name="free")
    coupling = mb.SphericalCoupling(max_tilt=0.1)
    ball = mb.CouplingJoint(coupling, free, matter.ground, restitution=0.5, name="ball")
    for joint, angle in ((arm, 0.5), (tray, [0.1, -0.05])):
        joint.set_default_q(angle)
    return system, arm, tray, ball


@pytest.mark.slow
def test_limits_keep_their_order_and_settings(tmp_path):
    system, arm, tray, ball = hanging()
    arm.set_limits(-0.05, 1.9, 0.7)  # not the range of the coupling
    arm.limits[0].tolerance = 3e-6
    tray.regions.tolerance = 2e-5
    tray.regions.set_disabled_by_default(True)
    ball.limits.tolerance = 4e-6
    ball.limits.set_disabled_by_default(True)
    ball.set_disabled_by_default(True)

    loaded = same_bytes(system, tmp_path, allow_imports=True)

    names = ["early", "arm.limit", "rod.limit", "tray.limit_0", "tray.region", "ball", "ball.limits"]
    assert [each.name for each in system.matter.constraints] == [each.name for each in loaded.matter.constraints] == names
    found = {each.name: each for each in loaded.matter.constraints}
    assert found["arm.limit"].bounds(loaded.realize_topology()) == (-0.05, 1.9)
    assert [found[name].tolerance for name in ("arm.limit", "tray.region", "ball.limits")] == [3e-6, 2e-5, 4e-6]
    assert [name for name in names if found[name].is_disabled_by_default] == ["early", "tray.region", "ball", "ball.limits"]
    same_bits(system, loaded, system.realize_topology())


@pytest.mark.slow
def test_impacts_on_ranges_and_regions_are_the_same_bit_for_bit(tmp_path):
    system, *_ = hanging()
    loaded = same_bytes(system, tmp_path, allow_imports=True)

    runs = [
        mb.Simulation(each, accuracy=1e-6, backend="interpreted").run(each.realize_topology(), until=0.6, report_every=0.1)
        for each in (system, loaded)
    ]

    assert {event.name.split(".")[0] for event in runs[0].events} >= {"arm", "tray", "ball"}
    assert [repr(event) for event in runs[0].events] == [repr(event) for event in runs[1].events]
    assert runs[0].final_state.y.tobytes() == runs[1].final_state.y.tobytes()


def test_ranges_without_listed_limits_are_enforced_anyway(tmp_path):
    system, *_ = hanging()
    path = mb.save_model(system, tmp_path / "model.json")
    document = json.loads(path.read_text(encoding="utf-8"))
    document["constraints"] = []
    path.write_text(json.dumps(document), encoding="utf-8")

    loaded = mb.load_model(path, allow_imports=True)

    assert [each.name for each in loaded.matter.constraints] == ["arm.limit", "tray.limit_0", "tray.region"]
    assert loaded.matter.body("arm").limits[0].bounds(loaded.realize_topology()) == (-0.1, 2.0)


def test_settings_of_coordinates_and_constraints_are_restored(tmp_path):
    coupling = mb.CylindricalCoupling((-1.0, 1.0))
    coupling.coordinate(0).set_range(-0.5, np.inf)
    coupling.coordinate(1).set_value(0.25)
    coupling.coordinate(1).lock()
    coupling.constraint(5).compliance, coupling.constraint(5).damping = 1e-5, 30.0
    system, matter = empty()
    mb.CouplingJoint(coupling, BODY, matter.ground, name="joint")

    loaded = same_bytes(system, tmp_path).matter.body("joint")

    z, theta = loaded.coupling.coordinates
    assert (z.min, z.max, theta.value, theta.locked_value) == (-0.5, np.inf, 0.25, 0.25)
    assert [(each.compliance, each.damping) for each in loaded.coupling.constraints[3:]] == [(0, 0), (0, 0), (1e-5, 30.0)]
    assert loaded.default_q.tolist() == [0.0, 0.25]
    with pytest.raises(UnsupportedError, match="coordinate 'theta' is locked"):
        loaded.matter.system.realize_topology()


def test_changed_frames_of_a_loop_are_restored(tmp_path):
    system, matter = empty()
    free = mb.Free(matter.ground, BODY, name="free")
    loop = mb.CouplingJoint(mb.HingeCoupling(), free, matter.ground, X_AC=X_AC, name="loop")
    loop.set_default_frame_C(X_BD)
    loop.set_default_frame_D(X_AC)

    loaded = same_bytes(system, tmp_path)

    again = loaded.matter.constraints[0]
    assert again.default_frame_C.R.tobytes() == loop.default_frame_C.R.tobytes() != X_BD.R.tobytes()
    assert (again.X_AC.R.tobytes(), again.X_BD.p.tobytes()) == (X_BD.R.tobytes(), X_AC.p.tobytes())


def test_a_users_coupling_needs_permission_to_be_imported(tmp_path):
    system, *_ = hanging()
    path = mb.save_model(system, tmp_path / "model.json")
    with pytest.raises(ModelFileError, match=r"/bodies/2/coupling/type: it needs the Python code .*Tray.*allow_imports=True"):
        mb.load_model(path)


def test_couplings_that_are_not_data_are_refused_by_name(tmp_path):
    class Local(MuteCoupling):
        def model_arguments(self):
            return {}

    changed = Tray(0.4)
    changed.wall = 0.5
    changed.add_constraint(mb.LINEAR)
    for coupling, message in (
        (MuteCoupling(), "constraint 'loop': coupling MuteCoupling cannot be saved: .*Write model_arguments"),
        (Local(), "constraint 'loop': coupling Local cannot be saved: its code.*inside a function"),
        (changed, r"constraint 'loop': .*it has 6 constraints, not 7. Call initialize_constraints\(\) after"),
    ):
        system, matter = empty()
        free = mb.Free(matter.ground, BODY, name="free")
        loop = mb.CouplingJoint(mb.SolidCoupling(), free, matter.ground, name="loop")
        loop.coupling = coupling
        with pytest.raises(UnsupportedError, match=message):
            mb.save_model(system, tmp_path / "model.json")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = mb.save_model(hanging()[0], tmp_path_factory.mktemp("saved") / "model.json")
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("at", "change", "message"),
    [
        (("bodies", 1), {"coupling": 3}, "/bodies/1/coupling: an object is needed"),
        (("bodies", 1), {"coupling": {}}, "/bodies/1/coupling: the key 'type' is missing"),
        (("bodies", 1, "coupling"), {"type": "HingCoupling"}, "/bodies/1/coupling/type: .*Did you mean 'HingeCoupling'"),
        (("bodies", 1, "coupling"), {"theta_rang": [0, 1]}, "/bodies/1/coupling: no key here .*Did you mean 'theta_range'"),
        (("bodies", 1, "coupling"), {"theta_range": [1, 0]}, "/bodies/1/coupling: HingeCoupling: the range of coordinate 'theta' is .1"),
        (("bodies", 1, "coupling"), {"theta_range": [1]}, "/bodies/1/coupling/theta_range: a list of two"),
        (("bodies", 1, "coupling"), {"theta_range": ["a", 2]}, "/bodies/1/coupling/theta_range/0: a number is needed"),
        (("bodies", 1, "coupling"), {"clockwise": 1}, "/bodies/1/coupling/clockwise: true or false"),
        (("bodies", 1, "coupling"), {"coordinates": [{}, {}]}, "/bodies/1/coupling/coordinates: HingeCoupling has 1 coordinates, and 2"),
        (
            ("bodies", 1, "coupling"),
            {"coordinates": [{"range": [2, 1]}]},
            "/bodies/1/coupling/coordinates/0/range: .*The lower limit must come first",
        ),
        (("bodies", 1, "coupling"), {"constraints": [{}] * 5}, "/bodies/1/coupling/constraints: HingeCoupling has 6 constraints, and 5"),
        (
            ("bodies", 1),
            {"coupling": {"type": "SphericalCoupling"}},
            "/bodies/1: CouplingJoint 'arm': SphericalCoupling leaves 3 degrees of freedom",
        ),
        (("bodies", 1), {"coupling": {"type": "FreeCoupling", "ranges": [[0, 1]]}}, "/bodies/1/coupling: .*FreeCoupling.*6.*1"),
        (("bodies", 2, "coupling", "arguments"), {"wall": {"$infinite": 2}}, "/bodies/2/coupling/arguments/wall/\\$infinite: the sign"),
        (("bodies", 2, "coupling", "arguments"), {"wal": 2}, "/bodies/2/coupling: Tray has no argument 'wal'. Did you mean 'wall'"),
        (("constraints", 4), {"body": "ground"}, "/constraints/4/body: 'ground' is no CouplingMobilizer"),
        (("constraints", 4), {"body": "arm"}, "/constraints/4/body: the coupling of 'arm' has no unilateral constraints but"),
        (
            ("constraints", 5),
            {"coupling": {"type": "PlaneConnectorCoupling", "unilateral": True}},
            "/constraints/5/type: .*CouplingDistances",
        ),
        (
            ("constraints", 5),
            {"coupling": {"type": "SolidCoupling"}, "limits_disabled": True},
            "/constraints/5/limits_disabled: 'ball' has no",
        ),
        (("constraints", 5), {"body_B": "free"}, "/constraints/5: .*between 'free' and itself"),
        (("constraints", 5), {"restitution": 3}, "/constraints/5: .*restitution cannot be 3"),
        (("constraints", 5), {"tolerance": -1}, "/constraints/5/tolerance: ball.limits: tolerance is -1"),
    ],
)
def test_an_invalid_coupling_is_reported_with_its_place(tmp_path, saved, at, change, message):
    document = copy.deepcopy(saved)
    place = document
    for part in at:
        place = place[part]
    place |= change
    path = tmp_path / "model.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ModelFileError, match=message):
        mb.load_model(path, allow_imports=True)


def test_regions_are_saved_once_per_body(tmp_path, saved):
    document = copy.deepcopy(saved)
    document["constraints"].insert(5, document["constraints"][4])
    path = tmp_path / "model.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ModelFileError, match="/constraints/5/body: the regions of 'tray' are listed already"):
        mb.load_model(path, allow_imports=True)


@pytest.mark.slow
def test_a_file_with_couplings_satisfies_the_schema(saved):
    jsonschema = pytest.importorskip("jsonschema", reason="a validator of JSON schemas is not installed")
    jsonschema.Draft202012Validator(mb.model_schema()).validate(saved)
