"""Compares a rehearsal with the sync after it, record by record.

`python -m tests.live.rehearsed [NAME]...` does it with whole real trees on the site `mid` of the stand: at a
first sync, and after ten edits. It empties the site.
"""

from __future__ import annotations

import random
import re
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.live.live import Live, empty
from tests.live.sites import site
from tests.support import corpora
from tests.support.repository import SampleRepository
from tests.support.syncing import IMPATIENT

from pressync.app.revision import Revision
from pressync.stage.rehearse.live_site import reader_of
from pressync.stage.rehearse.rehearse import RehearsalRun, stage_named
from pressync.stage.rehearse.stage import stage_folder
from pressync.sync.apply import RunListener, RunOptions

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterable, Sequence

    from pressync.model.changes import Outcome
    from pressync.stage.rehearse.rehearse import Rehearsal

# Ids and sizes differ: the site has given ids to revisions, too.
_NUMBERS = re.compile(r"\d+")

# A document of this many bytes has a text to edit.
_LONG = 300


@dataclass(frozen=True)
class Ending:
    """How one change ended: on the stage, and then on the site."""

    action: str
    result: str
    message: str
    link: str


def endings(outcomes: Iterable[Outcome]) -> dict[str, Ending]:
    """Give how each path ended, without the numbers in messages and addresses."""
    return {
        outcome.change.path: Ending(
            outcome.change.action,
            str(outcome.result),
            _NUMBERS.sub("N", outcome.message),
            _NUMBERS.sub("N", outcome.entry.link if outcome.entry else ""),
        )
        for outcome in outcomes
    }


def rehearse(
    live: Live, stop: threading.Event, *, on: str = "embedded", mounts: Sequence[str] = ()
) -> Rehearsal:
    """Rehearse the commit as the command does."""
    with live.workspace() as workspace, stage_folder(workspace.clone.embedded_home) as folder:
        run = RehearsalRun(
            workspace=workspace,
            stage=stage_named(on, workspace, mounts, stop=stop, say=live.heard.append),
            reader=reader_of(workspace, live.heard.append),
            revision=Revision(),
            options=RunOptions(4, patience=IMPATIENT),
            keep_going=True,
            stop=stop,
            listener=RunListener(lambda _outcome: None, live.heard.append),
        )
        with run.rehearsed(folder.path) as account:
            return account


def plant(name: str, root: Path, *, at_most: int | None = None) -> SampleRepository:
    """Commit a real tree with its settings, or some of its documents, always the same ones."""
    unpacked = corpora.unpack(name, root)
    (unpacked / "pressync.toml").write_text(corpora.settings(name), encoding="utf-8")
    (unpacked / ".gitignore").write_text(".pressync/\n", encoding="utf-8")
    documents = sorted(path for path in (unpacked / corpora.TOOLS[name][1]).rglob("*.md") if path.is_file())
    if at_most is not None:
        kept = set(random.Random(name).sample(documents, min(at_most, len(documents))))  # noqa: S311 - a choice
        for path in documents:
            if path not in kept:
                path.unlink()
    made = SampleRepository.create(unpacked)
    made.commit()
    return made


def edit(repository: SampleRepository, name: str) -> None:
    """Make ten edits as the authors of a tree make them, always the same ones."""
    folder = repository.root / corpora.TOOLS[name][1]
    files = [path for path in sorted(folder.rglob("*.md")) if path.is_file()]
    documents = [path for path in files if path.stat().st_size > _LONG]
    chosen = random.Random(name).sample(documents, 9)  # noqa: S311 - a choice, and not a secret
    longer, retitled, gone, moved, reworded, copied, *more = chosen
    for path in (longer, *more):
        _change(path, lambda text: f"{text.rstrip()}\n\nA further paragraph, with **emphasis** & more.\n")
    _change(retitled, lambda text: re.sub(r"^(title\W+)", r"\1Revised ", text, count=1, flags=re.MULTILINE))
    _change(reworded, lambda text: re.sub(r"\bthe\b", "this", text, count=3))
    gone.unlink()
    moved.rename(moved.with_name(f"renamed-{moved.name}"))
    for number in (1, 2):
        new = copied.with_name(f"new-{number}-{copied.name}")
        new.write_bytes(copied.read_bytes())
    repository.commit()


def _change(path: Path, how: object) -> None:
    text = path.read_text(encoding="utf-8", errors="surrogateescape")
    path.write_text(how(text), encoding="utf-8", errors="surrogateescape")  # type: ignore[operator]


def _main(names: Sequence[str]) -> int:
    import threading  # noqa: PLC0415 - the tests give the event

    wordpress, wrong = site("mid"), 0
    for name in names or list(corpora.TOOLS):
        empty(wordpress)
        with tempfile.TemporaryDirectory() as folder:
            repository = plant(name, Path(folder))
            live = Live(repository.root, f"{wordpress.url}/wp-json", password=wordpress.passwords["admin"])
            for story in ("first", "edited"):
                if story == "edited":
                    edit(repository, name)
                start = time.monotonic()
                account = rehearse(live, threading.Event())
                between = time.monotonic()
                run = live.sync(keep_going=True)
                said, done = endings(account.result.outcomes), endings(run.outcomes)
                differ = sorted(p for p in said.keys() | done.keys() if said.get(p) != done.get(p))
                wrong += len(differ)
                print(  # noqa: T201 - the figures are for a person
                    f"{name}, {story}: {account.counts}, rehearsed in {between - start:.1f} s, "
                    f"synced in {time.monotonic() - between:.1f} s, {len(done)} records, "
                    f"{len(differ)} differ {differ[:5]}"
                )
    empty(wordpress)
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
