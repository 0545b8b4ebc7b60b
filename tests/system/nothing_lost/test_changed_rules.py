"""A new version reads files by other rules, and the records of the version before keep theirs for now."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.syncing import Bound, stored_pages

from pressync import Credentials, __version__, open_site
from pressync.content import basis, rules, sources
from pressync.content.documents import DocumentReader
from pressync.content.rules import Rule
from pressync.model.changes import Result, Update
from pressync.model.errors import SafetyRefusal
from pressync.model.reason import ReasonCode
from pressync.plan.notes import moved_by_rule
from pressync.stage.server.server import running

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.support.repository import SampleRepository
    from tests.support.terminal import Terminal

    from pressync.content.read_files import ReadFile
    from pressync.model.changes import Plan
    from pressync.model.records import Source
    from pressync.stage.server.server import RunningService

README, BESIDE, HEADED = "content/pages/docs/README.md", "content/pages/docs/use.md", "content/pages/a.md"
NOTE = "content/posts/re-reading.md"
FILES = {
    README: "# Project\n\nText.\n",
    BESIDE: "# Use\n\nText.\n",
    HEADED: "## Two\n\n# One\n\nText.\n",
    "content/pages/same.md": "# Same\n\nText.\n",
}
VAULT = '[markdown]\ndialect = "obsidian"\nhashtags = true\n'


@pytest.fixture
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with running(tmp_path_factory.mktemp("service") / "site.db", dialect="wordpress") as made:
        yield made


@pytest.fixture
def before(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Read as the version before did, until `undo` is called."""
    read = DocumentReader.read

    def as_before(reader: DocumentReader, source: Source, data: bytes, _: object = None) -> ReadFile:
        return read(reader, source, data, rules.EVERY)

    with monkeypatch.context() as patch:
        patch.setattr(DocumentReader, "read", as_before)
        patch.setattr(sources, "READMES", ())
        patch.setattr(basis, "_READING", "1")
        yield patch


def bound(repository: SampleRepository, service: RunningService) -> Bound:
    return Bound(repository.root, service.url, environ={"PRESSYNC_DIALECT": "wordpress"})


def synced(
    repository: SampleRepository,
    service: RunningService,
    before: pytest.MonkeyPatch,
    files: Mapping[str, str],
) -> Bound:
    """Sync as the version before did, and give the site for this version."""
    repository.commit({**files, "pressync.toml": files.get("pressync.toml", "")})
    site = bound(repository, service)
    assert {each.result for each in site.sync().outcomes} == {Result.DONE}
    before.undo()
    return site


def kept(plan: Plan) -> dict[str, object]:
    return {
        str(each.facts["rule"]): each.facts["paths"]
        for each in plan.remarks
        if each.code is ReasonCode.KEPT_RULE
    }


def test_nothing_moves_on_the_site_when_the_version_is_new(
    repository: SampleRepository, service: RunningService, before: pytest.MonkeyPatch
) -> None:
    site = synced(repository, service, before, FILES)
    there = stored_pages(service)

    plan = site.plan()

    assert plan.pending == ()
    assert kept(plan) == {Rule.TITLE: (HEADED,), Rule.README: (README,)}
    assert f"a rule of version {__version__}: README.md is the page of a folder" in " ".join(plan.notes)
    site.sync()
    assert stored_pages(service) == there


def test_a_new_file_and_an_edited_one_get_the_rule_of_now_and_the_plan_names_it(
    repository: SampleRepository, service: RunningService, before: pytest.MonkeyPatch
) -> None:
    site = synced(repository, service, before, FILES)
    repository.commit({HEADED: FILES[HEADED] + "More.\n", "content/pages/b.md": "## Two\n"})

    edited, _ = sorted(site.plan().pending, key=lambda each: each.path)

    assert isinstance(edited, Update)
    assert edited.fields == ("content", "title")
    assert "rule" in edited.why.codes
    assert str(edited.why).endswith("the name of the file; a note has its file's name")
    site.sync()
    assert {page["title"]["raw"] for page in stored_pages(service)} == {"Project", "Use", "One", "Same", "B"}
    assert site.plan().pending == ()


def test_a_readme_and_the_pages_beside_it_move_together_when_it_changes(
    repository: SampleRepository, service: RunningService, before: pytest.MonkeyPatch
) -> None:
    site = synced(repository, service, before, FILES)
    repository.commit({BESIDE: FILES[BESIDE] + "More.\n", "content/pages/docs/new.md": "# New\n"})
    assert moved_by_rule(site.plan().changes) == []
    site.sync()
    assert {path: entry.parent_path for path, entry in site.entries().items()}[BESIDE] is None

    repository.commit({README: FILES[README] + "More.\n"})

    plan = site.plan()
    assert {each.path for each in plan.pending} == {README, BESIDE, "content/pages/docs/new.md"}
    assert set(moved_by_rule(plan.changes)) == {README, BESIDE, "content/pages/docs/new.md"}
    site.sync()
    entries = site.entries()
    assert (entries[README].slug, entries[README].parent_path) == ("docs", None)
    assert entries[BESIDE].parent_path == README
    assert site.plan().pending == ()
    assert kept(site.plan()) == {Rule.TITLE: (HEADED,)}


