"""Contacts and friction with the arguments that users give: mypy accepts them all. Checked by mypy, never run."""

import mobod as mb


def use(forces: mb.ForceSubsystem, a: mb.MobilizedBody, b: mb.MobilizedBody) -> None:
    m = mb.ContactMaterial(stiffness=1e7, dissipation=1.0, static_friction=0.5, dynamic_friction=0.4)
    mb.CompliantContact(forces, a, mb.contact.HalfSpace(), b, mb.contact.Sphere(0.1), material1=m)
    mb.HuntCrossleyForce(forces, a, mb.contact.HalfSpace(), b, mb.contact.Sphere(0.1), material1=m)
    mb.RigidContact(a, mb.contact.HalfSpace(), b, mb.contact.Sphere(0.1), static_friction=0.5)
    mb.RigidJointFriction(a, limit=1.0)
    mb.JointFriction(forces, a, limit=1.0, transition_speed=1e-3)
    mb.LuGreFriction(forces, a, limit=1.0, stiffness=1e5, stribeck_speed=1e-3)
