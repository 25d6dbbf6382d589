"""Models of all kinds that pages run: name -> a function that returns (system, state, options of Simulation)."""

import runpy
from pathlib import Path

import numpy as np

import mobod as mb
from tests.analytic.scenes_of_shapes import box_on_box
from tests.unit.simulate.test_called_back import with_handlers
from tests.unit.simulate.test_stepped_run import hinge

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def example(file, function):
    system = runpy.run_path(str(EXAMPLES / file))[function]()
    return system, system.realize_topology(), {}


def double_pendulum():
    return example("01_double_pendulum.py", "double_pendulum")


def arm():
    """That of the example, which falls onto its limits."""
    system = mb.load_urdf(EXAMPLES / "arm.urdf")
    return system, system.realize_topology(), {}


def slotted_hinge():
    return example("13_joint_with_limits.py", "custom_joint_demo")


def bouncing_ball():
    system = mb.MultibodySystem("bouncing ball")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[-1, 0, 0], name="gravity")
    ball = mb.Slider(matter.ground, mb.MassProperties(0.5, [0, 0, 0], mb.Inertia.sphere(mass=0.5, radius=0.1)), name="ball")
    ball.set_limits(0.0, np.inf, restitution=0.7)
    ball.set_default_q(0.4)
    return system, system.realize_topology(), {}


def four_bar():
    system, state, _ = example("04_four_bar.py", "four_bar")
    assembler = mb.Assembler(system, accuracy=1e-8)
    assembler.add(mb.QValue(system.matter.body("crank"), 0, 0.7))
    return system, assembler.assemble(state), {"accuracy": 1e-8}


def handlers():
    return *with_handlers(True), {}


def stiff():
    """A pendulum with a stiff damper: steps become implicit."""
    system, *_ = double_pendulum()
    mb.MobilityLinearDamper(mb.ForceSubsystem(system, "brakes"), system.matter.body("lower"), damping=1e5, name="brake")
    return system, system.realize_topology(), {}


def free_body():
    """A spinning top without gravity: quaternions."""
    system = mb.MultibodySystem("top")
    matter = mb.MatterSubsystem(system)
    mb.ForceSubsystem(system)
    top = mb.Free(matter.ground, mb.MassProperties(2.0, [0, 0, 0], mb.Inertia.box(mass=2.0, size=[0.1, 0.2, 0.3])), name="top")
    state = system.realize_topology()
    top.set_u(state, [0.1, 5.0, 0.01, 0.0, 0.0, 0.2])
    return system, state, {}


def fixed_steps():
    return *double_pendulum()[:2], {"integrator": "RK4", "step": 0.003}


def velocity_level():
    return *hinge(start=-0.35)[:2], {"integrator": "velocity_level", "step": 0.002}


def boxes():
    """A box that falls on another one, whose points of contact are decided once a step."""
    scene, state = box_on_box(gap=0.05)
    scene.bodies[0].set_u(state, [1.0, 2.0, 0.5, 0.2, 0.0, -1.0])
    return scene.system, state, {"integrator": "velocity_level", "step": 0.005}


CASES = {
    each.__name__: each
    for each in (
        double_pendulum,
        arm,
        slotted_hinge,
        bouncing_ball,
        four_bar,
        handlers,
        stiff,
        free_body,
        fixed_steps,
        velocity_level,
        boxes,
    )
}
