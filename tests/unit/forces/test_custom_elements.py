"""Users' elements beside their equations: hooks with variables, forces that depend only on positions, decorations."""

import copy
from dataclasses import dataclass

import fmpy
import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import DuplicateNameError, ElementError, InputError, StageError, StateError
from mobod.spatial import rotation_z
from tests.laws.mechanisms import random_mechanism
from tests.reference.seed_elements import DistanceEquations, Repulsion


class KeptRepulsion(Repulsion):
    depends_only_on_positions = True

    calls = 0

    def calc_force(self, state, body_forces, mobility_forces):
        type(self).calls += 1
        super().calc_force(state, body_forces, mobility_forces)


class KeptAsPython(KeptRepulsion):
    recordable = False


def mechanism_with(kind, **keywords):
    mechanism = random_mechanism(5, n_bodies=6)
    force = kind(mb.ForceSubsystem(mechanism.system, "mine"), name="repulsion", **keywords)
    return mechanism, force


# what depends on positions only


@pytest.mark.parametrize("kind", [KeptRepulsion, KeptAsPython])
def test_a_position_dependent_force_is_kept_until_a_pose_or_its_variable_changes(kind):
    mechanism, force = mechanism_with(kind, strength=0.8)
    system, state = mechanism.system, mechanism.random_state(np.random.default_rng(3))
    energies = []

    def evaluations_of(change, stage):
        before = force.num_evaluations
        change()
        system.realize(state, stage)
        energies.append(force.calc_potential_energy_contribution(state))
        return force.num_evaluations - before

    assert evaluations_of(lambda: None, mb.Stage.POSITION) == 1  # by the energy
    assert evaluations_of(lambda: None, mb.Stage.ACCELERATION) == 0
    assert evaluations_of(lambda: setattr(state, "u", 2 * state.u), mb.Stage.ACCELERATION) == 0
    assert evaluations_of(lambda: setattr(state, "z", 2 * state.z), mb.Stage.ACCELERATION) == 0
    assert evaluations_of(lambda: mechanism.forces["MobilityForce"].set_force(state, 3.0), mb.Stage.ACCELERATION) == 0
    assert evaluations_of(lambda: force.set_parameter(state, "strength", 1.6), mb.Stage.ACCELERATION) == 1
    assert evaluations_of(lambda: setattr(state, "q", 1.01 * state.q), mb.Stage.ACCELERATION) == 1
    assert evaluations_of(lambda: setattr(state, "time", 1.0), mb.Stage.ACCELERATION) == 1
    assert evaluations_of(lambda: force.disable(state), mb.Stage.ACCELERATION) == 0
    assert energies[:5] == [energies[0]] * 5
    assert_allclose(energies[5], 2 * energies[0], rtol=1e-14)
    assert energies[-1] == 0


def test_as_plain_python_it_is_called_in_every_evaluation():
    mechanism, force = mechanism_with(KeptAsPython)
    state = mechanism.random_state(np.random.default_rng(3))
    KeptAsPython.calls = 0
    for _ in range(4):
        state.u = 1.1 * state.u
        mechanism.system.realize(state, mb.Stage.ACCELERATION)
    assert KeptAsPython.calls == force.num_evaluations == 1


