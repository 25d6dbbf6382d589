"""Fixed steps at velocity level in compiled and interpreted runs: the same states, engagement, impulses and errors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.errors import EventError, InputError, IntegrationError, UnsupportedError
from tests.analytic.test_impacts import four_bar_with_arm
from tests.laws.mechanisms import random_mechanism
from tests.reference.stops import bouncing_ball, hinge_with_stop, particle_in_wedge, read, slotted_hinge
from tests.unit.simulate.compliant_systems import soft_linkage
from tests.unit.simulate.test_velocity_level import coupled_hinge, twenty_floors

PARAMS = {"g": 9.8, "mass": 2.0, "com_dist": 0.5, "I_pivot": 0.7, "theta0": 0.1, "theta_max": 0.9}
RULES = ("artisynth", "predictive")

# sums in another order differ by 1e-16 in a step; that grows with the motion, and impacts and the four-bar enlarge it
SAME = 1e-10


def with_default_state(system):
    return system, system.realize_topology()


def slot(restitution):
    system, hinge = slotted_hinge(read("exact_custom_joint_demo_e0")["params"], restitution)
    hinge.set_limits(-3.3, 0.5, 0.4, coordinate=1)
    return with_default_state(system)


def walk_in_space():
    """Quaternions, a loop of a rod, a motion that is known, a lock, and a plane that a corner may not pass."""
    system = mb.MultibodySystem("walk")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0.1, 0.2, -1], magnitude=9.8)
    mass = mb.MassProperties(1.3, [0.1, -0.05, 0.2], mb.Inertia.box(mass=1.3, size=[0.3, 0.4, 0.5]).shifted([0.1, -0.05, 0.2]))
    box = mb.Free(matter.ground, mass, name="box")
    crank = mb.Pin(box, mass, X_PF=mb.Transform(p=[0.3, 0.1, 0]), name="crank")
    tip = mb.Ball(crank, mass, X_PF=mb.Transform(p=[0, 0.6, 0.1]), name="tip")
    locked = mb.Universal(box, mass, X_PF=mb.Transform(p=[-0.3, 0, 0]), name="locked")
    mb.SinusoidMotion(crank, amplitude=0.4, rate=3.0, phase=0.2)
    mb.Rod(matter.ground, [0.2, 0.4, 1.5], tip, [0.1, 0, 0.2], length=0.9, name="rod")
    mb.UnilateralConstraint(CornersOverFloor(), bodies=[matter.ground, box, tip], restitution=0.2, name="corners")
    state = system.realize_topology()
    box.set_q(state, [0.9, 0.1, -0.3, 0.2, 0.1, -0.2, 0.8])
    box.set_u(state, [0.4, -0.3, 0.9, 0.2, 0.1, -0.4])
    locked.set_q(state, [0.3, -0.5])
    locked.lock(state)
    return system, mb.Assembler(system).assemble(state)


class CornersOverFloor(mb.ConstraintEquations):
    """Heights of a point of each of two bodies over Ground."""

    @property
    def position_units(self):
        return ("m", "m")

    def position_errors(self, motion):
        _, box, tip = motion.X
        return np.array([(box.p + box.R @ np.array([0.2, 0.1, -0.3]))[2], (tip.p + tip.R @ np.array([0.1, 0.3, -0.2]))[2]])


def tumbler():
    """No constraints at all: a free body with a pendulum on it whose motion is known."""
    system = mb.MultibodySystem("tumbler")
    matter = mb.MatterSubsystem(system)
    mass = mb.MassProperties(1.3, [0, 0, 0], mb.Inertia.box(mass=1.3, size=[0.3, 0.4, 0.5]))
    body = mb.Free(matter.ground, mass, name="body")
    mb.SteadyMotion(mb.Pin(body, mass, X_PF=mb.Transform(p=[0.3, 0, 0]), name="wheel"), 2.0)
    state = system.realize_topology()
    body.set_u(state, [1.3, -0.6, 0.8, 0.5, -0.2, 0.9])
    return system, state


class Pulled(mb.CustomSubsystem):
    """States of its own, which follow a hinge; the rates of its coordinate are not known before DYNAMICS."""

    def __init__(self, system, pin):
        super().__init__(system, "pulled")
        self.pin = pin

    def realize_model(self, state):
        state.allocate_q(self, [0.2])
        state.allocate_u(self, [-0.1])
        state.allocate_z(self, [0.3])

    def realize_dynamics(self, state):
        state.set_rate(state.handle(self, "q"), state.get(state.handle(self, "u")) + 0.3 * self.pin.u(state))

    def realize_acceleration(self, state):
        q, u, z = (state.get(state.handle(self, name)) for name in "quz")
        state.set_rate(state.handle(self, "u"), -4.0 * q - 0.5 * u + self.pin.q(state))
        state.set_rate(state.handle(self, "z"), q * u - z)


def hinge_with_follower():
    system, pin = hinge_with_stop(PARAMS, restitution=0.3)
    Pulled(system, pin)
    return with_default_state(system)


def random_tree():
    """General frames, masses and forces, mobilizers of eight kinds, and a limit on a coordinate of each that can have one."""
    mechanism = random_mechanism(7, n_bodies=8)
    rng = np.random.default_rng(7)
    for body in mechanism.matter.bodies:
        if body.nq == body.nu > 0:
            body.set_limits(-0.4, 0.35, 0.3, coordinate=int(rng.integers(body.nq)))
    state = mechanism.random_state(rng)
    state.time = 0.0
    return mechanism.system, state


SCENARIOS = {
    "slotted hinge": (lambda: slot(0.0), 3.0, 0.005),
    "slotted hinge that bounces": (lambda: slot(0.5), 2.0, 0.005),
    "hinge that rests": (lambda: with_default_state(hinge_with_stop(PARAMS)[0]), 1.5, 0.005),
    "ball that bounces to rest": (lambda: with_default_state(bouncing_ball(1.0, 9.81, 0.5)[0]), 1.5, 0.005),
    "wedge from outside": (lambda: with_default_state(particle_in_wedge(40.0, [-0.3, -0.2], [1.0, -0.3])[0]), 1.0, 0.005),
    "twenty floors": (lambda: with_default_state(twenty_floors()[0]), 0.6, 0.005),
    "stop in a four-bar": (lambda: four_bar_with_arm(0.6)[:2], 0.5, 0.0025),
    "coupling in the tree": (lambda: with_default_state(coupled_hinge(is_loop=False)[0]), 0.6, 0.005),
    "coupling that closes a loop": (lambda: with_default_state(coupled_hinge(is_loop=True)[0]), 0.6, 0.005),
    "corners over a floor": (walk_in_space, 0.6, 0.0025),
    "no constraints": (tumbler, 1.0, 0.005),
    "states of a subsystem": (hinge_with_follower, 1.0, 0.005),
    "random tree with limits": (random_tree, 0.2, 0.0025),
    "linkage that gives way": (soft_linkage, 0.4, 0.004),
    "linkage of which all gives way": (lambda: soft_linkage(rigid=False), 0.4, 0.004),
}


def runs(system, state, until, **options):
    return [
        mb.Simulation(system, integrator="velocity_level", backend=backend, **options).run(state, until)
        for backend in ("interpreted", "compiled")
    ]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", SCENARIOS)
def test_states_engagement_and_impulses_are_the_same(name, rule):
    make, until, step = SCENARIOS[name]
    system, state = make()

    vm, native = runs(system, state, until, step=step, engagement=rule)

    assert (vm.backend, native.backend) == ("interpreted", "compiled")
    assert_array_equal(native.time, vm.time)
    size = np.maximum(1, np.abs(vm.y).max(axis=0))
    assert_allclose(native.y / size, vm.y / size, rtol=0, atol=SAME)
    unilateral = [each for each in system.matter.constraints if isinstance(each, mb.UnilateralConstraint)]
    for constraint in unilateral:
        a, b = vm.final_state, native.final_state
        assert_array_equal(constraint.engaged_steps(b), constraint.engaged_steps(a))
        assert_array_equal(constraint.is_held(b), constraint.is_held(a))
        for variable in ("engaged", "impulse"):
            found, expected = native[f"{constraint.name}.{variable}"], vm[f"{constraint.name}.{variable}"]
            assert_allclose(found, expected, rtol=0, atol=0 if variable == "engaged" else SAME * max(1, np.abs(expected).max()))
    assert not unilateral or any(np.abs(vm[f"{each.name}.impulse"]).max() > 0 for each in unilateral)  # something was met


def test_several_corrections_in_a_step_are_the_same():
    system, state, rocker = four_bar_with_arm(0.6)

    vm, native = runs(system, state, 0.5, step=0.005, position_iterations=4, constraint_tolerance=1e-11)

    assert_allclose(native.y, vm.y, rtol=0, atol=SAME)
    assert_array_equal(rocker.limits[0].engaged_steps(native.final_state), rocker.limits[0].engaged_steps(vm.final_state))
    assert np.abs(native["loop.position_error"])[1:].max() <= 1e-11


def test_a_run_goes_on_from_where_another_backend_left_it():
    system, state = slot(0.0)
    whole = mb.Simulation(system, integrator="velocity_level", step=0.005, backend="compiled").run(state, 2.0).final_state
    for first, second in (("interpreted", "compiled"), ("compiled", "interpreted"), ("compiled", "compiled")):
        half = mb.Simulation(system, integrator="velocity_level", step=0.005, backend=first).run(state, 1.3).final_state
        final = mb.Simulation(system, integrator="velocity_level", step=0.005, backend=second).run(half, 2.0).final_state
        assert_allclose(final.y, whole.y, rtol=0, atol=1e-9)  # times of steps differ by round-off, which impacts enlarge


def test_a_coordinate_that_is_set_is_decided_about_anew():
    system, pin = hinge_with_stop(PARAMS)
    simulation = mb.Simulation(system, integrator="velocity_level", step=0.005, backend="compiled")
    rest = simulation.run(system.realize_topology(), 1.0).final_state
    assert pin.limits[0].engaged_steps(rest)[1] > 0
    pin.set_q(rest, 0.5)
    pin.set_u(rest, 0.7)

    after = simulation.run(rest, 1.01).final_state

    assert pin.u(after)[0] > 0.7
    assert_array_equal(pin.limits[0].engaged_steps(after), 0)


def test_a_run_ends_where_it_is_to_however_short_it_is():
    system, state = slot(0.0)
    for until in (1e-13, 0.005 + 1e-13):
        vm, native = runs(system, state, until, step=0.005)
        assert vm.time[-1] == native.time[-1] == native.final_state.time == until
        assert_allclose(native.y, vm.y, rtol=0, atol=1e-14)


def test_reports_at_every_so_many_steps_are_the_ones_of_all_steps():
    system, state = slot(0.0)
    simulation = mb.Simulation(system, integrator="velocity_level", step=0.01, backend="compiled")
    every, some = simulation.run(state, 1.005), simulation.run(state, 1.005, report_every=0.3)

    assert_allclose(some.time, [0, 0.3, 0.6, 0.9, 1.005], rtol=1e-14)
    for name in ("hinge.q", "hinge.limit_0.engaged"):
        assert_array_equal(some[name], every[name][[0, 30, 60, 90, -1]])


@pytest.mark.parametrize("rule", RULES)
def test_rest_for_a_thousand_seconds_neither_toggles_nor_drifts(rule):
    """Half a million steps. ArtiSynth's rule rests its tolerance beyond the stop; by the other one none is passed."""
    system, pin = hinge_with_stop(PARAMS)
    simulation = mb.Simulation(system, integrator="velocity_level", step=0.002, engagement=rule, backend="compiled")
    rest = simulation.run(system.realize_topology(), 1.0).final_state

    results = simulation.run(rest, 1001.0, report_every=100.0)

    beyond = 1e-4 if rule == "artisynth" else 0.0
    assert_allclose(results["hinge.q"], PARAMS["theta_max"] + beyond, rtol=0, atol=1e-11)
    steps = pin.limits[0].engaged_steps(results.final_state) - pin.limits[0].engaged_steps(rest)
    assert_array_equal(steps, [0, 500_000])
    assert_allclose(results["hinge.limit.engaged"], -1)


