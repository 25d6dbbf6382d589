"""User couplings in the runs of reference files: the seed's, those of the reference's own models, and old ones of ArtiSynth."""

from typing import Any

import numpy as np

import mobod as mb
from mobod.couplings.projections import with_z_aligned
from mobod.couplings.rpy_angles import RpyAngles
from mobod.spatial import rotation_y, rotation_z


class SeedCoupling(mb.Coupling):
    """The slotted hinge of the ArtiSynth guide, section 4.10.5, with its own wrench derivatives."""

    def initialize_constraints(self):
        self.add_constraint(self.BILATERAL | self.LINEAR)
        self.add_constraint(self.BILATERAL | self.LINEAR, [0, 0, 1, 0, 0, 0])
        self.add_constraint(self.BILATERAL | self.ROTARY, [0, 0, 0, 1, 0, 0])
        self.add_constraint(self.BILATERAL | self.ROTARY, [0, 0, 0, 0, 1, 0])
        self.add_constraint(self.LINEAR)
        self.add_constraint(self.ROTARY, [0, 0, 0, 0, 0, 1])
        self.add_coordinate(-1, 1, self.constraint(4), name="x")
        self.add_coordinate(-2 * np.pi, 2 * np.pi, self.constraint(5), name="theta")

    def coordinates_to_TCD(self, coordinates):
        x, theta = coordinates
        c, s = np.cos(theta), np.sin(theta)
        return mb.Transform(np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), np.array([x, 0, 0]))

    def TCD_to_coordinates(self, TCD):
        theta = np.arctan2(TCD.R[1, 0], TCD.R[0, 0])
        return np.array([TCD.p[0], self.coordinate(1).nearest_angle(theta)])

    def project_to_constraints(self, TCD):
        return mb.Transform.of(with_z_aligned(TCD.R), np.array([TCD.p[0], 0, 0]))

    def update_constraints(self, TGD, TCD, errC, velGD, update_engaged):
        s, c = TGD.R[1, 0], TGD.R[0, 0]
        rate = velGD[5]
        self.constraint(0).wrench_G = np.array([s, c, 0, 0, 0, 0])
        self.constraint(0).dot_wrench_G = np.array([c * rate, -s * rate, 0, 0, 0, 0])
        self.constraint(4).wrench_G = np.array([c, -s, 0, 0, 0, 0])
        self.constraint(4).dot_wrench_G = np.array([-s * rate, -c * rate, 0, 0, 0, 0])


class WedgeCoupling(mb.Coupling):
    """Translation in the x-y plane within the half-planes n . p >= 0, which are not limits of a coordinate."""

    def __init__(self, normals: Any):
        self.normals = [np.array(normal, dtype=float) for normal in normals]
        super().__init__()

    def initialize_constraints(self):
        self.add_constraint(self.BILATERAL | self.LINEAR, [0, 0, 1, 0, 0, 0])
        for i in range(3):
            self.add_constraint(self.BILATERAL | self.ROTARY, np.eye(6)[3 + i])
        for _ in self.normals:
            self.add_constraint(self.LINEAR)
        self.add_coordinate(name="x")
        self.add_coordinate(name="y")

    def coordinates_to_TCD(self, coordinates):
        return mb.Transform(p=np.array([*coordinates, 0]))

    def TCD_to_coordinates(self, TCD):
        return TCD.p[:2]

    def project_to_constraints(self, TCD):
        return mb.Transform(p=np.array([*TCD.p[:2], 0]))

    def update_constraints(self, TGD, TCD, errC, velGD, update_engaged):
        for constraint, normal in zip(self.constraints[4:], self.normals, strict=True):
            constraint.wrench_G = np.array([*normal, 0, 0, 0, 0])
            self.update_engaged(constraint, normal @ TGD.p[:2], 0.0, np.inf)


class UnlimitedSphericalCoupling(mb.Coupling):
    """ArtiSynth's spherical joint without a limit: the constraint of the limit exists but is never active."""

    def initialize_constraints(self):
        for i in range(3):
            self.add_constraint(self.BILATERAL | self.LINEAR, np.eye(6)[i])
        self.add_constraint(self.ROTARY)

    def project_to_constraints(self, TCD):
        return mb.Transform.of(TCD.R, np.zeros(3))

    def update_constraints(self, TGD, TCD, errC, velGD, update_engaged):
        self.constraint(3).wrench_G = np.zeros(6)
        self.update_engaged(self.constraint(3), 0.0, -np.inf, np.inf)


class RollPitchCoupling(mb.Coupling):
    """ArtiSynth's old universal joint: roll and pitch turn D in C."""

    def initialize_constraints(self):
        for i in range(3):
            self.add_constraint(self.BILATERAL | self.LINEAR, np.eye(6)[i])
        self.add_constraint(self.BILATERAL | self.ROTARY)
        pitch_limit, roll_limit = self.add_constraint(self.ROTARY), self.add_constraint(self.ROTARY)
        self.add_coordinate(limit_constraint=roll_limit, name="roll")
        self.add_coordinate(limit_constraint=pitch_limit, name="pitch")

    def coordinates_to_TCD(self, coordinates):
        roll, pitch = coordinates
        return mb.Transform.of((rotation_z(roll) @ rotation_y(pitch)).T, np.zeros(3))

    def TCD_to_coordinates(self, TCD):
        R_DC = TCD.R.T
        angles = np.arctan2(-R_DC[0, 1], R_DC[1, 1]), np.arctan2(-R_DC[2, 0], R_DC[2, 2])
        return np.array([each.nearest_angle(angle) for each, angle in zip(self.coordinates, angles, strict=True)])

    def project_to_constraints(self, TCD):
        return mb.Transform.of(mb.UniversalCoupling().project_to_constraints(mb.Transform.of(TCD.R.T, np.zeros(3))).R.T, np.zeros(3))

    def update_constraints(self, TGD, TCD, errC, velGD, update_engaged):
        c, s = np.cos(self.coordinate(0).value), np.sin(self.coordinate(0).value)
        for i, moment in ((3, [c, s, 0]), (4, [s, -c, 0]), (5, [0, 0, -1])):
            self.constraint(i).wrench_G = np.array([0, 0, 0, *moment])


class SphericalRpyCoupling(mb.Coupling):
    """ArtiSynth's old gimbal joint: roll, pitch and yaw turn D in C. Wrenches follow from the coordinates."""

    def initialize_constraints(self):
        for i in range(3):
            self.add_constraint(self.BILATERAL | self.LINEAR, np.eye(6)[i])
        for name in ("roll", "pitch", "yaw"):
            self.add_coordinate(limit_constraint=self.add_constraint(self.ROTARY), name=name)

    def coordinates_to_TCD(self, coordinates):
        return mb.Transform.of(RpyAngles("ZYX").rotation(coordinates).T, np.zeros(3))

    def TCD_to_coordinates(self, TCD):
        return RpyAngles("ZYX").angles(TCD.R.T, tuple(self.coordinates))

    def project_to_constraints(self, TCD):
        return mb.Transform.of(TCD.R, np.zeros(3))
