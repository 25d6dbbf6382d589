"""Formats of an acceptance report: JSON, JUnit XML, and one HTML page."""
