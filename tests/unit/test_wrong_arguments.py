"""Wrong arguments, for the whole public API: messages say what is expected and what was given."""

import inspect
import re

import numpy as np
import pytest

import mobod as mb
from mobod.errors import ArgumentsError, InputError, StateError, UnknownNameError

MASS = mb.MassProperties(1.3, [0.1, 0, 0.2], mb.Inertia.box(mass=1.3, size=[0.1, 0.2, 0.3]).shifted([0.1, 0, 0.2]))
HOOKS = ("realize_", "calc_", "allocate", "before_sweep", "check_finite", "run_hook", "why_", "explain_", "make_lockable")


class Arm:
    """Elements of most kinds, in one System."""

    def __init__(self, name="arm"):
        self.system = mb.MultibodySystem(name)
        self.matter, self.forces = mb.MatterSubsystem(self.system), mb.ForceSubsystem(self.system)
        ground = self.matter.ground
        self.shoulder = mb.Pin(ground, MASS, name="shoulder")
        self.elbow = mb.Screw(self.shoulder, MASS, name="elbow", pitch=0.1)
        free = mb.Free(ground, MASS, name="free")
        self.elbow.set_limits(-1, 1)
        self.motor = mb.MobilityForce(self.forces, self.shoulder, name="motor")
        ends = (self.forces, ground, [0, 0, 0], free, [0, 0, 1])
        bushing = {"stiffness": np.ones(6), "damping": np.ones(6)}
        self.elements = [
            self.motor,
            mb.Gravity(self.forces, self.matter),
            mb.TwoPointLinearSpring(*ends, stiffness=1, rest_length=0.5),
            mb.TwoPointConstantForce(*ends, force=1),
            mb.DiscreteForces(self.forces, self.matter),
            mb.LinearBushing(self.forces, ground, free, **bushing),
            mb.MobilityLinearStop(self.forces, self.shoulder, stiffness=1.0, q_low=-1, q_high=1),
            mb.BallConstraint(ground, [0, 0, 0], free, [0, 0, 1.0]),
            mb.SinusoidMotion(self.elbow, amplitude=0.3, rate=2.0),
            *self.elbow.limits.values(),
            mb.measures.Variable(self.system, 1.0),
            mb.measures.Custom(self.system, lambda state: state.time, stage="time"),
            mb.CouplingJoint(mb.HingeCoupling(), MASS, ground),
            mb.Simulation(self.system),
            mb.Assembler(self.system),
            *(ground, self.shoulder, self.elbow, free, self.matter, self.forces, self.system),
        ]
        self.state = self.system.realize_topology()


@pytest.fixture(scope="module")
def arm():
    return Arm()


@pytest.fixture(scope="module")
def namesake():
    return Arm()


def methods(arm, prefix=""):
    """(element, name, further arguments) of all public methods that take a State first."""
    for element in arm.elements:
        for name in dir(type(element)):
            function = inspect.getattr_static(type(element), name)
            if name.startswith(("_", *HOOKS)) or not name.startswith(prefix) or not inspect.isfunction(function):
                continue
            _, *parameters = inspect.signature(function).parameters.values()
            if parameters and parameters[0].name == "state":
                needed = [each for each in parameters[1:] if each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD]
                yield element, name, needed


def not_refused(element, name, *arguments):
    """What a method did instead of raising an error of mobod's."""
    try:
        return f"returned {getattr(element, name)(*arguments)!r}"
    except mb.MobodError:
        return None
    except Exception as error:  # any other error is what the test reports
        return f"{type(error).__name__}: {error}"


@pytest.mark.fast(2)
@pytest.mark.parametrize("kind", ["number", "System", "State of a System of the same name"])
def test_every_method_that_takes_a_state_refuses_foreign_objects(arm, namesake, kind):
    namesake.system.realize(namesake.state)
    wrong = {"number": 0.1, "System": arm.system}.get(kind, namesake.state)

    checked = [(type(each).__name__, name, not_refused(each, name, wrong, *(None for _ in more))) for each, name, more in methods(arm)]

    assert len(checked) > 300
    assert [each for each in checked if each[2] is not None] == []


def test_every_setter_of_numbers_refuses_text(arm):
    checked = [
        (type(each).__name__, name, not_refused(each, name, arm.state, "1"))
        for each, name, more in methods(arm, "set_")
        if len(more) == 1 and "is_" not in more[0].name and "uses_" not in more[0].name
    ]
    defaults = [
        (type(each).__name__, name, not_refused(each, name, "1"))
        for each in arm.elements
        for name in dir(type(each))
        if name.startswith("set_default_") and not name.endswith(("excluded", "parameter", "force", "by_default", "bounds"))
    ]

    assert len(checked) > 30
    assert len(defaults) > 20
    assert [each for each in checked + defaults if each[2] is not None] == []


