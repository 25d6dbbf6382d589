"""Units by their names: those of the SI, with prefixes, and others in common use.

Source of the factors: NIST Special Publication 811 (2008), appendix B. Those of feet, pounds, pounds-force and the atmosphere are exact.
"""

import re
from collections.abc import Mapping
from math import pi

from fmpy.model_description import BaseUnit, Unit

from mobod.cosim.connections.unit_notation import in_modelica
from mobod.errors import InputError
from mobod.system.units import si_exponents

_PREFIXES = {"n": 1e-9, "u": 1e-6, "m": 1e-3, "c": 1e-2, "d": 0.1, "k": 1e3, "M": 1e6, "G": 1e9}
_PREFIXED = (
    *("m", "g", "s", "A", "K", "mol", "rad", "Hz", "N", "Pa", "J", "W", "C", "V", "Ohm", "S", "F", "H", "Wb", "T"),
    *("bar", "L", "Wh", "Ah", "cal"),
)
_SI = ("kg", "cd", "mol", "Pa")  # these begin with a letter that is a prefix, or are units with one
_INCH, _FOOT, _POUND, _GRAVITY = 0.0254, 0.3048, 0.45359237, 9.80665  # m, m, kg, m/s2
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
    "d": (86400.0, "s", 1),
    "Wh": (3600.0, "J", 1),
    "Ah": (3600.0, "C", 1),
    "cal": (4.184, "J", 1),
    "gon": (pi / 200, "rad", 1),
    "arcmin": (pi / 10800, "rad", 1),
    "arcsec": (pi / 648000, "rad", 1),
    "in": (_INCH, "m", 1),
    "ft": (_FOOT, "m", 1),
    "yd": (3 * _FOOT, "m", 1),
    "mi": (5280 * _FOOT, "m", 1),
    "nmi": (1852.0, "m", 1),
    "lb": (_POUND, "kg", 1),
    "oz": (_POUND / 16, "kg", 1),
    "slug": (_POUND * _GRAVITY / _FOOT, "kg", 1),
    "lbf": (_POUND * _GRAVITY, "N", 1),
    "kgf": (_GRAVITY, "N", 1),
    "psi": (_POUND * _GRAVITY / _INCH**2, "Pa", 1),
    "atm": (101325.0, "Pa", 1),
    "hp": (550 * _FOOT * _POUND * _GRAVITY, "W", 1),
}
_WHOLE = {"rpm": "rev/min", "mph": "mi/h", "knot": "nmi/h"}
_ZEROS = {"degC": (1.0, 273.15), "degF": (5 / 9, 459.67 * 5 / 9)}  # K: of a degree, and of its zero
_NAME = re.compile(r"([A-Za-z]+)([+-]?[1-9]\d*)?")


def unit_named(name: str) -> Unit | None:
    """The unit with this name, such as 'N.m/s', 'mm', 'lbf.ft' or 'meter / second ** 2', with its SI exponents and factor if mobod knows
    them. None for ''."""
    if not name:
        return None
    try:
        bare = name[1:-1] if name[:1] + name[-1:] == "[]" else name  # '[mm]', as some tools write
        written = in_modelica(bare)
        if written in _ZEROS:
            degree, zero = _ZEROS[written]
            return Unit(name=name, baseUnit=BaseUnit(K=1, factor=degree, offset=zero))
        factor, exponents = _in_si(_WHOLE.get(written, written))
        if any(exponent != int(exponent) for exponent in exponents.values()):  # which FMI cannot express
            return Unit(name=name)
        return Unit(name=name, baseUnit=BaseUnit(**exponents, factor=factor))
    except InputError:
        return Unit(name=name)


def unit_of_fmu(name: str, defined: Mapping[str, Unit]) -> Unit | None:
    """The unit of a variable of an FMU. One that the FMU does not define by base units, as FMI 1.0 never does, has the meaning that mobod
    gives its name."""
    unit = defined.get(name)
    return unit_named(name) if unit is None or unit.baseUnit is None else unit


def _in_si(unit: str) -> tuple[float, dict[str, float]]:
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
