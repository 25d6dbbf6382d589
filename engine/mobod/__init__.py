"""mobod: multibody dynamics in Python that becomes a Functional Mock-up Unit.

A public name is imported when it is first used, so that the command line answers before SciPy and FMPy have loaded.
"""

# Decision: docs/decisions/027-imports.md

import sys
from typing import TYPE_CHECKING, Any

from mobod import errors as errors
from mobod.errors import MobodError as MobodError
from mobod.errors import MobodWarning as MobodWarning
from mobod.late_imports import late_import

if TYPE_CHECKING:
    __version__: str
    __all__: list[str]

    from mobod import contact as contact
    from mobod import functions as functions
    from mobod import maximal as maximal
    from mobod import scalar as scalar
    from mobod import spatial as spatial
    from mobod.acceptance import validate_fmu as validate_fmu
    from mobod.analysis.deflection import deflect_at_rest as deflect_at_rest
    from mobod.analysis.dynamics_derivatives import ForwardDynamicsDerivatives as ForwardDynamicsDerivatives
    from mobod.analysis.dynamics_derivatives import InverseDynamicsDerivatives as InverseDynamicsDerivatives
    from mobod.analysis.dynamics_derivatives import forward_dynamics_derivatives as forward_dynamics_derivatives
    from mobod.analysis.dynamics_derivatives import inverse_dynamics_derivatives as inverse_dynamics_derivatives
    from mobod.analysis.equilibrium import find_equilibrium as find_equilibrium
    from mobod.analysis.fit import fit as fit
    from mobod.analysis.fit_result import FitResult as FitResult
    from mobod.analysis.sensitivity import Sensitivities as Sensitivities
    from mobod.analysis.sensitivity import sensitivities as sensitivities
    from mobod.compilation.compiled_system import compile as compile
    from mobod.contact.contact_set import ContactSet as ContactSet
    from mobod.contact.elements import CompliantContact as CompliantContact
    from mobod.contact.elements import ContactMaterial as ContactMaterial
    from mobod.contact.elements import ElasticFoundationForce as ElasticFoundationForce
    from mobod.contact.elements import HuntCrossleyForce as HuntCrossleyForce
    from mobod.contact.elements import RigidContact as RigidContact
    from mobod.contact.elements import SmoothSphereHalfSpaceForce as SmoothSphereHalfSpaceForce
    from mobod.cosim import Checkpoint as Checkpoint
    from mobod.cosim import EnergyResidual as EnergyResidual
    from mobod.cosim import FmuLimits as FmuLimits
    from mobod.cosim import Isolation as Isolation
    from mobod.cosim import LogFile as LogFile
    from mobod.cosim import Master as Master
    from mobod.cosim import Network as Network
    from mobod.cosim import NewtonIteration as NewtonIteration
    from mobod.cosim import PredictorCorrector as PredictorCorrector
    from mobod.cosim import Richardson as Richardson
    from mobod.cosim import WaveformIteration as WaveformIteration
    from mobod.couplings import BILATERAL as BILATERAL
    from mobod.couplings import LINEAR as LINEAR
    from mobod.couplings import ROTARY as ROTARY
    from mobod.couplings import Coupling as Coupling
    from mobod.couplings import CouplingConstraint as CouplingConstraint
    from mobod.couplings import CouplingCoordinate as CouplingCoordinate
    from mobod.couplings import CouplingJoint as CouplingJoint
    from mobod.couplings.kinds import *
    from mobod.couplings.kinds import SkewedUniversalCoupling as SkewedUniversalCoupling
    from mobod.ensembles import Ensemble as Ensemble
    from mobod.ensembles import EnsembleResults as EnsembleResults
    from mobod.files import ModelFileWarning as ModelFileWarning
    from mobod.files import UrdfContact as UrdfContact
    from mobod.files import load_mjcf as load_mjcf
    from mobod.files import load_model as load_model
    from mobod.files import load_sdf as load_sdf
    from mobod.files import load_urdf as load_urdf
    from mobod.files import model_schema as model_schema
    from mobod.files import read_mjcf as read_mjcf
    from mobod.files import read_sdf as read_sdf
    from mobod.files import read_urdf as read_urdf
    from mobod.files import save_model as save_model
    from mobod.flexible import Material as Material
    from mobod.flexible import ModalData as ModalData
    from mobod.flexible import Section as Section
    from mobod.fmu.bare.export import export_c as export_c
    from mobod.fmu.export import export_fmu as export_fmu
    from mobod.forces import *
    from mobod.forces.segmented_beam import SegmentedBeam as SegmentedBeam
    from mobod.forces.segmented_beam import segmented_beam as segmented_beam
    from mobod.functions import Function as Function
    from mobod.graph import CoordinateLimits as CoordinateLimits
    from mobod.graph import MultibodyBuilder as MultibodyBuilder
    from mobod.graph import MultibodyGraphMaker as MultibodyGraphMaker
    from mobod.importer.linearize import linearize_fmu as linearize_fmu
    from mobod.jax import to_jax as to_jax
    from mobod.laws import ElementCheck as ElementCheck
    from mobod.laws import check_element as check_element
    from mobod.linear.linear_system import LinearSystem as LinearSystem
    from mobod.linear.modes import Modes as Modes
    from mobod.matter import Constraint as Constraint
    from mobod.matter import ConstraintAnalysis as ConstraintAnalysis
    from mobod.matter import ConstraintEquations as ConstraintEquations
    from mobod.matter import EventActions as EventActions
    from mobod.matter import FlexibleBeam as FlexibleBeam
    from mobod.matter import FlexibleBody as FlexibleBody
    from mobod.matter import Ground as Ground
    from mobod.matter import MatterSubsystem as MatterSubsystem
    from mobod.matter import MobilizedBody as MobilizedBody
    from mobod.matter import Motion as Motion
    from mobod.matter import MotionEquations as MotionEquations
    from mobod.matter import MultibodySystem as MultibodySystem
    from mobod.matter import RigidBody as RigidBody
    from mobod.matter import UnilateralConstraint as UnilateralConstraint
    from mobod.matter import decorations as decorations
    from mobod.matter.constraints import *
    from mobod.matter.mobilizers import *
    from mobod.matter.motions import *
    from mobod.matter.parameters import equations as equations
    from mobod.matter.unilateral.bearing_loads import BearingLoad as BearingLoad
    from mobod.matter.unilateral.bearing_loads import GuideLoad as GuideLoad
    from mobod.sensors import *
    from mobod.simulate import Assembler as Assembler
    from mobod.simulate import AssemblyCondition as AssemblyCondition
    from mobod.simulate import Comparison as Comparison
    from mobod.simulate import Marker as Marker
    from mobod.simulate import OrientationSensor as OrientationSensor
    from mobod.simulate import QValue as QValue
    from mobod.simulate import Results as Results
    from mobod.simulate import Simulation as Simulation
    from mobod.simulate import Table as Table
    from mobod.spatial import Inertia as Inertia
    from mobod.spatial import MassProperties as MassProperties
    from mobod.spatial import Transform as Transform
    from mobod.sweeps import SweepTable as SweepTable
    from mobod.sweeps import sweep as sweep
    from mobod.system import NEVER as NEVER
    from mobod.system import CustomSubsystem as CustomSubsystem
    from mobod.system import EventHandler as EventHandler
    from mobod.system import EventReporter as EventReporter
    from mobod.system import InitializationEventHandler as InitializationEventHandler
    from mobod.system import Label as Label
    from mobod.system import PeriodicEventHandler as PeriodicEventHandler
    from mobod.system import PeriodicEventReporter as PeriodicEventReporter
    from mobod.system import ScheduledEventHandler as ScheduledEventHandler
    from mobod.system import ScheduledEventReporter as ScheduledEventReporter
    from mobod.system import Stage as Stage
    from mobod.system import State as State
    from mobod.system import Subsystem as Subsystem
    from mobod.system import System as System
    from mobod.system import TerminationEventHandler as TerminationEventHandler
    from mobod.system import TimeAdvancedEventHandler as TimeAdvancedEventHandler
    from mobod.system import TriggeredEventHandler as TriggeredEventHandler
    from mobod.system import TriggeredEventReporter as TriggeredEventReporter
    from mobod.system import measures as measures
    from mobod.system.elements import Parameter as Parameter
    from mobod.system.elements import VectorParameter as VectorParameter
    from mobod.system.elements import argument as argument
    from mobod.system.elements import parameter as parameter
    from mobod.system.measures import Measure as Measure
    from mobod.viewer.mode_page import animate_modes as animate_modes
    from mobod.viewer.stream import View as View
    from mobod.viewer.stream import view as view

