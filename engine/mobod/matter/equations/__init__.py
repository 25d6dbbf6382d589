"""What an element is to the engine: mobilizers, constraints and motions as equations with parameters."""