def test_a_readme_that_is_new_is_the_page_of_its_folder_at_once(
    repository: SampleRepository, service: RunningService
) -> None:
    repository.commit({BESIDE: FILES[BESIDE]})
    site = bound(repository, service)
    site.sync()
    repository.commit({README: FILES[README]})
    assert moved_by_rule(site.plan().changes) == []
    site.sync()
    entries = site.entries()
    assert (entries[README].slug, entries[BESIDE].parent_path) == ("docs", README)


def test_a_folder_whose_made_page_has_a_record_keeps_it_beside_its_readme(
    repository: SampleRepository, service: RunningService, before: pytest.MonkeyPatch
) -> None:
    site = synced(repository, service, before, {**FILES, "pressync.toml": 'folders = "pages"\n'})
    assert site.entries()[README].parent_path == "content/pages/docs/index.md"
    repository.commit({README: FILES[README] + "More.\n", "content/pages/new/readme.md": "# New\n"})
    site.sync()
    entries = site.entries()
    assert entries[README].parent_path == "content/pages/docs/index.md"
    assert "content/pages/new/index.md" not in entries
    assert entries["content/pages/new/readme.md"].slug == "new"


def test_a_note_keeps_its_title_and_its_tags_until_it_changes(
    repository: SampleRepository, service: RunningService, before: pytest.MonkeyPatch
) -> None:
    text = '---\ntags: ["#x", y]\n---\n# Kant\n\nSee [[#Local part]] and #z.\n\n## Local part\n'
    site = synced(repository, service, before, {NOTE: text, "pressync.toml": VAULT})
    plan = site.plan()
    assert (plan.pending, kept(plan)) == ((), {Rule.TITLE: (NOTE,), Rule.TAGS: (NOTE,)})

    repository.commit({NOTE: f"{text}More.\n"})

    (change,) = site.plan().pending
    assert isinstance(change, Update)
    assert (change.desired.title, change.desired.mentions[0].given) == ("re-reading", ("x", "y", "z"))
    assert set(change.fields) == {"content", "tags", "title"}


def test_every_plan_names_the_records_that_keep_a_rule_until_their_files_change(
    terminal: Terminal, before: pytest.MonkeyPatch
) -> None:
    terminal.environ["PRESSYNC_DIALECT"] = "wordpress"
    terminal.repository.commit(FILES)
    terminal.run("sync", "--yes")
    before.undo()
    terminal.run("sync", "--yes")
    stamp = terminal.repository.root / ".git/pressync/any.seen"
    title = f"1 record keeps what was before a rule of version {__version__}: a title is "

    def told() -> dict[str, list[str]]:
        assert title in terminal.run("plan").stdout
        rows = json.loads(terminal.run("plan", "--format", "json").stdout)["remarks"]
        return {row["facts"]["rule"]: row["facts"]["paths"] for row in rows if row["code"] == "kept_rule"}

    assert title in terminal.run("sync", "--yes").stdout
    # The stamp answers, then the manifest beside Git's list, then a plan that reads only another file.
    assert told() == {"title": [HEADED], "readme": [README]}
    stamp.unlink()
    assert told() == {"title": [HEADED], "readme": [README]}
    terminal.repository.commit({"content/pages/same.md": "# Same\n\nMore.\n"})
    assert told() == {"title": [HEADED], "readme": [README]}

    terminal.repository.commit({HEADED: FILES[HEADED] + "More.\n"})
    terminal.run("sync", "--yes")

    assert "a title is" not in terminal.run("plan").stdout


def test_a_page_that_a_rule_moves_waits_for_a_person(terminal: Terminal, before: pytest.MonkeyPatch) -> None:
    terminal.environ["PRESSYNC_DIALECT"] = "wordpress"
    terminal.repository.commit(FILES)
    terminal.run("sync", "--yes")
    before.undo()
    terminal.repository.commit({README: FILES[README] + "More.\n"})

    planned = terminal.run("plan", "--exit-code", exits=4).stdout
    assert "Sync would refuse: a rule of a new version changes the address of " in planned
    document = json.loads(terminal.run("plan", "--format", "json").stdout)
    assert [each["code"] for each in document["refusals"]] == ["moved_by_rule"]
    assert "Sync would refuse: a rule of a new version " in terminal.run("status").stderr
    rehearsed = terminal.run("rehearse", exits=4).stdout
    assert "A sync would refuse: a rule of a new version changes the address of " in rehearsed

    told = terminal.run("sync", "--yes", exits=4).stderr

    assert "a rule of a new version changes the address of " in told
    assert "pressync help moved_by_rule" in told
    reviewed = terminal.repository.root.parent / "plan.json"
    terminal.run("plan", "--out", str(reviewed))
    assert "2 done" in terminal.run("sync", "--plan", str(reviewed)).stdout


def test_a_program_moves_pages_by_a_rule_only_with_an_approved_plan(
    repository: SampleRepository,
    service: RunningService,
    before: pytest.MonkeyPatch,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    synced(repository, service, before, FILES)
    repository.commit({README: FILES[README] + "More.\n"})
    monkeypatch.setenv("PRESSYNC_DIALECT", "wordpress")
    account = Credentials(user="anna", password="open sesame")
    with open_site(repository.root, url=service.url, credentials=account) as site:
        with pytest.raises(SafetyRefusal, match="a rule of a new version changes the address of "):
            site.sync()
        assert {outcome.result for outcome in site.sync(approved=site.plan())} == {Result.DONE}
