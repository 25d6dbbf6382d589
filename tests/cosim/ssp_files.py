"""SSP archives written by hand, and the FMUs in them."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

import mobod as mb
from mobod.cosim import Network

NAMES = {
    "ssc": "SystemStructureCommon",
    "ssd": "SystemStructureDescription",
    "ssv": "SystemStructureParameterValues",
    "ssm": "SystemStructureParameterMapping",
    "ssb": "SystemStructureSignalDictionary",
}
SPACES = " ".join(f'xmlns:{prefix}="http://ssp-standard.org/SSP1/{name}"' for prefix, name in NAMES.items())


def ssd(system: str, rest: str = "", version: str = "1.0") -> str:
    return (
        f'<ssd:SystemStructureDescription {SPACES} name="by hand" version="{version}"><ssd:System name="root">{system}</ssd:System>{rest}'
        "</ssd:SystemStructureDescription>"
    )


def connectors(**kinds: str) -> str:
    """input="x in mm": a real connector 'input' with the name and, if there is one, the unit."""
    listed = []
    for kind, names in kinds.items():
        for each in names.split(", "):
            name, _, unit = each.partition(" in ")
            unit = f' unit="{unit}"' if unit else ""
            listed.append(f'<ssd:Connector name="{name}" kind="{kind}"><ssc:Real{unit}/></ssd:Connector>')
    return f"<ssd:Connectors>{''.join(listed)}</ssd:Connectors>"


def component(name: str, source: str, content: str = "") -> str:
    return f'<ssd:Component name="{name}" source="{source}">{content}</ssd:Component>'


def system(name: str, content: str) -> str:
    return f'<ssd:System name="{name}">{content}</ssd:System>'


def elements(*listed: str) -> str:
    return f"<ssd:Elements>{''.join(listed)}</ssd:Elements>"


def connection(start: str, end: str, content: str = "", attributes: str = "") -> str:
    """start, end: 'element.connector', where the element's name ends at the first dot, or a connector of the system"""
    ends = []
    for side, text in (("start", start), ("end", end)):
        element, dot, name = text.partition(".") if "." in text else ("", "", text)
        ends.append((f'{side}Element="{element}" ' if dot else "") + f'{side}Connector="{name}"')
    return f"<ssd:Connection {' '.join(ends)} {attributes}>{content}</ssd:Connection>"


def connections(*listed: str) -> str:
    return f"<ssd:Connections>{''.join(listed)}</ssd:Connections>"


def linear(factor: float, offset: float = 0.0) -> str:
    return f'<ssc:LinearTransformation factor="{factor}" offset="{offset}"/>'


def parameter_set(parameters: str, name: str = "set", version: str = "1.0", rest: str = "") -> str:
    return (
        f'<ssv:ParameterSet {SPACES} version="{version}" name="{name}"><ssv:Parameters>{parameters}</ssv:Parameters>{rest}'
        "</ssv:ParameterSet>"
    )


def parameter(name: str, kind: str, **attributes: object) -> str:
    listed = " ".join(f'{attribute}="{value}"' for attribute, value in attributes.items())
    return f'<ssv:Parameter name="{name}"><ssv:{kind} {listed}/></ssv:Parameter>'


def bindings(*listed: str) -> str:
    return f"<ssd:ParameterBindings>{''.join(listed)}</ssd:ParameterBindings>"


def inline(parameters: str, attributes: str = "", mapping: str = "", rest: str = "") -> str:
    """A binding of a set within the file."""
    mapped = f"<ssd:ParameterMapping>{mapping}</ssd:ParameterMapping>" if mapping else ""
    values = f"<ssd:ParameterValues>{parameter_set(parameters, rest=rest)}</ssd:ParameterValues>"
    return f"<ssd:ParameterBinding {attributes}>{values}{mapped}</ssd:ParameterBinding>"


