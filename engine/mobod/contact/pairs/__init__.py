"""Which shapes touch each other: a function for two types of shapes, registered by `touching`."""

from mobod.contact.pairs import box_and_capsule as box_and_capsule
from mobod.contact.pairs import box_and_sphere as box_and_sphere
from mobod.contact.pairs import half_space_and_others as half_space_and_others
from mobod.contact.pairs import height_field_and_sphere as height_field_and_sphere
from mobod.contact.pairs import spheres_and_capsules as spheres_and_capsules
from mobod.contact.pairs.contact_pair import ContactPair, has_pair, pair_of

__all__ = ["ContactPair", "has_pair", "pair_of"]
