"""What happens to a value on its way from one component to another: units and linear transformations."""

from collections.abc import Sequence
from math import isclose

from fmpy.model_description import Unit

from mobod import errors
from mobod.cosim.component import ComponentVariable
from mobod.cosim.connection import Connection
from mobod.cosim.connections.unit_conversion import described
from mobod.cosim.ssp.flattening import Hop, Way
from mobod.cosim.ssp.transformation import LinearTransformation
from mobod.cosim.ssp.units import forgiving_conversion
from mobod.errors import SspFileError, UnsupportedError

_ROUND_OFF = 1e-12  # relative, of two ways to compute one factor


def connection_of(way: Way, source: ComponentVariable, target: ComponentVariable, *, strict: bool = False) -> Connection:
    """The connection of two variables that does what the hops of a way do.

    strict  whether units without a definition are refused

    Raises SspFileError, errors.ConnectionError, UnsupportedError.
    """
    transformations = [hop.transformation for hop in way.hops if hop.transformation is not None]
    for each in transformations:
        if not isinstance(each, LinearTransformation):
            raise UnsupportedError(
                f"{way.where}: the connection of '{source}' to '{target}' has a {each.name}, which mobod supports for parameters only. "
                "Convert the value in one of the models."
            )
    last = transformations[-1] if transformations else None
    gain, offset = (last.factor, last.offset) if isinstance(last, LinearTransformation) else (1.0, 0.0)
    if source.variable.kind != "float":
        return Connection(source, target, gain, offset)
    factor, shift = composed(way.hops, source, target, strict=strict)
    try:
        plain = Connection(source, target, gain, offset)
    except errors.ConnectionError:
        # the units of the variables do not fit, but the way may convert differently
        return Connection(source, target, factor, shift, converts_units=False)
    is_same = isclose(plain.factor, factor, rel_tol=_ROUND_OFF) and isclose(plain.shift, shift, rel_tol=_ROUND_OFF, abs_tol=1e-300)
    return plain if is_same else Connection(source, target, factor, shift, converts_units=False)


def composed(
    hops: Sequence[Hop], source: ComponentVariable | None, target: ComponentVariable, *, strict: bool = False
) -> tuple[float, float]:
    """Factor and offset of all hops together.

    source  None if the value comes from a parameter set
    strict  whether units without a definition are refused

    Raises SspFileError.
    """
    factor, shift = 1.0, 0.0
    unit = hops[0].units[0] if source is None else end_unit(source, hops[0].units[0], hops[0].where, strict=strict)
    is_relative = target.variable.is_relative and (source is None or source.variable.is_relative)
    for k, hop in enumerate(hops):
        following = end_unit(target, hop.units[1], hop.where, strict=strict) if k == len(hops) - 1 else hop.units[1]
        if hop.converts_units and unit is not None and following is not None:
            converted = forgiving_conversion(unit, following, hop.where, relative=(is_relative, is_relative), strict=strict)
            if converted is None:
                raise SspFileError(
                    f"{hop.where}: the units of '{hop.source}' and '{hop.target}' are {described(unit)} and {described(following)}, which "
                    "cannot be converted. Correct a unit, or set suppressUnitConversion."
                )
            factor, shift = converted.factor * factor, converted.factor * shift + converted.offset
        if isinstance(hop.transformation, LinearTransformation):
            factor, shift = hop.transformation.factor * factor, hop.transformation.factor * shift + hop.transformation.offset
        unit = following if following is not None or not hop.converts_units else unit
    return factor, shift


def end_unit(variable: ComponentVariable, declared: Unit | None, where: str, *, strict: bool = False) -> Unit | None:
    """The unit of a component's connector: that of the variable, or that of the connector if the variable has none or does not define it.

    Raises SspFileError if they contradict each other.
    """
    own = variable.unit
    if declared is None or own is None:
        return declared if own is None else own
    if own.baseUnit is None:
        return declared
    if declared.baseUnit is not None:
        between = forgiving_conversion(declared, own, where, strict=strict)
        if between is None or between.factor != 1 or between.offset:
            raise SspFileError(
                f"{where}: the connector '{variable}' is in {described(declared)}, but the {variable.component.model.noun} says "
                f"{described(own)}. Correct the unit of the connector."
            )
    return own
