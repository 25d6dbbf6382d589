"""The picture of a graph: its content, and that nothing overlaps."""

import pytest
from matplotlib import pyplot
from matplotlib.text import Text


@pytest.fixture
def drawn(generate):
    """The axes of a graph, and its texts as {text: Text}."""
    figures = []

    def drawn(bodies, joints):
        axes = generate(bodies, joints).plot()
        figures.append(axes.figure)
        axes.figure.canvas.draw()
        return axes, {text.get_text(): text for text in axes.texts}

    backend = pyplot.get_backend()
    pyplot.switch_backend("agg")
    yield drawn
    for figure in figures:
        pyplot.close(figure)
    pyplot.switch_backend(backend)


def test_bodies_are_drawn_at_their_levels_with_joints_between_them(drawn):
    _, texts = drawn("a b m:0 c", "ground-a b-a ground-m m-c a-c:weld b-a c-b:ball")
    heights = {name: texts[name].get_position()[1] for name in ("ground", "a", "m\nmassless", "b", "c", "#a_slave_1")}
    assert heights == {"ground": 0, "a": 1, "m\nmassless": 1, "b": 2, "c": 2, "#a_slave_1": 3}
    assert texts["j1\npin, reversed"].get_position()[1] == 1.5
    assert {"j4\nweld", "j5\npin", "j6\nball"} <= texts.keys()


def test_the_legend_names_the_kinds_of_lines_in_the_picture(drawn):
    axes, _ = drawn("a b", "a-b b-a b-a:ball")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "mobilizer",
        "added base mobilizer",
        "loop constraint",
        "weld of slave to master",
    ]
    axes, _ = drawn("a", "ground-a")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["mobilizer"]


def test_texts_do_not_cover_each_other(drawn):
    names = [f"a_body_of_number_{number}" for number in range(12)]
    joints = " ".join(f"{'ground' if number < 4 else names[number // 4]}-{name}" for number, name in enumerate(names))
    axes, texts = drawn(" ".join(names), joints)
    boxes = [box_of(text, axes) for text in texts.values()]
    assert len(boxes) == 25
    assert [(a, b) for k, a in enumerate(boxes) for b in boxes[:k] if a.overlaps(b)] == []


def box_of(text: Text, axes):
    return text.get_window_extent(axes.figure.canvas.get_renderer())


def test_ground_alone_can_be_drawn_and_given_axes_are_used(generate):
    axes = pyplot.figure(figsize=(3, 3)).add_subplot()
    assert generate("").plot(axes) is axes
    assert [text.get_text() for text in axes.texts] == ["ground"]
    pyplot.close(axes.figure)


@pytest.mark.slow
def test_a_chain_of_hundreds_of_bodies_can_be_drawn(generate):
    names = [f"b{number}" for number in range(600)]
    axes = generate(" ".join(names), " ".join(f"{a}-{b}" for a, b in zip(["ground", *names], names, strict=False))).plot()
    assert max(axes.figure.get_size_inches()) <= 60
    pyplot.close(axes.figure)
