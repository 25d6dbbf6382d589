"""Co-simulation: connects FMUs of any origin, Systems, Python functions and tables, and runs them together."""

from mobod.cosim.algorithms.algorithm import NewtonIteration, WaveformIteration
from mobod.cosim.checkpoint import Checkpoint
from mobod.cosim.component import Component
from mobod.cosim.component_model import ComponentCapabilities, ComponentInstance, ComponentModel
from mobod.cosim.connection import Connection
from mobod.cosim.connections.bond import Bond
from mobod.cosim.fmu_file import FmuFile
from mobod.cosim.instance import Instance
from mobod.cosim.master import Master
from mobod.cosim.network import Network
from mobod.cosim.pacing import PacingReport
from mobod.cosim.python_component import PythonComponent, Signal
from mobod.cosim.run import Run
from mobod.cosim.step_sizes.energy_residual import EnergyResidual
from mobod.cosim.step_sizes.predictor_corrector import PredictorCorrector
from mobod.cosim.step_sizes.richardson import Richardson
from mobod.cosim.table_source import TableSource
from mobod.fmi.fmu_limits import FmuLimits
from mobod.fmi.isolation.isolation import Isolation
from mobod.fmi.log_file import LogFile

__all__ = [
    "Bond",
    "Checkpoint",
    "Component",
    "ComponentCapabilities",
    "ComponentInstance",
    "ComponentModel",
    "Connection",
    "EnergyResidual",
    "FmuFile",
    "FmuLimits",
    "Instance",
    "Isolation",
    "LogFile",
    "Master",
    "Network",
    "NewtonIteration",
    "PacingReport",
    "PredictorCorrector",
    "PythonComponent",
    "Richardson",
    "Run",
    "Signal",
    "TableSource",
    "WaveformIteration",
]
