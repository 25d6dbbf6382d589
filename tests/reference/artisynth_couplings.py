"""Couplings by their names and parameters in reference files, with exact wrench rates or with those that ArtiSynth computes.

ArtiSynth omits parts of the rates of rotating wrenches. Its steps can be reproduced only if the same parts are omitted. The samples
(`dotWrenchG`) and its code show which: an angular velocity there is never set.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import mobod as mb
from tests.reference.models import CannotBuildError
from tests.reference.user_couplings import RollPitchCoupling, SeedCoupling, SphericalRpyCoupling, UnlimitedSphericalCoupling, WedgeCoupling


def fixed_in_D(wrench_G: Any, velGD: Any) -> Any:
    """Rates of a wrench whose direction in D is constant: a moment in G."""
    return np.concatenate([np.zeros(3), np.cross(wrench_G[3:], velGD[3:])])


def left_out(wrench_G: Any, velGD: Any) -> Any:
    return np.zeros(6)


# by the kind of the coupling; the rates of other kinds are complete
RATES: dict[type[mb.Coupling], Callable[[Any, Any], Any]] = {
    mb.SlottedHingeCoupling: left_out,
    mb.PlanarCoupling: left_out,
    mb.PlaneConnectorCoupling: left_out,
    mb.SphericalCoupling: left_out,
    mb.EllipsoidCoupling: left_out,
    mb.Ellipsoid3dCoupling: left_out,
    RollPitchCoupling: left_out,
    SphericalRpyCoupling: left_out,
    mb.UniversalCoupling: fixed_in_D,
    mb.GimbalCoupling: fixed_in_D,
    mb.FixedAxisCoupling: fixed_in_D,
    mb.FreeCoupling: fixed_in_D,
}


def as_in_artisynth(kind: Any) -> Any:
    """The kind, with ArtiSynth's rates of its wrenches."""
    if kind not in RATES:
        return kind
    rates = RATES[kind]

    def update_constraints(self: Any, TGD: Any, TCD: Any, errC: Any, velGD: Any, update_engaged: bool) -> None:
        kind.update_constraints(self, TGD, TCD, errC, velGD, update_engaged)
        for constraint in self.constraints:
            is_force = kind is mb.FreeCoupling and constraint.index < 3  # along axes of D, where ArtiSynth's rates are right
            if not constraint.is_constant and not is_force:
                constraint.dot_wrench_G = rates(constraint.wrench_G, velGD)

    return type(kind.__name__, (kind,), {"update_constraints": update_constraints})


class Parameters:
    """The parameters of a coupling; the tests check that each of them is read."""

    def __init__(self, values: Mapping[str, Any], about: str):
        self._left, self._about = dict(values), about

    def take(self, *names: str, default: Any = None) -> Any:
        """The value with any of these names."""
        given = [self._left.pop(name) for name in names if name in self._left]
        if len(given) > 1:
            raise CannotBuildError(f"{self._about} with {' and '.join(names)}, which are the same")
        return given[0] if given else default

    def needed(self, name: str) -> Any:
        if name not in self._left:
            raise CannotBuildError(f"{self._about} without {name}")
        return self._left.pop(name)

    def check_all_read(self) -> None:
        if self._left:
            raise CannotBuildError(f"{self._about} with {', '.join(sorted(self._left))}")


Maker = Callable[[Callable[[Any], Any], Parameters, list[int]], mb.Coupling]


def _plane(kind: Callable[[Any], Any], params: Parameters, flags: list[int]) -> mb.Coupling:
    if len(flags) > 1:  # not its connector with a plane, but its joint
        return kind(mb.PlanarCoupling)()
    unilateral = params.take("unilateral", default=bool(flags) and not flags[0] & mb.BILATERAL)
    return kind(mb.PlaneConnectorCoupling)(params.take("normal", default=[0, 0, 1]), unilateral=bool(unilateral))


def _spherical(kind: Callable[[Any], Any], params: Parameters, flags: list[int]) -> mb.Coupling:
    max_tilt, max_rotation = params.take("maxTilt", "tilt"), params.take("maxRotation", "rot")
    if max_tilt is None and max_rotation is None:
        return UnlimitedSphericalCoupling()
    return kind(mb.SphericalCoupling)(max_tilt=max_tilt, max_rotation=max_rotation)


def _radii(params: Parameters) -> Any:
    radii = params.take("radii", "numbers")
    return [params.needed(axis) for axis in "ABC"] if radii is None else radii


