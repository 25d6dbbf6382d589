"""Comparison of two runs: tolerances, times that differ, jumps, NaN, names."""

import numpy as np
import pytest

import mobod as mb
from mobod.errors import InputError, UnknownNameError
from mobod.simulate.table import Table

TIME = np.linspace(0.0, 2.0, 21)


def only(comparison):
    (difference,) = comparison.differences
    return difference


def test_equal_tables_are_equal_with_no_tolerance():
    columns = {"q": np.sin(TIME), "p": np.column_stack([TIME, np.full(21, np.nan), np.full(21, -np.inf)])}
    comparison = Table(TIME, columns).compare(Table(TIME.copy(), columns), 0.0)

    assert comparison
    assert comparison.is_equal
    assert (comparison.first, comparison.first_time) == (None, None)
    assert [each.name for each in comparison.differences] == ["q", "p[1]", "p[2]", "p[3]"]
    assert [each.largest for each in comparison.differences] == [0, 0, 0, 0]
    assert (comparison.only_in_self, comparison.only_in_other) == ((), ())


def test_the_largest_difference_and_the_first_time_are_reported():
    drift, early = np.where(TIME > 1.0, 1e-3 * (TIME - 1.0), 0.0), np.where(np.isclose(TIME, 0.3), -0.5, 0.0)
    mine = Table(TIME, {"q": np.cos(TIME) + drift, "u": TIME + early, "v": TIME}, {"q": "rad"})
    comparison = mine.compare(Table(TIME, {"q": np.cos(TIME), "u": TIME, "v": TIME}), rtol=0.0, atol=1.5e-4)

    q, u, v = comparison.differences
    assert not comparison
    assert (q.name, q.unit, q.time) == ("q", "rad", 2.0)
    assert q.largest == pytest.approx(1e-3, rel=1e-9)
    assert (q.value, q.other) == (np.cos(2.0) + 1e-3, np.cos(2.0))
    assert q.first_time == TIME[12]  # 1e-4 at 1.1 s is allowed
    assert (u.largest, u.time, u.first_time) == (0.5, TIME[3], TIME[3])
    assert v.first_time is None
    assert comparison.first is u
    assert comparison.first_time == TIME[3]


@pytest.mark.parametrize(
    ("difference", "options", "is_equal"),
    [
        (0.9e-3, {"tolerance": 1e-3}, True),
        (99.0, {"tolerance": 1.0}, True),
        (102.0, {"tolerance": 1.0}, False),
        (0.9e-6, {}, True),
        (1.02e-4, {}, False),  # 1e-6 (1 + 100)
        (1.00e-4, {}, True),
        (0.4, {"rtol": 0.005, "atol": 0.0}, True),
        (0.6, {"rtol": 0.005, "atol": 0.0}, False),
        (0.4, {"rtol": 0.0, "atol": 0.3}, False),
        (0.2, {"rtol": 0.0, "atol": 0.3}, True),
        (0.2, {"tolerance": 1.0, "rtol": 0.0, "atol": 0.1}, False),
    ],
)
def test_tolerances_are_relative_to_the_other_and_absolute(difference, options, is_equal):
    mine, other = (Table(TIME, {"q": np.full(21, value)}) for value in (-100.0 - difference, -100.0))
    assert mine.compare(other, **options).is_equal == is_equal


def test_values_between_points_are_interpolated_at_the_points_of_the_shorter_table():
    coarse = np.array([0.0, 0.7, 1.3, 2.0])
    few, many = Table(coarse, {"q": 2 * coarse, "r": coarse**2}), Table(TIME, {"q": 2 * TIME, "r": TIME**2})

    for comparison in (few.compare(many, 1e-12), many.compare(few, 1e-12)):
        assert comparison.is_equal  # the points of `few` are among those of `many`
        np.testing.assert_array_equal(comparison.times, coarse)
    between = TIME[::4] + np.array([0, 0.02, 0.02, 0.02, 0.02, 0])
    assert Table(between, {"q": 2 * between}).compare(many, 1e-12).is_equal
    squares = Table(between, {"r": between**2})
    # a parabola lies a (h - a) below its chord
    assert only(squares.compare(many, 0.0)).largest == pytest.approx(0.02 * 0.08, rel=1e-9)


def test_values_before_and_after_a_jump_are_compared_with_each_other():
    time = np.array([0.0, 1.0, 1.0, 2.0])
    jump = {"u": np.array([-1.0, -2.0, 1.0, 0.0])}
    one = Table(time, jump)
    other = Table(np.array([0.0, 0.5, 1.0, 1.0, 1.5, 2.0]), {"u": np.array([-1.0, -1.5, -2.0, 1.0, 0.5, 0.0])})
    assert one.compare(other, 1e-12).is_equal
    assert other.compare(one, 1e-12).is_equal

    after = only(one.compare(Table(other.time, {"u": other["u"] + [0, 0, 0, 0.25, 0, 0]}), 1e-12))
    assert (after.largest, after.time, after.value, after.other) == (0.25, 1.0, 1.0, 1.25)
    before = only(one.compare(Table(other.time, {"u": other["u"] - [0, 0, 0.5, 0, 0, 0]}), 1e-12))
    assert (before.largest, before.time, before.value, before.other) == (0.5, 1.0, -2.0, -2.5)


