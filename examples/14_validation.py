"""The five problems of the IFToMM library of multibody benchmarks, with their published measures of error:
see docs/validation/validation.md.
"""

from time import process_time

from iftomm import a01_pendulum, a02_four_bars, a03_squeezer, a04_bricard, a05_governor

import mobod as mb

PROBLEMS = (a01_pendulum, a02_four_bars, a03_squeezer, a04_bricard, a05_governor)
REPORTS = 1000  # number of times; the error is the largest error at these times

if __name__ == "__main__":
    for problem in PROBLEMS:
        system, state = problem.build()
        system.realize(state, mb.Stage.DYNAMICS)
        print(f"{problem.__doc__.partition(':')[0]}, {problem.UNTIL:g} s. {system.matter.analyze_constraints(state)}")
        accepted = "" if problem.ACCEPTED is None else f"; accepted is {problem.ACCEPTED:g}"
        for accuracy in (1e-6, 1e-7, 1e-8):
            simulation = mb.Simulation(system, accuracy, backend="interpreted")
            simulation.run(state, state.time)  # makes and caches what the first run needs
            start = process_time()
            results = simulation.run(state, problem.UNTIL, report_every=problem.UNTIL / REPORTS)
            took = 1e3 * (process_time() - start)
            print(f"    accuracy {accuracy:.0e}: {results.steps} steps of {results.integrator} in {took:.1f} ms of CPU time")
            print(f"        {problem.MEASURE}: {problem.error(results):.1e}{accepted}")
