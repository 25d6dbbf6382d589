"""Systems of FMUs as files (SSP): read into a network, and written from one.

Source: System Structure and Parameterization 1.0.1 and 2.0.1, Modelica Association.
"""
