"""Builds the handbook with warnings as errors, checks its spelling and that its pages fetch nothing, and prints time and size.

    python build_scripts/handbook.py        # into build/handbook; needs the extra `docs`

Exit code: 0 if all is well, 1 if not.
"""

import re
import subprocess
import sys
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).resolve().parents[1]
BUILT = ROOT / "build" / "handbook"


def main() -> int:
    begin = perf_counter()
    # the folder of what was read before is kept: a page that has not changed is not read again
    command = ["sphinx", "--quiet", "-W", "--keep-going", "-b", "html", "-d", str(BUILT.parent / "handbook_read"), "docs", str(BUILT)]
    failed = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, check=False).returncode != 0
    pages = list(BUILT.rglob("*.html"))
    size = sum(path.stat().st_size for path in BUILT.rglob("*") if path.is_file())
    print(f"{len(pages)} pages, {size / 1e6:.1f} MB, in {perf_counter() - begin:.0f} s: {BUILT.relative_to(ROOT) / 'index.html'}")

    spelling = ["codespell_lib", "--skip", "docs/reference", "docs", "README.md", "CHANGELOG.md"]
    failed |= subprocess.run([sys.executable, "-m", *spelling], cwd=ROOT, check=False).returncode != 0

    for page in pages:
        for fetched in fetched_by(page.read_text(encoding="utf-8")):
            print(f"{page.relative_to(ROOT)} fetches {fetched}")
            failed = True
    return 1 if failed else 0


def fetched_by(page: str) -> list[str]:
    """The addresses of other sites from which a browser would fetch something to show a page. Links are followed only by a reader."""
    tags = re.findall(r"<(?:script|img|iframe|link|source|video|audio)\b[^>]*>", page)
    addresses = [address for tag in tags for address in re.findall(r"(?:src|href)=[\"']((?:https?:)?//[^\"']+)", tag)]
    return addresses + re.findall(r"@import\s+[^;]*//[^;]+|url\([\"']?(?:https?:)?//[^)]+", page)


if __name__ == "__main__":
    sys.exit(main())
