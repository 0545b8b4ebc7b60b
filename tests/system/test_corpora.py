"""Whole real Markdown trees through the main path: committed, synced, read back, synced again."""

from __future__ import annotations

import re
import shutil
import urllib.request
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Any

import pytest
import requests
from tests.support import replay
from tests.support.corpora import TOOLS, settings, unpack
from tests.support.share import share
from tests.support.strict_service import serving
from tests.support.syncing import Bound, Site, stored_pages

from pressync.app import unchanged
from pressync.app.check import check
from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.cli.report import words
from pressync.model.changes import Result
from pressync.model.interface import DOCUMENTED_TYPES
from pressync.stage.server.server import running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from tests.support.repository import SampleRepository

    from pressync.stage.server.server import RunningService

pytestmark = pytest.mark.corpus


@pytest.fixture
def handbook(tmp_path: Path, repository: SampleRepository) -> SampleRepository:
    tree = unpack("wp-cli-handbook", tmp_path / "corpus")
    shutil.copytree(tree, repository.root / "content/pages", ignore=shutil.ignore_patterns("bin", "*.json"))
    repository.commit()
    return repository


@pytest.mark.sweep
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

    with Workspace.open(repository.root, environ={}) as workspace:
        checked = check(workspace, Revision(), strict=False)

    errors = [str(problem) for problem in checked.problems if not problem.warning]
    assert errors == [_TOLD[name]] if name in _TOLD else errors == []
    lines = len(words.grouped_problems(checked.problems))
    record_property("documents", len(checked.documents))
    record_property("warnings", len(checked.problems) - len(errors))
    record_property("lines of problems", lines)


@pytest.mark.sweep
@pytest.mark.parametrize("name", share(replay.TREES, 2))
def test_twenty_upstream_commits_of_an_unseen_tree_are_on_the_site_after_one_sync_each(
    name: str,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before and after each sync, the answer without a plan, or with a short one, agrees with the plan."""
    answered = Counter[bool]()
    upstream = replay.Replay.of(name, tmp_path / "tree")
    with running(tmp_path / "site.db", dialect="wordpress") as service:
        _add_user(service.url, "editor")
        site = Bound(upstream.root, service.url, environ={"PRESSYNC_DIALECT": "wordpress"})
        before = _count(service)
        monkeypatch.setenv("PRESSYNC_URL", service.url)
        monkeypatch.setenv("PRESSYNC_DIALECT", "wordpress")

        def look() -> None:
            answered[_is_answered_as_planned(site)] += 1

        upstream.run(site, look)
        documents, wrong = replay.differing(site)
        assert wrong == []
        assert _count(service) == before + documents
    record_property("documents", documents)
    record_property("commits answered without a plan", answered[True])
    record_property("changes by 20 commits", upstream.ended.total())


def _is_answered_as_planned(site: Site) -> bool:
    for stamp in (site.root / ".git/pressync").glob("*.seen"):
        stamp.unlink()
    found, plan = unchanged.find(site.root, site=None, config_file=None), site.plan()
    has_nothing = plan.settled and not (plan.problems or plan.notes or plan.refusals)
    assert found is None or (has_nothing and found.kept == len(plan.changes))
    return found is not None


def _count(service: RunningService) -> int:
    records = chain.from_iterable(map(service.store.records, DOCUMENTED_TYPES.kinds))
    return sum(row["status"] != "trash" for row in records)


def _add_user(url: str, name: str) -> None:
    user = {"username": name, "email": f"{name}@example.org", "password": name, "roles": ["editor"]}
    assert requests.post(f"{url}/wp/v2/users", json=user, timeout=9).status_code == 201


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
