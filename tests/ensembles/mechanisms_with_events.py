"""Ten mechanisms with events, each with runs that differ in values, enabled constraints and known motion. One run fails."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import mobod as mb
from mobod.scalar import where
from mobod.system import State
from tests.analytic.test_change_points import four_bars
from tests.ensembles.models import double_pendulum, four_bar
from tests.laws.limited_mechanisms import falling_box, limited_tree
from tests.native.test_flipped_states import body

FAILING = 5  # the run that fails
_ENDS = 0.37  # s, when it does


@dataclass(frozen=True)
class Runs:
    """options: of a Simulation; mostly_alone: events leave less than half of the steps to lanes."""

    system: mb.MultibodySystem
    states: list[State]
    options: dict[str, Any] = field(default_factory=dict)
    mostly_alone: bool = False


class Expiring(mb.CustomForce):
    """A small torque on the first joint that is not a number after a time."""

    end: mb.Parameter[float] = mb.parameter("s", "the last time at which the torque exists")

    def calc_force(self, state, body_forces, mobility_forces):
        mobility_forces[0] += 1e-3 * np.sqrt(self.end(state) - state.time)


def _runs(
    system: mb.MultibodySystem,
    state: State,
    forces: mb.ForceSubsystem,
    count: int,
    vary: Callable[[State, np.random.Generator, int], object],
    *,
    mostly_alone: bool = False,
    **options: Any,
) -> Runs:
    """Runs from `state`, whose numbers are those of an earlier State of the system. vary(state, rng, number): sets what differs."""
    expiring = Expiring(forces, end=1e3, name="expiring")
    first = system.realize_topology()
    first.y = state.y
    rng, states = np.random.default_rng(17), []
    for number in range(count):
        states.append(first.copy())
        vary(states[-1], rng, number)
    expiring.set_parameter(states[FAILING % count], "end", _ENDS)
    return Runs(system, states, options, mostly_alone)


def _forces_of(system: mb.MultibodySystem) -> mb.ForceSubsystem:
    return next(each for each in system.subsystems if isinstance(each, mb.ForceSubsystem))


def _turned(state: State, rng: np.random.Generator, number: int) -> None:
    """Other speeds."""
    state.u = np.array(state.u) + rng.normal(scale=0.3, size=len(state.u))


def stops(count: int) -> Runs:
    """Impacts on stops and at the range of a tendon, with another spring in each run."""
    system = double_pendulum(stops=True)
    forces = _forces_of(system)
    tendon = mb.FixedTendon(forces, system.matter.bodies[:2], [0, 0], [0.5, 0.4], name="tendon")
    tendon.set_limits(-0.82, 0.82, restitution=0.4)
    spring = next(each for each in forces.elements if each.name == "spring")

    def vary(state, rng, number):
        state.q, state.u = rng.uniform(-0.9, 0.9, 2), rng.uniform(-6, 6, 2)
        spring.set_stiffness(state, rng.uniform(1, 9))

    return _runs(system, system.realize_topology(), forces, count, vary, integrator="DOP853", accuracy=1e-7)


def rest(count: int) -> Runs:
    """Two arms fall onto stops and stay there. A periodic event gives them speeds away from the stops."""
    system = mb.MultibodySystem("rest")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0.6, -0.8, 0], magnitude=9.81, name="gravity")
    upper = body("upper", matter.ground, mb.Pin)
    lower = body("lower", upper, mb.Pin, X_PF=mb.Transform(p=[0.5, 0, 0]))
    upper.set_limits(-2.0, -0.4, restitution=0.3)
    lower.set_limits(-0.6, 0.5, restitution=0.0)
    mb.GlobalDamper(forces, matter, damping=0.4, name="damper")

    def kick(state, event):
        upper.set_u(state, upper.u(state) - 2.0)
        lower.set_u(state, lower.u(state) - 1.5)

    mb.PeriodicEventHandler.of(system, 1.3, kick, name="kick")

    def vary(state, rng, number):
        state.q, state.u = [rng.uniform(-1.5, -0.5), rng.uniform(-0.5, 0.4)], rng.normal(scale=2, size=2)

    return _runs(system, system.realize_topology(), forces, count, vary)


def box(count: int) -> Runs:
    """A falling box, with a quaternion, that is thrown up again; its eight unilateral rows depend on each other."""
    system, state = falling_box(2)
    falling = system.matter.bodies[0]

    def throw(state, event):
        falling.set_u(state, falling.u(state) + np.array([1.0, -2.0, 3.0, 0.2, 4.0, -0.1]))

    mb.PeriodicEventHandler.of(system, 1.7, throw, name="throw")
    forces = mb.ForceSubsystem(system, "more forces")
    return _runs(system, state, forces, count, _turned, mostly_alone=True, accuracy=1e-4)


def crank_and_rocker(count: int) -> Runs:
    """A four-bar with a redundant row, whose crank has a known motion in some runs and is braked in the others."""
    system, assembled = four_bar()
    matter, forces = system.matter, mb.ForceSubsystem(system, "more forces")
    crank = matter.body("crank")
    motion = mb.SteadyMotion(crank, 1.4, disabled=True)

    def brake(state, event):
        crank.set_u(state, 0.7 * crank.u(state))
        event.project()

    mb.TriggeredEventHandler.of(system, lambda state: crank.u(state)[0] + 1.0, brake, direction="falling", name="brake")

    def vary(state, rng, number):
        crank.set_u(state, rng.normal())
        if number % 4 == 1:
            motion.enable(state)

    return _runs(system, assembled, forces, count, vary, mostly_alone=True, accuracy=1e-4)


def breaking_rod(count: int) -> Runs:
    """A loop without redundant rows, which is opened when its rod breaks; it is open from the start in some runs."""
    system = mb.MultibodySystem("breaking rod")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    upper = body("upper", matter.ground, mb.Universal)
    lower = body("lower", upper, mb.Pin, X_PF=mb.Transform(p=[0.5, 0, 0]))
    rod = mb.Rod(matter.ground, [0.9, -0.4, 0.1], lower, [0.4, 0.1, 0], 0.6, name="rod")
    mb.MobilityLinearSpring(forces, lower, stiffness=6.0, q_zero=0.4, name="spring")

    def break_rod(state, event):
        rod.disable(state)

    mb.TriggeredEventHandler.of(
        system, lambda state: state.time - 0.7 - 0.5 * upper.q(state)[0] ** 2, break_rod, direction="rising", name="break"
    )
    state = system.realize_topology()
    upper.set_q(state, [-0.2, 0.3])

    def vary(state, rng, number):
        _turned(state, rng, number)
        if number % 3 == 0:
            rod.disable(state)

    return _runs(system, mb.Assembler(system).assemble(state), forces, count, vary, accuracy=1e-4, integrator="RK23")


def quaternions(count: int) -> Runs:
    """A Ball and a Free with a spring between them; a handler changes the spring."""
    system = mb.MultibodySystem("quaternions")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=2.0, name="gravity")
    ball, free = body("ball", matter.ground, mb.Ball), body("free", matter.ground, mb.Free)
    spring = mb.TwoPointLinearSpring(forces, ball, [0.5, 0.1, 0], free, [0, 0.3, 0.1], stiffness=12.0, rest_length=0.3, name="spring")
    mb.TwoPointLinearSpring(forces, matter.ground, [0, 2, 0], free, [0.1, 0, 0], stiffness=9.0, rest_length=1.5, name="rope")

    def change(state, event):
        spring.set_stiffness(state, 3.0 + 0.7 * spring.stiffness(state))
        ball.set_u(state, 1.02 * ball.u(state))

    mb.TriggeredEventHandler.of(system, lambda state: ball.u(state)[0] + 0.1, change, direction="falling", name="change")

    def vary(state, rng, number):
        state.q = state.q + rng.normal(scale=0.3, size=len(state.q))
        state.u = rng.normal(size=len(state.u))

    return _runs(system, system.realize_topology(), forces, count, vary, integrator="RK4", step=0.02)


def parallelograms(count: int) -> Runs:
    """Cranks and couplers that pass configurations where they are in line, with redundant rows; a crank is locked in some runs. A handler
    changes gravity.
    """
    made = four_bars(2)
    system, state, crank = made.system, made.state, made.matter.body("crank1")
    crank.set_lockable_by_default(True)
    forces = _forces_of(system)
    gravity = next(each for each in forces.elements if each.name == "gravity")

    def change(state, event):
        gravity.set_parameter(state, "magnitude", 19.0 - gravity.parameter(state, "magnitude"))

    mb.PeriodicEventHandler.of(system, 0.9, change, name="change")

    def vary(each, rng, number):
        each.u = rng.uniform(0.5, 2.0) * np.array(state.u)
        if number % 4 == 3:
            each.u = np.zeros(len(each.u))
            crank.lock(each)

    return _runs(system, state, forces, count, vary, accuracy=1e-6)


def cart(count: int) -> Runs:
    """A cart with a known motion in some runs, and a lock at another joint in others; its tail hits stops."""
    system = mb.MultibodySystem("cart")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    slider = body("slider", matter.ground, mb.Slider)
    middle = body("middle", slider, mb.Gimbal)
    middle.set_lockable_by_default(True)
    tail = body("tail", middle, mb.Pin, X_PF=mb.Transform(p=[0.4, 0, 0]))
    tail.set_limits(-0.7, 0.6, restitution=0.5)
    motion = mb.SinusoidMotion(slider, amplitude=0.3, rate=3.0, phase=0.4, disabled=True)
    mb.MobilityLinearSpring(forces, slider, stiffness=30.0, name="spring")
    mb.MobilityLinearDamper(forces, tail, damping=0.05, name="damper")
    for speed in range(3):
        mb.MobilityLinearSpring(forces, middle, coordinate=speed, stiffness=20.0, name=f"bushing {speed}")

    def switch(state, event):
        motion.disable(state)

    mb.ScheduledEventHandler.of(system, lambda state, includes_now: where(state.time < 0.7, 0.7, np.inf), switch, name="switch")

    def vary(state, rng, number):
        state.u = rng.normal(size=len(state.u))
        if number % 3 == 1:
            motion.enable(state)
        if number % 4 == 2:
            middle.lock_at(state, rng.normal(scale=0.3, size=3), ["position", "velocity", "acceleration"][number % 3])

    return _runs(system, system.realize_topology(), forces, count, vary)


def stiff(count: int) -> Runs:
    """A damper so strong that steps become implicit; it is switched off and on again."""
    system = mb.MultibodySystem("stiff")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    slider = body("slider", matter.ground, mb.Slider)
    pin = body("pin", slider, mb.Pin)
    mb.MobilityLinearSpring(forces, slider, stiffness=1e3, name="spring")
    damper = mb.MobilityLinearDamper(forces, slider, damping=1e4, name="damper")
    mb.PeriodicEventHandler.of(
        system, 1.1, lambda state, event: damper.set_parameter(state, "damping", 1e4 - damper.parameter(state, "damping")), name="switch"
    )

    def vary(state, rng, number):
        pin.set_q(state, rng.normal())
        damper.set_parameter(state, "damping", 1e4 * (number % 2))

    return _runs(system, system.realize_topology(), forces, count, vary)


def tree(count: int) -> Runs:
    """A tree whose coordinates all have limits, with loops closed by rods."""
    system, state = limited_tree(5, with_rods=True)
    return _runs(system, state, _forces_of(system), count, _turned, mostly_alone=True, accuracy=1e-4)


MECHANISMS = (stops, rest, box, crank_and_rocker, breaking_rod, quaternions, parallelograms, cart, stiff, tree)
