"""Simulation over time, and what it records."""