@pytest.mark.fast(1)
@pytest.mark.parametrize("kind", [KeptRepulsion, KeptAsPython])
@pytest.mark.parametrize("is_disabled", [False, True])
def test_the_kept_force_is_applied(kind, is_disabled):
    found = []
    for each in (Repulsion, kind):
        mechanism, force = mechanism_with(each, strength=0.8)
        state = mechanism.random_state(np.random.default_rng(3))
        mechanism.system.realize(state, mb.Stage.ACCELERATION)  # what is kept is there, and then must not count
        if is_disabled:
            force.disable(state)
        mechanism.system.realize(state, mb.Stage.ACCELERATION)
        found.append([np.array(state.u_dot), force.calc_force_contribution(state)[0], [mechanism.system.potential_energy(state)]])
    for ours, expected in zip(*found, strict=True):
        assert_allclose(ours, expected, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("recordable", [True, False])
def test_a_position_dependent_force_that_reads_a_speed_is_an_error(recordable):
    class Liar(mb.CustomForce):
        depends_only_on_positions = True

        def calc_force(self, state, body_forces, mobility_forces):
            mobility_forces[0] -= self.matter.bodies[0].u(state)[0]

    Liar.recordable = recordable
    system = mb.MultibodySystem("s")
    matter = mb.MatterSubsystem(system)
    mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, -1, 0]))
    Liar(mb.ForceSubsystem(system), name="liar")
    with pytest.raises(
        StageError, match=r"calc_force of force 'liar' \(Liar\): 'u' changes at VELOCITY, but only values known at POSITION may be read"
    ):
        system.realize(system.realize_topology())


# hooks


class Adaptive(mb.CustomForce):
    """A spring along a slider whose stiffness follows the stretch with a lag; a variable accumulates the work."""

    parameters = (mb.ForceParameter(name="lag", unit="s", description="time that the stiffness takes", minimum=1e-3),)

    def __init__(self, forces, slider, *, lag=0.3, name=None):
        self.slider = slider
        super().__init__(forces, {"lag": lag}, name=name)

    def realize_topology(self, state):
        label = mb.Label(unit="N/m", description="at rest")
        self.base = state.allocate_discrete_variable(self, "base", 4.0, mb.Stage.POSITION, label=label)
        self.stretch = state.allocate_cache_entry(self, "stretch", mb.Stage.POSITION, shape=(), computed_by=mb.Stage.POSITION)

    def realize_model(self, state):
        state.allocate_z(self, 4.0, "stiffness", label=mb.Label(unit="N/m"))
        state.allocate_z(self, 0.0, "work", label=mb.Label(unit="J"))

    def of(self, state, name):
        return state.get(state.handle(self, name))

    def realize_position(self, state):
        state.set_cached(self.stretch, self.slider.q(state)[0] - 0.1)

    def realize_acceleration(self, state):
        wanted = state.get(self.base) + state.cached(self.stretch) ** 2
        state.set_rate(state.handle(self, "stiffness"), (wanted - self.of(state, "stiffness")) / self.parameter(state, "lag"))
        state.set_rate(state.handle(self, "work"), self.size(state) * self.slider.u(state)[0])

    def size(self, state):
        return -self.of(state, "stiffness") * state.cached(self.stretch)

    def calc_force(self, state, body_forces, mobility_forces):
        self.slider.my_part_u(state, mobility_forces)[0] += self.size(state)

    def calc_potential_energy(self, state):
        return self.of(state, "stiffness") * state.cached(self.stretch) ** 2 / 2


class AdaptiveAsPython(Adaptive):
    recordable = False


def adaptive(kind=Adaptive, **keywords):
    system = mb.MultibodySystem("adaptive")
    matter = mb.MatterSubsystem(system)
    slider = mb.Slider(matter.ground, mb.MassProperties.point(2.0, [0, 0, 0]), name="slider")
    force = kind(mb.ForceSubsystem(system), slider, name="spring", **keywords)
    state = system.realize_topology()
    slider.set_q(state, 0.7)
    return system, force, state


