"""Units are decomposed into SI base units."""

from math import pi

import pytest

from mobod.errors import InputError
from mobod.system.units import DISPLAY_UNITS, si_exponents


@pytest.mark.parametrize(
    ("unit", "exponents"),
    [
        ("1", {}),
        ("1/s", {"s": -1}),
        ("rad/s2", {"rad": 1, "s": -2}),
        ("kg.m2", {"kg": 1, "m": 2}),
        ("N.m", {"kg": 1, "m": 2, "s": -2}),
        ("J", {"kg": 1, "m": 2, "s": -2}),
        ("N/m", {"kg": 1, "s": -2}),
        ("N.s/m", {"kg": 1, "s": -1}),
        ("N.m/rad", {"kg": 1, "m": 2, "s": -2, "rad": -1}),
        ("N.m.s/rad", {"kg": 1, "m": 2, "s": -1, "rad": -1}),
        ("W", {"kg": 1, "m": 2, "s": -3}),
        ("kg/m3", {"kg": 1, "m": -3}),
        ("m-2", {"m": -2}),
        ("m/(s2.sqrtHz)", {"m": 1, "s": -1.5}),
        ("W/(m2.K)", {"kg": 1, "s": -3, "K": -1}),
        ("V.A/W", {}),
        ("Wb/(H.A)", {}),
        ("S.Ohm", {}),
        ("F.V/C", {}),
        ("T.m2/Wb", {}),
    ],
)
def test_units_have_the_exponents_of_their_base_units(unit, exponents):
    assert si_exponents(unit) == exponents


@pytest.mark.parametrize("unit", ["", "lbf", "N m", "N*m", "m^2", "rad/", "/s", "m0", "N..m", "kg.m2/s/s", "Nm", "1.5"])
def test_an_invalid_unit_is_an_error_that_names_it(unit):
    with pytest.raises(InputError) as error:
        si_exponents(unit)
    assert f"unit '{unit}'" in str(error.value)


def test_two_divisors_without_parentheses_are_refused():
    with pytest.raises(InputError, match="parentheses"):
        si_exponents("W/m2.K")


def test_a_half_turn_is_shown_as_180_degrees():
    name, factor = DISPLAY_UNITS["rad"]
    assert name == "deg"
    assert factor * pi == pytest.approx(180, rel=1e-15)
