"""Forces along the line between two points of bodies."""
