"""The script that checks that no modules import each other in a cycle."""

from build_scripts.import_cycles import import_cycles


def test_cycles_through_types_functions_and_relative_imports_are_found(tmp_path):
    texts = {
        "__init__": "from package.last import nothing",
        "types": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from package import inside",
        "inside": "def f():\n    import package.types",
        "deep/__init__": "",
        "deep/relative": "from .. import absolute",
        "absolute": "from package.deep.relative import x",
        "last": "import numpy\nfrom package import types\nfrom package.deep import y",
    }
    (tmp_path / "package" / "deep").mkdir(parents=True)
    for name, text in texts.items():
        (tmp_path / "package" / f"{name}.py").write_text(text)

    assert import_cycles(tmp_path) == [["package.absolute", "package.deep.relative"], ["package.inside", "package.types"]]