# what goes wrong
def check_error(make, until, error, match, **options):
    for backend in ("interpreted", "compiled"):
        system, state = make()
        with pytest.raises(error, match=match):
            mb.Simulation(system, integrator="velocity_level", step=0.005, backend=backend, **options).run(state, until)


@pytest.mark.parametrize("rule", RULES)
def test_a_motion_that_drives_a_coordinate_through_its_limit_is_told(rule):
    def driven():
        system, pin = hinge_with_stop(PARAMS)
        mb.SteadyMotion(pin, 1.0)
        return with_default_state(system)

    match = r"at 0\.(79|8)\d* s unilateral constraints have no impulses or forces: .*hinge.* cannot be met"
    check_error(driven, 2.0, EventError, match, engagement=rule)


class UntilAngle(mb.CustomForce):
    """Grows as the angle does, up to 0.2 rad; is no number beyond."""

    def __init__(self, forces, pin):
        super().__init__(forces, name="until_angle")
        self.pin = pin

    def calc_force(self, state, body_forces, mobility_forces):
        self.pin.my_part_u(state, mobility_forces)[...] += 1.0 + np.sqrt(0.2 - self.pin.q(state)[0])


@pytest.mark.parametrize("has_limits", [False, True])
def test_a_force_that_is_not_finite_is_told(has_limits):
    def pushed():
        system = mb.MultibodySystem("pushed")
        matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
        pin = mb.Pin(matter.ground, mb.MassProperties(1.0, [0, 0, 0], np.eye(3)), name="pin")
        if has_limits:
            pin.set_limits(-1.0, 1.0)
        UntilAngle(forces, pin)
        return with_default_state(system)

    check_error(pushed, 2.0, IntegrationError, r"stopped at 0\.\d+ s.*'until_angle'.* is not finite")


