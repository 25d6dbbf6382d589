"""Scenes: a System as shapes and as programs that place them, for viewers; and drawings of it."""

from mobod.scene.build import make_scene
from mobod.scene.scene import Scene

__all__ = ["Scene", "make_scene"]