def units(prefix: str = "ssd", **definitions: str) -> str:
    """mm='m="1" factor="0.001"'"""
    listed = "".join(f'<ssc:Unit name="{name}"><ssc:BaseUnit {base}/></ssc:Unit>' for name, base in definitions.items())
    return f"<{prefix}:Units>{listed}</{prefix}:Units>"


def write_ssp(path: Path, structure: str, files: Mapping[str, str | bytes | Path] | None = None) -> Path:
    """files: texts, bytes, or files to copy, by their names in the archive"""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("SystemStructure.ssd", structure)
        for name, content in (files or {}).items():
            archive.writestr(name, content.read_bytes() if isinstance(content, Path) else content)
    return path


def cart(name: str = "cart") -> mb.MultibodySystem:
    """A mass of 2 kg with a spring and a motor."""
    matter = mb.MatterSubsystem(mb.MultibodySystem(name))
    forces = mb.ForceSubsystem(matter.system)
    mass = mb.Slider(matter.ground, mb.MassProperties.point(mass=2.0, p=[0, 0, 0]), name="mass")
    mb.MobilityForce(forces, mass, name="motor")
    mb.MobilityLinearSpring(forces, mass, stiffness=40.0, name="spring")
    return matter.system


def export_cart(path: Path) -> Path:
    return mb.export_fmu(
        cart(),
        path,
        inputs=["motor.force"],
        outputs=["mass.q", "mass.u"],
        integrator="RK4",
        step=1e-3,
        reference=False,
        code="interpreted",
    )


def _arm(name: str, mass: float) -> mb.MultibodySystem:
    """An arm on a pin, pulled by a spring and a damper to another arm whose motion is an input, with a motor."""
    matter = mb.MatterSubsystem(mb.MultibodySystem(name))
    forces = mb.ForceSubsystem(matter.system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    arm = mb.Pin(matter.ground, mb.MassProperties.point(mass=mass, p=[0, -0.7, 0]), name="arm")
    other = mb.Pin(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, -0.7, 0]), name="other")
    mb.InputMotion(other)
    mb.MobilityForce(forces, arm, name="motor")
    mb.TwoPointLinearSpring(forces, arm, [0, -0.7, 0], other, [0.2, -0.7, 0], stiffness=30.0, rest_length=0.1, name="spring")
    mb.TwoPointLinearDamper(forces, arm, [0, -0.7, 0], other, [0.2, -0.7, 0], damping=0.9, name="damper")
    return matter.system


def controlled_pendulum(folder: Path, step: float) -> Network:
    """A pendulum, an FMU; a controller with an arm of its own that is coupled to it, a System; and the noise of its sensor, a CSV file."""
    pendulum = mb.export_fmu(
        _arm("pendulum", 1.3),
        folder / "pendulum.fmu",
        inputs=["other.motion.q", "other.motion.u"],
        outputs=["arm.q", "arm.u"],
        integrator="RK4",
        step=step,
        reference=False,
        code="interpreted",
    )
    time = np.linspace(0.0, 1.0, 51)
    rows = zip(time.tolist(), (0.2 * np.sin(40 * time) + time).tolist(), strict=True)
    (folder / "noise.csv").write_text("time,torque\n" + "".join(f"{t!r},{torque!r}\n" for t, torque in rows))
    network = Network()
    network.add(pendulum, "pendulum", start={"arm.q_start": 0.4})
    controller = mb.Simulation(_arm("controller", 0.8), integrator="RK4", step=step, backend="interpreted")
    network.add(controller, "controller", start={"spring.stiffness": 24.0, "arm.q": -0.1}, outputs=["arm.q", "arm.u"])
    network.add(folder / "noise.csv", "noise")
    for one, other in (("pendulum", "controller"), ("controller", "pendulum")):
        for each in "qu":
            network.connect(f"{one}.arm.{each}", f"{other}.other.motion.{each}")
    network.connect("noise.torque", "controller.motor.force", gain=0.5, offset=-0.1)
    return network
