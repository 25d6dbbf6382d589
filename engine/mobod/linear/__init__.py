"""Linear systems with named states, inputs and outputs, and their modes: mathematics without bodies."""
