"""Plots: axes for each unit, named components, legends beside the axes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.simulate.plot import unit_text
from mobod.simulate.table import Table

TIME = np.array([0.0, 0.1, 0.30000000000000004])


@pytest.fixture(autouse=True)
def no_figure_is_left():
    from matplotlib import pyplot

    pyplot.switch_backend("Agg")
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def swing():
    """Results of a trolley with a pendulum; the variable 'count' has no unit."""
    system = mb.MultibodySystem("crane")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.7)
    trolley = mb.Slider(matter.ground, mb.MassProperties.point(2.5, [0, 0, 0]), name="trolley")
    mb.Pin(trolley, mb.MassProperties.point(1.3, [0, -0.8, 0]), name="load").set_default_q(0.4)
    return mb.Simulation(system, backend="interpreted").run(system.realize_topology(), until=0.2, report_every=0.1)


def labels(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_each_unit_has_axes_of_its_own_with_its_name():
    table = Table(TIME, {"q": [1.0, 2.5, 4.0], "p": np.arange(6.0).reshape(3, 2), "r": TIME, "n": TIME}, {"q": "rad", "p": "m", "r": "rad"})
    first = table.plot()
    shown = first.figure.axes

    assert shown[0] is first
    assert [axes.get_ylabel() for axes in shown] == ["rad", "m", "unit not given"]
    assert [labels(axes) for axes in shown] == [["q", "r"], ["p[1]", "p[2]"], ["n"]]
    assert [axes.get_xlabel() for axes in shown] == ["", "", "time (s)"]
    assert_array_equal(shown[1].lines[1].get_xydata(), np.column_stack([TIME, [1.0, 3.0, 5.0]]))
    assert [axes.get_ylabel() for axes in table.plot("p").figure.axes] == ["m"]


@pytest.mark.slow
def test_components_of_vectors_and_spatial_vectors_are_named(swing):
    shown = swing.plot("load.p_GB", "load.reaction", "load.R_GB", "momentum").figure.axes

    assert [axes.get_ylabel() for axes in shown] == ["m", "N·m", "N", "dimensionless", "N·m·s", "N·s"]
    assert labels(shown[0]) == ["load.p_GB x", "load.p_GB y", "load.p_GB z"]
    assert labels(shown[1]) == ["load.reaction Mx", "load.reaction My", "load.reaction Mz"]
    assert labels(shown[2]) == ["load.reaction Fx", "load.reaction Fy", "load.reaction Fz"]
    assert labels(shown[3])[:4] == ["load.R_GB[1,1]", "load.R_GB[1,2]", "load.R_GB[1,3]", "load.R_GB[2,1]"]
    assert labels(shown[4]) == ["momentum Lx", "momentum Ly", "momentum Lz"]
    assert_array_equal(shown[2].lines[1].get_ydata(), swing["load.reaction"][:, 4])


def test_coordinates_are_plotted_by_default_and_others_by_name(swing):
    assert [labels(axes) for axes in swing.plot().figure.axes] == [["trolley.q"], ["load.q"]]
    assert labels(swing.plot("load.u")) == ["load.u"]
    assert list(swing.table()) == ["trolley.q", "trolley.u", "load.q", "load.u"]


def test_without_coordinates_all_states_are_plotted():
    system = mb.MultibodySystem("filter")
    mb.measures.Integrate(system, mb.measures.Time(system, name="t"), name="square")
    assert labels(mb.Simulation(system, backend="interpreted").run(system.realize_topology(), until=0.1).plot()) == ["square.value"]


@pytest.mark.fast(1)
@pytest.mark.parametrize("number", [1, 12, 45])
def test_legends_are_beside_the_axes_and_do_not_make_them_smaller(number):
    """45 curves need more than one column of the legend."""
    sizes = []
    for length in (1, 60):
        columns = {f"{name:_<{length}}": np.full(3, float(name)) for name in range(number)}
        axes = Table(TIME, columns, dict.fromkeys(columns, "m")).plot()
        axes.figure.canvas.draw()
        legend, inside, outside = axes.get_legend().get_window_extent(), axes.get_window_extent(), axes.figure.bbox
        assert legend.x0 > inside.x1
        assert legend.x1 < outside.x1
        assert legend.y0 > 0
        assert legend.y1 <= outside.y1
        sizes.append([inside.width, inside.height])
    assert_allclose(sizes[1], sizes[0], rtol=0.03)  # the gaps grow with the figure
    assert sizes[0][0] > 500  # pixels of 0.01 inch


def test_many_curves_each_have_a_line_of_their_own():
    axes = Table(TIME, {f"q{number}": np.full(3, float(number)) for number in range(40)}).plot()
    assert len({(line.get_color(), line.get_linestyle()) for line in axes.lines}) == 40


def test_names_are_shown_without_interpretation_by_matplotlib():
    axes = Table(TIME, {"_hidden": TIME, "$cost$_a": TIME}).plot()
    axes.figure.canvas.draw()
    assert labels(axes) == ["_hidden", "$cost$_a"]
    assert not any(text.get_parse_math() for text in axes.get_legend().get_texts())


def test_a_table_without_numbers_and_a_single_point_can_be_plotted():
    words = Table(TIME[:1], {"word": np.array(["a"], dtype=object)})
    assert len(words.plot().lines) == 0
    (line,) = Table(TIME[:1], {"q": TIME[:1]}).plot().lines
    assert line.get_marker() == "o"


@pytest.mark.parametrize(
    ("unit", "text"), [("m/s2", "m/s²"), ("N.m", "N·m"), ("kg.m2/s", "kg·m²/s"), ("s-1", "s⁻¹"), ("1", "dimensionless"), ("US$", r"US\$")]
)
def test_units_are_printed_with_superscripts(unit, text):
    assert unit_text(unit) == text
