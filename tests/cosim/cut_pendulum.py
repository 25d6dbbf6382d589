"""A double pendulum that is cut at its elbow, with halves of any kind: FMUs of FMI 2.0 and 3.0, for model exchange too, and Systems."""

import numpy as np

import mobod as mb
from mobod.cosim import Component, Master, Network

END = mb.Transform(p=[0, -1, 0])
MOTION = {"elbow.p_GF": "elbow.motion.q", "elbow.v_GF": "elbow.motion.u", "elbow.a_GF": "elbow.motion.u_dot"}


def rod(mass):
    return mb.MassProperties(mass, [0, -0.5, 0], mb.Inertia.cylinder(mass=mass, radius=0.02, length=1.0, axis="y").shifted([0, -0.5, 0]))


def half(name, masses=(10.0, 1.0)):
    """The upper or the lower half of a double pendulum that is cut at its elbow, or the 'whole' one."""
    matter = mb.MatterSubsystem(mb.MultibodySystem(name))
    mb.Gravity(mb.ForceSubsystem(matter.system), matter, down=[0, -1, 0], magnitude=9.8, name="gravity")
    if name != "lower":
        upper = mb.Pin(matter.ground, rod(masses[0]), name="upper")
        upper.set_default_q(1.0)
    if name == "upper":
        mb.Port(upper, END, name="elbow")
    elif name == "whole":
        mb.Pin(upper, rod(masses[1]), END, name="lower").set_default_q(-1.4)
    else:
        elbow = mb.Translation(matter.ground, mb.MassProperties(0, [0, 0, 0], np.zeros((3, 3))), name="elbow")
        mb.InputMotion(elbow)
        mb.Pin(elbow, rod(masses[1]), name="lower").set_default_q(-0.4)
    return matter.system


OUTPUTS = {"upper": ["upper.q", *MOTION], "lower": ["lower.q", "elbow.motion.load"]}


def make_halves(folder):
    """The halves by kind: '2.0' and '3.0' are FMUs, 'System' is a System."""
    made = {}
    for name, inputs in (("upper", ["elbow.force"]), ("lower", list(MOTION.values()))):
        made["System", name] = half(name)
        for version in ("2.0", "3.0"):
            path = folder / f"{name}_{version}.fmu"
            made[version, name] = mb.export_fmu(half(name), path, inputs=inputs, outputs=OUTPUTS[name], fmi_version=version)
    return made


def add(network, halves, kind, name, component=None) -> Component:
    """Add a half, of one of the kinds of make_halves, or '2.0 ME' and '3.0 ME' for model exchange."""
    interface = "model-exchange" if kind.endswith(" ME") else None
    return network.add(halves[kind.removesuffix(" ME"), name], component or name, interface=interface)


def pendulum(halves, upper, lower, *, has_loop=True, step=0.01, **options):
    """The two halves, connected. has_loop: whether the lower one follows the acceleration of the upper one, on which its load depends"""
    network = Network()
    add(network, halves, upper, "upper")
    add(network, halves, lower, "lower")
    for output, follower in MOTION.items() if has_loop else list(MOTION.items())[:2]:
        network.connect_vectors(f"upper.{output}", f"lower.{follower}")
    network.connect_vectors("lower.elbow.motion.load", "upper.elbow.force")
    return Master(network, step=step, tolerance=1e-9, **options)


RECORDED = ["upper.upper.q", "lower.lower.q", "upper.elbow.p_GF", "lower.elbow.motion.load"]
