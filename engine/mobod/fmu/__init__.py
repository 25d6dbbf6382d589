"""From a System to a Functional Mock-up Unit."""
