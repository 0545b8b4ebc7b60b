"""Axe in the browser: what its rules say of the texts of people alone.

`npm install axe-core` in a folder brings it, and the variable FOLDER names that folder. A theme may break
rules by itself, around the texts. So only elements inside of the texts count.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pressync.stage.browser import Browser

FOLDER = "PRESSYNC_AXE"
# Read while the tests are collected: while they run, no PRESSYNC_ variable of anybody is there.
_PROGRAM = Path(os.environ.get(FOLDER) or "/nowhere", "node_modules/axe-core/axe.min.js")
IS_THERE = _PROGRAM.is_file()
# Chromium takes the keyboard to each box that scrolls. A `tabindex` would make the block invalid.
_OFF = "scrollable-region-focusable"


def violations(browser: Browser, content: str) -> dict[str, list[str]]:
    """Give the rules that the open page breaks inside of `content`, a selector, with the elements."""
    browser.ask(_PROGRAM.read_text(encoding="utf-8") + ";0")
    context = f"[...document.querySelectorAll({json.dumps(content)})]"
    options = json.dumps({"rules": {_OFF: {"enabled": False}}, "resultTypes": ["violations"]})
    run = f"{context}.length ? axe.run({{include: {context}}}, {options}) : {{violations: []}}"
    elements = "row.nodes.map((node) => node.html.slice(0, 120))"
    rows = browser.ask(f"(async () => (await ({run})).violations.map((row) => [row.id, {elements}]))()")
    return {rule: list(elements) for rule, elements in rows}
