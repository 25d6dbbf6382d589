"""What is asked of a System at a State, beside its motion: linear systems, modes, equilibria, derivatives of the dynamics."""
