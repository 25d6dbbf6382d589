"""The checks of an FMU that run it: each function takes the Subject and a Monitor, and returns a Result."""
