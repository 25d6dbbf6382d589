"""Joints given by their constraint wrenches, with coordinates and limits."""

from mobod.couplings.coupling import Coupling
from mobod.couplings.coupling_joint import CouplingJoint
from mobod.couplings.coupling_loop import CouplingLoop
from mobod.couplings.coupling_mobilizer import CouplingMobilizer
from mobod.couplings.kinds.cylindrical import CylindricalCoupling
from mobod.couplings.kinds.ellipsoid import Ellipsoid3dCoupling, EllipsoidCoupling
from mobod.couplings.kinds.fixed_axis import FixedAxisCoupling
from mobod.couplings.kinds.free import FreeCoupling
from mobod.couplings.kinds.gimbal import GimbalCoupling
from mobod.couplings.kinds.hinge import HingeCoupling
from mobod.couplings.kinds.planar import PlanarCoupling
from mobod.couplings.kinds.planar_translation import PlanarTranslationCoupling
from mobod.couplings.kinds.plane_connector import PlaneConnectorCoupling
from mobod.couplings.kinds.slider import SliderCoupling
from mobod.couplings.kinds.slotted_hinge import SlottedHingeCoupling
from mobod.couplings.kinds.solid import SolidCoupling
from mobod.couplings.kinds.spherical import SphericalCoupling
from mobod.couplings.kinds.universal import SkewedUniversalCoupling, UniversalCoupling
from mobod.couplings.records import BILATERAL, LINEAR, ROTARY, ConstraintFlag, CouplingConstraint, CouplingCoordinate

__all__ = [
    "BILATERAL",
    "LINEAR",
    "ROTARY",
    "ConstraintFlag",
    "Coupling",
    "CouplingConstraint",
    "CouplingCoordinate",
    "CouplingJoint",
    "CouplingLoop",
    "CouplingMobilizer",
    "CylindricalCoupling",
    "Ellipsoid3dCoupling",
    "EllipsoidCoupling",
    "FixedAxisCoupling",
    "FreeCoupling",
    "GimbalCoupling",
    "HingeCoupling",
    "PlanarCoupling",
    "PlanarTranslationCoupling",
    "PlaneConnectorCoupling",
    "SkewedUniversalCoupling",
    "SliderCoupling",
    "SlottedHingeCoupling",
    "SolidCoupling",
    "SphericalCoupling",
    "UniversalCoupling",
]
