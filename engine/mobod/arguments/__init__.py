"""Checks of what callers give: numbers, counts that are held in memory, methods of subclasses."""
