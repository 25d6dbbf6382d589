"""The questions of newcomers have answers, which the list of questions leads to."""

import re
from pathlib import Path

import pytest

ANSWERS = Path(__file__).resolve().parents[2] / "docs" / "how_do_i"

# the page, and the words by which a reader looks for the question
QUESTIONS = [
    ("moving", "axis Slider turn"),
    ("moving", "motor"),
    ("moving", "motor gear"),
    ("moving", "limit torque"),
    ("moving", "IMU"),
    ("moving", "noise bias"),
    ("moving", "foot presses"),
    ("moving", "distance wall"),
    ("moving", "prescribe motion"),
    ("moving", "keyframes"),
    ("moving", "motion outside"),
    ("moving", "road"),
    ("moving", "friction"),
    ("moving", "add spring"),
    ("moving", "nonlinear spring"),
    ("moving", "limits"),
    ("moving", "crosses zero"),
    ("moving", "delay"),
    ("moving", "largest"),
    ("contact", "body floor"),
    ("contact", "wheel roll"),
    ("contact", "stick slip"),
    ("contact", "grip box"),
    ("contact", "scheme contact"),
    ("asking", "position velocity energy"),
    ("asking", "reaction"),
    ("asking", "torques wanted motion"),
    ("asking", "gravity compensation"),
    ("asking", "inverse kinematics"),
    ("asking", "Jacobian"),
    ("asking", "mass matrix"),
    ("asking", "linearise"),
    ("asking", "equilibrium"),
    ("asking", "close loop"),
    ("asking", "start closed loop speed"),
    ("asking", "redundant"),
    ("asking", "force constraint"),
    ("asking", "units"),
    ("asking", "direction gravity"),
    ("asking", "pose"),
    ("running", "compiler"),
    ("running", "step by step"),
    ("running", "save restore"),
    ("running", "save model"),
    ("running", "accuracy"),
    ("running", "stiff"),
    ("running", "real time"),
    ("running", "sweep"),
    ("running", "fit"),
    ("running", "threads"),
    ("running", "cache"),
    ("running", "progress"),
    ("running", "file"),
    ("running", "see page"),
    ("running", "watch"),
    ("running", "notebook"),
    ("fmus", "make FMU"),
    ("fmus", "robot MuJoCo"),
    ("fmus", "right"),
    ("fmus", "Python"),
    ("fmus", "model exchange"),
    ("fmus", "Windows"),
    ("fmus", "FMI 3.0"),
    ("fmus", "microcontroller"),
    ("fmus", "Python code"),
    ("fmus", "start values"),
    ("fmus", "own force input"),
    ("fmus", "together"),
    ("fmus", "network tools"),
    ("fmus", "cut"),
    ("fmus", "did not make"),
]


def questions(page: str) -> list[str]:
    return re.findall(r"^## (.*)$", (ANSWERS / f"{page}.md").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize(("page", "words"), QUESTIONS)
def test_each_question_is_answered_on_its_page(page, words):
    assert [each for each in questions(page) if all(re.search(rf"\b{word}\b", each) for word in words.split())]


def test_the_list_has_each_question_once_with_a_link_to_its_answer():
    listed = re.findall(r"^- \[(.*)\]\((\w+)\.md#(.*)\)$", (ANSWERS / "index.md").read_text(encoding="utf-8"), re.MULTILINE)

    pages = dict.fromkeys(page for page, _ in QUESTIONS)
    assert [(question, page) for question, page, _ in listed] == [(each, page) for page in pages for each in questions(page)]
    assert all(re.sub(r"[^\w\- ]", "", question.lower()).replace(" ", "-") == anchor for question, _, anchor in listed)
    assert len(listed) == len(QUESTIONS) >= 40
