"""Systems with compliant limits, regions and loops."""

import numpy as np

import mobod as mb
from mobod.spatial import from_body_xyz

MASS = mb.MassProperties(1.3, [0.1, -0.05, 0.2], mb.Inertia.box(mass=1.3, size=[0.3, 0.4, 0.5]).shifted([0.1, -0.05, 0.2]))


def soft_slider(*, mass=2.0, force=-5.0, compliance=1e-3, damping=3.0, speed=-1.0):
    """A slider that is pushed against a stop at -0.5 m: (system, slider, state)."""
    system = mb.MultibodySystem("soft_slider")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    slider = mb.Slider(matter.ground, mb.MassProperties(mass, [0, 0, 0], np.eye(3)), name="slider")
    slider.set_limits(-0.5, 0.5, compliance=compliance, damping=damping)
    mb.MobilityConstantForce(forces, slider, force=force)
    state = system.realize_topology()
    slider.set_q(state, -0.45)
    slider.set_u(state, speed)
    return system, slider, state


def soft_hinge(params, compliance, damping, *, restitution_of_lower=0.0):
    """A rod that falls from the horizontal on a compliant stop; its lower limit is far: (system, joint)."""
    system = mb.MultibodySystem("soft_hinge")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 1, 0], magnitude=params["g"])
    rod = mb.MassProperties(2.0, [0.5, 0, 0], np.diag([0.01, 0.7, 0.7]))
    coupling = mb.HingeCoupling((-1.0, params["theta_max"]))
    coupling.constraint(5).compliance, coupling.constraint(5).damping = compliance, damping
    return system, mb.CouplingJoint(coupling, rod, matter.ground, name="hinge", restitution=restitution_of_lower)


class CornersOverPlanes(mb.ConstraintEquations):
    """Heights of a point of each of two bodies over the floor, and of the second one's over a wall."""

    @property
    def position_units(self):
        return ("m", "m", "m")

    def position_errors(self, motion):
        _, box, tip = motion.X
        corner, other = box.p + box.R @ np.array([0.2, 0.1, -0.3]), tip.p + tip.R @ np.array([0.1, 0.3, -0.2])
        return np.array([corner[2], other[2], 1.4 + other[0] - 0.2 * other[1]])


def soft_hinge_coupling(compliances, dampings, limits=(-0.6, 0.4)):
    coupling = mb.HingeCoupling(limits)
    for constraint, C, D in zip(coupling.constraints, compliances, dampings, strict=True):
        constraint.compliance, constraint.damping = C, D
    return coupling


def soft_linkage(*, damping=1.0, gravity=9.8, rigid=True):
    """Two free bodies and one on a pin: (system, state).

    A hinge closes a loop by three compliant constraints and, if `rigid`, two rigid ones. Its limits are compliant, and so are those of the
    pin and two of three planes.
    """
    system = mb.MultibodySystem("soft_linkage")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0.1, 0.2, -1], magnitude=gravity)
    box, tip = mb.Free(matter.ground, MASS, name="box"), mb.Free(matter.ground, MASS, name="tip")
    arm = mb.Pin(tip, MASS, X_PF=mb.Transform(from_body_xyz([0.2, 0.1, 0]), [0, 0.3, 0.1]), name="arm")
    arm.set_limits(-0.2, 0.3, compliance=4e-3, damping=0.05 * damping)
    of_rigid = 0.0 if rigid else 3e-3
    coupling = soft_hinge_coupling(
        [1e-3, of_rigid, 2e-3, of_rigid, 5e-3, 2e-3], [3.0 * damping, 2.0 * damping, 0.0, damping, 0.4 * damping, 0.1 * damping]
    )
    frame = mb.Transform(from_body_xyz([0.3, -0.2, 0.5]), [0.2, 0.1, 0.6])
    mb.CouplingJoint(coupling, tip, box, X_AC=mb.Transform(p=[-0.2, 0.0, 0.1]), X_BD=frame, name="hinge")
    planes = CornersOverPlanes()
    mb.UnilateralConstraint(
        planes,
        bodies=[matter.ground, box, tip],
        restitution=0.2 if rigid else 0.0,
        compliance=[2e-4, 0.0 if rigid else 5e-4, 1e-3],
        damping=[40.0 * damping, 0.0, 0.0],
        name="corners",
    )
    state = system.realize_topology()
    box.set_q_to_fit_transform(state, mb.Transform(from_body_xyz([0.2, 0.1, -0.3]), [0.2, 0.1, 0.55]))
    system.realize(state, mb.Stage.POSITION)
    X_GC = box.X_GB(state) @ frame
    shifted = mb.Transform(p=[0.01, 0.0 if rigid else 0.02, -0.015])
    tip.set_q_to_fit_transform(state, X_GC @ shifted @ mb.Transform(p=[0.2, 0.0, -0.1]))
    box.set_u(state, [0.4, -0.3, 0.9, 0.2, 0.1, -1.4])
    arm.set_q(state, 0.25)
    arm.set_u(state, 0.6)
    return system, state
