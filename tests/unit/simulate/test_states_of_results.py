"""results.states(): the States at the report times."""

import numpy as np

import mobod as mb
from mobod.scalar import where


def test_the_states_of_a_run_are_those_of_its_report_times():
    system = mb.MultibodySystem("fall")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    gravity = mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    slider = mb.Slider(
        matter.ground, mb.MassProperties.point(1.0, [0, 0, 0]), X_PF=mb.Transform([[0, 0, 1], [1, 0, 0], [0, 1, 0]]), name="slider"
    )

    def weaken(state, event):
        gravity.set_magnitude(state, where(state.time > 0, 4.0, 9.81))

    mb.PeriodicEventHandler.of(system, 0.5, weaken)
    results = mb.Simulation(system, backend="interpreted").run(system.realize_topology(), 1.0, 0.25)
    found = []
    for state in results.states():
        system.realize(state, mb.Stage.ACCELERATION)
        found.append((state.time, float(slider.q(state)[0]), float(slider.u_dot(state)[0]), gravity.magnitude(state)))
    times, q, u_dot, magnitude = np.array(found).T
    np.testing.assert_array_equal(times, results.time)
    np.testing.assert_array_equal(q, results["slider.q"])
    np.testing.assert_array_equal(u_dot, results["der(slider.u)"])
    assert magnitude.tolist() == [9.81 if i < len(times) - 3 else 4.0 for i in range(len(times))]
    assert results.final_state.time == 1.0
