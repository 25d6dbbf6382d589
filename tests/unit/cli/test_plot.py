"""`mobod plot`."""

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.image import imread

from mobod.simulate.table import Table

TIME = np.linspace(0.0, 1.0, 50)


@pytest.fixture(autouse=True)
def files(run, tmp_path):
    """run.csv and run.mat in the folder of `run`."""
    table = Table(
        TIME,
        {"q": np.sin(9 * TIME), "p": np.column_stack([TIME, TIME**2]), "m": np.full(50, 3.0)},
        {"q": "rad", "p": "m", "m": "kg"},
        parameters=["m"],
    )
    table.to_mat(tmp_path / "run.mat")
    table.select("q", "p").to_csv(tmp_path / "run.csv")
    yield
    pyplot.close("all")


@pytest.fixture
def shown(monkeypatch):
    """Keeps the figures that are written, by unit: labels of the curves."""
    from mobod.cli.commands import plot

    kept = {}
    write_plot = plot.write_plot

    def write(plotted, title, path):
        def kept_plot():
            axes = plotted()
            for each in axes.figure.axes:
                kept[each.get_ylabel()] = [text.get_text() for text in each.get_legend().get_texts()]
            return axes

        write_plot(kept_plot, title, path)

    monkeypatch.setattr(plot, "write_plot", write)
    return kept


@pytest.mark.slow
def test_a_file_is_plotted_without_its_parameters(run, shown, tmp_path):
    done = run("plot", "run.mat", "-o", "run.png")

    assert (done.exit_code, done.output) == (0, "wrote run.png\n")
    assert shown == {"rad": ["q"], "m": ["p[1]", "p[2]"]}
    pixels = imread(tmp_path / "run.png")[..., :3].reshape(-1, 3)
    assert (pixels.max(axis=1) - pixels.min(axis=1) > 0.3).sum() > 1000  # coloured: the curves; text and frame are grey


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["svg", "pdf"])
def test_pictures_of_lines_are_written_too(run, suffix, tmp_path):
    assert run("plot", "run.csv", "-o", f"run.{suffix}", "--quiet").output == ""
    assert (tmp_path / f"run.{suffix}").read_bytes()[:5] in (b"<?xml", b"%PDF-")


@pytest.mark.slow
def test_names_select_curves_and_several_files_share_axes_and_units(run, shown):
    assert run("plot", "run.csv", "run.mat", "--output", "m", "--output", "p[2]", "--output", "q", "-o", "two.png").exit_code == 0
    assert shown == {"m": ["p[2] (run.csv)", "p[2] (run.mat)"], "rad": ["q (run.csv)", "q (run.mat)"], "kg": ["m (run.mat)"]}
    shown.clear()
    assert run("plot", "run.mat", "--output", "p", "-o", "p.png").exit_code == 0
    assert shown == {"m": ["p[1]", "p[2]"]}


def test_without_a_display_a_file_must_be_named(run):
    pyplot.switch_backend("Agg")
    done = run("plot", "run.csv")

    assert done.exit_code == 2
    assert "there is no display for a window. Write a picture: -o run.png" in done.stderr


def test_with_a_display_a_window_is_shown(run, monkeypatch):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    pyplot.switch_backend("Agg")
    titles = []
    monkeypatch.setattr(FigureCanvasAgg, "required_interactive_framework", "tk")
    monkeypatch.setattr(pyplot, "show", lambda: titles.append(pyplot.gcf().axes[0].get_title()))

    assert run("plot", "run.csv").exit_code == 0
    assert titles == ["run.csv"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["run.csv", "--output", "p[3]", "-o", "run.png"], 2, "no variable of the file is named 'p[3]'. Did you mean 'p[1]'?"),
        (["run.csv", "run.mat", "--output", "x", "-o", "run.png"], 2, "no variable of the files is named 'x'"),
        (["run.csv", "-o", "run.bmp"], 2, "the file name must end with the type of picture"),
        (["models.py", "-o", "run.png"], 2, "models.py: the name of a file with results must end with .csv, .mat, .h5, .hdf5"),
        (["none.csv", "-o", "run.png"], 2, "'none.csv' does not exist"),
    ],
)
def test_a_wrong_argument_exits_2(run, arguments, code, message, tmp_path):
    done = run("plot", *arguments)

    assert done.exit_code == code
    assert message in done.stderr
    assert not list(tmp_path.glob("*.png"))


def test_a_damaged_file_exits_2(run, tmp_path):
    (tmp_path / "cut.mat").write_bytes((tmp_path / "run.mat").read_bytes()[:300])
    done = run("plot", "cut.mat", "-o", "run.png")

    assert done.exit_code == 2
    assert "cut.mat: not a MATLAB file" in done.stderr
