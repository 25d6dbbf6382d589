"""How elements are declared: a class whose fields are the arguments and the parameters of the element."""

from mobod.system.elements.accessed import TunedElement
from mobod.system.elements.declared import Declared
from mobod.system.elements.element import Element
from mobod.system.elements.field import REQUIRED, Field, fields_of
from mobod.system.elements.fields import Argument, Given, Name, argument, parameter, parameter_of, parameters_of
from mobod.system.elements.frames import Composed, FrameParameter, RotationParameter, checked_frame, frame_of, rotation_of
from mobod.system.elements.parameter import NO_BOUND, Parameter, VectorParameter

__all__ = [
    "NO_BOUND",
    "REQUIRED",
    "Argument",
    "Composed",
    "Declared",
    "Element",
    "Field",
    "FrameParameter",
    "Given",
    "Name",
    "Parameter",
    "RotationParameter",
    "TunedElement",
    "VectorParameter",
    "argument",
    "checked_frame",
    "fields_of",
    "frame_of",
    "parameter",
    "parameter_of",
    "parameters_of",
    "rotation_of",
]
