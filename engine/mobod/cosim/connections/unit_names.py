"""Units by their names: those of the SI, with prefixes, and others in common use."""

import re
from math import pi

from fmpy.model_description import BaseUnit, Unit

from mobod.errors import InputError
from mobod.fmu.units import si_exponents

_PREFIXES = {"n": 1e-9, "u": 1e-6, "m": 1e-3, "c": 1e-2, "d": 0.1, "k": 1e3, "M": 1e6, "G": 1e9}
_PREFIXED = ("m", "g", "s", "A", "K", "mol", "rad", "Hz", "N", "Pa", "J", "W", "C", "V", "Ohm", "bar", "L")
_SI = ("kg", "cd", "mol", "Pa")  # these begin with a letter that is a prefix, or are units with one
# unit -> its factor, the SI unit that it multiplies, and the power of the latter
_OTHERS = {
    "g": (1e-3, "kg", 1),
    "t": (1e3, "kg", 1),
    "min": (60.0, "s", 1),
    "h": (3600.0, "s", 1),
    "deg": (pi / 180, "rad", 1),
    "rev": (2 * pi, "rad", 1),
    "L": (1e-3, "m", 3),
    "bar": (1e5, "Pa", 1),
}
_WHOLE = {"rpm": "rev/min"}
_ZEROS = {"degC": ("K", 273.15)}
_NAME = re.compile(r"([A-Za-z]+)([+-]?[1-9]\d*)?")


def unit_named(name: str) -> Unit | None:
    """The unit with this name, such as 'N.m/s', 'mm' or 'deg/s', with its SI exponents if mobod knows them. None for ''."""
    if not name:
        return None
    try:
        if name in _ZEROS:
            kelvin, zero = _ZEROS[name]
            return Unit(name=name, baseUnit=BaseUnit(**si_exponents(kelvin), offset=zero))
        bare = name[1:-1] if name[:1] + name[-1:] == "[]" else name  # '[mm]', as some tools write
        factor, exponents = _in_si(_WHOLE.get(bare, bare))
        return Unit(name=name, baseUnit=BaseUnit(**exponents, factor=factor))
    except InputError:
        return Unit(name=name)


def _in_si(unit: str) -> tuple[float, dict[str, int]]:
    """The factor and the exponents of a unit, which is written as `si_exponents` has it. Raises InputError for one that is not known."""
    numerator, slash, denominator = unit.partition("/")
    above, over = _part_in_si(numerator)
    below, under = _part_in_si(denominator)
    return above / below, si_exponents(over + slash + under)


def _part_in_si(product: str) -> tuple[float, str]:
    """The factor of a product of units to the same product of SI units, and the latter."""
    units = [(_unit_in_si(name), int(exponent or 1)) for name, exponent in _NAME.findall(product)]
    factor = 1.0
    for (times, _, _), exponent in units:
        factor = factor * times**exponent if exponent > 0 else factor / times**-exponent
    bases = iter(f"{base}{power * exponent}" for (_, base, power), exponent in units)
    return factor, _NAME.sub(lambda _: next(bases), product)


def _unit_in_si(name: str) -> tuple[float, str, int]:
    """The factor of a unit to a power of an SI unit; (1, name, 1) if it is none of those with another factor."""
    if name in _OTHERS:
        return _OTHERS[name]
    prefix, rest = name[:1], name[1:]
    if name in _SI or prefix not in _PREFIXES or rest not in _PREFIXED:
        return 1.0, name, 1
    factor, base, power = _OTHERS.get(rest, (1.0, rest, 1))
    return _PREFIXES[prefix] * factor, base, power
