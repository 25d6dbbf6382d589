"""The tree of bodies as flat tables: where each body's numbers lie, how it moves, and which mobilizers have known motion."""
