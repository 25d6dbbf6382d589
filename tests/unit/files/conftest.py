from collections.abc import Callable
from pathlib import Path

import pytest

TWO_LINKS = """
<link name="base"/>
<link name="bar">
  <inertial>
    <origin xyz="0.1 0.2 -0.3" rpy="0.4 -0.5 0.6"/>
    <mass value="2.5"/>
    <inertia ixx="0.05" ixy="0.004" ixz="-0.003" iyy="0.06" iyz="0.002" izz="0.04"/>
  </inertial>
</link>
"""


@pytest.fixture
def urdf(tmp_path) -> Callable[..., Path]:
    """urdf(content) makes a file with a <robot name="thing"> with this content; TWO_LINKS is added unless the content has links."""

    def write(content: str, links: str = TWO_LINKS, file: str = "thing.urdf") -> Path:
        path = tmp_path / file
        path.write_text(f'<?xml version="1.0"?>\n<robot name="thing">{links}{content}</robot>\n')
        return path

    return write


def joint(kind: str = "revolute", content: str = "", *, name: str = "pin", parent: str = "base", child: str = "bar") -> str:
    limit = (
        '<limit lower="-1" upper="2" effort="30" velocity="4"/>' if kind in ("revolute", "prismatic") and "<limit" not in content else ""
    )
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{limit}{content}</joint>'
