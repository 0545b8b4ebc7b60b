"""Real histories, one sync per commit, by clones that vouch for nothing: nothing honest is blocked."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING

import pytest
from tests.support.histories import WHOLE, Replay, cloned, commits_of, with_templates
from tests.support.peers import PEERS
from tests.support.share import share

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# The first sync of hundreds of pages takes most of the time, so these run with the sweeps.
pytestmark = [pytest.mark.corpus, pytest.mark.sweep]

# Of the sixty commits, those around a removal.
HISTORIES = {"etcd-website": "content/en", "opensource-guide": "_articles"}
SLICE = 2
PAIRS = (
    list(product(HISTORIES, PEERS))
    if WHOLE
    else [("etcd-website", "wordpress"), ("opensource-guide", "documented")]
)


@pytest.mark.parametrize(("name", "dialect"), share(PAIRS, 2))
def test_no_honest_delete_rename_or_update_is_taken_for_forged(
    name: str, dialect: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    repository = cloned(name, tmp_path / "history")
    content = HISTORIES[name]
    serving, environ = PEERS[dialect]
    found: Counter[str] = Counter()
    with serving() as service:
        site = Replay(repository.root, service.url, environ=environ, settings=tmp_path / "settings.toml")
        site.configure(content, dialect)
        commits = commits_of(repository)
        for number in with_templates(repository, commits if WHOLE else commits[-SLICE:]):
            if number == len(commits) // 2:
                site.configure(content, dialect, 'comment_status = "closed"\n')
            found += site.step()
        files = sorted((repository.root / content).rglob("*.md"))
        for file in files[::4]:
            file.unlink()
        repository.git("add", "--all", "--", ":!.pressync")
        repository.git("commit", "--quiet", "-m", "Remove a quarter")
        found += site.step()
        for file in files[1::12]:
            file.write_text(file.read_text() + "\nOne more line.\n")
            file.rename(file.with_name(f"moved-{file.name}"))
        repository.git("add", "--all", "--", ":!.pressync")
        repository.git("commit", "--quiet", "-m", "Move a twelfth, edited")
        found += site.step()
    for what, count in found.items():
        record_property(f"{what} ({name}, {dialect})", count)
    assert found["deletes"] > 50
    assert found["renames"] > 5
    assert found["unverified"] == 0, site.heard
