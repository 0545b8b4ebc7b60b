"""Measure a rehearsal beside the sync of the same new documents, and a comparison beside the rehearsal.

Run it by hand: `python benchmarks/rehearsing.py [DOCUMENTS]`. A rehearsal builds the same plan and sends the
same calls, and then checks every link. It may take twice as long. A comparison rehearses, and reads each page
of a built site, of which one in fifty differs. The commands take turns, because on a busy machine only ratios
are reliable.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import trees

from pressync.content.render.markdown import to_html

# Seconds, seconds of work, and KiB of memory.
_Cost = tuple[float, float, float]

_ROUNDS = 3
# A process of its own and small, for a child's memory counts from that of its parent.
_MEASURED = """
import json, resource, subprocess, sys
subprocess.run(sys.argv[1:], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss]))
"""
_BUILT = "built"
_COMMANDS = {
    "sync": ("sync", "--yes"),
    "rehearse": ("rehearse", "--format", "json"),
    "compare": ("compare", _BUILT, "--format", "json"),
}
# A theme stands around each text; with it, a page has 6 to 10 KB.
_THEME = "<nav>" + "<a href='/part-0000/'>Part</a> <b>of the menu</b> " * 70 + "</nav>"
_ONE_IN = 50


def main() -> None:
    """Print the least figures of each command, and their ratios."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "site")
        _build(root, trees.make(root, count))
        best: dict[str, _Cost] = dict.fromkeys(_COMMANDS, (1e9, 1e9, 1e9))
        for _ in range(_ROUNDS):
            for name, words in _COMMANDS.items():
                best[name] = _least(best[name], _cost(root, words))
    for name, (seconds, work, memory) in best.items():
        print(f"{name:9} {seconds:6.1f} s  {work:6.1f} s of work  {memory / 1024:5.0f} MiB")
    for name, other in (("rehearse", "sync"), ("compare", "rehearse")):
        ratios = [ours / theirs for ours, theirs in zip(best[name], best[other], strict=True)]
        print(f"{name} / {other}: {ratios[0]:.2f}, work {ratios[1]:.2f}, memory {ratios[2]:.2f}")


def _build(root: Path, files: list[Path]) -> None:
    """Write the pages as another tool has built them; one in fifty has a text that its document has not."""
    for number, file in enumerate(files):
        head, text = file.read_text(encoding="utf-8").split("\n---\n", 1)
        title = head.partition("title: ")[2].partition("\n")[0]
        above = number - number % trees.IN_A_FOLDER
        place = root / _BUILT / f"p{above}" / (f"p{number}" if number > above else "")
        place.mkdir(parents=True, exist_ok=True)
        lost = "" if number % _ONE_IN else f"<p>Only the old page {number} says this.</p>"
        body = f"{_THEME}<main><h1>{title}</h1>{to_html(text)}{lost}</main>"
        page = f"<html lang='en'><head><title>{title}</title></head><body>{body}</body></html>"
        (place / "index.html").write_text(page, encoding="utf-8")
    (root / ".git/info/exclude").write_text(f"/{_BUILT}/\n", encoding="utf-8")


def _least(one: _Cost, other: _Cost) -> _Cost:
    return min(one[0], other[0]), min(one[1], other[1]), min(one[2], other[2])


def _cost(root: Path, words: tuple[str, ...]) -> _Cost:
    """Run a command on a new site; give its seconds, its work and its memory."""
    for left in (root / ".git" / "pressync", root / ".pressync"):
        shutil.rmtree(left, ignore_errors=True)
    words = tuple(str(root / word) if word == _BUILT else word for word in words)
    command = (sys.executable, "-m", "pressync", "-C", str(root), *words)
    begun = time.perf_counter()
    printed = subprocess.run(
        (sys.executable, "-c", _MEASURED, *command), check=True, capture_output=True, text=True
    ).stdout
    work, memory = json.loads(printed)
    return time.perf_counter() - begun, work, memory


if __name__ == "__main__":
    main()