def test_the_first_state_remains_usable(arm):
    arm.state.check_belongs_to(arm.system)  # nothing of what was refused has changed the System


class Tick(mb.PeriodicEventReporter):
    def handle_event(self, state):
        pass


WRONG = {
    "a System for a State": (lambda a: a.elbow.set_q(a.system, 0.1), r"a State of System 'arm' is needed, not MultibodySystem 'arm'\."),
    "a State for a System": (lambda a: mb.Simulation(a.state), r"Simulation takes a System, not State of System 'arm'\. It belongs to"),
    "matter for a System": (lambda a: mb.ForceSubsystem(a.matter), "ForceSubsystem takes a MultibodySystem, not MatterSubsystem 'matter'"),
    "a class": (lambda a: mb.MatterSubsystem(mb.MultibodySystem), "takes a MultibodySystem, not the class MultibodySystem"),
    "swapped": (lambda a: mb.Gravity(a.matter, a.forces), "Gravity: 'forces' takes a ForceSubsystem, not MatterSubsystem 'matter' of Sy"),
    "swapped in a pair": (
        lambda a: mb.GlobalDamper(a.forces, a.forces, damping=1),
        "GlobalDamper: 'matter' takes a MatterSubsystem, not For",
    ),
    "a body for forces": (
        lambda a: mb.MobilityForce(a.elbow, a.forces),
        "MobilityForce: 'forces' takes a ForceSubsystem, not Screw 'elbow'",
    ),
    "text for the end": (
        lambda a: mb.Simulation(a.system).run(a.state, until="1"),
        r"until takes numbers, not '1'\. Write numbers without",
    ),
    "text for accuracy": (lambda a: mb.Simulation(a.system, "1e-6"), "the accuracy takes numbers, not '1e-6'"),
    "text for q": (lambda a: a.elbow.set_q(a.state, "0.1"), r"elbow\.q takes numbers, not '0\.1'\. Write numbers without quotes"),
    "texts for q": (lambda a: a.elbow.set_q(a.state, np.array(["0.1"], dtype=object)), "elbow.q takes numbers, not"),
    "None for q": (lambda a: a.elbow.set_q(a.state, None), "elbow.q takes numbers, not None"),
    "text for a force": (lambda a: a.motor.set_force(a.state, "3"), r"'motor\.force' takes numbers, not '3'"),
    "text by name": (lambda a: a.system.set_value(a.state, "motor.force", "3"), r"'motor\.force' takes numbers, not '3'"),
    "a callable": (
        lambda a: mb.FunctionMotion(a.shoulder, lambda t: t),
        r"the function is a Function, not <function.*Write mb\.Function\.of",
    ),
    "no body": (lambda a: mb.SteadyMotion(a.system, 1.0), "SteadyMotion: body must be a mobilized body, not MultibodySystem 'arm'"),
    "no such stage": (
        lambda a: a.system.realize(a.state, "POSITON"),
        r"realize takes a Stage, not 'POSITON' \(str\)\. The stages are: EMPTY",
    ),
    "a name for a handle": (lambda a: a.state.get("elbow.q"), "State.get takes a DiscreteVariable, not 'elbow.q'.*System.value"),
    "a number for a name": (lambda a: a.system.variable(a.state, 3), r"is found by its name, a text, not by 3 \(int\)"),
    "a State to export": (lambda a: mb.export_fmu(a.state, "arm.fmu"), "export_fmu takes a System, not State of System 'arm'"),
    "a measure's System": (lambda a: mb.measures.Time(a.matter), "Time takes a System, not MatterSubsystem 'matter'"),
    "an event's System": (lambda a: Tick(a.state, 0.1), "its owner, a System or a subsystem, takes a System"),
}


@pytest.mark.parametrize("what", WRONG)
def test_the_message_gives_the_expected_and_the_given_value(arm, what):
    make, message = WRONG[what]
    with pytest.raises(InputError, match=message):
        make(arm)


def test_a_state_of_a_system_with_the_same_name_is_refused_as_another_system(arm, namesake):
    with pytest.raises(StateError, match=r"a State of another System of the same name was given to System 'arm'\."):
        arm.elbow.q(namesake.state)
    with pytest.raises(InputError, match="the matter belongs to another System of the same name"):
        mb.Gravity(arm.forces, namesake.matter)


