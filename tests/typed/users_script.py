"""A user's script: a pendulum that is built, simulated, driven step by step, linearised, swept, tabulated and exported.

mypy --strict and pyright accept it, and it runs: tests/unit/test_users_script.py.
"""

from pathlib import Path

import numpy as np

import mobod as mb


def build(length: float) -> mb.MultibodySystem:
    system = mb.MultibodySystem("pendulum")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    arm = mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, -length, 0]), name="arm")
    arm.set_default_q(0.5)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    motor = mb.MobilityForce(forces, arm, force=0.1, name="motor")
    motor.set_default_force(0.2)
    table = mb.functions.Spline.fit([-1.0, 0.0, 1.0], [-2.0, 0.0, 3.0], degree=1, outside="continue")
    mb.MobilityTableSpring(forces, arm, table, scale=0.5, name="spring")
    mb.PeriodicEventHandler.of(system, 0.5, lambda state, event: arm.set_u(state, 0.9 * arm.u(state)), name="brake")
    return system


def main(folder: Path) -> None:
    system = build(0.7)
    state = system.realize_topology()
    arm = system.matter.body("arm")
    arm.set_u(state, 1.0)
    system.realize(state, mb.Stage.ACCELERATION)
    print(float(arm.u_dot(state)[0]), arm.X_GB(state).p, system.matter.body("ground").name)
    simulation = mb.Simulation(system, accuracy=1e-8, integrator="DOP853", backend="interpreted")
    results = simulation.run(state, until=1.0, report_every=0.01, progress=True)
    angle: np.ndarray = results["arm.q"]
    print(angle.max(), results.final_state.time, [event.name for event in results.events])
    table = results.table("arm.q", "energy")
    table.to_csv(folder / "run.csv")
    for name in table:
        print(name, table[name].mean(), table.units.get(name, ""))
    run = simulation.start(state)
    while run.time < 0.1:
        run.set("motor.force", 0.3 * run["arm.q"])
        run.step(0.01)
    model = system.linearize(state, inputs=["motor.force"], outputs=["arm.q"])
    print(np.linalg.eigvals(model.A), model.outputs)
    sweep = mb.sweep(system, {"spring.scale": [0.5, 1.0]}, until=0.1, processes=1, progress=lambda done, total: print(done, total))
    print(sweep["arm.q"], sweep.failed)
    path = mb.export_fmu(system, folder / "pendulum.fmu", inputs=["motor.force"], outputs=["arm.q"], code="interpreted", state=state)
    print(path.name)


if __name__ == "__main__":
    main(Path.cwd())
