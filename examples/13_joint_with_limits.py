"""A slotted hinge written by its constraint wrenches: its pin hits the ends of the slot, rests at one and leaves it; also as an FMU."""

import fmpy
import numpy as np

import mobod as mb


class SlottedHinge(mb.Coupling):
    """Frame C slides along x of frame D and turns about z: the custom joint of ArtiSynth's modeling guide, section 4.10.5."""

    x_range: tuple[float, float] = mb.argument("of x, m", kw_only=False)

    def initialize_constraints(self):
        self.add_constraint(mb.BILATERAL | mb.LINEAR)  # along y of D; the direction turns in C
        self.add_constraint(mb.BILATERAL | mb.LINEAR, [0, 0, 1, 0, 0, 0])
        self.add_constraint(mb.BILATERAL | mb.ROTARY, [0, 0, 0, 1, 0, 0])
        self.add_constraint(mb.BILATERAL | mb.ROTARY, [0, 0, 0, 0, 1, 0])
        self.add_coordinate(*self.x_range, self.add_constraint(mb.LINEAR), "x")
        self.add_coordinate(limit_constraint=self.add_constraint(mb.ROTARY, [0, 0, 0, 0, 0, 1]), name="theta")

    def coordinates_to_TCD(self, coordinates):
        x, theta = coordinates
        c, s = np.cos(theta), np.sin(theta)
        return mb.Transform(np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), np.array([x, 0, 0]))

    def update_constraints(self, TGD, TCD, errC, velGD, update_engaged):
        self.constraint(0).wrench_G = np.array([*TGD.R[1], 0, 0, 0])
        self.constraint(4).wrench_G = np.array([*TGD.R[0], 0, 0, 0])


def custom_joint_demo() -> mb.MultibodySystem:
    """A damped plate in a slot of 1 m, released at -45 degrees."""
    system = mb.MultibodySystem("custom_joint_demo")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.8, name="gravity")
    plate = mb.MassProperties(139.86878278916902, [0, 0, 0], 19.894916758394704 * np.diag([0.5, 0.5, 1.0]))
    hinge = mb.CouplingJoint(SlottedHinge((-0.5, 0.5)), plate, matter.ground, X_AC=mb.Transform(p=[0, -0.5, 0]), name="hinge")
    mb.BodyDamping(forces, hinge, angular_damping=1.0, linear_damping=50.0)
    hinge.set_default_q([0, -np.pi / 4])
    return system


if __name__ == "__main__":
    system = custom_joint_demo()
    results = mb.Simulation(system, accuracy=1e-9).run(system.realize_topology(), until=2.0, report_every=0.01)
    for event in results.events:
        print("release" if event.direction > 0 else "impact", f"at {event.name}, {event.time:.8f} s: x, theta, x', theta' then are")
        print(*(f"{value:.8f}" for value in event.y_after))
    results.plot("hinge.q").figure.savefig("custom_joint_demo.png")

    outputs = ["hinge.q", "hinge.limit_0.engaged"]
    path = mb.export_fmu(system, "custom_joint_demo.fmu", outputs=outputs)
    run = fmpy.simulate_fmu(str(path), stop_time=2.0, output_interval=0.01, relative_tolerance=1e-9)
    rests = run["time"][run["hinge.limit_0.engaged"] == 1]
    print(f"in FMPy it rests from {rests[0]:.2f} to {rests[-1]:.2f} s, and x ends at {run['hinge.q[1]'][-1]:.6f} m")
    print(f"x ends at {results['hinge.q'][-1, 0]:.6f} m here")
