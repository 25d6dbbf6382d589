"""Systems from files: URDF."""

from mobod.files.urdf import UrdfRobot, load_urdf, read_urdf
from mobod.files.xml_source import ModelFileWarning

__all__ = ["ModelFileWarning", "UrdfRobot", "load_urdf", "read_urdf"]
