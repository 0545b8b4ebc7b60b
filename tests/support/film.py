"""The film of the README: `pressync demo`, recorded from the program, as an animated SVG and as text.

    python -m tests.support.film

It runs the demo on a terminal, presses its keys, and notes when each line appears. The SVG has all lines in
one column. Two animations show them as a terminal does: a curtain goes down, and the column goes up. It rests
for people who ask for less motion. A film that is opened by itself stops under the pointer.
"""

from __future__ import annotations

import html
import itertools
import os
import pty
import re
import subprocess
import sys
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
FILM, TRANSCRIPT = PROJECT / ".github" / "demo.svg", PROJECT / ".github" / "demo.txt"
COLUMNS, ROWS = 100, 30
# Seconds of the whole film, of the end before it begins again, and of a line at most before it is scaled.
LENGTH, REST, LONGEST = 38.0, 3.0, 1.2
_KEY = b"A key goes on"
_COLOUR = re.compile(r"\x1b\[([\d;]*)m")
_CLASSES = {"1": "b", "2": "d", "31": "r", "32": "g", "33": "y"}
_WIDTH, _HEIGHT, _MARGIN = 7.8, 18, 14
_ROW, _TAG = re.compile(r'<text [^>]*?( data-more="1")?>(.*?)</text>'), re.compile(r"<[^>]*>")
_STYLE = """
svg{background:#14171c;border-radius:8px}text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;
fill:#d5dae2;white-space:pre}.b{font-weight:700;fill:#fff}.d{fill:#8b949e}.r{fill:#ff7b72}.g{fill:#7ee787}
.y{fill:#e3b341}#c{display:none}
"""
_MOTION = (
    "@media (prefers-reduced-motion:no-preference)"
    "{{#c{{display:inline;animation:c {0}}}#t{{animation:t {0}}}}}\n"
    "svg:hover #c,svg:hover #t{{animation-play-state:paused}}\n"
)
_END = "The folder and the site of the demo are gone."
# Run ids, commits, ports, dates, times, ids, and how far a killed run came: they differ in each demo.
_DIFFERENT = (
    (re.compile(r"\b\d{8}-\d{6}-\w{5}\b"), "RUN"),
    (re.compile(r"\b[0-9a-f]{7,10}\b(?!-)"), "COMMIT"),
    (re.compile(r"127\.0\.0\.1:\d+"), "HOST"),
    (re.compile(r"Date: .*"), "DATE"),
    (re.compile(r"when \d+ of"), "when N of"),
    # The pages that need an upload are made later.
    (re.compile(r"\bpage \d+\b"), "page N"),
    (re.compile(r"\d+ done, \d+ up to date"), "N done"),
)


def compared(told: str) -> list[str]:
    """Give the lines of a demo without what differs each time, and without its end for a person."""
    told = told.partition(_END)[0]
    for pattern, word in _DIFFERENT:
        told = pattern.sub(word, told)
    # A killed run may leave creates without a response. The next one tells what became of them.
    return [line.rstrip() for line in told.splitlines() if line.strip() and "unconfirmed" not in line]


def shown() -> list[str]:
    """Give the lines that the film shows, wrapped as on its terminal and then joined again."""
    lines: list[str] = []
    for more, text in _ROW.findall(FILM.read_text(encoding="utf-8")):
        line = html.unescape(_TAG.sub("", text))
        if more:
            lines[-1] += line
        else:
            lines.append(line)
    return [line.rstrip() for line in lines]


def _record() -> list[tuple[float, str]]:
    """Run the demo on a terminal; give each line with the second in which it was there."""
    terminal, inner = pty.openpty()
    demo = subprocess.Popen(
        [sys.executable, "-P", "-m", "pressync", "demo"],
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": str(COLUMNS), "LINES": str(ROWS)},
        stdin=inner,
        stdout=inner,
        stderr=inner,
    )
    os.close(inner)
    begun, buffer = time.monotonic(), b""
    lines: list[tuple[float, str]] = []
    while True:
        try:
            new = os.read(terminal, 65536)
        except OSError:
            break
        buffer += new
        *whole, buffer = buffer.split(b"\n")
        for line in whole:
            if _KEY in line:
                # Click throws away what was typed before it waits.
                time.sleep(0.4)
                os.write(terminal, b" ")
            else:
                lines.append((time.monotonic() - begun, line.decode().rstrip("\r")))
    if demo.wait():
        sys.exit("the demo failed")
    return lines


def _times(lines: list[tuple[float, str]]) -> list[float]:
    """Give the second of the film in which each line appears; long waits are cut, and short ones scaled."""
    gaps = [0.0]
    for (before, _), (after, text) in itertools.pairwise(lines):
        is_new = "\x1b[1m" in text
        gaps.append(max(0.5 if is_new else 0.04, min(after - before, LONGEST)))
    scale = (LENGTH - REST) / sum(gaps)
    return [sum(gaps[: place + 1]) * scale for place in range(len(gaps))]


def _spans(text: str) -> str:
    parts = _COLOUR.split(text)
    made = html.escape(parts[0])
    for codes, words in zip(parts[1::2], parts[2::2], strict=True):
        name = next((_CLASSES[code] for code in codes.split(";") if code in _CLASSES), "")
        escaped = html.escape(words)
        made += f'<tspan class="{name}">{escaped}</tspan>' if name and words else escaped
    return made


def _pieces(text: str) -> list[str]:
    """Break a line as a terminal does; only lines without colour are long."""
    if len(_COLOUR.sub("", text)) <= COLUMNS:
        return [text]
    plain = _COLOUR.sub("", text)
    return [plain[start : start + COLUMNS] for start in range(0, len(plain), COLUMNS)]


def _svg(lines: list[tuple[float, str]]) -> str:
    rows: list[str] = []
    curtain, column = [], []
    for moment, (_, text) in zip(_times(lines), lines, strict=True):
        for place, piece in enumerate(_pieces(text)):
            y = _MARGIN + _HEIGHT * (len(rows) + 1)
            more = ' data-more="1"' if place else ""
            rows.append(f'<text x="{_MARGIN}" y="{y}" xml:space="preserve"{more}>{_spans(piece)}</text>')
        part = f"{moment / LENGTH * 100:.2f}%"
        curtain.append(f"{part}{{transform:translateY({_HEIGHT * len(rows)}px)}}")
        column.append(f"{part}{{transform:translateY({-_HEIGHT * max(len(rows) - ROWS, 0)}px)}}")
    width, height = round(_WIDTH * COLUMNS + 2 * _MARGIN), _HEIGHT * ROWS + 2 * _MARGIN
    whole = _HEIGHT * len(rows) + height
    animation = f"{LENGTH:.0f}s step-end infinite"
    cover = f'<rect id="c" x="0" y="{_MARGIN + 5}" width="{width}" height="{whole}" fill="#14171c"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="A film of pressync demo">\n<style>{_STYLE}'
        f"{_MOTION.format(animation)}@keyframes c{{{''.join(curtain)}}}\n"
        f'@keyframes t{{{"".join(column)}}}\n</style>\n<g id="t">\n' + "\n".join(rows) + "\n"
        f"{cover}\n</g>\n</svg>\n"
    )


def main() -> None:
    """Record the film and its transcript."""
    lines = _record()
    FILM.write_text(_svg(lines), encoding="utf-8")
    TRANSCRIPT.write_text("".join(f"{_COLOUR.sub('', text)}\n" for _, text in lines), encoding="utf-8")
    sys.stdout.write(f"{FILM}: {len(lines)} lines, {FILM.stat().st_size // 1000} kB\n")


if __name__ == "__main__":
    main()
