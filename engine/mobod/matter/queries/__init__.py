"""What can be asked of all bodies together in a State: operators, Jacobians, momentum, multipliers."""
