"""How components advance together: the order of their steps, inputs within a step, iterations, and the size of steps."""
