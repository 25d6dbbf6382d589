"""The names of components of vectors, and of spatial vectors, whose angular part is first."""

XYZ = ("x", "y", "z")
WRENCH = ("Mx", "My", "Mz", "Fx", "Fy", "Fz")
MOMENTUM = ("Lx", "Ly", "Lz", "px", "py", "pz")
DEFLECTION = ("rx", "ry", "rz", "x", "y", "z")
