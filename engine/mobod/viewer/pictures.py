"""Pictures and films of a page."""

from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from mobod.errors import UnsupportedError
from mobod.viewer.browser import opened_page

_WIDTH, _HEIGHT = 1280, 720


def write_picture(page: str, path: Path) -> None:
    """Write a PNG of the page as it begins. Raises UnsupportedError."""
    with opened_page(page, _WIDTH, _HEIGHT) as opened:
        path.write_bytes(opened.screenshot())


def write_film(page: str, path: Path, frames_per_second: int, speed: float) -> None:
    """Write an MP4 (H.264) of the page while it plays. Raises UnsupportedError."""
    try:
        import av
    except ImportError as error:
        raise UnsupportedError("films need PyAV. Install it: python -m pip install 'mobod[view]'") from error
    with opened_page(page, _WIDTH, _HEIGHT) as opened, av.open(str(path), "w", format="mp4") as film:
        start, end = opened.evaluate("page.run.span")
        stream: Any = film.add_stream("libx264", rate=Fraction(frames_per_second), options={"crf": "18"})
        stream.width, stream.height, stream.pix_fmt = _WIDTH, _HEIGHT, "yuv420p"
        count = max(1, round((end - start) / speed * frames_per_second) + 1)
        for number in range(count):
            opened.evaluate("time => { page.seek(time); page.draw(); }", min(end, start + number * speed / frames_per_second))
            pixels = np.asarray(Image.open(BytesIO(opened.screenshot())).convert("RGB"))
            frame = av.VideoFrame.from_ndarray(pixels, format="rgb24").reformat(format="yuv420p")
            frame.pts, frame.time_base = number, Fraction(1, frames_per_second)
            film.mux(stream.encode(frame))
        film.mux(stream.encode())
