"""The rules of FMI 2.0.5 and 3.0.2 for the other files of an FMU. Nothing of it is run."""
