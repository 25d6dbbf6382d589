"""Dry friction in joints: laws, rigid, regularised and LuGre."""
