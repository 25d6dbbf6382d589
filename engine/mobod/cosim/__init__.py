"""Co-simulation: connects FMUs of any origin and runs them together."""

from mobod.cosim.checkpoint import Checkpoint
from mobod.cosim.component import Component
from mobod.cosim.connection import Connection
from mobod.cosim.fmu_file import FmuFile
from mobod.cosim.instance import Instance
from mobod.cosim.master import Master
from mobod.cosim.network import Network
from mobod.cosim.run import Run
from mobod.fmi.fmu_limits import FmuLimits

__all__ = [
    "Checkpoint",
    "Component",
    "Connection",
    "FmuFile",
    "FmuLimits",
    "Instance",
    "Master",
    "Network",
    "Run",
]
