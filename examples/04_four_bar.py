"""Assemble a four-bar linkage from a rough initial guess, simulate it, export it."""

import mobod as mb

CRANK, COUPLER, ROCKER, BASE = 0.4, 1.1, 0.9, 1.2  # m, between the pins


def bar(length: float) -> mb.MassProperties:
    """A bar along x from its pin, 2 kg per metre."""
    mass, at = 2 * length, [length / 2, 0, 0]
    return mb.MassProperties(mass, at, mb.Inertia.cylinder(mass=mass, radius=0.02, length=length, axis="x").shifted(at))


def four_bar() -> mb.MultibodySystem:
    """Crank and coupler are a chain; a constraint closes the loop at the rocker's end. Gravity is along -y."""
    system = mb.MultibodySystem("four_bar")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.80665, name="gravity")

    crank = mb.Pin(matter.ground, bar(CRANK), name="crank")
    coupler = mb.Pin(crank, bar(COUPLER), X_PF=mb.Transform(p=[CRANK, 0, 0]), name="coupler")
    rocker = mb.Pin(matter.ground, bar(ROCKER), X_PF=mb.Transform(p=[BASE, 0, 0]), name="rocker")
    mb.BallConstraint(coupler, [COUPLER, 0, 0], rocker, [ROCKER, 0, 0], name="loop")
    mb.MobilityForce(forces, crank, name="motor")
    rocker.set_default_q(1.8)  # an initial guess, which does not close the loop
    return system


if __name__ == "__main__":
    system = four_bar()
    crank, rocker = system.matter.body("crank"), system.matter.body("rocker")
    state = system.realize_topology()

    assembler = mb.Assembler(system, accuracy=1e-8)
    assembler.add(mb.QValue(crank, 0, 0.7))  # selects one of the possible assemblies by the crank's angle
    print(f"as it is described the loop is open by {assembler.error(state):.3f} m")
    state = assembler.assemble(state)
    print(f"assembled: crank {crank.q(state)[0]:.6f} rad, rocker {rocker.q(state)[0]:.6f} rad, open by {assembler.error(state):.0e} m")
    system.realize(state, mb.Stage.DYNAMICS)
    print(system.matter.analyze_constraints(state))

    results = mb.Simulation(system, accuracy=1e-8).run(state, until=1.5, report_every=0.01)
    print(f"after 1.5 s: crank {results['crank.q'][-1]:.6f} rad, rocker {results['rocker.q'][-1]:.6f} rad")

    path = mb.export_fmu(system, "four_bar.fmu", inputs=["motor.force"], outputs=["crank.q", "rocker.q", "loop.multiplier"], state=state)
    print(f"wrote {path}")
