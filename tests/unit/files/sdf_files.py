"""SDF files for tests."""

import warnings
from pathlib import Path

import mobod as mb
from mobod.files import ModelFileWarning

INERTIAL = (
    "<inertial><pose>0.1 -0.05 0.2 0.3 0.2 -0.1</pose><mass>1.5</mass><inertia><ixx>0.03</ixx><iyy>0.04</iyy><izz>0.05</izz>"
    "<ixy>0.002</ixy><ixz>-0.001</ixz><iyz>0.003</iyz></inertia></inertial>"
)


def link(name: str, content: str = "", *, inertial: str = INERTIAL) -> str:
    return f'<link name="{name}">{inertial}{content}</link>'


def joint(name: str, kind: str, parent: str, child: str, content: str = "<axis><xyz>0 0 1</xyz></axis>") -> str:
    return f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{content}</joint>'


def sdf(content: str, version: str = "1.11") -> str:
    return f'<?xml version="1.0"?>\n<sdf version="{version}">\n{content}\n</sdf>\n'


def model(content: str, name: str = "thing", version: str = "1.11") -> str:
    return sdf(f'<model name="{name}">\n{content}\n</model>', version)


def written(folder: Path, text: str, name: str = "thing.sdf") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def loaded(path: Path, *arguments, **options):
    """(System, findings)"""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        system = mb.load_sdf(path, *arguments, **options)
    assert all(isinstance(each.message, ModelFileWarning) for each in caught)
    return system, [finding for each in caught for finding in each.message.findings]


def pose_of(system, name, state=None):
    """The pose in Ground of the body of a joint, at the start."""
    state = system.realize_topology() if state is None else state
    system.realize(state, mb.Stage.POSITION)
    return system.matter.body(name).X_GB(state)
