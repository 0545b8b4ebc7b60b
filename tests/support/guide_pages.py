"""The blocks of code on a page of the guide, and the shell script that types them in order.

```console                     its lines with `$` are typed
```console exits=1             the last of them ends with 1
```console no-run: REASON      they cannot be typed here
```markdown file=PATH          it is written to this file, before the commands below it
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

PAGES = Path(__file__).parents[2] / "content/pages"

_BLOCK = re.compile(r"^( *)```(\w[\w+-]*)([^\n`]*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_TYPED = "$ "
_FILE, _EXITS, _NO_RUN = "file=", "exits=", "no-run"


@dataclass(frozen=True)
class Block:
    """One block of code: its language, what stands behind that, and its text."""

    language: str
    about: str
    text: str

    @property
    def commands(self) -> tuple[str, ...]:
        """The lines that a reader types."""
        if self.language not in {"console", "sh", "bash"}:
            return ()
        if self.language != "console":
            return (self.text.rstrip("\n"),)
        rows = self.text.splitlines()
        return tuple(row.removeprefix(_TYPED) for row in rows if row.startswith(_TYPED))

    @property
    def reason(self) -> str | None:
        """Why it cannot be run; "" if it says no reason, and None if it can."""
        return self.about.removeprefix(_NO_RUN).lstrip(": ") if self.about.startswith(_NO_RUN) else None

    @property
    def file(self) -> str:
        """The file that its text is written to."""
        return self.about.removeprefix(_FILE) if self.about.startswith(_FILE) else ""

    @property
    def exits(self) -> int:
        """The exit code of its last command."""
        return int(self.about.removeprefix(_EXITS)) if self.about.startswith(_EXITS) else 0


def blocks(page: str) -> tuple[Block, ...]:
    """Read the blocks of a page, without its indentation."""
    text = (PAGES / page).read_text(encoding="utf-8")
    return tuple(
        Block(language, about.strip(), re.sub(rf"^{indent}", "", body, flags=re.MULTILINE))
        for indent, language, about, body in _BLOCK.findall(text)
    )


def with_commands() -> tuple[str, ...]:
    """Name the pages that have commands to type."""
    pages = sorted(path.relative_to(PAGES).as_posix() for path in PAGES.rglob("*.md"))
    return tuple(page for page in pages if any(block.commands for block in blocks(page)))


def script(page: str, meanwhile: Mapping[str, str] | None = None) -> str:
    """Write the page as a script that ends where a command ends with another code than the page says.

    `meanwhile` has the deeds of others, for instance in the browser, by the command before which they happen.
    """
    lines = []
    for block in blocks(page):
        if block.file:
            lines.append(f"mkdir -p $(dirname {block.file})\nprintf %s {quote(block.text)} > {block.file}")
        if block.reason is not None:
            continue
        for number, command in enumerate(block.commands, 1):
            wanted = block.exits if number == len(block.commands) else 0
            lines.append((meanwhile or {}).get(command, ""))
            lines.append(f"echo {quote('$ ' + command)}\n{command}\nended $? {wanted}")
    return "\n".join(lines)
