"""One file for each kind of mobilizer: its equations, and the mobilized body that has them."""

from mobod.matter.mobilizers.ball import Ball as Ball
from mobod.matter.mobilizers.bend_stretch import BendStretch as BendStretch
from mobod.matter.mobilizers.bushing import Bushing as Bushing
from mobod.matter.mobilizers.custom import CustomEquations as CustomEquations
from mobod.matter.mobilizers.custom import CustomMobilizer as CustomMobilizer
from mobod.matter.mobilizers.cylinder import Cylinder as Cylinder
from mobod.matter.mobilizers.ellipsoid import Ellipsoid as Ellipsoid
from mobod.matter.mobilizers.free import Free as Free
from mobod.matter.mobilizers.free_line import FreeLine as FreeLine
from mobod.matter.mobilizers.function_based import FunctionBased as FunctionBased
from mobod.matter.mobilizers.gimbal import Gimbal as Gimbal
from mobod.matter.mobilizers.line_orientation import LineOrientation as LineOrientation
from mobod.matter.mobilizers.pin import Pin as Pin
from mobod.matter.mobilizers.planar import Planar as Planar
from mobod.matter.mobilizers.screw import Screw as Screw
from mobod.matter.mobilizers.slider import Slider as Slider
from mobod.matter.mobilizers.spherical_coords import SphericalCoords as SphericalCoords
from mobod.matter.mobilizers.translation import Translation as Translation
from mobod.matter.mobilizers.universal import Universal as Universal
from mobod.matter.mobilizers.weld import Weld as Weld