@pytest.mark.parametrize("kind", [Adaptive, AdaptiveAsPython])
def test_a_force_with_hooks_has_rates_values_and_energy_of_its_variables(kind):
    system, force, state = adaptive(kind)
    system.set_value(state, "spring.stiffness", 5.0)
    system.set_value(state, "spring.base", 3.0)
    system.set_value(state, "slider.u", [0.25])
    system.realize(state)
    assert_allclose(state.u_dot, [-5 * 0.6 / 2], rtol=1e-15)
    assert_allclose(state.z_dot, [(3 + 0.36 - 5) / 0.3, -5 * 0.6 * 0.25], rtol=1e-14)
    assert_allclose(force.calc_potential_energy_contribution(state), 5 * 0.36 / 2, rtol=1e-14)
    assert state.cached(force.stretch) == pytest.approx(0.6)
    state.set(state.handle(force, "stiffness"), 6.0)
    assert_allclose(force.calc_potential_energy_contribution(state), 6 * 0.36 / 2, rtol=1e-14)
    units = {each.name: each.units for each in system.variables(state) if each.name.startswith(("spring.", "der(spring."))}
    assert units == {
        "spring.enabled": ("1",),
        "spring.lag": ("s",),
        "spring.base": ("N/m",),
        "spring.stretch": ("1",),
        "spring.stiffness": ("N/m",),
        "der(spring.stiffness)": ("N/(m.s)",),
        "spring.work": ("J",),
        "der(spring.work)": ("J/s",),
    }


@pytest.mark.slow
def test_a_force_with_hooks_gives_the_same_trajectory_as_python_and_in_a_tuned_fmu(tmp_path):
    system, _, state = adaptive()
    path = mb.export_fmu(system, tmp_path / "adaptive.fmu", outputs=["slider.q", "spring.work"], state=state)
    system.set_value(state, "spring.base", 7.0)
    end = mb.Simulation(system, 1e-11).run(state, until=2.0).final_state.y
    other, _, its_state = adaptive(AdaptiveAsPython)
    other.set_value(its_state, "spring.base", 7.0)
    assert_allclose(mb.Simulation(other, 1e-11).run(its_state, until=2.0).final_state.y, end, atol=1e-12)
    run = fmpy.simulate_fmu(
        str(path),
        stop_time=2.0,
        output_interval=0.5,
        relative_tolerance=1e-11,
        start_values={"spring.base": 7.0},
        output=["slider.q", "spring.work"],
    )
    assert_allclose([run["slider.q"][-1], run["spring.work"][-1]], [end[0], end[-1]], atol=1e-9)


@dataclass(frozen=True)
class Turn(mb.CustomEquations):
    nq = 1
    q_units = ("rad",)

    def X_FM(self, q):
        return mb.Transform.of(rotation_z(q[0]), np.zeros(3))


class CountedPin(mb.CustomMobilizer):
    """A pin that integrates the absolute value of its angular speed."""

    def realize_model(self, state):
        state.allocate_z(self, 0.0, "way")

    def realize_acceleration(self, state):
        state.set_rate(state.handle(self, "way"), np.abs(self.u(state)[0]))

    def calc_decorations(self, state):
        return [(self, mb.Transform(p=[0, -0.5, 0]), mb.decorations.Sphere(0.1 + state.get(state.handle(self, "way"))))]


class WatchedDistance(mb.CustomConstraint):
    """Computes the power of its own multiplier, at REPORT."""

    def realize_topology(self, state):
        self.shown = state.allocate_cache_entry(self, "tension", mb.Stage.REPORT, shape=(), computed_by=mb.Stage.REPORT)

    def realize_report(self, state):
        state.set_cached(self.shown, -2 * self.multipliers(state)[0])


def pair():
    system = mb.MultibodySystem("pair")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.8)
    upper = CountedPin(matter.ground, mb.MassProperties.point(1.0, [0, -1, 0]), Turn(), name="upper")
    ball = mb.Translation(matter.ground, mb.MassProperties.point(0.5, [0, 0, 0]), name="ball")
    rod = WatchedDistance(DistanceEquations(0.8), [upper, ball], name="rod")
    state = system.realize_topology()
    state.q, state.u = [0.4, 0.8, 0.0, 0.0], [0.0, 0.0, 0.3, 0.2]
    return system, upper, rod, state


def test_mobilizers_and_constraints_have_hooks_too():
    system, _, _, state = pair()
    results = mb.Simulation(system, 1e-11).run(state, until=1.5)
    assert_allclose(results["rod.tension"], -2 * results["rod.multiplier"], rtol=1e-15)
    assert results["upper.way"][-1] > abs(results["upper.q"][-1] - 0.4) + 0.1  # it has swung back


