"""Communication steps whose size follows the error of the coupling."""
