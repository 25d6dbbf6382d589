"""FMUs of FMI 1.0, which are read and called as FMUs of FMI 2.0."""
