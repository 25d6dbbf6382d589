"""FMUs of any tool as files and as loaded libraries: archives that are checked, and calls whose status is checked."""
