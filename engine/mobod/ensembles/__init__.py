"""Many runs of a System side by side, each with the bits that it has alone."""

from mobod.ensembles.ensemble import Ensemble
from mobod.ensembles.results import EnsembleResults

__all__ = ["Ensemble", "EnsembleResults"]
