"""Two masses on springs, coupled by a spring and a damper that each half computes by itself: four connections, no direct feed-through."""

from pathlib import Path
from typing import Any, Literal

import mobod as mb
from mobod.cosim import Network

HALVES = {"left": (1.0, 0.3), "right": (1.7, -0.2)}  # mass, kg, and displacement at the start, m
INPUTS = ["neighbour.motion.q", "neighbour.motion.u"]
OUTPUTS = ["mass.q", "mass.u"]
CONNECTIONS = [
    (f"{one}.{output}", f"{other}.{target}")
    for one, other in (("left", "right"), ("right", "left"))
    for output, target in zip(OUTPUTS, INPUTS, strict=True)
]


def half(name: str, chain: int = 0) -> mb.MultibodySystem:
    """A mass with a spring to Ground, and a spring and a damper to its neighbour, whose position and velocity are inputs.

    chain  number of links of a pendulum that hangs on it, for more work in each step
    """
    mass, displacement = HALVES[name]
    system = mb.MultibodySystem(name)
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    point = mb.MassProperties.point(mass=mass, p=[0, 0, 0])
    body = mb.Slider(matter.ground, point, name="mass")
    body.set_default_q(displacement)
    neighbour = mb.Slider(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, 0, 0]), name="neighbour")
    mb.InputMotion(neighbour)
    mb.MobilityLinearSpring(forces, body, stiffness=40.0, name="spring")
    mb.TwoPointLinearSpring(forces, body, [0, 1, 0], neighbour, [0, 0, 0], stiffness=90.0, rest_length=0.2, name="coupling")
    mb.TwoPointLinearDamper(forces, body, [0, 1, 0], neighbour, [0, 0, 0], damping=0.4, name="damper")
    link: mb.MobilizedBody = body
    for k in range(chain):
        frame = mb.Transform(p=[0, -0.1, 0]) if k else mb.Transform()
        link = mb.Pin(link, mb.MassProperties.point(mass=0.01, p=[0, -0.1, 0]), frame, name=f"link{k + 1}")
    return system


def export_halves(folder: Path, *, fmi_version: Literal["2.0", "3.0"] = "2.0", chain: int = 0, **options: Any) -> dict[str, Path]:
    """FMUs of both halves."""
    return {
        name: mb.export_fmu(
            half(name, chain), folder / f"{name}.fmu", inputs=INPUTS, outputs=OUTPUTS, fmi_version=fmi_version, reference=False, **options
        )
        for name in HALVES
    }


def network_of(halves: dict[str, Path]) -> Network:
    network = Network()
    for name, path in halves.items():
        network.add(path, name)
    for source, target in CONNECTIONS:
        network.connect(source, target)
    return network