@pytest.mark.parametrize("name", ["ACCELERATION", "acceleration", "Acceleration", mb.Stage.ACCELERATION, 8])
def test_a_stage_may_be_given_by_name(arm, name):
    state = arm.state.copy()

    arm.system.realize(state, name)

    assert state.stage == mb.Stage.ACCELERATION
    state.invalidate("velocity")
    assert state.stage == mb.Stage.POSITION


def test_keyword_only_arguments_are_reported_before_an_element_is_made(arm):
    ends = (arm.forces, arm.matter.ground, [0, 0, 0], arm.elbow, [0, 0, 1])
    names = [each.name for each in arm.forces.elements]
    with pytest.raises(
        ArgumentsError,
        match=r"takes 5 arguments by position \(forces, body1, station1, body2, station2\), but 7 were given\. Name the others: "
        r"stiffness=\.\.\., rest_length=",
    ):
        mb.TwoPointLinearSpring(*ends, 100.0, 0.3)
    with pytest.raises(TypeError, match=r"Pin has no argument 'nam'\. Did you mean 'name'"):
        mb.Pin(arm.matter.ground, MASS, nam="x")
    assert [each.name for each in arm.forces.elements] == names


OPTIONS = {
    "an option of load_urdf": (lambda: mb.load_urdf("arm.urdf", motor=True), "load_urdf has no argument 'motor'. Did you mean 'motors'?"),
    "a contact of a robot": (lambda: mb.UrdfContact(knd="rigid"), "UrdfContact has no argument 'knd'. Did you mean 'kind'?"),
    "a material": (lambda: mb.ContactMaterial(stifness=1e5), "ContactMaterial has no argument 'stifness'. Did you mean 'stiffness'?"),
    "no stiffness": (lambda: mb.ContactMaterial(), "the argument 'stiffness' is missing. Write ContactMaterial(stiffness=...)."),
    "no radius": (lambda: mb.contact.Sphere(), "Sphere: the argument 'radius' is missing. Write Sphere(radius=...)."),
    "no load": (lambda: mb.BearingLoad(), "the argument 'friction' is missing. Write BearingLoad(friction=..., radius=...)."),
    "a guide": (lambda: mb.GuideLoad(friction=0.1, length=0.2), "GuideLoad has no argument 'length'. "),
    "too many": (
        lambda: mb.contact.Capsule(0.1, 0.2, 0.3),
        "Capsule takes 2 arguments by position (radius, half_length), but 3 were given.",
    ),
    "negative friction": (
        lambda: mb.BearingLoad(friction=-0.1, radius=0.02),
        "BearingLoad: friction cannot be -0.1: the least value is 0.",
    ),
    "less at rest": (
        lambda: mb.GuideLoad(friction=0.2, static_friction=0.1),
        "GuideLoad: its static_friction, 0.1, is below friction, 0.2.",
    ),
}


@pytest.mark.parametrize("what", OPTIONS)
def test_options_of_contacts_loads_and_robots_are_checked_by_name(what):
    make, message = OPTIONS[what]
    with pytest.raises(InputError, match=re.escape(message)):
        make()


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("elbow", r"Did you mean 'elbow\.q'\? 'elbow' also has: elbow\.u, elbow\.p_GB"),
        ("Elbow.Q", r"Did you mean 'elbow\.q'\?"),
        ("elbo.q", r"Did you mean 'elbow\.q'\?"),
        ("elbow.u_dot", r"Did you mean 'der\(elbow\.u\)'\?"),
        ("elbow.qdot", r"Did you mean 'der\(elbow\.q\)'\?"),
        ("elbow.q_ddot", r"Did you mean 'der\(elbow\.u\)'\?"),
        ("free.udot[2]", r"Did you mean 'der\(free\.u\)'\?"),
        ("elbow.x", r"Did you mean 'elbow\.q'\?"),
        ("zzzzzz", r"There are \d+ names, which belong to: shoulder, elbow, free, .*gravity"),
    ],
)
def test_the_first_of_equally_similar_names_is_offered(arm, given, hint):
    with pytest.raises(UnknownNameError, match=hint) as caught:
        arm.system.variable(arm.state, given)
    assert "..." not in str(caught.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda arm: mb.Gravity(arm.matter, arm.matter), r"Gravity: 'forces' takes a ForceSubsystem, not MatterSubsystem 'matter'"),
        (lambda arm: mb.Gravity(arm.matter, down=[0, -1, 0]), r"Gravity: .* 'forces' takes a ForceSubsystem, not MatterSubsystem 'matter'"),
        (lambda arm: mb.UniformGravity(arm.matter, gravity=[0, -1, 0]), r"It comes first: forces = mb\.ForceSubsystem\(system\)"),
        (lambda arm: mb.MobilityLinearSpring(arm.elbow, stiffness=1.0), r"takes a ForceSubsystem, not Screw 'elbow'"),
    ],
)
def test_a_force_without_its_subsystem_asks_for_it(arm, make, message):
    with pytest.raises(InputError, match=message):
        make(arm)


