"""What a MODEL of the command line can be, and how it is read."""
