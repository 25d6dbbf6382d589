"""A bouncing ball: an event handler counts the bounces and ends the run at the third; then the same in an FMU (Python and native)."""

import fmpy

import mobod as mb

GRAVITY, RESTITUTION = 9.8, 0.8  # m/s^2, ratio of the speeds after and before a bounce


class Bounce(mb.TriggeredEventHandler):
    """Reverses the ball's velocity. The count is a variable of the State, and so of the FMU."""

    def __init__(self, system: mb.System, ball: mb.Slider) -> None:
        self.ball = ball
        super().__init__(system, direction="falling", name="bounce", variables={"count": 0})

    def witness(self, state):
        return self.ball.q(state)[0]

    def handle_event(self, state, event):
        self.ball.set_u(state, -RESTITUTION * self.ball.u(state))
        count = self.variable(state, "count") + 1
        self.set_variable(state, "count", count)
        event.terminate_when(count == 3)


def bouncing_ball() -> mb.MultibodySystem:
    """A mass of 1 kg, dropped from 1 m."""
    system = mb.MultibodySystem("bouncing_ball")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[-1, 0, 0], magnitude=GRAVITY, name="gravity")
    ball = mb.Slider(matter.ground, mb.MassProperties.point(1.0, [0, 0, 0]), name="ball")
    ball.set_default_q(1.0)
    Bounce(system, ball)
    return system


if __name__ == "__main__":
    system = bouncing_ball()
    peaks = []
    ball = system.matter.body("ball")
    mb.TriggeredEventReporter.of(
        system, lambda state: ball.u(state)[0], lambda state: peaks.append(ball.q(state)[0]), direction="falling", name="peak"
    )

    results = mb.Simulation(system, accuracy=1e-9).run(system.realize_topology(), until=10.0)
    print("bounces at", *results.event_times("bounce").round(9), "s")
    print("peaks of", *(round(float(peak), 9) for peak in peaks), "m")

    path = mb.export_fmu(system, "bouncing_ball.fmu", outputs=["ball.q", "bounce.count"])
    run = fmpy.simulate_fmu(str(path), stop_time=10.0, step_size=0.01, output_interval=0.01)
    print("in FMPy the run ends at", round(float(run["time"][-1]), 2), "s")
