"""Two bodies that are rigidly joined, each a component: benchmark of zero stability, an algebraic loop of the gain -m2/m1."""

import mobod as mb
from mobod.cosim import Network, PythonComponent, Signal

PUSH = 3.0  # N


def slider(name, mass):
    """A body on a line: 'first' is pushed and takes a load, 'second' is moved and gives its load."""
    matter = mb.MatterSubsystem(mb.MultibodySystem(name))
    forces = mb.ForceSubsystem(matter.system)
    body = mb.Slider(matter.ground, mb.MassProperties.point(mass=mass, p=[0, 0, 0]), name="body")
    if name == "first":
        mb.MobilityForce(forces, body, name="push")
        mb.MobilityForce(forces, body, name="load")
    else:
        mb.InputMotion(body, level="acceleration")
    return matter.system


def joined(masses, kind="System", folder=None, **options):
    """The network. kind: of both, 'System', 'function', '2.0' or '3.0' for FMUs, '2.0 ME' or '3.0 ME' for model exchange"""
    network = Network()
    if kind == "function":
        mass, push = {"mass": Signal(start=1.0, unit="kg")}, Signal(start=PUSH, unit="N")
        inputs = {"push": push, "load": "N"}
        first = PythonComponent(lambda t, v: (v["push"] + v["load"]) / v["mass"], inputs=inputs, outputs={"a": "m/s2"}, parameters=mass)
        second = PythonComponent(lambda t, v: -v["mass"] * v["a"], inputs={"a": "m/s2"}, outputs={"load": "N"}, parameters=mass)
        network.add(first, "first", start={"mass": masses[0]})
        network.add(second, "second", start={"mass": masses[1]})
        network.connect("first.a", "second.a", **options)
        network.connect("second.load", "first.load")
        return network
    variables = {"first": (["push.force", "load.force"], ["body.a_GB", "body.u"]), "second": (["body.motion.u_dot"], ["body.motion.load"])}
    for name, mass in zip(("first", "second"), masses, strict=True):
        what = slider(name, mass)
        interface = "model-exchange" if kind.endswith(" ME") else None
        if kind != "System":
            inputs, outputs = variables[name]
            version = kind.removesuffix(" ME")
            what = mb.export_fmu(what, folder / f"{name} {mass} {version}.fmu", inputs=inputs, outputs=outputs, fmi_version=version)
        network.add(what, name, start={"push.force": PUSH} if name == "first" else None, interface=interface)
    network.connect("first.body.a_GB[1]", "second.body.motion.u_dot", **options)
    network.connect("second.body.motion.load", "first.load.force")
    return network
