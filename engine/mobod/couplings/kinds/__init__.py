"""The couplings that are there: one file for each kind."""
