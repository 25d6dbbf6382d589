"""Pages that show a run, and pages that run a model."""
