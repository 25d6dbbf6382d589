"""Spellings of units that tools use beside that of Modelica: 'N m', 'm/s^2', 'kg*m**2', 'newton * meter'. They are translated into it."""

import re
import unicodedata

# after the compatible forms of Unicode, which have no superscripts and one micro, were taken
_CHARACTERS = {"\u03bc": "u", "\u03a9": "Ohm", "\u00b0": "deg", "\u00b7": ".", "\u22c5": ".", "\u2212": "-", "*": "."}
_PREFIXES = {"nano": "n", "micro": "u", "milli": "m", "centi": "c", "deci": "d", "kilo": "k", "mega": "M", "giga": "G"}
_WORDS = {
    "meter": "m",
    "metre": "m",
    "gram": "g",
    "second": "s",
    "ampere": "A",
    "kelvin": "K",
    "mole": "mol",
    "candela": "cd",
    "radian": "rad",
    "hertz": "Hz",
    "newton": "N",
    "pascal": "Pa",
    "joule": "J",
    "watt": "W",
    "coulomb": "C",
    "volt": "V",
    "ohm": "Ohm",
    "siemens": "S",
    "farad": "F",
    "henry": "H",
    "weber": "Wb",
    "tesla": "T",
    "liter": "L",
    "litre": "L",
    "bar": "bar",
}
_WHOLE_WORDS = {
    "minute": "min",
    "hour": "h",
    "day": "d",
    "degree": "deg",
    "turn": "rev",
    "revolution": "rev",
    "tonne": "t",
    "metric_ton": "t",
    "inch": "in",
    "foot": "ft",
    "feet": "ft",
    "yard": "yd",
    "mile": "mi",
    "nautical_mile": "nmi",
    "pound": "lb",
    "ounce": "oz",
    "pound_force": "lbf",
    "force_pound": "lbf",
    "kilogram_force": "kgf",
    "force_kilogram": "kgf",
    "horsepower": "hp",
    "atmosphere": "atm",
    "standard_atmosphere": "atm",
    "degree_Celsius": "degC",
    "degree_Fahrenheit": "degF",
    "dimensionless": "1",
    "revolutions_per_minute": "rpm",
    "pound_force_per_square_inch": "psi",
    "Nm": "N.m",
    "Nms": "N.m.s",
}


def in_modelica(unit: str) -> str:
    """A unit in the notation of Modelica: 'm/s2' for 'm/s^2' and 'meter / second ** 2'. What has no translation is returned as it is."""
    text = unicodedata.normalize("NFKC", unit.strip()).replace("**", "^")
    text = "".join(_CHARACTERS.get(each, each) for each in text)
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r" ?([./^()]) ?", r"\1", text).replace(" ", ".").replace("^", "")
    text = re.sub(r"[A-Za-z_]+", lambda word: _word(word[0]), text)
    numerator, *divisors = text.split("/")
    if len(divisors) > 1 and not any("." in each or "(" in each for each in divisors):  # each slash divides by one factor
        return f"{numerator}/({'.'.join(divisors)})"
    return text


def _word(name: str) -> str:
    singular = name.removesuffix("s") if name.removesuffix("s") in {*_WORDS, *_WHOLE_WORDS} else name
    if singular in _WHOLE_WORDS:
        return _WHOLE_WORDS[singular]
    prefix = next((each for each in _PREFIXES if singular.startswith(each)), "")
    rest = singular.removeprefix(prefix)
    return _PREFIXES.get(prefix, "") + _WORDS[rest] if rest in _WORDS else name
