"""A State: the layout of its numbers, which of them are valid, who may read them when, and a State as bytes."""
