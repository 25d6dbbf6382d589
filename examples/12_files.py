"""Load an arm from a URDF file, simulate it, save it as a model file, and get the same motion from the saved model."""

from pathlib import Path

import mobod as mb

ARM = Path(__file__).parent / "arm.urdf"


def arm() -> mb.MultibodySystem:
    """Each joint of the file becomes a mobilized body of the same name, with a motor, a damper and limits."""
    system = mb.load_urdf(ARM)
    system.matter.body("shoulder_lift").set_default_q(0.6)
    system.matter.body("elbow").set_default_q(0.9)
    return system


if __name__ == "__main__":
    system = arm()
    for joint in mb.read_urdf(ARM).joints.values():
        limits = f", from {joint.limits.lower} to {joint.limits.upper} rad" if joint.limits else ""
        print(f"{joint.name}: {joint.kind}, {joint.parent} -> {joint.child}{limits}")

    state = system.realize_topology()
    system.set_value(state, "elbow_motor.force", -20.0)  # N m
    tool = system.matter.body("tool_mount")
    end = mb.Simulation(system, accuracy=1e-8).run(state, until=0.5).final_state
    system.realize(end, mb.Stage.POSITION)
    print("the tool is at", tool.X_GB(end).p.round(6), "m")

    path = mb.save_model(system, "arm.json")
    again = mb.load_model(path)
    state = again.realize_topology()
    again.set_value(state, "elbow_motor.force", -20.0)
    same = mb.Simulation(again, accuracy=1e-8).run(state, until=0.5).final_state
    print(f"from {path} the motion is the same to the last bit: {same.y.tobytes() == end.y.tobytes()}")
