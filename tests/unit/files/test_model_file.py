"""A saved and loaded model has the same bytes and gives the same bits."""

import json
from pathlib import Path

import numpy as np
import pytest

import mobod as mb
from mobod import functions, measures, registry
from mobod.contact.contact_pool import ContactPool
from mobod.couplings import CouplingLoop, CouplingMobilizer
from mobod.couplings.unilateral_couplings import CouplingDistances, CouplingRegions
from mobod.errors import UnsupportedError
from mobod.files.model.bodies import MOTION, BodyCodec
from mobod.files.model.constraints import CONSTRAINT
from mobod.files.model.couplings import COUPLING
from mobod.files.model.forces import FORCE
from mobod.files.model.measures import MEASURE_ELEMENT
from mobod.files.model.values_of_users import FUNCTION
from mobod.matter.bodies import decorations
from mobod.matter.unilateral.limits import CoordinateLimitConstraint
from mobod.matter.unilateral.tendon_limits import TendonLimitConstraint
from tests.laws.loops import random_loops
from tests.laws.mechanisms import random_mechanism
from tests.unit.files.users_elements import Bump, CamEquations, HeightEquations, Silent, Wind, parabola

SCHEMA = Path(__file__).resolve().parents[3] / "docs" / "model.schema.json"


MADE_BY_FUNCTIONS = {  # set_limits and CouplingJoint
    "CoordinateLimits": CoordinateLimitConstraint,
    "TendonLimits": TendonLimitConstraint,
    "CouplingLoop": CouplingLoop,
    "CouplingDistances": CouplingDistances,
    "CouplingRegions": CouplingRegions,
}


def same_bytes(system, folder, *, allow_imports=False):
    """The loaded System; saved again, it gives the same bytes."""
    path = mb.save_model(system, folder / "one.json")
    loaded = mb.load_model(path, allow_imports=allow_imports)
    again = mb.save_model(loaded, folder / "two.json")
    assert path.read_bytes() == again.read_bytes()
    return loaded


def same_bits(system, loaded, state, stage=mb.Stage.REPORT):
    """Compares all values of all stages."""
    other = loaded.realize_topology()
    other.time, other.y = state.time, state.y
    system.realize(state, stage)
    loaded.realize(other, stage)
    assert [each.name for each in system.variables(state)] == [each.name for each in loaded.variables(other)]
    assert state.values.tobytes() == other.values.tobytes()


@pytest.mark.fast("2-True")
@pytest.mark.parametrize(("seed", "in_euler_angles"), [(1, False), (2, True)])
def test_trees_with_every_mobilizer_force_and_motion_are_restored_bit_for_bit(tmp_path, seed, in_euler_angles):
    mechanism = random_mechanism(seed, in_euler_angles=in_euler_angles)
    loaded = same_bytes(mechanism.system, tmp_path)
    same_bits(mechanism.system, loaded, mechanism.random_state(np.random.default_rng(seed)))


def test_every_constraint_is_restored_bit_for_bit(tmp_path):
    seed = 1
    loops = random_loops(seed)
    for name in loops.constraints:
        loops.constraints[name].set_disabled_by_default(name not in ("Rod", "WeldConstraint", "CoordinateCoupler"))
    loaded = same_bytes(loops.system, tmp_path, allow_imports=True)
    state = loops.mechanism.random_state(np.random.default_rng(seed))
    same_bits(loops.system, loaded, state)


@pytest.mark.slow
def test_trajectories_are_the_same_bit_for_bit(tmp_path):
    system = mb.load_urdf(SCHEMA.parents[1] / "examples" / "arm.urdf")
    elbow = system.matter.body("elbow")
    elbow.set_default_q(0.8)
    loaded = same_bytes(system, tmp_path)

    runs = [mb.Simulation(each, accuracy=1e-7).run(each.realize_topology(), until=0.5, report_every=0.05) for each in (system, loaded)]

    assert runs[0].final_state.y.tobytes() == runs[1].final_state.y.tobytes()
    assert runs[0]["elbow.q"].tobytes() == runs[1]["elbow.q"].tobytes()
    assert runs[0].steps == runs[1].steps