# folders of elements: each class that the folder's `__init__` imports is public
_ELEMENTS = (
    "mobod.matter.mobilizers",
    "mobod.matter.constraints",
    "mobod.matter.motions",
    "mobod.forces",
    "mobod.couplings.kinds",
    "mobod.sensors",
)
# all other public names, by module
_NAMES = {
    "mobod.analysis.dynamics_derivatives": "ForwardDynamicsDerivatives InverseDynamicsDerivatives forward_dynamics_derivatives "
    "inverse_dynamics_derivatives",
    "mobod.analysis.deflection": "deflect_at_rest",
    "mobod.analysis.equilibrium": "find_equilibrium",
    "mobod.acceptance": "validate_fmu",
    "mobod.analysis.fit": "fit",
    "mobod.analysis.fit_result": "FitResult",
    "mobod.analysis.sensitivity": "Sensitivities sensitivities",
    "mobod.compilation.compiled_system": "compile",
    "mobod.contact.contact_set": "ContactSet",
    "mobod.contact.elements": "CompliantContact ContactMaterial ElasticFoundationForce HuntCrossleyForce RigidContact "
    "SmoothSphereHalfSpaceForce",
    "mobod.cosim": "Checkpoint EnergyResidual FmuLimits Isolation LogFile Master Network NewtonIteration PredictorCorrector Richardson "
    "WaveformIteration",
    "mobod.couplings": "BILATERAL LINEAR ROTARY Coupling CouplingConstraint CouplingCoordinate CouplingJoint",
    "mobod.couplings.kinds": "SkewedUniversalCoupling",
    "mobod.ensembles": "Ensemble EnsembleResults",
    "mobod.files": "ModelFileWarning UrdfContact load_mjcf load_model load_sdf load_urdf model_schema read_mjcf read_sdf read_urdf "
    "save_model",
    "mobod.fmu.bare.export": "export_c",
    "mobod.forces.segmented_beam": "SegmentedBeam segmented_beam",
    "mobod.flexible": "Material ModalData Section",
    "mobod.fmu.export": "export_fmu",
    "mobod.functions": "Function",
    "mobod.graph": "CoordinateLimits MultibodyBuilder MultibodyGraphMaker",
    "mobod.importer.linearize": "linearize_fmu",
    "mobod.jax": "to_jax",
    "mobod.laws": "ElementCheck check_element",
    "mobod.linear.linear_system": "LinearSystem",
    "mobod.linear.modes": "Modes",
    "mobod.matter": "Constraint ConstraintAnalysis ConstraintEquations EventActions FlexibleBeam FlexibleBody Ground MatterSubsystem "
    "MobilizedBody Motion MotionEquations MultibodySystem RigidBody UnilateralConstraint decorations",
    "mobod.matter.parameters": "equations",
    "mobod.matter.unilateral.bearing_loads": "BearingLoad GuideLoad",
    "mobod.simulate": "Assembler AssemblyCondition Comparison Marker OrientationSensor QValue Results Simulation Table",
    "mobod.viewer.mode_page": "animate_modes",
    "mobod.viewer.stream": "View view",
    "mobod.spatial": "Inertia MassProperties Transform",
    "mobod.sweeps": "SweepTable sweep",
    "mobod.system": "NEVER CustomSubsystem EventHandler EventReporter InitializationEventHandler Label "
    "PeriodicEventHandler PeriodicEventReporter ScheduledEventHandler ScheduledEventReporter Stage State "
    "Subsystem System TerminationEventHandler TimeAdvancedEventHandler TriggeredEventHandler "
    "TriggeredEventReporter measures",
    "mobod.system.elements": "Parameter VectorParameter argument parameter",
    "mobod.system.measures": "Measure",
}
_MODULES = ("contact", "errors", "functions", "maximal", "scalar", "spatial")  # those below `mobod` itself
_MOVED = dict.fromkeys(("MaximalBody", "MaximalCoordinateCoupling", "MaximalCoordinateSimulation", "MaximalJoint"), "maximal")
# other shapes have the names of mobilizers
_SHAPES = ("Box", "Capsule", "Circle", "Cone", "ConvexMesh", "HalfSpace", "HeightField", "RoundedBox", "Sphere", "TerrainMesh", "Torus")
_DRAWN_TOO = ("Box", "Sphere")
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from mobod.version import mobod_version

        return mobod_version()
    if name == "__all__":
        return sorted([*_MODULES, *_MODULE_OF, *_elements(), "MobodError", "MobodWarning"])
    if name in _MODULES:
        return late_import(f"mobod.{name}")
    if name in _MOVED:
        moved = f"'{name}' is now in mobod.{_MOVED[name]}: write mb.{_MOVED[name]}.{name}."
        raise AttributeError(f"module 'mobod' has no attribute '{name}'. {moved}", name=name, obj=sys.modules["mobod"])
    if name in _SHAPES:
        drawn = f", mb.decorations.{name} for one that is only drawn" if name in _DRAWN_TOO else ""
        where = f"Write mb.contact.{name} for a shape that touches others{drawn}."
        raise AttributeError(f"module 'mobod' has no attribute '{name}'. {where}", name=name, obj=sys.modules["mobod"])
    module = _MODULE_OF.get(name) or (_elements().get(name) if name[:1].isupper() else None)
    if module is None:
        raise AttributeError(f"module 'mobod' has no attribute '{name}'", name=name, obj=sys.modules["mobod"])
    value = globals()[name] = late_import(f"{module}:{name}")
    return value


def __dir__() -> list[str]:
    return sorted([*__getattr__("__all__"), "__version__"])


def _elements() -> dict[str, str]:
    """The folder of each element's class."""
    return {name: folder for folder in _ELEMENTS for name, each in vars(late_import(folder)).items() if isinstance(each, type)}
