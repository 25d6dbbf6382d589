"""Draws the pictures of results in the tutorials: runs the code of each page, which writes them, and stores them beside the page.

python build_scripts/tutorial_pictures.py                   # all; a few seconds each
python build_scripts/tutorial_pictures.py quarter_car       # one page
"""

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from page_program import run_blocks

DOCS = Path(__file__).resolve().parents[1] / "docs"


def main() -> None:
    chosen = sys.argv[1:]
    for page in sorted(DOCS.glob("tutorials/*.md")):
        text = page.read_text(encoding="utf-8")
        pictures = re.findall(r'savefig\("([^"]+)"', text)
        if not pictures or (chosen and page.stem not in chosen):
            continue
        with TemporaryDirectory() as folder:
            run_blocks(text, Path(folder))
            for picture in pictures:
                page.with_name(picture).write_bytes(Path(folder, picture).read_bytes())
                print(page.with_name(picture).relative_to(DOCS.parent))


if __name__ == "__main__":
    main()
