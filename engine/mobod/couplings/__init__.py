"""Joints given by their constraint wrenches, with coordinates and limits."""

from mobod.couplings.coupling import Coupling
from mobod.couplings.kinds.cylindrical import CylindricalCoupling
from mobod.couplings.kinds.hinge import HingeCoupling
from mobod.couplings.kinds.planar_translation import PlanarTranslationCoupling
from mobod.couplings.kinds.slider import SliderCoupling
from mobod.couplings.kinds.slotted_hinge import SlottedHingeCoupling
from mobod.couplings.kinds.solid import SolidCoupling
from mobod.couplings.records import BILATERAL, LINEAR, ROTARY, ConstraintFlag, CouplingConstraint, CouplingCoordinate

__all__ = [
    "BILATERAL",
    "LINEAR",
    "ROTARY",
    "ConstraintFlag",
    "Coupling",
    "CouplingConstraint",
    "CouplingCoordinate",
    "CylindricalCoupling",
    "HingeCoupling",
    "PlanarTranslationCoupling",
    "SliderCoupling",
    "SlottedHingeCoupling",
    "SolidCoupling",
]
