"""Systems from files and to files: model files (JSON), URDF, SDF and MJCF."""

from typing import Any

from mobod.errors import MobodWarning
from mobod.files.findings import Finding, ModelFileWarning
from mobod.files.mjcf.mjcf import load_mjcf, read_mjcf
from mobod.files.model.model import load_model, model_schema, save_model
from mobod.files.robot.contact_options import UrdfContact
from mobod.files.robot.robot import Robot
from mobod.files.sdf.sdf import load_sdf, read_sdf
from mobod.files.urdf.urdf import load_urdf, read_urdf

_FORMER = {"UrdfRobot": "Robot"}

__all__ = [
    "Finding",
    "ModelFileWarning",
    "Robot",
    "UrdfContact",
    "load_mjcf",
    "load_model",
    "load_sdf",
    "load_urdf",
    "model_schema",
    "read_mjcf",
    "read_sdf",
    "read_urdf",
    "save_model",
]


def __getattr__(name: str) -> Any:
    """A former name, with a warning."""
    if name not in _FORMER:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    MobodWarning.warn(f"'{__name__}.{name}' is now called '{_FORMER[name]}'. The old name will be removed in mobod 0.3.")
    return globals()[_FORMER[name]]
