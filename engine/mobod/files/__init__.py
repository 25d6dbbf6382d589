"""Systems from files and to files: model files (JSON), URDF, SDF and MJCF."""

from mobod.files.findings import Finding, ModelFileWarning
from mobod.files.mjcf.mjcf import load_mjcf, read_mjcf
from mobod.files.model.model import load_model, model_schema, save_model
from mobod.files.robot.contact_options import UrdfContact
from mobod.files.robot.robot import Robot
from mobod.files.sdf.sdf import load_sdf, read_sdf
from mobod.files.urdf.urdf import load_urdf, read_urdf

UrdfRobot = Robot
"""The name of a Robot in earlier versions."""

__all__ = [
    "Finding",
    "ModelFileWarning",
    "Robot",
    "UrdfContact",
    "UrdfRobot",
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