def _ellipsoid(kind: Callable[[Any], Any], params: Parameters, flags: list[int]) -> mb.Coupling:
    radii = _radii(params)
    options = {"uses_opensim": bool(params.take("openSim", "useOpenSimApprox", default=False))}
    return kind(mb.EllipsoidCoupling)(radii, float(params.take("alpha", default=0.0)), **options)


def _ellipsoid_3d(kind: Callable[[Any], Any], params: Parameters, flags: list[int]) -> mb.Coupling:
    return kind(mb.Ellipsoid3dCoupling)(_radii(params), uses_opensim=bool(params.take("openSim", "useOpenSimApprox", default=False)))


def _universal(kind: Callable[[Any], Any], params: Parameters, flags: list[int]) -> mb.Coupling:
    return kind(mb.UniversalCoupling)(axes=params.take("axes", default="ZY"), skew=float(params.take("skewAngle", "skew", default=0.0)))


def _simple(of: Any) -> Maker:
    return lambda kind, params, flags: kind(of)()


# by ArtiSynth's names, without Coupling or Connector at the end
MAKERS: dict[str, Maker] = {
    "Custom": _simple(SeedCoupling),
    "TwoWedge": lambda kind, params, flags: WedgeCoupling(params.needed("normals")),
    "Hinge": lambda kind, params, flags: mb.HingeCoupling(clockwise=bool(params.take("clockwise", default=False))),
    "Revolute": lambda kind, params, flags: mb.HingeCoupling(clockwise=bool(params.take("clockwise", default=True))),
    "Slider": _simple(mb.SliderCoupling),
    "Cylindrical": lambda kind, params, flags: mb.CylindricalCoupling(clockwise=bool(params.take("clockwise", default=True))),
    "SlottedHinge": _simple(mb.SlottedHingeCoupling),
    "Universal": _universal,
    "SkewedUniversal": _universal,
    "RollPitch": _simple(RollPitchCoupling),
    "Gimbal": lambda kind, params, flags: kind(mb.GimbalCoupling)(axes=params.take("axes", default="ZYX")),
    "SphericalRpy": _simple(SphericalRpyCoupling),
    "Spherical": _spherical,
    "FullPlanar": _simple(mb.PlanarCoupling),
    "Planar(FullPlanar)": _simple(mb.PlanarCoupling),
    "PlanarTranslation": _simple(mb.PlanarTranslationCoupling),
    "Planar": _plane,
    "Plane": _plane,
    "Ellipsoid": _ellipsoid,
    "Ellipsoid3d": _ellipsoid_3d,
    "Solid": _simple(mb.SolidCoupling),
    "Free": lambda kind, params, flags: kind(mb.FreeCoupling)(axes=params.take("axes", default="ZYX")),
    "FixedAxis": _simple(mb.FixedAxisCoupling),
}

_OPTION = re.compile(r"([A-Za-z]+)(-?[0-9.]*)")


def coupling_of(name: str, params: Mapping[str, Any], flags: list[int], *, exact_rates: bool) -> mb.Coupling:
    """The coupling with this class name or sample name, such as Universal_XY_skew0.3. Flags of its constraints, if given, help to
    identify it.

    Raises CannotBuildError for a name or a parameter that mobod does not have.
    """
    about = f"coupling {name}"
    stem, *options = name.split("_")
    stem = re.sub(r"(Coupling|Connector)(3d)?$", r"\2", stem)
    if stem not in MAKERS:
        raise CannotBuildError(about)
    read = Parameters({**params, **_options(options, about)}, about)
    coupling = MAKERS[stem]((lambda kind: kind) if exact_rates else as_in_artisynth, read, flags)
    read.check_all_read()
    return coupling


def _options(words: list[str], about: str) -> dict[str, Any]:
    """Options at the end of a name: axes, numbers, and numbers with a name before the first."""
    found: dict[str, Any] = {}
    named = "numbers"
    for word in words:
        match = _OPTION.fullmatch(word)
        if re.fullmatch("[XYZ]+", word):
            found["axes"] = word
        elif match and not match[2]:
            found[word] = True
        elif match:
            named = match[1]
            found[named] = float(match[2])
        elif re.fullmatch(r"-?[0-9.]+", word):
            found[named] = [*np.atleast_1d(found.get(named, [])).tolist(), float(word)]
        else:
            raise CannotBuildError(f"{about}: {word}")
    return found
