"""Fixed steps at velocity level for Systems with constraints and limits."""
