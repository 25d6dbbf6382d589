"""Representations of objects in a debugger, a notebook or a message."""

import pytest

import mobod as mb

MASS = mb.MassProperties(1.3, [0, 0, 0], mb.Inertia.box(mass=1.3, size=[0.1, 0.2, 0.3]))


class Tick(mb.PeriodicEventReporter):
    def handle_event(self, state):
        pass


@pytest.fixture(scope="module")
def shown():
    system = mb.MultibodySystem("arm")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    upper = mb.Pin(matter.ground, MASS, name="upper")
    upper.set_default_q(0.4)
    rail = mb.Cylinder(upper, MASS, name="rail", reversed=True)
    rail.set_default_q([0.1, 0.25])
    state = system.realize_topology()
    return {
        "system": system,
        "matter": matter,
        "ground": matter.ground,
        "upper": upper,
        "rail": rail,
        "force": mb.MobilityLinearSpring(forces, upper, stiffness=20, q_zero=0.1, name="spring", disabled=True),
        "gravity": mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=9.81, name="g"),
        "constraint": mb.ConstantSpeed(upper, 0, speed=1.0, name="drive"),
        "motion": mb.SteadyMotion(rail, 1.0),
        "coupling": mb.HingeCoupling(),
        "measure": mb.measures.Time(system, name="clock"),
        "event": Tick(system, 0.1, name="tick"),
        "state": state,
        "simulation": mb.Simulation(system, 1e-8, backend="interpreted"),
        "body": mb.RigidBody(MASS),
        "transform": mb.Transform(p=[1, 2, 3]),
        "results": run(),
    }


def run():
    system = mb.MultibodySystem("pendulum")
    mb.Pin(mb.MatterSubsystem(system).ground, MASS, name="rod")
    return mb.Simulation(system, backend="interpreted").run(system.realize_topology(), until=2.0, report_every=0.5)


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("system", "MultibodySystem 'arm' with bodies: 2, constraints: 1, subsystems: energies, matter, forces, measures, events"),
        ("matter", "MatterSubsystem 'matter' of System 'arm'"),
        ("ground", "Ground 'ground' of System 'arm'"),
        ("upper", "Pin 'upper' on ground, default q = [0.4] rad"),
        ("rail", "Cylinder 'rail' on upper, reversed, default q = [0.1 rad, 0.25 m]"),
        ("force", "MobilityLinearSpring 'spring' (disabled) with stiffness = 20 N.m/rad, q_zero = 0.1 rad"),
        ("gravity", "Gravity 'g' with magnitude = 9.81 m/s2, down = [0, 0, -1], zero_height = 0 m"),
        ("constraint", "ConstantSpeed 'drive' of ground, upper"),
        ("motion", "SteadyMotion 'rail.motion' at velocity level"),
        ("coupling", "HingeCoupling with coordinates theta"),
        ("measure", "Time 'clock' of System 'arm', shape (), unit s, from TIME on"),
        ("event", "Tick 'tick' of System 'arm'"),
        ("state", "State of System 'arm', realized to MODEL, time = 0 s, q = [0.4, 0.1, 0.25], u = [0, 0, 0]"),
        ("simulation", "Simulation of System 'arm', accuracy 1e-08, backend interpreted"),
        ("body", "RigidBody of 1.3 kg, com = [0, 0, 0] m"),
        ("transform", "Transform(R=[[1, 0, 0], [0, 1, 0], [0, 0, 1]], p=[1, 2, 3])"),
        ("results", "Results of System 'pendulum': 5 points from 0 s to 2 s; "),
    ],
)
def test_reprs_are_readable(shown, what, text):
    assert repr(shown[what]).startswith(text)
    assert what == "results" or repr(shown[what]) == text


@pytest.mark.parametrize(
    "kind", [mb.MultibodySystem, mb.MatterSubsystem, mb.Pin, mb.Gravity, mb.Rod, mb.SteadyMotion, mb.State, mb.Results, mb.Simulation]
)
def test_the_repr_of_an_incomplete_object_does_not_raise(kind):
    assert repr(kind.__new__(kind)).startswith(kind.__name__)


def test_results_list_their_names(shown):
    results = shown["results"]

    assert {"rod.q", "der(rod.u)", "energy"} <= set(results.names)
    assert all(name in results for name in results.names)