def test_constraints_that_contradict_each_other_are_told():
    def contradicted():
        system, pin = hinge_with_stop(PARAMS)
        mb.ConstantSpeed(pin, 0, 0.5, name="steady")
        mb.PrescribedMotion(system.matter, mb.functions.Polynomial([0.3, 0.5, 0.1]), pin, 0, name="ever_faster")
        state = system.realize_topology()
        pin.set_u(state, 0.5)
        return system, state

    check_error(contradicted, 1.0, IntegrationError, r"stopped at 0 s.*(steady|ever_faster)")


def test_what_fixed_steps_cannot_do_is_refused_by_name():
    system, _ = hinge_with_stop(PARAMS)
    mb.PeriodicEventHandler.of(system, 1.0, lambda state, event: None, name="alarm")
    with pytest.raises(UnsupportedError, match="'alarm'"):
        mb.Simulation(system, integrator="velocity_level", step=0.01, backend="compiled").run(system.realize_topology(), 1.0)
    with pytest.raises(InputError, match="needs a step"):
        mb.Simulation(system, integrator="velocity_level", backend="compiled")


class Counting(mb.CustomSubsystem):
    """How many steps there were."""

    def realize_topology(self, state):
        self.n = state.allocate_auto_update_discrete_variable(self, "n", 0.0, mb.Stage.TIME, update_depends_on=mb.Stage.TIME)

    def realize_time(self, state):
        state.set_cached(self.n.update, state.get(self.n) + 1)


def test_variables_update_themselves_at_each_fixed_step():
    system, _ = hinge_with_stop(PARAMS)
    counting = Counting(system, "counting")
    state = system.realize_topology()
    results = mb.Simulation(system, integrator="velocity_level", step=0.01, backend="interpreted").run(state, 0.1)
    assert results.final_state.get(counting.n) == 10