@pytest.mark.parametrize("side", [-2.0, 1.0])
def test_a_single_value_at_a_jump_of_the_other_may_be_either(side):
    jumps = Table(np.array([0.0, 1.0, 1.0, 2.0]), {"u": np.array([-1.0, -2.0, 1.0, 0.0])})
    single = Table(np.array([0.0, 1.0, 2.0]), {"u": np.array([-1.0, side, 0.0])})
    for one, two in ((jumps, single), (single, jumps)):
        assert one.compare(two, 1e-12).is_equal
        assert only(one.compare(Table(two.time, {"u": two["u"] + 0.125}), 1e-12)).largest == 0.125


def test_jumps_at_times_that_agree_within_the_tolerance_are_the_same():
    def bounce(at):
        return Table(np.array([0.0, at, at, 2.0]), {"u": np.array([0.0, -10.0, 8.0, 0.0])})

    assert bounce(1.0).compare(bounce(1.0 + 1e-7), 1e-6).is_equal
    assert bounce(1.0 + 1e-7).compare(bounce(1.0), 1e-6).is_equal
    far = bounce(1.0).compare(bounce(1.0 + 1e-4), 1e-6)
    assert not far
    assert only(far).largest == pytest.approx(18.0, abs=0.01)


def test_nan_differs_from_numbers_and_is_not_spread_to_neighbours():
    hole = np.sin(TIME)
    hole[5] = np.nan
    mine, other = Table(TIME, {"q": hole}), Table(TIME, {"q": np.sin(TIME)})
    for one, two in ((mine, other), (other, mine)):
        difference = only(one.compare(two, 1.0))
        assert (difference.largest, difference.time, difference.first_time) == (np.inf, TIME[5], TIME[5])
    assert mine.compare(Table(TIME[6:], {"q": hole[6:]}), 1e-12).first is None


def test_text_and_booleans_are_held_and_not_interpolated():
    on, mode = TIME >= 1.0, np.where(TIME >= 1.0, "open", "shut").astype(object)
    few = np.array([0.0, 0.95, 1.0, 2.0])
    mine = Table(few, {"on": few >= 1.0, "mode": np.array(["shut", "shut", "open", "open"], dtype=object)})
    assert mine.compare(Table(TIME, {"on": on, "mode": mode}), 0.0).is_equal

    late = mine.compare(Table(TIME, {"on": on, "mode": np.where(TIME > 1.0, "open", "shut").astype(object)}), 0.0)
    flag, text = late.differences
    assert flag.largest == 0
    assert (text.largest, text.first_time, text.value, text.other) == (np.inf, 1.0, "open", "shut")
    assert "open   shut" in str(late)


def test_names_in_only_one_are_listed_and_not_compared():
    mine = Table(TIME, {"q": TIME, "extra": TIME, "p": np.ones((21, 2))})
    other = Table(TIME, {"p[2]": np.ones(21), "q": TIME, "more": TIME})
    comparison = mine.compare(other)

    assert comparison.is_equal
    assert [each.name for each in comparison.differences] == ["q", "p[2]"]
    assert comparison.only_in_self == ("extra", "p[1]")
    assert comparison.only_in_other == ("more",)
    text = str(comparison)
    assert "only in the first, not compared: extra, p[1]\nonly in the second, not compared: more\nequal (rtol 1e-06, atol 1e-06; 21" in text


def test_chosen_names_are_compared_alone():
    mine = Table(TIME, {"q": TIME, "u": TIME, "p": np.ones((21, 3))})
    other = Table(TIME, {"q": TIME + 1.0, "u": TIME, "p[1]": np.ones(21), "p[2]": np.zeros(21), "p[3]": np.ones(21)})

    assert mine.compare(other, names=["u", "p[1]"]).is_equal
    assert [each.name for each in mine.compare(other, names=["p"]).differences] == ["p[1]", "p[2]", "p[3]"]
    with pytest.raises(UnknownNameError, match=r"Did you mean 'p\[2\]'"):
        mine.compare(other, names=["p[22]"])


def test_runs_of_different_length_differ():
    short = Table(TIME[:11], {"q": TIME[:11]})
    comparison = short.compare(Table(TIME, {"q": TIME}))

    assert not comparison.is_equal
    assert comparison.first is None
    assert (comparison.span, comparison.other_span) == ((0, 1), (0, 2))
    assert "The first is from 0 s to 1 s, the second from 0 s to 2 s\nequal where both have values" in str(comparison)


