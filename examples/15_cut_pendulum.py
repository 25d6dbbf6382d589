"""Cut a double pendulum at its elbow into two FMUs, connect these, and compare them with the whole pendulum."""

import numpy as np

import mobod as mb

END = mb.Transform(p=[0, -1, 0])  # of a rod of 1 m
MOTION = {"elbow.p_GF": "elbow.motion.q", "elbow.v_GF": "elbow.motion.u", "elbow.a_GF": "elbow.motion.u_dot"}


def rod(mass: float) -> mb.MassProperties:
    return mb.MassProperties(mass, [0, -0.5, 0], mb.Inertia.cylinder(mass=mass, radius=0.02, length=1.0, axis="y").shifted([0, -0.5, 0]))


def pendulum(name: str) -> mb.MultibodySystem:
    """Rods of 10 kg and 1 kg: the 'whole', the 'upper' half with a port at its end, or the 'lower' half on a point that follows it."""
    matter = mb.MatterSubsystem(mb.MultibodySystem(name))
    mb.Gravity(mb.ForceSubsystem(matter.system), matter, down=[0, -1, 0], magnitude=9.80665)
    if name == "lower":
        elbow = mb.Translation(matter.ground, mb.MassProperties(0, [0, 0, 0], np.zeros((3, 3))), name="elbow")
        mb.InputMotion(elbow)
        mb.Pin(elbow, rod(1.0), name="lower").set_default_q(-0.4)
        return matter.system
    upper = mb.Pin(matter.ground, rod(10.0), name="upper")
    upper.set_default_q(1.0)
    if name == "upper":
        mb.Port(upper, END, name="elbow")
    else:
        mb.Pin(upper, rod(1.0), END, name="lower").set_default_q(-1.4)
    return matter.system


if __name__ == "__main__":
    mb.export_fmu(pendulum("upper"), "upper.fmu", inputs=["elbow.force"], outputs=["upper.q", *MOTION])
    mb.export_fmu(pendulum("lower"), "lower.fmu", inputs=MOTION.values(), outputs=["lower.q", "elbow.motion.load"])
    network = mb.Network()
    network.add("upper.fmu")
    network.add("lower.fmu")
    for output, follower in MOTION.items():
        network.connect_vectors(f"upper.{output}", f"lower.{follower}")
    network.connect_vectors("lower.elbow.motion.load", "upper.elbow.force")

    system = pendulum("whole")
    run = mb.Simulation(system, accuracy=1e-10).run(system.realize_topology(), until=2.0)
    exact = np.cumsum([run["upper.q"][-1].item(), run["lower.q"][-1].item()])  # rad, of both rods from the vertical
    print(f"whole: {exact[0]:.8f} and {exact[1]:.8f} rad")

    # Load and acceleration depend on each other without delay: an algebraic loop, which the master solves at each communication point.
    for order, name in ((0, "held inputs"), (2, "inputs that follow parabolas")):
        for step in (0.002, 0.001):
            master = mb.Master(network, step=step, algorithm="gauss-seidel", input_order=order, tolerance=1e-10)
            results = master.run(until=2.0)
            errors = abs(np.array([results["upper.upper.q"][-1], results["lower.lower.q"][-1]]) - exact)
            print("cut, {}, {:g} ms: errors {:.2e} and {:.2e} rad".format(name, 1000 * step, *errors))
    print("wrote upper.fmu and lower.fmu")
