"""A quadruped from a URDF file stands on its feet and trots, in fixed steps with dry friction; also as an FMU."""

from pathlib import Path

import fmpy
import numpy as np

import mobod as mb
from mobod.scalar import maximum

LEGS = ("front_left", "front_right", "rear_left", "rear_right")
JOINTS = ("abduction", "swing", "knee")
STANCE = np.array([0.0, 0.6, -1.2])  # rad, of the joints of each leg
FREQUENCY = 2.0  # Hz


class Gait(mb.CustomForce):
    """Servos hold each joint at an angle that depends on time: two feet that are opposite each other swing at a time."""

    stride: mb.Parameter[float] = mb.parameter("rad", "swing of the legs to both sides", default=0.0, least=0.0)
    set_stride, default_stride, set_default_stride = stride.accessors
    stiffness: mb.Parameter[float] = mb.parameter("N.m/rad", "of the servos", default=150.0, least=0.0)
    damping: mb.Parameter[float] = mb.parameter("N.m.s/rad", "of the servos", default=3.0, least=0.0)

    def calc_force(self, state, body_forces, mobility_forces):
        for number, leg in enumerate(LEGS):
            phase = 2 * np.pi * FREQUENCY * state.time + (np.pi if number in (1, 2) else 0.0)
            lift = maximum(np.sin(phase), 0.0) * self.stride(state)
            target = STANCE + np.array([0.0, 1.0, -2.0]) * 1.5 * lift + np.array([0.0, np.cos(phase), 0.0]) * self.stride(state)
            for joint, angle in zip(JOINTS, target, strict=True):
                body = self.matter.body(f"{leg}_{joint}")
                torque = self.stiffness(state) * (angle - body.q(state)[0]) - self.damping(state) * body.u(state)[0]
                body.my_part_u(state, mobility_forces)[:] += torque


def quadruped() -> mb.MultibodySystem:
    """The robot on the plane z = 0, with its legs bent."""
    system = mb.load_urdf(Path(__file__).with_name("quadruped.urdf"), floating_base=True, motors=False, contact="rigid")
    Gait(system.subsystems[-1], name="gait")
    for leg in LEGS:
        for joint, angle in zip(JOINTS, STANCE, strict=True):
            system.matter.body(f"{leg}_{joint}").set_default_q(angle)
    system.matter.body("body").set_default_q([1, 0, 0, 0, 0, 0, 0.4 * np.cos(0.6) + 0.02])
    return system


if __name__ == "__main__":
    system = quadruped()
    simulation = mb.Simulation(system, integrator="velocity_level", step=1e-3)
    stands = simulation.run(state := system.realize_topology(), until=2.0, report_every=0.01)
    print("stands at", *(f"{each:.4f}" for each in stands["body.p_GB"][-1]), "m")
    system.subsystems[-1].elements[-1].set_stride(state, 0.1)
    walks = simulation.run(state, until=2.0, report_every=0.01)
    print("walks to", *(f"{each:.4f}" for each in walks["body.p_GB"][-1]), "m")

    outputs = ["body.p_GB", *(f"floor_{leg}_foot.normal_force" for leg in LEGS)]
    path = mb.export_fmu(system, "quadruped.fmu", outputs=outputs, integrator="velocity_level", step=1e-3)
    run = fmpy.simulate_fmu(str(path), stop_time=2.0, output_interval=0.01, start_values={"gait.stride": 0.1})
    print("the FMU walks to", *(f"{run[f'body.p_GB[{i}]'][-1]:.4f}" for i in (1, 2, 3)), "m")
