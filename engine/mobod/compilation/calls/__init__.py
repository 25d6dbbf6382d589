"""The calls of sweeps: which are needed, in which order, what they depend on and cost."""
