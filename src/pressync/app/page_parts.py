"""Gives the scripts and style sheets of our pages, and the names by which a policy allows them.

A page of ours shows texts from outside. So its policy allows exactly these scripts and styles, by their
digests, and a text can neither add one nor change one.
"""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib.resources import files

# The elements of a comparison: both the page of a plan and the preview show them.
COMPARISON = "comparison"


@cache
def part(name: str) -> str:
    """Read one file, such as `comparison.js`."""
    return (files("pressync.app") / "static" / name).read_text(encoding="utf-8")


def allowed(text: str) -> str:
    """Name a script or a style sheet as a policy does."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def script(name: str) -> str:
    """Give a script behind the one that shows comparisons, with the style sheet of the frames in it."""
    frame = json.dumps(part("frame.css"))
    return part(f"{COMPARISON}.js").replace('"FRAME_CSS"', frame) + name
