"""Every built-in element by name: for model files, and for tests of all of them."""

from typing import TypeVar

from mobod import couplings, forces, functions, matter
from mobod.couplings import Coupling
from mobod.forces import Force
from mobod.functions import Function
from mobod.matter import Constraint, MobilizedBody, Motion, decorations
from mobod.matter.decorations import Geometry
from mobod.system import measures
from mobod.system.measures import Measure

T = TypeVar("T")


def _by_name(*classes: type[T]) -> dict[str, type[T]]:
    return {each.__name__: each for each in classes}


MOBILIZERS: dict[str, type[MobilizedBody]] = _by_name(
    matter.Ball,
    matter.BendStretch,
    matter.Bushing,
    matter.Cylinder,
    matter.Ellipsoid,
    matter.Free,
    matter.FreeLine,
    matter.FunctionBased,
    matter.Gimbal,
    matter.LineOrientation,
    matter.Pin,
    matter.Planar,
    matter.Screw,
    matter.Slider,
    matter.SphericalCoords,
    matter.Translation,
    matter.Universal,
    matter.Weld,
)
MOTIONS: dict[str, type[Motion]] = _by_name(matter.FunctionMotion, matter.SinusoidMotion, matter.SteadyMotion)
CONSTRAINTS: dict[str, type[Constraint]] = _by_name(
    matter.BallConstraint,
    matter.ConstantAcceleration,
    matter.ConstantAngle,
    matter.ConstantCoordinate,
    matter.ConstantOrientation,
    matter.ConstantSpeed,
    matter.CoordinateCoupler,
    matter.NoSlip1D,
    matter.PointInPlane,
    matter.PointOnLine,
    matter.PointOnPlaneContact,
    matter.PrescribedMotion,
    matter.Rod,
    matter.SpeedCoupler,
    matter.SphereOnPlaneContact,
    matter.WeldConstraint,
)
COUPLINGS: dict[str, type[Coupling]] = _by_name(
    couplings.CylindricalCoupling,
    couplings.Ellipsoid3dCoupling,
    couplings.EllipsoidCoupling,
    couplings.FixedAxisCoupling,
    couplings.FreeCoupling,
    couplings.GimbalCoupling,
    couplings.HingeCoupling,
    couplings.PlanarCoupling,
    couplings.PlanarTranslationCoupling,
    couplings.PlaneConnectorCoupling,
    couplings.SliderCoupling,
    couplings.SlottedHingeCoupling,
    couplings.SolidCoupling,
    couplings.SphericalCoupling,
    couplings.UniversalCoupling,
)
FORCES: dict[str, type[Force]] = _by_name(
    forces.BodyDamping,
    forces.ConstantForce,
    forces.ConstantTorque,
    forces.DiscreteForces,
    forces.GlobalDamper,
    forces.Gravity,
    forces.LinearBushing,
    forces.MobilityConstantForce,
    forces.MobilityForce,
    forces.MobilityLinearDamper,
    forces.MobilityLinearSpring,
    forces.MobilityLinearStop,
    forces.TwoPointConstantForce,
    forces.TwoPointLinearDamper,
    forces.TwoPointLinearSpring,
    forces.UniformGravity,
)
FUNCTIONS: dict[str, type[Function]] = _by_name(
    functions.Constant,
    functions.Linear,
    functions.MultiPoly,
    functions.Polynomial,
    functions.Sinusoid,
    functions.Spline,
    functions.Step,
)
MEASURES: dict[str, type[Measure]] = _by_name(
    measures.Constant,
    measures.Delay,
    measures.Differentiate,
    measures.Integrate,
    measures.MaxAbs,
    measures.Maximum,
    measures.MinAbs,
    measures.Minimum,
    measures.Minus,
    measures.Plus,
    measures.SampleAndHold,
    measures.Scale,
    measures.Sinusoid,
    measures.Time,
    measures.Variable,
)
DECORATIONS: dict[str, type[Geometry]] = _by_name(
    decorations.Box,
    decorations.Cylinder,
    decorations.Ellipsoid,
    decorations.Frame,
    decorations.Line,
    decorations.Mesh,
    decorations.MeshFile,
    decorations.Sphere,
    decorations.Text,
)
