"""Systems from files and to files: model files (JSON) and URDF."""

from mobod.files.findings import Finding, ModelFileWarning
from mobod.files.model.model import load_model, model_schema, save_model
from mobod.files.urdf.contact import UrdfContact
from mobod.files.urdf.urdf import UrdfRobot, load_urdf, read_urdf

__all__ = ["Finding", "ModelFileWarning", "UrdfContact", "UrdfRobot", "load_model", "load_urdf", "model_schema", "read_urdf", "save_model"]
