"""Instances of Python FMUs in this process, without pythonfmu's library."""

from mobod.fmu.interface import make_interface
from mobod.fmu.python.instance import PythonInstance
from mobod.fmu.python.model import python_model
from mobod.fmu.python.system_pickle import unpickle_system


def instance_of(system, state, **options):
    """A new instance, made in the same way as by a Python FMU, with the names of its variables."""
    model = python_model(system, state)
    interface = make_interface(model, "it", **options)
    instance = PythonInstance(*unpickle_system(model.pickled.data), interface)
    return instance, {row.name: reference for reference, row in enumerate(interface.rows)}


def begun(system, state, *, start=0.0, **options):
    """A new instance at the start time, after its initialization."""
    instance, references = instance_of(system, state, **options)
    instance.set_up_experiment(start, None, None)
    instance.enter_initialization()
    instance.exit_initialization()
    return instance, references
