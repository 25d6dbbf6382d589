"""Measure a crane's load: the height of its swing, a delayed speed for its brake, and the work of the brake."""

from numpy import cos, sin

import mobod as mb
from mobod import measures

MASS, LENGTH = 200.0, 8.0  # kg, m


class Brake(mb.CustomForce):
    """A torque opposite to the measured speed."""

    def __init__(self, forces: mb.ForceSubsystem, seen: mb.Measure, gain: mb.Measure):
        self.seen, self.gain = seen, gain
        super().__init__(forces, name="brake")

    def calc_force(self, state, body_forces, mobility_forces):
        mobility_forces[0] -= self.gain.value(state) * self.seen.value(state)


def crane() -> mb.MultibodySystem:
    """A load on a rope, released at 40 degrees; the speed is measured with a delay of 50 ms."""
    system = mb.MultibodySystem("crane")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.80665, name="gravity")
    rope = mb.Pin(matter.ground, mb.MassProperties.point(MASS, [0, -LENGTH, 0]), name="rope")
    rope.set_default_q(0.7)

    position, velocity = mb.Stage.POSITION, mb.Stage.VELOCITY
    side = measures.Custom(system, lambda state: LENGTH * sin(rope.q(state)[0]), stage=position, unit="m", name="side")
    measures.Minimum(system, side, name="other side")  # with the time of the minimum
    height = measures.Custom(system, lambda state: -LENGTH * cos(rope.q(state)[0]), stage=position, unit="m", name="height")
    measures.Differentiate(system, height, name="climb")  # m/s, exact
    speed = measures.Custom(system, lambda state: rope.u(state)[0], stage=velocity, unit="rad/s")
    seen = measures.Delay(system, speed, 0.05, name="seen")
    gain = measures.Variable(system, 2000.0, unit="N.m.s/rad", name="gain")  # a parameter of the FMU, or an input
    Brake(forces, seen, gain)
    power = measures.Custom(system, lambda state: gain.value(state) * seen.value(state) * rope.u(state)[0], stage=velocity, unit="W")
    measures.Integrate(system, power, unit="J", name="work")
    return system


if __name__ == "__main__":
    system = crane()
    results = mb.Simulation(system, accuracy=1e-9).run(system.realize_topology(), until=5.0, report_every=0.01)
    print(f"swings to {results['other side.value'][-1]:.6f} m at {results['other side.time'][-1]:.6f} s")
    print(f"falls at {-results['climb.value'].min():.4f} m/s")
    loss = results["energy"][0] - results["energy"][-1]
    print(f"the brake takes {results['work.value'][-1]:.5f} J, which are {results['work.value'][-1] - loss:.0e} J more than are lost")
    print("wrote", mb.export_fmu(system, "crane.fmu", inputs=["gain.value"], outputs=["other side.value", "climb.value", "seen.value"]))
