"""Ground and mobilized bodies: coordinates, kinematics, mass, locks, reactions, decorations."""
