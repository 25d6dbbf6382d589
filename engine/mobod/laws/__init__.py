"""Laws that every element must obey, as functions, for users' own elements and for the tests of mobod's elements."""

from mobod.laws.check_element import ElementCheck, check_element

__all__ = ["ElementCheck", "check_element"]
