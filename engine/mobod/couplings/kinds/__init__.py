"""One file for each kind of coupling."""

from mobod.couplings.kinds.cylindrical import CylindricalCoupling as CylindricalCoupling
from mobod.couplings.kinds.ellipsoid import Ellipsoid3dCoupling as Ellipsoid3dCoupling
from mobod.couplings.kinds.ellipsoid import EllipsoidCoupling as EllipsoidCoupling
from mobod.couplings.kinds.fixed_axis import FixedAxisCoupling as FixedAxisCoupling
from mobod.couplings.kinds.free import FreeCoupling as FreeCoupling
from mobod.couplings.kinds.gimbal import GimbalCoupling as GimbalCoupling
from mobod.couplings.kinds.hinge import HingeCoupling as HingeCoupling
from mobod.couplings.kinds.planar import PlanarCoupling as PlanarCoupling
from mobod.couplings.kinds.planar_translation import PlanarTranslationCoupling as PlanarTranslationCoupling
from mobod.couplings.kinds.plane_connector import PlaneConnectorCoupling as PlaneConnectorCoupling
from mobod.couplings.kinds.slider import SliderCoupling as SliderCoupling
from mobod.couplings.kinds.slotted_hinge import SlottedHingeCoupling as SlottedHingeCoupling
from mobod.couplings.kinds.solid import SolidCoupling as SolidCoupling
from mobod.couplings.kinds.spherical import SphericalCoupling as SphericalCoupling
from mobod.couplings.kinds.universal import SkewedUniversalCoupling as SkewedUniversalCoupling
from mobod.couplings.kinds.universal import UniversalCoupling as UniversalCoupling
