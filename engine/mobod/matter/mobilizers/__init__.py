"""One file for each kind of mobilizer: its equations, and the mobilized body that has them."""

from mobod.matter.equations import MobilizerEquations
from mobod.matter.mobilizers.free import Free
from mobod.matter.mobilizers.pin import Pin
from mobod.matter.mobilizers.screw import Screw
from mobod.matter.mobilizers.slider import Slider
from mobod.matter.mobilizers.weld import Weld

__all__ = ["Free", "MobilizerEquations", "Pin", "Screw", "Slider", "Weld"]