def test_decorations_of_bodies_and_elements_have_the_right_poses():
    system, upper, _, state = pair()
    upper.add_outboard_decoration(mb.Transform(p=[0.1, 0, 0]), mb.decorations.Frame(0.2))
    state = system.realize_topology()
    upper.set_q(state, 0.4)
    system.realize(state, mb.Stage.POSITION)
    frame, sphere = system.decorations(state)
    assert (frame.geometry, sphere.geometry) == (mb.decorations.Frame(0.2), mb.decorations.Sphere(0.1))
    assert_allclose(frame.X_GD.p, [0.1 * np.cos(0.4), 0.1 * np.sin(0.4), 0], atol=1e-15)
    assert_allclose(sphere.X_GD.p, [0.5 * np.sin(0.4), -0.5 * np.cos(0.4), 0], atol=1e-15)


def test_an_invalid_decoration_is_refused_by_name():
    class Painted(Repulsion):
        def calc_decorations(self, state):
            return [("arm", mb.Transform(), mb.decorations.Sphere(1.0))]

    mechanism, _ = mechanism_with(Painted)
    state = mechanism.random_state(np.random.default_rng(1))
    mechanism.system.realize(state, mb.Stage.POSITION)
    with pytest.raises(InputError, match=r"calc_decorations of 'repulsion' gives .* not \(str, Transform, Sphere\)"):
        mechanism.system.decorations(state)


@pytest.mark.parametrize("recordable", [True, False])
def test_errors_name_the_element(recordable):
    class Broken(Adaptive):
        def realize_position(self, state):
            raise KeyError("lost")

    Broken.recordable = recordable

    def realize():
        system, _, state = adaptive(Broken)
        system.realize(state)

    with pytest.raises(ElementError, match=r"realize_position of force 'spring' \(Broken\) failed .*KeyError: 'lost'"):
        realize()


def test_names_of_allocated_variables_are_unique():
    class Clash(Adaptive):
        def realize_topology(self, state):
            super().realize_topology(state)
            state.allocate_discrete_variable(self, "lag", 1.0, mb.Stage.TIME)

    with pytest.raises(DuplicateNameError, match="'spring' has allocated two variables or computed values named 'lag'"):
        adaptive(Clash)
    mechanism, plain = mechanism_with(Repulsion)
    with pytest.raises(StateError, match=r"'repulsion' \(Repulsion\) allocates outside its hooks"):
        mechanism.random_state(np.random.default_rng(0)).handle(plain, "anything")


def test_an_element_in_plain_python_becomes_a_python_fmu_with_the_same_motion(tmp_path):
    system, _, state = adaptive(AdaptiveAsPython)
    path = mb.export_fmu(system, tmp_path / "adaptive.fmu", kind="python", outputs=["slider.q", "spring.work"], state=state)
    run = fmpy.simulate_fmu(str(path), stop_time=1.0, output_interval=0.25, relative_tolerance=1e-11, output=["slider.q", "spring.work"])
    end = mb.Simulation(system, 1e-11).run(state, until=1.0).final_state.y
    assert_allclose([run["slider.q"][-1], run["spring.work"][-1]], [end[0], end[-1]], atol=1e-9)


@pytest.mark.slow
def test_a_copy_of_a_system_has_elements_and_hooks_of_its_own():
    system, force, state = adaptive()
    other, copied = copy.deepcopy((system, state))
    (twin,) = (each for subsystem in other.subsystems if isinstance(subsystem, mb.ForceSubsystem) for each in subsystem.elements)
    assert twin is not force
    assert twin.forces.system is other
    other.set_value(copied, "spring.base", 9.0)
    for each, its_state in ((system, state), (other, copied)):
        each.realize(its_state)
    assert_allclose([state.z_dot[0], copied.z_dot[0]], [0.36 / 0.3, (9 + 0.36 - 4) / 0.3], rtol=1e-13)