def test_a_rigid_contact_without_coefficients_says_so():
    matter = mb.MatterSubsystem(mb.MultibodySystem("balls"))
    shapes = [matter.ground, mb.contact.HalfSpace(), mb.Free(matter.ground, MASS, name="ball"), mb.contact.Sphere(0.1)]
    shown = [
        repr(mb.RigidContact(*shapes, name=f"c{k}", **each))
        for k, each in enumerate([{}, {"static_friction": 0.0}, {"static_friction": 0.3}])
    ]
    of = "of ground, ball"
    without = ", without friction"
    assert shown == [
        f"RigidContact 'c0' {of}{without}: static_friction was not given",
        f"RigidContact 'c1' {of}{without}",
        f"RigidContact 'c2' {of}",
    ]
    with pytest.raises(InputError, match=r"RigidContact 'd': it has a coefficient .* of a slip\. Give static_friction too\."):
        mb.RigidContact(*shapes, dynamic_friction=0.2, name="d")


@pytest.mark.parametrize("length", [1e200, 1e-200])
def test_an_overflowing_quaternion_is_refused_when_set(arm, length):
    free = arm.matter.body("free")
    q = np.array([length, length / 2, 0, 0, 0.1, 0.2, 0.3])
    state = arm.state.copy()
    with pytest.raises(InputError, match=r"'free\.q': the quaternion .* is too (long|short) to compute with\. Scale it to unit length"):
        free.set_q(state, q)
    assert (state.q == arm.state.q).all()
    with pytest.raises(InputError, match=r"free\.default_q: the quaternion"):
        free.set_default_q(q)


def test_a_long_quaternion_is_normalized_without_overflow():
    system = mb.MultibodySystem("ball")
    free = mb.Free(mb.MatterSubsystem(system).ground, MASS, name="free")
    state = system.realize_topology()
    free.set_q(state, [1e90, 0, 1e90, 0, 0.1, 0.2, 0.3])

    final = mb.Simulation(system, backend="interpreted").run(state, until=0.0).final_state

    np.testing.assert_allclose(free.q(final)[:4], [0.5**0.5, 0, 0.5**0.5, 0], rtol=1e-15)


def test_different_numbers_are_shown_with_different_digits():
    with pytest.raises(InputError, match=r"moment, 2\.0000001 kg m\^2, exceeds the sum of the others, 2 kg m\^2, by 1e-07 kg m\^2"):
        mb.Inertia(np.diag([1, 1, 2.0000001]))
    with pytest.raises(InputError, match=r"are 0\.1 and 0\.1000001 kg m\^2"):
        mb.Inertia([[1, 0.1, 0], [0.1000001, 1, 0], [0, 0, 1]])


class Runaway(mb.CustomForce):
    """A controller with the wrong sign."""

    def __init__(self, forces, body):
        self.body = body
        super().__init__(forces, name="controller")

    def calc_force(self, state, body_forces, mobility_forces):
        mobility_forces[self.body.index - 1] += 5 * self.body.u(state)[0] ** 3


@pytest.mark.fast(1)
@pytest.mark.parametrize("options", [{"integrator": "RK45"}, {"integrator": "velocity_level", "step": 0.01}])
def test_a_divergent_run_names_the_largest_speed(options):
    system = mb.MultibodySystem("arm")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    shoulder = mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, -0.5, 0]), name="shoulder")
    elbow = mb.Pin(shoulder, mb.MassProperties.point(1.0, [0, -0.5, 0]), mb.Transform(p=[0, -1, 0]), name="elbow")
    elbow.set_limits(-1, 1)
    mb.Gravity(forces, matter)
    Runaway(forces, elbow)
    state = system.realize_topology()
    elbow.set_u(state, 1.0)

    with pytest.raises(
        mb.errors.IntegrationError, match=r"the motion diverges\. The speed 'elbow\.u' has reached \S+e\+\d+ rad/s"
    ) as caught:
        mb.Simulation(system, backend="interpreted", **options).run(state, until=1.0)
    assert "Look for a force or a controller that adds energy" in str(caught.value)
    assert caught.value.__cause__ is not None
