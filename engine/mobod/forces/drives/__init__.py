"""Drives: motors with their laws, ranges and gears, and the tendons that they pull."""
