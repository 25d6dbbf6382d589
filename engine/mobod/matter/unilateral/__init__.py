"""Distances that do not fall below zero: contacts, limits of coordinates, and their events."""
