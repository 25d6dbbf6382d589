"""Writes the files of this folder. mobod 0.1.0 has, at commit 34020c6b; other versions write others.

cd tests/reference/data/version_0_1 && python make.py
"""

import zipfile
from pathlib import Path
from unittest import mock

import mobod as mb
from mobod.sweeps.journal import Journal

VALUES = {"upper.q": 0.4, "lower.u": -1.3, "spring.stiffness": 3.75}  # of state.bin and the FMUs
SWEPT = {"spring.stiffness": [2.0, 3.0]}


def swing() -> mb.MultibodySystem:
    system = mb.MultibodySystem("swing")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    inertia = mb.Inertia.cylinder(mass=1.2, radius=0.03, length=0.9, axis="y")
    rod = mb.MassProperties(1.2, [0, -0.45, 0], inertia.shifted([0, -0.45, 0]))
    upper = mb.Pin(matter.ground, rod, name="upper")
    lower = mb.Pin(upper, rod, X_PF=mb.Transform(p=[0, -0.9, 0]), name="lower")
    mb.MobilityForce(forces, upper, name="motor")
    mb.MobilityLinearSpring(forces, lower, stiffness=2.5, q_zero=0.2, name="spring")
    mb.MobilityLinearDamper(forces, lower, damping=0.11, name="damper")
    return system


def main() -> None:
    system = swing()
    state = system.realize_topology()
    for name, value in VALUES.items():
        system.set_value(state, name, value)
    mb.save_model(system, "model.json")
    Path("state.bin").write_bytes(state.to_bytes())
    options = {"inputs": ["motor.force"], "outputs": ["lower.q"], "state": state, "platforms": "host", "reference": False}
    mb.export_fmu(system, "native.fmu", code="interpreted", **options)
    _leave_out("native.fmu", "sources/", "documentation/")
    mb.export_fmu(system, "python.fmu", kind="python", **options)
    _leave_out("python.fmu", "binaries/", "documentation/")

    for name, component in {"fmu": "native.fmu", "system": system}.items():
        network = mb.Network()
        network.add(component, "swing")
        run = mb.Master(network, step=0.01).start()
        run.until(0.2)
        run.checkpoint().save(f"{name}.checkpoint")
    _sweep()


def _sweep() -> None:
    """A sweep that was killed after its last run."""
    with mock.patch.object(Journal, "remove"):
        mb.sweep("native.fmu", SWEPT, until=0.2, processes=1, file="runs.csv")
    Path("runs.csv").unlink()


def _leave_out(fmu: str, *folders: str) -> None:
    """Parts of an FMU that no importer needs, or that are for other machines."""
    with zipfile.ZipFile(fmu) as archive:
        kept = {each: archive.read(each) for each in archive.namelist() if not each.startswith(folders)}
    with zipfile.ZipFile(fmu, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in kept.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main()
