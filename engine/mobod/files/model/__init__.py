"""Model files: a System as JSON, without loss."""
