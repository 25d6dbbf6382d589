"""The forces of contact, one file for each, and their material."""

from mobod.contact.compliant_contact import CompliantContact as CompliantContact
from mobod.contact.elastic_foundation_force import ElasticFoundationForce as ElasticFoundationForce
from mobod.contact.hunt_crossley_force import HuntCrossleyForce as HuntCrossleyForce
from mobod.contact.material import ContactMaterial as ContactMaterial
from mobod.contact.rigid_contact import RigidContact as RigidContact
from mobod.contact.smooth_sphere_half_space_force import SmoothSphereHalfSpaceForce as SmoothSphereHalfSpaceForce
