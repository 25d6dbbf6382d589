"""Compare samples of ArtiSynth's couplings with mobod's: poses, projections, twists, wrenches and their rates."""

import json
from pathlib import Path
from typing import Any

import numpy as np

import mobod as mb
from mobod.couplings.projections import displacement
from tests.reference.artisynth_runs import difference, transform
from tests.reference.cases import Comparison, Report

VALUES = 1e-12  # of numbers of size 1, each a few dozen operations
DUALITY = 1e-13
RATES = 1e-6  # the file has differences over a finite step


def read_samples(path: Path) -> list[dict[str, Any]] | None:
    """The samples of a file, named by their number; None if it holds something else."""
    content = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict) or "couplings" not in content:
        return None
    return [{"name": f"{sample['coupling']}[{i}]", **sample} for i, sample in enumerate(content["couplings"])]


def compare_sample(sample: dict[str, Any]) -> Report:
    report = Report(sample["name"])
    if sample["coupling"] not in COUPLINGS:
        report.trouble = f"not in mobod yet: coupling {sample['coupling']}"
        return report
    try:
        for name, (value, expected, tolerance) in quantities(COUPLINGS[sample["coupling"]](), sample).items():
            report.compared.append(Comparison(name, difference(value, expected), tolerance))
    except mb.MobodError as error:
        report.trouble = f"{type(error).__name__}: {error}"
    return report


def quantities(coupling: mb.Coupling, sample: dict[str, Any]) -> dict[str, tuple[Any, Any, float]]:
    """name -> (mobod's, the file's or what must hold, tolerance)."""
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
    # of coupled ones any orthonormal basis is as right: what does not depend on it is the projection upon them
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


COUPLINGS: dict[str, Any] = {
    "Hinge": mb.HingeCoupling,
    "Slider": mb.SliderCoupling,
    "Cylindrical": mb.CylindricalCoupling,
    "SlottedHinge": mb.SlottedHingeCoupling,
    "Universal_ZY": mb.UniversalCoupling,
    "Universal_ZY_skew0.3": lambda: mb.SkewedUniversalCoupling(0.3),
    "Universal_XY": lambda: mb.UniversalCoupling(axes="XY"),
    "Gimbal_ZYX": mb.GimbalCoupling,
    "Gimbal_XYZ": lambda: mb.GimbalCoupling(axes="XYZ"),
    "Spherical_tilt0.2": lambda: mb.SphericalCoupling(max_tilt=0.2),
    "Spherical_rot0.2_0.3_0.4": lambda: mb.SphericalCoupling(max_rotation=[0.2, 0.3, 0.4]),
    "Planar(FullPlanar)": mb.PlanarCoupling,
    "PlanarTranslation": mb.PlanarTranslationCoupling,
    "Ellipsoid_1_1.5_2": lambda: mb.EllipsoidCoupling([1, 1.5, 2]),
    "Free_ZYX": mb.FreeCoupling,
    "Solid": mb.SolidCoupling,
    "PlaneConnector": mb.PlaneConnectorCoupling,
}
