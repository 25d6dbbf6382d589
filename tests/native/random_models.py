"""Interpreted FMUs of small models, which the drivers of random calls load."""

import re
import zipfile
from importlib.resources import files

import mobod as mb
from mobod.native_sources import runtime_sources
from mobod.runtime.compiler import build_library
from tests.native.test_flipped_states import body, contacts, everything


def rod_and_limit():
    """An active rod between a ball and a pin, and a limit that the pin hits at once."""
    system = mb.MultibodySystem("rod and limit")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    pin = body("pin", matter.ground, mb.Pin)
    pin.set_limits(-0.2, 0.1, 0.5)
    ball = body("ball", matter.ground, mb.Ball)
    mb.Rod(pin, [0.3, 0, 0], ball, [0.1, 0.2, 0], 0.28, name="rod")
    state = system.realize_topology()
    pin.set_u(state, 1.0)
    return system, state


def plain():
    """A pin and a slider that spring and damping drive, and no events: a step that fails restores fewer numbers."""
    system = mb.MultibodySystem("plain")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    pin = body("pin", matter.ground, mb.Pin)
    slider = body("slider", pin, mb.Slider)
    mb.MobilityLinearSpring(forces, slider, stiffness=4000.0, name="spring")
    return system, system.realize_topology()


def fmus_for_calls(folder):
    """Arguments of calls_driver: version, folder of resources and token of each FMU; and a library with the functions of both versions."""
    arguments = []
    fixed = {"integrator": "velocity_level", "step": 0.01}
    models = [("everything", everything, {}), ("rod", rod_and_limit, {}), ("plain", plain, {}), ("fixed", contacts, fixed)]
    for version in ("2.0", "3.0"):
        for name, make, options in models:
            system, state = make()
            unpacked = folder / f"{name} {version}"
            inputs = ["gravity.magnitude"]
            fmu = mb.export_fmu(
                system,
                folder / f"{name}.fmu",
                fmi_version=version,
                inputs=inputs,
                outputs=["energy"],
                state=state,
                code="interpreted",
                **options,
            )
            zipfile.ZipFile(fmu).extractall(unpacked)
            token = re.search('(?:guid|instantiationToken)="(.*?)"', (unpacked / "modelDescription.xml").read_text()).group(1)
            resources = unpacked / "resources"
            arguments += [version[0], resources.as_uri() if version == "2.0" else f"{resources}/", token]
    headers = files("fmpy") / "c-code"
    return arguments, build_library("both_versions", runtime_sources("interpreted"), include_directories=[headers])
