"""Measure the records per second that one core prepares, from Git's object to the request; and the manifest.

Run it by hand: `python benchmarks/preparing.py [PAGES]`. It compares the chain with the same chain with
markdown-it-py in the place of comrak, and the manifest's codec with the standard library's JSON on the same
bytes.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

import trees
from markdown_it import MarkdownIt

from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.client.documented import request
from pressync.content.render import markdown
from pressync.model.changes import CreateCall
from pressync.model.interface import Kind
from pressync.model.records import CREATED_WITH
from pressync.state.manifest import codec

if TYPE_CHECKING:
    from collections.abc import Callable

_ROUNDS = 5


def main() -> None:
    """Print both."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "site")
        trees.make(root, count)
        trees.put_in_step(root)
        other = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render
        ours = _least(lambda: _prepare_all(root))
        with mock.patch.object(markdown, "to_html", other):
            theirs = _least(lambda: _prepare_all(root))
        print(
            f"prepare: {count / ours:.0f} records a second and core, {theirs / ours:.1f}x with markdown-it-py"
        )
        text = (root / ".pressync/embedded.json").read_text(encoding="utf-8")
        known = codec.decode(text, where="")
        plain = json.loads(text)
        load = _least(lambda: codec.decode(text, where=""))
        save = _least(lambda: codec.encode(known))
        loads, dumps = _least(lambda: json.loads(text)), _least(lambda: json.dumps(plain))
        print(f"manifest of {count}, {len(text) / count:.0f} bytes each:")
        print(f"  load {load * 1e3:.1f} ms, {load / loads:.2f}x json.loads")
        print(f"  encode {save * 1e3:.1f} ms, {save / dumps:.2f}x json.dumps")


def _prepare_all(root: Path) -> None:
    with Workspace.open(root, environ={}) as workspace, workspace.reading() as state:
        content = workspace.content(Revision())
        for path in content.sources:
            page = content.prepare(path, state.manifest.entries)
            request(CreateCall(Kind.PAGE, {**CREATED_WITH, **page.fields}))


def _least(work: Callable[[], object]) -> float:
    """Measure the seconds that this process works for it, at the least."""
    taken = []
    for _ in range(_ROUNDS):
        begun = time.process_time()
        work()
        taken.append(time.process_time() - begun)
    return min(taken)


if __name__ == "__main__":
    main()
