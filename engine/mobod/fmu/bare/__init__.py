"""C sources of a model for targets without an operating system."""
