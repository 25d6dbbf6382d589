"""Readers of shared libraries: for which platform they are, and what they export."""

from mobod.acceptance.binary_formats.binary import Binary, read_binary

__all__ = ["Binary", "read_binary"]
