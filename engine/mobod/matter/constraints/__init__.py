"""One file for each kind of constraint: its equations, and the constraint that has them."""

from mobod.matter.constraints.rod import Rod

__all__ = ["Rod"]
