"""Python FMUs: the System as a pickle, and what runs it within the process of an importer."""