def test_the_text_is_a_table_with_the_first_time():
    text = str(Table(TIME, {"long.name": TIME, "q": 2 * TIME}, {"q": "rad"}).compare(Table(TIME, {"long.name": TIME, "q": TIME})))

    assert text.splitlines() == [
        "variable   largest difference  unit  at (s)  value  other  differs from (s)",
        "q          2                   rad   2       4      2      0.1",
        "long.name  0                         0       0      0",
        "different (rtol 1e-06, atol 1e-06; 21 points from 0 s to 2 s): 'q' is the first, at 0.1 s",
    ]


@pytest.mark.parametrize(
    ("other", "options", "message"),
    [
        (Table(TIME, {"arm.q": TIME}), {}, "no name is in both. The first has 'arm1.q', the second 'arm.q'."),
        (Table(TIME, {}), {}, "no name is in both"),
        (Table(TIME + 3.0, {"arm1.q": TIME}), {}, "no time is in both. The first is from 0 s to 2 s, the second from 3 s to 5 s"),
        (Table(TIME[:0], {"arm1.q": TIME[:0]}), {}, "the second has no rows"),
        (Table(-TIME, {"arm1.q": TIME}), {}, "times of the second are not in order"),
        (Table(TIME * np.nan, {"arm1.q": TIME}), {}, "not finite"),
        (Table(TIME, {"arm1.q": TIME}), {"rtol": -1.0}, "rtol is -1.0"),
        (Table(TIME, {"arm1.q": TIME}), {"tolerance": np.nan}, "rtol is nan"),
        (Table(TIME, {"arm1.q": TIME}), {"atol": "small"}, "atol takes numbers"),
    ],
)
def test_what_cannot_be_compared_is_refused(other, options, message):
    with pytest.raises(InputError, match=message):
        Table(TIME, {"arm1.q": TIME}).compare(other, **options)


@pytest.fixture(scope="module")
def runs():
    """Results of a pendulum at a coarse, a fine and again the coarse accuracy, the last with other report times."""
    system = mb.MultibodySystem("pendulum")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.7, name="gravity")
    mb.Pin(matter.ground, mb.MassProperties.point(1.3, [0, -0.8, 0]), name="arm").set_default_q(0.4)
    state = system.realize_topology()

    def run(accuracy, every):
        return mb.Simulation(system, accuracy, backend="interpreted").run(state, 1.0, report_every=every)

    return run(1e-4, 0.01), run(1e-10, 0.01), run(1e-10, 0.05)


def test_results_are_compared_with_results_tables_and_files(runs, tmp_path):
    coarse, fine, sparse = runs
    assert fine.compare(fine, 0.0).is_equal
    assert fine.compare(sparse, 1e-8).is_equal
    differing = coarse.compare(fine, 1e-9)
    assert not differing
    assert [each.name for each in differing.differences] == ["arm.q", "arm.u"]
    gaps = np.abs(coarse["arm.q"] - fine["arm.q"])
    assert differing.differences[0].largest == gaps.max()
    assert differing.differences[0].first_time == fine.time[np.argmax(gaps > 1e-9 * (1 + np.abs(fine["arm.q"])))]
    assert coarse.compare(fine, 1e-3).is_equal

    fine.to_csv(tmp_path / "run.csv", "arm.q", "arm.p_GB", "energy")
    comparison = fine.compare(tmp_path / "run.csv", 0.0)
    assert comparison.is_equal
    assert [each.name for each in comparison.differences] == ["arm.q", "arm.p_GB[1]", "arm.p_GB[2]", "arm.p_GB[3]", "energy"]
    table = Table.from_csv(tmp_path / "run.csv")
    assert table.compare(fine, 0.0).is_equal
    assert [each.name for each in fine.compare(str(tmp_path / "run.csv"), 0.0, names=["arm.p_GB"]).differences] == [
        f"arm.p_GB[{k}]" for k in (1, 2, 3)
    ]
    fine.to_mat(tmp_path / "run.mat")
    assert fine.compare(tmp_path / "run.mat", 0.0).is_equal


def test_names_that_results_do_not_have_are_refused_or_listed(runs):
    _, fine, _ = runs
    foreign = Table(fine.time, {"arm.q": fine["arm.q"], "arm.angle": fine["arm.q"]})
    assert fine.compare(foreign, 0.0).only_in_other == ("arm.angle",)
    with pytest.raises(UnknownNameError, match=r"no variable of System 'pendulum' is named 'arm\.qq'\. Did you mean 'arm\.q'"):
        fine.compare(Table(fine.time, {"arm.qq": fine["arm.q"]}))
    with pytest.raises(UnknownNameError, match=r"Did you mean 'arm\.q'"):
        fine.compare(fine, names=["arm.qq"])
