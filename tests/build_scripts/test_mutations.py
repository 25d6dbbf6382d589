"""Mutations can be applied to the current source, and the source is restored afterwards."""

import subprocess
from dataclasses import replace

import pytest

from build_scripts import mutations


@pytest.mark.parametrize("mutation", mutations.MUTATIONS, ids=lambda each: each.name)
def test_each_mutation_applies_to_the_source_and_names_existing_tests(mutation):
    assert mutations.why_not_applicable(mutation) is None
    assert all(text != replacement for text, replacement in mutation.changes)
    assert all((mutations.ROOT / path).is_file() for path in mutation.tests)


@pytest.fixture
def checkout(tmp_path):
    """A repository with one file, and a mutation of it."""
    (tmp_path / "sum.py").write_text("total = a + b\nrest = a - b\n")
    for command in (["init", "-q"], ["add", "."], ["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "sum"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    changes = (("a + b", "a * b"),)
    return tmp_path, mutations.Mutation(name="product", mistake="a product", file="sum.py", changes=changes, tests=())


def test_the_source_is_restored_after_any_error(checkout):
    root, mutation = checkout
    before = (root / "sum.py").read_bytes(), (root / "sum.py").stat().st_mtime_ns

    def interrupted():
        with mutations.applied(mutation, root):
            assert (root / "sum.py").read_text() == "total = a * b\nrest = a - b\n"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()

    assert ((root / "sum.py").read_bytes(), (root / "sum.py").stat().st_mtime_ns) == before


def test_an_ambiguous_mutation_and_uncommitted_changes_are_reported(checkout):
    root, mutation = checkout
    assert mutations.why_not_applicable(mutation, root) is None
    assert "has 2 times instead of once: a " in mutations.why_not_applicable(replace(mutation, changes=(("a ", "c "),)), root)
    assert mutations.uncommitted([mutation], root) is None
    (root / "sum.py").write_text("total = 3\n")
    assert "sum.py" in mutations.uncommitted([mutation], root)
    assert "has 0 times" in mutations.why_not_applicable(mutation, root)
