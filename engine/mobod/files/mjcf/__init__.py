"""MJCF files: what MuJoCo compiles of them becomes a System."""
