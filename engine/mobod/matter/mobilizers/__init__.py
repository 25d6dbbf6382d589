"""One file for each kind of mobilizer: its equations, and the mobilized body that has them."""

from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.matter.mobilizers.ball import Ball
from mobod.matter.mobilizers.bend_stretch import BendStretch
from mobod.matter.mobilizers.bushing import Bushing
from mobod.matter.mobilizers.custom import CustomEquations, CustomMobilizer
from mobod.matter.mobilizers.cylinder import Cylinder
from mobod.matter.mobilizers.ellipsoid import Ellipsoid
from mobod.matter.mobilizers.free import Free
from mobod.matter.mobilizers.free_line import FreeLine
from mobod.matter.mobilizers.function_based import FunctionBased
from mobod.matter.mobilizers.gimbal import Gimbal
from mobod.matter.mobilizers.line_orientation import LineOrientation
from mobod.matter.mobilizers.pin import Pin
from mobod.matter.mobilizers.planar import Planar
from mobod.matter.mobilizers.screw import Screw
from mobod.matter.mobilizers.slider import Slider
from mobod.matter.mobilizers.spherical_coords import SphericalCoords
from mobod.matter.mobilizers.translation import Translation
from mobod.matter.mobilizers.universal import Universal
from mobod.matter.mobilizers.weld import Weld

__all__ = [
    "Ball",
    "BendStretch",
    "Bushing",
    "CustomEquations",
    "CustomMobilizer",
    "Cylinder",
    "Ellipsoid",
    "Free",
    "FreeLine",
    "FunctionBased",
    "Gimbal",
    "LineOrientation",
    "MobilizerEquations",
    "Pin",
    "Planar",
    "Screw",
    "Slider",
    "SphericalCoords",
    "Translation",
    "Universal",
    "Weld",
]
