"""Whole real Markdown trees through the main path: committed, synced, read back, synced again."""

from __future__ import annotations

import re
import shutil
import time
import urllib.request
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.corpora import TOOLS, settings, unpack
from tests.support.strict_service import serving
from tests.support.syncing import Site, stored_pages

from pressync.app.check import check
from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.cli.report import problem_groups
from pressync.model.changes import Result
from pressync.server.server import running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from tests.support.repository import SampleRepository

pytestmark = pytest.mark.corpus


@pytest.fixture
def handbook(tmp_path: Path, repository: SampleRepository) -> SampleRepository:
    """Commit the handbook's 720 pages under content/pages/."""
    tree = unpack("wp-cli-handbook", tmp_path / "corpus")
    shutil.copytree(tree, repository.root / "content/pages", ignore=shutil.ignore_patterns("bin", "*.json"))
    repository.commit()
    return repository


def test_a_real_handbook_syncs_whole_and_a_second_sync_sends_nothing(
    tmp_path: Path, handbook: SampleRepository
) -> None:
    sources = {str(p.relative_to(handbook.root)): p for p in (handbook.root / "content").rglob("*.md")}
    with running(tmp_path / "site.db") as service:
        site = Site(handbook.root, service.url)
        first = site.sync(concurrency=8)
        assert Counter(o.result for o in first.outcomes) == {Result.DONE: len(sources)}
        records = {r["id"]: r for r in stored_pages(service)}
        assert len(records) == len(sources) == 720
        entries = site.entries()
        for path, file in sources.items():
            record = records[entries[path].id]
            expected_parent = _parent(path, sources)
            assert record["parent"] == (entries[expected_parent].id if expected_parent else 0), path
            heading = re.match(r"#\s+(.+?)\s*#*\s*\n|(.+)\n=+\n", file.read_text())
            if heading and not re.search(r"[`*\\\[&<]", heading[0]):
                assert record["title"]["raw"] == (heading[1] or heading[2]), path
        slugs = Counter(record["slug"] for record in records.values())
        assert slugs["list"] == sum(path.endswith("/list.md") for path in sources) == 52
        before = [(r["id"], r["modified"]) for r in records.values()]
        assert not site.sync().outcomes
        assert [(r["id"], r["modified"]) for r in stored_pages(service)] == before
        _assert_pages_answer(records.values(), service.site)


@pytest.mark.sweep
def test_an_independent_strict_service_takes_every_request_of_a_real_tree(
    handbook: SampleRepository, record_property: Callable[[str, object], None]
) -> None:
    with serving() as strict:
        run = Site(handbook.root, strict.url).sync(concurrency=8)
        assert Counter(o.result for o in run.outcomes) == {Result.DONE: 720}
        record_property("requests taken", len(strict.received))
        assert not strict.violations


# The problems that a person has to correct in the file, because a guess could be wrong.
_TOLD = {
    "made-mistakes": (
        "src/_work/relic-scout.md:16: the key 'last_modified_at' is named twice; keep one of them"
    ),
}


@pytest.mark.sweep
@pytest.mark.parametrize("name", TOOLS)
def test_the_settings_of_the_guide_get_every_tree_through_check(
    name: str, tmp_path: Path, repository: SampleRepository, record_property: Callable[[str, object], None]
) -> None:
    shutil.copytree(unpack(name, tmp_path / "corpus"), repository.root, dirs_exist_ok=True)
    (repository.root / ".gitignore").unlink(missing_ok=True)
    site = '\n[sites.production]\nurl = "https://example.org/wp-json"\ndialect = "wordpress"\n'
    repository.commit({"pressync.toml": settings(name) + site})

    start = time.monotonic()
    with Workspace(repository.root, environ={}) as workspace:
        checked = check(workspace, Revision(), strict=False)

    errors = [str(problem) for problem in checked.problems if not problem.warning]
    assert errors == [_TOLD[name]] if name in _TOLD else errors == []
    lines = len(problem_groups.groups(checked.problems))
    record_property("documents", len(checked.documents))
    record_property("warnings", f"{len(checked.problems) - len(errors)}, in {lines} lines")
    record_property("seconds", round(time.monotonic() - start, 1))


def _parent(path: str, sources: dict[str, Path]) -> str | None:
    folder = path.rpartition("/")[0]
    while folder != "content/pages":
        if f"{folder}.md" in sources:
            return f"{folder}.md"
        folder = folder.rpartition("/")[0]
    return None


def _assert_pages_answer(records: Iterable[dict[str, Any]], site: str) -> None:
    address = re.compile(r"https?://[^/]+")
    for record in list(records)[::10]:
        link = address.sub(site, record["link"])
        with urllib.request.urlopen(link, timeout=10) as answer:  # noqa: S310 - our own loopback service
            assert answer.status == 200
