"""The sweeps over a tree with constraints: realization stage by stage, and products with M, its inverse and the Jacobian."""
