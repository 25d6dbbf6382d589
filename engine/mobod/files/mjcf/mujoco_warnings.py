"""MuJoCo's warnings as findings. Left alone, MuJoCo prints them, and writes a file MUJOCO_LOG.TXT into the current folder."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from mobod.files.findings import Findings
from mobod.files.mjcf.mujoco_package import mujoco


@contextmanager
def warnings_as_findings(findings: Findings) -> Iterator[None]:
    """A context in which MuJoCo's warnings, those of its library and those of its Python package, become findings of kind 'mujoco'.

    The process has one function for warnings of the library: that of before is set again at the end.
    """
    module, of_library = mujoco(), list[str]()
    before = module.get_mju_user_warning()
    module.set_mju_user_warning(of_library.append)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
    finally:
        module.set_mju_user_warning(before)
    texts = [str(each.message).strip() for each in caught]
    for text in (each.strip() for each in of_library):
        if not any(text in known for known in texts):
            texts.append(text)
    for text in texts:
        findings.note("mujoco", f"MuJoCo warns: {text}")
