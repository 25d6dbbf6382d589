"""A four-bar and a slider-crank from lists of bodies and joints in any order; loops are closed automatically."""

import mobod as mb

# joint: (kind, parent, child, location on the parent, location on the child)
FOUR_BAR = {
    "bearing": (mb.Pin, "ground", "rocker", [1.2, 0, 0], [0, 0, 0]),
    "motor": (mb.Pin, "ground", "crank", [0, 0, 0], [0, 0, 0]),
    "elbow": (mb.Pin, "crank", "coupler", [0.4, 0, 0], [0, 0, 0]),
    "last": (mb.Pin, "coupler", "rocker", [1.1, 0, 0], [0.9, 0, 0]),
}
SLIDER_CRANK = {
    "guide": (mb.Slider, "ground", "piston", [0, 0, 0], [0, 0, 0]),
    "motor": (mb.Pin, "ground", "crank", [0, 0, 0], [0, 0, 0]),
    "elbow": (mb.Pin, "crank", "rod", [0.4, 0, 0], [0, 0, 0]),
    "wrist": (mb.Pin, "rod", "piston", [0.9, 0, 0], [0, 0, 0]),
}
LENGTHS = {"rocker": 0.9, "crank": 0.4, "coupler": 1.1, "rod": 0.9, "piston": 0.1}  # m


def mechanism(name: str, joints: dict, start: dict) -> mb.MultibodySystem:
    """`start` has angles and positions, initial guesses for the assembly of the loop."""
    builder = mb.MultibodyBuilder(name)
    for body in dict.fromkeys(child for _, _, child, _, _ in joints.values()):
        length = LENGTHS[body]
        inertia = mb.Inertia.cylinder(mass=2 * length, radius=0.02, length=length, axis="x")
        at = [length / 2, 0, 0]
        builder.add_body(body, mb.MassProperties(2 * length, at, inertia.shifted(at)))
    for joint, (kind, parent, child, on_parent, on_child) in joints.items():
        X_PF, X_BM = mb.Transform(p=on_parent), mb.Transform(p=on_child)
        builder.add_joint(joint, kind, parent, child, X_PF, X_BM, default_q=start.get(joint))
    system = builder.build()
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, system.matter, down=[0, -1, 0], magnitude=9.80665, name="gravity")
    return system


def four_bar() -> mb.MultibodySystem:
    return mechanism("four_bar", FOUR_BAR, {"motor": 0.7, "bearing": 1.8})


def slider_crank() -> mb.MultibodySystem:
    return mechanism("slider_crank", SLIDER_CRANK, {"motor": 0.5, "guide": 1.2})


if __name__ == "__main__":
    for system, follower in ((four_bar(), "bearing"), (slider_crank(), "guide")):
        motor = system.matter.body("motor")
        assembler = mb.Assembler(system, accuracy=1e-9)
        assembler.lock_q(motor)
        state = assembler.assemble(system.realize_topology())
        print(f"{system.name}: {[body.name for body in system.matter.bodies]}, closed by {[c.name for c in system.matter.constraints]}")
        results = mb.Simulation(system, accuracy=1e-9).run(state, until=0.5)
        at_end = [float(results[name][-1]) for name in ("motor.q", f"{follower}.q", "energy")]
        print("after 0.5 s: motor {:.6f}, {} {:.6f}, energy {:.6f} J,".format(at_end[0], follower, *at_end[1:]), end=" ")
        print(f"{results['energy'][0]:.6f} J at the start")
