"""Export a double pendulum with a motor as an FMU, and check the file."""

import fmpy
from fmpy.validation import validate_fmu

import mobod as mb


def driven_pendulum() -> mb.MultibodySystem:
    """Two rods of 1 kg and 1 m; a motor and friction in the shoulder, a spring in the elbow."""
    system = mb.MultibodySystem("driven_pendulum")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.80665, name="gravity")

    inertia = mb.Inertia.cylinder(mass=1.0, radius=0.02, length=1.0, axis="y").shifted([0, -0.5, 0])  # about the body origin
    rod = mb.RigidBody(mb.MassProperties(mass=1.0, com=[0, -0.5, 0], inertia=inertia))
    shoulder = mb.Pin(matter.ground, rod, name="shoulder")
    elbow = mb.Pin(shoulder, rod, X_PF=mb.Transform(p=[0, -1, 0]), name="elbow")

    mb.MobilityForce(forces, shoulder, name="motor")
    mb.MobilityLinearDamper(forces, shoulder, damping=0.3, name="friction")
    mb.MobilityLinearSpring(forces, elbow, stiffness=20.0, name="spring")
    return system


if __name__ == "__main__":
    system = driven_pendulum()
    state = system.realize_topology()
    system.matter.body("shoulder").set_q(state, 0.4)  # the default initial angle of the FMU

    path = mb.export_fmu(
        system,
        "driven_pendulum.fmu",
        inputs=["motor.force"],
        outputs=["shoulder.q", "elbow.q", "elbow.p_GB", "energy"],
        state=state,
    )

    problems = validate_fmu(str(path))
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB, problems found by fmpy: {len(problems)}")
    description = fmpy.read_model_description(str(path))
    for causality in ("input", "output", "parameter"):
        names = [variable.name for variable in description.modelVariables if variable.causality == causality]
        print(f"{causality}s: {', '.join(names)}")
