"""What any element must obey, as functions: for users' own elements, and for the tests of all of mobod's."""

from mobod.laws.check_element import ElementCheck, check_element

__all__ = ["ElementCheck", "check_element"]
