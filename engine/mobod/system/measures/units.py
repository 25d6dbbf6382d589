"""Units of what is integrated over time, or differentiated, and of the density of noise."""


def per_second(unit: str) -> str:
    """'m' -> 'm/s', 'm/s' -> 'm/s2', 'N/rad' -> 'N/(rad.s)', 's' -> '1'."""
    if unit == "s":
        return "1"
    numerator, below = _parts(unit)
    return _unit(numerator, _with_seconds(below, 1))


def times_second(unit: str) -> str:
    """'m/s2' -> 'm/s', '1/s' -> '1', 'W' -> 'W.s', '1' -> 's'."""
    numerator, below = _parts(unit)
    if any(_power_of_second(factor) for factor in below):
        return _unit(numerator, _with_seconds(below, -1))
    return _unit("s" if numerator == "1" else f"{numerator}.s", below)


def per_root_hertz(unit: str) -> str:
    """'N' -> 'N/sqrtHz', 'm/s2' -> 'm/(s2.sqrtHz)'."""
    numerator, below = _parts(unit)
    return _unit(numerator, [*below, "sqrtHz"])


def _parts(unit: str) -> tuple[str, list[str]]:
    """The numerator, and the factors that it is divided by."""
    numerator, _, below = unit.partition("/")
    return numerator, below.strip("()").split(".") if below else []


def _unit(numerator: str, below: list[str]) -> str:
    if not below:
        return numerator
    return f"{numerator}/{below[0]}" if len(below) == 1 else f"{numerator}/({'.'.join(below)})"


def _power_of_second(factor: str) -> int:
    """Of 's' and 's2' the exponent, 0 of any other."""
    return int(factor[1:] or "1") if factor[:1] == "s" and (factor[1:] or "1").isdecimal() else 0


def _with_seconds(below: list[str], added: int) -> list[str]:
    power = sum(_power_of_second(factor) for factor in below) + added
    others = [factor for factor in below if not _power_of_second(factor)]
    return [*others, *([] if power == 0 else ["s" if power == 1 else f"s{power}"])]
