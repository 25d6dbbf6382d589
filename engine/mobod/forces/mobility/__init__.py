"""Forces on single mobilities: given ones, springs, dampers, stops, tables."""
