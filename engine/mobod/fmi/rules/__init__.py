"""The rules of FMI 2.0.5 and 3.0.2 for modelDescription.xml. Nothing of the FMU is run."""
