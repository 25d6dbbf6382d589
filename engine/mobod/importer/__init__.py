"""FMUs of any tool, FMI 1.0, 2.0 and 3.0, for co-simulation or model exchange: described, and simulated one at a time."""
