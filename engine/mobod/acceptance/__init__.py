"""Acceptance: an FMU of any tool is checked against the standard, by its files and by running it."""

from mobod.acceptance.report import AcceptanceReport, Check, Difference, Experiment
from mobod.acceptance.validate import validate_fmu
from mobod.fmi.rules.finding import AcceptanceFinding

__all__ = ["AcceptanceFinding", "AcceptanceReport", "Check", "Difference", "Experiment", "validate_fmu"]