def test_every_built_in_element_can_be_saved():
    for family, classes in (
        (FORCE, registry.FORCES),
        (CONSTRAINT, registry.CONSTRAINTS | MADE_BY_FUNCTIONS | {"RigidContact": mb.RigidContact, "ContactPool": ContactPool}),
        (COUPLING, registry.COUPLINGS),
        (FUNCTION, registry.FUNCTIONS),
        (MEASURE_ELEMENT, registry.MEASURES),
        (MOTION, registry.MOTIONS),
    ):
        assert {name: spec.cls for name, spec in family.specs.items()} == classes
    assert {name: spec.cls for name, spec in BodyCodec.specs.items()} == registry.MOBILIZERS | {"CouplingMobilizer": CouplingMobilizer}


def test_the_registry_contains_every_public_element():
    users = {
        "CustomForce",
        "CustomMeasure",
        "CustomConstraint",
        "UnilateralConstraint",
        "RigidContact",  # whose fields in files are not declared
        "CustomMobilizer",
        "CustomMotion",
        "MobilizedBody",
        "Force",
        "Constraint",
        "Motion",
        "Function",
        "Custom",
        "Measure",
    }
    found = {
        mb.MobilizedBody: registry.MOBILIZERS,
        mb.Force: registry.FORCES,
        mb.Constraint: registry.CONSTRAINTS,
        mb.Motion: registry.MOTIONS,
        mb.Function: registry.FUNCTIONS,
        mb.Measure: registry.MEASURES,
        mb.Coupling: registry.COUPLINGS,
        decorations.Geometry: registry.DECORATIONS,
    }
    public = [getattr(mb, name) for name in mb.__all__]
    public += [vars(module)[name] for module in (functions, measures, decorations) for name in vars(module)]
    for base, by_name in found.items():
        classes = {each.__name__ for each in public if isinstance(each, type) and issubclass(each, base) and each is not base}
        assert classes - users == set(by_name), base


def test_every_attribute_of_bodies_and_constraints_is_saved():
    """A new attribute must be added to the file, otherwise it would be lost without an error."""
    system = mb.MultibodySystem()
    pin = mb.Pin(mb.MatterSubsystem(system).ground, mb.MassProperties.point(1, [0, 1, 0]))
    pin.set_lockable_by_default(True)
    kept = {
        "parent",
        "body",
        "X_PF",
        "X_BM",
        "is_reversed",
        "_default_q",
        "decorations",
        "motion",
        "name",
        "_is_lockable_by_default",
        "rotors",
    }
    # limits are kept among the constraints; flexible bodies are refused
    assert set(vars(pin)) == {*kept, "_limits", "matter", "index", "flexible"}
    rod = mb.Rod(system.matter.ground, [0, 0, 0], pin, [0, 1, 0], 1.0)
    kept = {"equations", "base", "followers", "mobilizers", "matter", "_disabled_by_default", "index", "name"}
    kept |= {"_enabled", "_active"}  # where its flags lie in a State
    assert set(vars(rod)) == {*kept, "body1", "body2"}
    distances = mb.UnilateralConstraint(HeightEquations(0.2), [pin, system.matter.ground])
    kept |= {"contacts", "friction", "_tolerance", "_shown"}  # one for each row; kept; where its results lie in a State
    assert set(vars(distances)) == kept
    pin.set_limits(-0.3, 0.2)
    assert set(vars(pin.limits[0])) == {*kept, "body", "coordinate"}


def swinging(name="swing"):
    system = mb.MultibodySystem(name)
    pin = mb.Pin(mb.MatterSubsystem(system).ground, mb.MassProperties.point(1.3, [0, -0.7, 0]), name="pin")
    return system, pin, mb.ForceSubsystem(system)


def test_measures_are_restored(tmp_path):
    system, _, forces = swinging()
    mb.Gravity(forces, system.matter, down=[0, -1, 0], magnitude=9.7)
    time = measures.Time(system, name="time")
    wave = measures.Sinusoid(system, 1.2, 3.4, 0.5, unit="m", name="wave")
    twice = measures.Scale(system, 2.0, wave, unit="N", factor_unit="N/m", name="twice")
    given = measures.Constant(system, [1.0, -2.0], unit=("m", "s"), name="given")
    measures.Variable(system, 0.3, invalidates=mb.Stage.DYNAMICS, unit="kg", name="knob")
    measures.Plus(system, time, measures.Constant(system, 3.0, unit="s", name="three"), name="later")
    measures.Minus(system, given, given, unit="1", name="nothing")
    measures.Integrate(system, twice, initial=0.7, name="impulse")
    measures.Differentiate(system, wave, name="rate")
    measures.Maximum(system, wave, name="top")
    measures.MinAbs(system, wave, name="least")
    measures.Delay(system, wave, 0.2, before=0.1, capacity=500, name="echo")
    measures.Delay(system, wave, 0.3, name="late")
    measures.SampleAndHold(system, wave, 0.25, name="samples")
    measures.SampleAndHold(system, wave, before=0.4, name="held")

    loaded = same_bytes(system, tmp_path)

    runs = [mb.Simulation(each, accuracy=1e-6).run(each.realize_topology(), until=1.0, report_every=0.1) for each in (system, loaded)]
    for name in ("later", "impulse", "rate", "top", "least", "echo", "late", "samples", "held", "knob"):
        assert runs[0][f"{name}.value"].tobytes() == runs[1][f"{name}.value"].tobytes(), name
    assert np.ptp(runs[0]["echo.value"]) > 0.1
    state = loaded.realize_topology()
    units = {each.name: each.units for each in loaded.variables(state)}
    assert units["given.value"] == ("m", "s")
    assert units["twice.factor"] == ("N/m",)


