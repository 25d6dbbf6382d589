"""Write a subsystem: an empty one, then a force between all bodies with an adjustable strength (seed 000, chapter 2)."""

import mobod as mb
from mobod.scalar import norm


class Nothing(mb.CustomSubsystem):
    """The simplest possible subsystem."""


class Repulsion(mb.CustomForceSubsystem):
    """All body origins repel each other. The force is strength r / |r|^3."""

    default_strength = 1.0  # N m^2

    def set_default_strength(self, strength: float) -> None:
        self.default_strength = strength
        self.invalidate_topology()  # existing States then raise when they are used

    def realize_topology(self, state):
        label = mb.Label(unit="N.m2", description="force at a distance of 1 m")
        self.strength = state.allocate_discrete_variable(self, "strength", self.default_strength, mb.Stage.DYNAMICS, label=label)

    def pairs(self, state):
        bodies = [self.matter.ground, *self.matter.bodies]
        return [(a, b, a.X_GB(state).p - b.X_GB(state).p) for i, a in enumerate(bodies) for b in bodies[:i]]

    def realize_dynamics(self, state):
        body_forces = self.body_forces(state)
        for a, b, r in self.pairs(state):
            force = state.get(self.strength) * r / norm(r) ** 3
            body_forces[a.index, 3:] += force
            body_forces[b.index, 3:] -= force

    def calc_potential_energy(self, state):
        return sum(state.get(self.strength) / norm(r) for _, _, r in self.pairs(state))


def charges() -> mb.MultibodySystem:
    """Two point masses of 1 and 2 kg. The origin of Ground repels them, too."""
    system = mb.MultibodySystem("charges")
    matter = mb.MatterSubsystem(system)
    for number, start in ((1, [1.0, 0.2, -0.3]), (2, [-0.4, 0.9, 0.5])):
        mb.Translation(matter.ground, mb.MassProperties.point(number, [0, 0, 0]), name=f"charge{number}").set_default_q(start)
    Nothing(system, "nothing")
    Repulsion(system, "repulsion").set_default_strength(0.8)
    return system


if __name__ == "__main__":
    system = charges()
    state = system.realize_topology()
    for strength in (0.8, 2.0):
        system.set_value(state, "repulsion.strength", strength)
        results = mb.Simulation(system, accuracy=1e-10).run(state, until=1.0)
        energy = results["energy"]
        print(f"strength {strength}: {results['charge1.q'][-1].round(8)} m after 1 s; energy {energy[0]:.8f} J, then {energy[-1]:.8f} J")
