"""Fixed steps at velocity level, of Systems with constraints and limits."""
