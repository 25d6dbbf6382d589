"""Values of connections at a communication point: the order in which they are passed, and the solution of algebraic loops."""
