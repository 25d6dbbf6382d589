"""Robots of links and joints: what a file says, whatever its format, and the System that is built of it."""
