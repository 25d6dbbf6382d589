"""Compare samples of ArtiSynth's couplings with mobod's: poses, projections, twists, wrenches and their rates."""

import json
from pathlib import Path
from typing import Any

import numpy as np

import mobod as mb
from mobod.couplings import ConstraintFlag
from mobod.couplings.projections import displacement
from tests.reference.artisynth_couplings import coupling_of
from tests.reference.artisynth_runs import difference, transform
from tests.reference.cases import Comparison, Report
from tests.reference.models import CannotBuildError, check_keys

VALUES = 1e-12  # for numbers of size 1 after a few dozen operations
DUALITY = 1e-13
RATES = 1e-6  # the file has differences over a finite step

KEYS = frozenset(["name", "coupling", "coords0", "TCD0", "TERR", "TCD", "TGD", "coords", "errC", "qdot", "velGD", "twistG", "constraints"])
OF_A_CONSTRAINT = frozenset(["bilateral", "linear", "rotary", "limit", "wrenchG", "dotWrenchG", "dotWrenchG_fd", "distance", "engaged"])
FLAGS = {"bilateral": mb.BILATERAL, "linear": mb.LINEAR, "rotary": mb.ROTARY, "limit": ConstraintFlag.LIMIT}


def read_samples(path: Path) -> list[dict[str, Any]] | None:
    """The samples of a file, named by their number; None if the file has other content."""
    content = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict) or "couplings" not in content:
        return None
    return [{"name": f"{sample['coupling']}[{i}]", **sample} for i, sample in enumerate(content["couplings"])]


def compare_sample(sample: dict[str, Any]) -> Report:
    report = Report(sample["name"])
    try:
        check_keys(sample, KEYS, "a sample")
        for each in sample["constraints"]:
            check_keys(each, OF_A_CONSTRAINT, "a constraint")
        flags = [sum(flag for name, flag in FLAGS.items() if each[name]) for each in sample["constraints"]]
        exact, literal = (coupling_of(sample["coupling"], {}, flags, exact_rates=each) for each in (True, False))
        of_mobod = [int(each.flags & ~ConstraintFlag.CONSTANT) for each in exact.constraints]
        if of_mobod != flags:
            raise CannotBuildError(f"{sample['coupling']} with constraints {flags}, which are {of_mobod} here")
        for name, (value, expected, tolerance) in (quantities(exact, sample) | incomplete_rates(literal, sample)).items():
            report.compared.append(Comparison(name, difference(value, expected), tolerance))
    except CannotBuildError as error:
        report.trouble = f"not in mobod yet: {error}"
    except mb.MobodError as error:
        report.trouble = f"{type(error).__name__}: {error}"
    return report


def quantities(coupling: mb.Coupling, sample: dict[str, Any]) -> dict[str, tuple[Any, Any, float]]:
    """name -> (mobod's value, the expected value, tolerance)."""
    found: dict[str, tuple[Any, Any, float]] = {}
    for coordinate, value in zip(coupling.coordinates, sample["coords0"], strict=True):
        coordinate.value = value
    if coupling.coordinates:
        TCD0 = coupling.coordinates_to_TCD(np.array(sample["coords0"]))
        found["T_CD, rotation"] = TCD0.R, sample["TCD0"]["R"], VALUES
        found["T_CD, position"] = TCD0.p, sample["TCD0"]["p"], VALUES
    TCD = transform(sample["TCD"])
    TGD = coupling.project_to_constraints(TCD)
    again = coupling.project_to_constraints(TGD)
    coordinates = np.asarray(coupling.TCD_to_coordinates(TGD), dtype=float)
    errC = displacement(TGD.inverse() @ TCD)
    velGD = np.array(sample["velGD"])
    found["T_GD, rotation"] = TGD.R, sample["TGD"]["R"], VALUES
    found["T_GD, position"] = TGD.p, sample["TGD"]["p"], VALUES
    found["projection of a projection, rotation"] = again.R, TGD.R, VALUES
    found["projection of a projection, position"] = again.p, TGD.p, VALUES
    found["coordinates"] = coordinates, sample["coords"], VALUES
    found["errC"] = errC, sample["errC"], VALUES

    W, W_dot, regions = coupling.recorded.rows(TGD, TCD, coordinates, errC, velGD)
    J = coupling.recorded.twists(coordinates)
    constraints = sample["constraints"]
    found["twists"] = J.T, np.reshape(sample["twistG"], (-1, 6)), VALUES
    W_file, W_dot_file = (np.array([each[key] for each in constraints]) for key in ("wrenchG", "dotWrenchG_fd"))
    coupled = np.array([each["bilateral"] and each["linear"] and each["rotary"] for each in constraints])
    found["wrenches"] = W[~coupled], W_file[~coupled], VALUES
    # coupled wrenches may be any orthonormal basis of their space; the projection onto the space does not depend on the basis
    found["projection upon coupled wrenches"] = W[coupled].T @ W[coupled], W_file[coupled].T @ W_file[coupled], VALUES
    found["coupled wrenches are orthonormal"] = W[coupled] @ W[coupled].T, np.eye(coupled.sum()), VALUES
    if coupling.coordinates:  # the file's differences are along the coordinates
        found["rates of wrenches"] = W_dot[~coupled], W_dot_file[~coupled], RATES
        rates = (wrenches[coupled].T @ rate[coupled] for wrenches, rate in ((W, W_dot), (W_file, W_dot_file)))
        found["rate of the projection"] = *(rate + rate.T for rate in rates), RATES
        bilateral = [each.index for each in coupling.constraints if each.is_bilateral]
        dual = [each.limit_constraint.index for each in coupling.coordinates if each.limit_constraint is not None]
        found["bilateral wrenches times twists"] = W[bilateral] @ J, np.zeros((len(bilateral), J.shape[1])), DUALITY
        if dual:
            found["limit wrenches times twists"] = W[dual] @ J, np.eye(len(dual)), DUALITY
    distances = np.array([each["distance"] for each in constraints])
    found["displacement along coupled wrenches"] = W[coupled].T @ (W[coupled] @ errC), W_file[coupled].T @ distances[coupled], VALUES
    for i, each in enumerate(constraints):
        if each["bilateral"] and not coupled[i]:
            found[f"distance {i}"] = W[i] @ errC, distances[i], VALUES
    for region in regions:
        distance = min(region.value - region.lower, region.upper - region.value)
        found[f"distance {region.constraint}"] = distance, distances[region.constraint], VALUES
    return found


def incomplete_rates(coupling: mb.Coupling, sample: dict[str, Any]) -> dict[str, tuple[Any, Any, float]]:
    """ArtiSynth's rates of wrenches, which its runs need. Coupled wrenches are left out, since their basis is arbitrary."""
    for coordinate, value in zip(coupling.coordinates, sample["coords0"], strict=True):
        coordinate.value = value
    TCD, TGD = transform(sample["TCD"]), transform(sample["TGD"])
    _, W_dot, _ = coupling.recorded.rows(TGD, TCD, np.array(sample["coords"]), np.array(sample["errC"]), np.array(sample["velGD"]))
    free = [i for i, each in enumerate(sample["constraints"]) if not (each["linear"] and each["rotary"])]
    expected = np.array([sample["constraints"][i]["dotWrenchG"] for i in free]).reshape(-1, 6)
    return {"rates of wrenches in ArtiSynth": (W_dot[free], expected, VALUES)}