def test_functions_of_every_kind_are_restored(tmp_path):
    x = np.linspace(-3, 3, 9)
    several = [
        functions.Constant(0.3, 1),
        functions.Linear([0.2, -0.0]),
        functions.MultiPoly(1, [(0.5, [2]), (-0.1, [0])]),
        functions.Polynomial([0.1, -0.2, 0.3]),
        functions.Sinusoid(0.5, 1.5, 0.25),
        functions.Step(0.0, 0.6, -1.0, 1.0),
        functions.Spline.fit(x, np.cos(x), degree=5),
        functions.Spline.fit(x, [*np.cos(x[:-1]), np.cos(x[0])], degree=3, outside="periodic"),
        functions.Spline.fit(x, np.sin(x), smoothing=0.1, outside="error"),
        Bump(0.4, 0.9),
        mb.Function.of(parabola, 1),
    ]
    system, *_ = swinging()
    for number, function in enumerate(several):
        body = mb.Slider(system.matter.ground, mb.MassProperties.point(1, [0, 0, 0]), name=f"body {number}")
        mb.PrescribedMotion(system.matter, function, body, 0)

    loaded = same_bytes(system, tmp_path, allow_imports=True)

    for before, constraint in zip(several, loaded.matter.constraints, strict=True):
        after = constraint.equations.function
        assert after == before
        assert [after.value([t]) for t in (-0.7, 0.2, 1.9)] == [before.value([t]) for t in (-0.7, 0.2, 1.9)]
    curve = functions.Spline.fit(x, np.array([np.cos(x), np.sin(x)]).T)
    assert FUNCTION.write(curve)["has_several_values"] is True


def test_users_elements_are_restored_if_importing_is_allowed(tmp_path):
    system, pin, forces = swinging()
    Wind(forces, pin, [0.6, 0.0, 0.8], Bump(2.0, 0.4), strength=1.7, name="wind", disabled=False)
    cam = mb.CustomMobilizer(pin, mb.MassProperties.point(0.4, [0.1, 0.2, 0]), CamEquations(Bump(0.05)), name="cam")
    mb.CustomConstraint(HeightEquations(0.2), [system.matter.ground, cam], name="height", disabled=True)

    with pytest.raises(
        mb.MobodError, match=r"one.json: /bodies/1/equations/type: it needs the Python code .*CamEquations.*allow_imports=True"
    ):
        same_bytes(system, tmp_path)
    loaded = same_bytes(system, tmp_path, allow_imports=True)

    assert type(loaded.matter.body("cam")) is mb.CustomMobilizer
    same_bits(system, loaded, system.realize_topology())


