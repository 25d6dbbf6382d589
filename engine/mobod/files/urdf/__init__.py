"""URDF files: robots of links and joints become Systems."""
