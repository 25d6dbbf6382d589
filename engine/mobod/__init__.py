"""mobod: multibody dynamics in Python that becomes a Functional Mock-up Unit.

A public name is imported when it is first used, so that the command line answers before SciPy and FMPy have loaded.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from mobod import errors
from mobod.errors import MobodError, MobodWarning

if TYPE_CHECKING:
    __version__: str

    from mobod import functions, maximal, scalar, spatial
    from mobod.compilation.compiled_system import compile
    from mobod.cosim import Checkpoint, FmuLimits, Master, Network, validate_fmu
    from mobod.couplings import (
        BILATERAL,
        LINEAR,
        ROTARY,
        Coupling,
        CouplingConstraint,
        CouplingCoordinate,
        CouplingJoint,
        CylindricalCoupling,
        Ellipsoid3dCoupling,
        EllipsoidCoupling,
        FixedAxisCoupling,
        FreeCoupling,
        GimbalCoupling,
        HingeCoupling,
        PlanarCoupling,
        PlanarTranslationCoupling,
        PlaneConnectorCoupling,
        SkewedUniversalCoupling,
        SliderCoupling,
        SlottedHingeCoupling,
        SolidCoupling,
        SphericalCoupling,
        UniversalCoupling,
    )
    from mobod.files import ModelFileWarning, load_model, load_urdf, model_schema, read_urdf, save_model
    from mobod.fmu.export import export_fmu
    from mobod.forces import (
        BodyDamping,
        ConstantForce,
        ConstantTorque,
        CustomForce,
        CustomForceSubsystem,
        DiscreteForces,
        Force,
        ForceParameter,
        ForceSubsystem,
        GlobalDamper,
        Gravity,
        LinearBushing,
        MobilityConstantForce,
        MobilityForce,
        MobilityLinearDamper,
        MobilityLinearSpring,
        MobilityLinearStop,
        TwoPointConstantForce,
        TwoPointLinearDamper,
        TwoPointLinearSpring,
        UniformGravity,
    )
    from mobod.functions import Function
    from mobod.graph import CoordinateLimits, MultibodyBuilder, MultibodyGraphMaker
    from mobod.laws import ElementCheck, check_element
    from mobod.matter import (
        Ball,
        BallConstraint,
        BendStretch,
        Bushing,
        ConstantAcceleration,
        ConstantAngle,
        ConstantCoordinate,
        ConstantOrientation,
        ConstantSpeed,
        Constraint,
        ConstraintAnalysis,
        ConstraintEquations,
        CoordinateCoupler,
        CustomConstraint,
        CustomEquations,
        CustomMobilizer,
        Cylinder,
        Ellipsoid,
        EventActions,
        Free,
        FreeLine,
        FunctionBased,
        FunctionMotion,
        Gimbal,
        Ground,
        LineOrientation,
        MatterSubsystem,
        MobilizedBody,
        Motion,
        MultibodySystem,
        NoSlip1D,
        Parameter,
        Pin,
        Planar,
        PointInPlane,
        PointOnLine,
        PointOnPlaneContact,
        PrescribedMotion,
        RigidBody,
        Rod,
        Screw,
        SinusoidMotion,
        Slider,
        SpeedCoupler,
        SphereOnPlaneContact,
        SphericalCoords,
        SteadyMotion,
        Translation,
        UnilateralConstraint,
        Universal,
        Weld,
        WeldConstraint,
        decorations,
    )
    from mobod.simulate import Assembler, AssemblyCondition, Marker, OrientationSensor, QValue, Results, Simulation, Table
    from mobod.spatial import Inertia, MassProperties, Transform
    from mobod.system import (
        NEVER,
        CustomSubsystem,
        EventHandler,
        EventReporter,
        InitializationEventHandler,
        Label,
        PeriodicEventHandler,
        PeriodicEventReporter,
        ScheduledEventHandler,
        ScheduledEventReporter,
        Stage,
        State,
        Subsystem,
        System,
        TerminationEventHandler,
        TimeAdvancedEventHandler,
        TriggeredEventHandler,
        TriggeredEventReporter,
        measures,
    )
    from mobod.system.measures import Measure

__all__ = [
    "BILATERAL",
    "LINEAR",
    "NEVER",
    "ROTARY",
    "Assembler",
    "AssemblyCondition",
    "Ball",
    "BallConstraint",
    "BendStretch",
    "BodyDamping",
    "Bushing",
    "Checkpoint",
    "ConstantAcceleration",
    "ConstantAngle",
    "ConstantCoordinate",
    "ConstantForce",
    "ConstantOrientation",
    "ConstantSpeed",
    "ConstantTorque",
    "Constraint",
    "ConstraintAnalysis",
    "ConstraintEquations",
    "CoordinateCoupler",
    "CoordinateLimits",
    "Coupling",
    "CouplingConstraint",
    "CouplingCoordinate",
    "CouplingJoint",
    "CustomConstraint",
    "CustomEquations",
    "CustomForce",
    "CustomForceSubsystem",
    "CustomMobilizer",
    "CustomSubsystem",
    "Cylinder",
    "CylindricalCoupling",
    "DiscreteForces",
    "ElementCheck",
    "Ellipsoid",
    "Ellipsoid3dCoupling",
    "EllipsoidCoupling",
    "EventActions",
    "EventHandler",
    "EventReporter",
    "FixedAxisCoupling",
    "FmuLimits",
    "Force",
    "ForceParameter",
    "ForceSubsystem",
    "Free",
    "FreeCoupling",
    "FreeLine",
    "Function",
    "FunctionBased",
    "FunctionMotion",
    "Gimbal",
    "GimbalCoupling",
    "GlobalDamper",
    "Gravity",
    "Ground",
    "HingeCoupling",
    "Inertia",
    "InitializationEventHandler",
    "Label",
    "LineOrientation",
    "LinearBushing",
    "Marker",
    "MassProperties",
    "Master",
    "MatterSubsystem",
    "Measure",
    "MobilityConstantForce",
    "MobilityForce",
    "MobilityLinearDamper",
    "MobilityLinearSpring",
    "MobilityLinearStop",
    "MobilizedBody",
    "MobodError",
    "MobodWarning",
    "ModelFileWarning",
    "Motion",
    "MultibodyBuilder",
    "MultibodyGraphMaker",
    "MultibodySystem",
    "Network",
    "NoSlip1D",
    "OrientationSensor",
    "Parameter",
    "PeriodicEventHandler",
    "PeriodicEventReporter",
    "Pin",
    "Planar",
    "PlanarCoupling",
    "PlanarTranslationCoupling",
    "PlaneConnectorCoupling",
    "PointInPlane",
    "PointOnLine",
    "PointOnPlaneContact",
    "PrescribedMotion",
    "QValue",
    "Results",
    "RigidBody",
    "Rod",
    "ScheduledEventHandler",
    "ScheduledEventReporter",
    "Screw",
    "Simulation",
    "SinusoidMotion",
    "SkewedUniversalCoupling",
    "Slider",
    "SliderCoupling",
    "SlottedHingeCoupling",
    "SolidCoupling",
    "SpeedCoupler",
    "SphereOnPlaneContact",
    "SphericalCoords",
    "SphericalCoupling",
    "Stage",
    "State",
    "SteadyMotion",
    "Subsystem",
    "System",
    "Table",
    "TerminationEventHandler",
    "TimeAdvancedEventHandler",
    "Transform",
    "Translation",
    "TriggeredEventHandler",
    "TriggeredEventReporter",
    "TwoPointConstantForce",
    "TwoPointLinearDamper",
    "TwoPointLinearSpring",
    "UniformGravity",
    "UnilateralConstraint",
    "Universal",
    "UniversalCoupling",
    "Weld",
    "WeldConstraint",
    "check_element",
    "compile",
    "decorations",
    "errors",
    "export_fmu",
    "functions",
    "load_model",
    "load_urdf",
    "maximal",
    "measures",
    "model_schema",
    "read_urdf",
    "save_model",
    "scalar",
    "spatial",
    "validate_fmu",
]

# the imports above, for Python
_NAMES = {
    "mobod.compilation.compiled_system": "compile",
    "mobod.cosim": "Checkpoint FmuLimits Master Network validate_fmu",
    "mobod.couplings": "BILATERAL LINEAR ROTARY Coupling CouplingConstraint CouplingCoordinate CouplingJoint "
    "CylindricalCoupling Ellipsoid3dCoupling "
    "EllipsoidCoupling FixedAxisCoupling FreeCoupling GimbalCoupling HingeCoupling PlanarCoupling "
    "PlanarTranslationCoupling PlaneConnectorCoupling SkewedUniversalCoupling SliderCoupling SlottedHingeCoupling "
    "SolidCoupling SphericalCoupling UniversalCoupling",
    "mobod.files": "ModelFileWarning load_model load_urdf model_schema read_urdf save_model",
    "mobod.fmu.export": "export_fmu",
    "mobod.forces": "BodyDamping ConstantForce ConstantTorque CustomForce CustomForceSubsystem DiscreteForces Force ForceParameter "
    "ForceSubsystem GlobalDamper Gravity LinearBushing MobilityConstantForce MobilityForce MobilityLinearDamper "
    "MobilityLinearSpring MobilityLinearStop TwoPointConstantForce TwoPointLinearDamper TwoPointLinearSpring "
    "UniformGravity",
    "mobod.functions": "Function",
    "mobod.graph": "CoordinateLimits MultibodyBuilder MultibodyGraphMaker",
    "mobod.laws": "ElementCheck check_element",
    "mobod.matter": "Ball BallConstraint BendStretch Bushing ConstantAcceleration ConstantAngle ConstantCoordinate "
    "ConstantOrientation ConstantSpeed Constraint ConstraintAnalysis ConstraintEquations CoordinateCoupler "
    "CustomConstraint CustomEquations CustomMobilizer Cylinder Ellipsoid EventActions Free FreeLine FunctionBased FunctionMotion "
    "Gimbal Ground LineOrientation MatterSubsystem MobilizedBody Motion MultibodySystem NoSlip1D Parameter Pin "
    "Planar PointInPlane PointOnLine PointOnPlaneContact PrescribedMotion RigidBody Rod Screw SinusoidMotion Slider "
    "SpeedCoupler SphereOnPlaneContact SphericalCoords SteadyMotion Translation UnilateralConstraint Universal Weld "
    "WeldConstraint decorations",
    "mobod.simulate": "Assembler AssemblyCondition Marker OrientationSensor QValue Results Simulation Table",
    "mobod.spatial": "Inertia MassProperties Transform",
    "mobod.system": "NEVER CustomSubsystem EventHandler EventReporter InitializationEventHandler Label PeriodicEventHandler "
    "PeriodicEventReporter "
    "ScheduledEventHandler ScheduledEventReporter Stage State Subsystem System TerminationEventHandler TimeAdvancedEventHandler "
    "TriggeredEventHandler TriggeredEventReporter measures",
    "mobod.system.measures": "Measure",
}
_MODULES = ("functions", "maximal", "scalar", "spatial")  # those below `mobod` itself; errors is imported above
_MOVED = dict.fromkeys(("MaximalBody", "MaximalCoordinateCoupling", "MaximalCoordinateSimulation", "MaximalJoint"), "maximal")
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("mobod.version").mobod_version()
    if name in _MODULES:
        return import_module(f"mobod.{name}")
    if name in _MOVED:
        moved = f"'{name}' is now in mobod.{_MOVED[name]}: write mb.{_MOVED[name]}.{name}."
        raise AttributeError(f"module 'mobod' has no attribute '{name}'. {moved}", name=name, obj=sys.modules["mobod"])
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'mobod' has no attribute '{name}'", name=name, obj=sys.modules["mobod"])
    value = globals()[name] = getattr(import_module(_MODULE_OF[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
