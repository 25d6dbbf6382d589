"""Acceptance: an FMU of any tool is checked against the standard, by its files and by running it."""

from mobod.acceptance.report import AcceptanceReport, Check, Difference, Experiment, Finding
from mobod.acceptance.validate import validate_fmu

__all__ = ["AcceptanceReport", "Check", "Difference", "Experiment", "Finding", "validate_fmu"]