def test_defaults_frames_and_decorations_are_restored(tmp_path):
    system, pin, forces = swinging()
    system.set_up_direction([0.1, 0.2, 0.9])
    system.penetration_tol, system.rotary_limit_tol = 2e-4, 3e-5
    pin.set_limits(-1.0, 1.0)
    pin.limits[0].tolerance = 7e-6
    free = mb.Free(pin, mb.MassProperties(0.5, [0, 0.1, 0], np.eye(3)), name="free", reversed=True)
    free.set_default_q([0.5, 0.5, -0.5, 0.5, 0.1, -0.0, 0.3])
    free.add_body_decoration(mb.Transform(p=[0, 1, 0]), decorations.Box((0.1, 0.2, 0.3), color=(1, 0, 0.5)))
    free.add_inboard_decoration(mb.Transform(), decorations.MeshFile("package://x/y.stl", (1, 1, 2)))
    free.add_outboard_decoration(mb.Transform(), decorations.Mesh(((0, 0, 0), (1, 0, 0), (0, 1, 0)), ((0, 1, 2),)))
    free.add_outboard_decoration(mb.Transform(), decorations.Arc(0.3, 0.1, -0.4, 1.2))
    free.add_outboard_decoration(mb.Transform(), decorations.Text("hinge's", height=0.2, opacity=0.5))
    gravity = mb.Gravity(forces, system.matter, vector=[0.3, -0.4, 9.0], zero_height=0.2, name="gravity", disabled=True)
    gravity.set_default_body_is_excluded(free, True)
    mb.MobilityLinearStop(forces, pin, stiffness=20.0, q_low=-0.4, name="stop")
    pushes = mb.DiscreteForces(forces, system.matter, name="pushes")
    pushes.set_default_body_force(free, [1, 2, 3, 4, 5, 6])
    pushes.set_default_mobility_force(pin, [0.7])
    motion = mb.SinusoidMotion(pin, amplitude=0.3, rate=2.0, level="velocity", disabled=True)

    loaded = same_bytes(system, tmp_path)

    same_bits(system, loaded, system.realize_topology())
    found = loaded.matter.body("free")
    assert found.decorations[0].geometry == free.decorations[0].geometry
    assert [(each.frame, each.geometry) for each in found.decorations] == [(each.frame, each.geometry) for each in free.decorations]
    assert np.signbit(found.default_q[5])
    assert loaded.matter.body("pin").motion.is_disabled_by_default is motion.is_disabled_by_default is True
    assert loaded.up_direction.tobytes() == system.up_direction.tobytes()
    assert (loaded.penetration_tol, loaded.rotary_limit_tol) == (2e-4, 3e-5)
    assert loaded.matter.body("pin").limits[0].tolerance == 7e-6
    (its_forces,) = (each for each in loaded.subsystems if isinstance(each, mb.ForceSubsystem))
    assert its_forces.elements[0].default_body_is_excluded(found)


@pytest.mark.parametrize(
    ("add", "message"),
    [
        (
            lambda s, pin, f: mb.PrescribedMotion(s.matter, mb.Function.of(lambda x: x[0]), pin, 0),
            r"function '<lambda>' cannot be saved.*lambda",
        ),
        (
            lambda s, pin, f: Silent(f, 2.0, name="silent"),
            r"force 'silent' cannot be saved: Silent does not give its arguments.*model_arguments",
        ),
        (
            lambda s, pin, f: measures.Custom(s, lambda state: state.time, stage=mb.Stage.TIME, name="mine"),
            "measure 'mine' cannot be saved",
        ),
        (
            lambda s, pin, f: mb.TriggeredEventHandler.of(s, lambda state: 1.0, lambda state, event: None, name="bump"),
            r"event 'bump' .* cannot be saved",
        ),
        (lambda s, pin, f: Sub(s, "mine"), r"subsystem 'mine' \(Sub\) cannot be saved"),
    ],
)
def test_elements_that_are_not_data_are_refused_by_name(tmp_path, add, message):
    system, pin, forces = swinging()
    add(system, pin, forces)
    with pytest.raises(UnsupportedError, match=message):
        mb.save_model(system, tmp_path / "model.json")
    assert not (tmp_path / "model.json").exists()


class Sub(mb.CustomSubsystem):
    pass


def test_a_class_inside_a_function_is_refused(tmp_path):
    class Local(Wind):
        pass

    system, pin, forces = swinging()
    Local(forces, pin, [1, 0, 0], functions.Constant(1.0), strength=1.0, name="local")
    with pytest.raises(UnsupportedError, match=r"force 'local' cannot be saved: its code, .*Local.*inside a function"):
        mb.save_model(system, tmp_path / "model.json")


def test_the_published_schema_matches_the_reader():
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == mb.model_schema(), "write it anew: see docs/tutorials/files.md"


def test_saved_files_satisfy_the_schema(tmp_path):
    jsonschema = pytest.importorskip("jsonschema", reason="a validator of JSON schemas is not installed")
    validator = jsonschema.Draft202012Validator(mb.model_schema())
    validator.check_schema(mb.model_schema())
    loops = random_loops(3)
    for name, system in (("loops", loops.system), ("arm", mb.load_urdf(SCHEMA.parents[1] / "examples" / "arm.urdf"))):
        path = mb.save_model(system, tmp_path / f"{name}.json")
        validator.validate(json.loads(path.read_text(encoding="utf-8")))
