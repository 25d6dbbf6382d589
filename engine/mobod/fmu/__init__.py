"""Export of a System as a Functional Mock-up Unit."""
