"""`pressync adopt`, `resolve`, `forget` and `manifest`: what a person says of records, and what was sent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support import embedded_wordpress
from tests.support.builders import entry, manifest
from tests.support.strict_service import Fault, serving
from tests.support.syncing import stored_pages
from tests.support.terminal import Terminal

from pressync.model.interface import Kind
from pressync.state.manifest.codec import decode, encode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.repository import SampleRepository
    from tests.support.strict_service import StrictService

    from pressync.stage.server.server import RunningService


@pytest.fixture
def page(service: RunningService) -> int:
    """Make a page on the site by hand, as somebody might."""
    service.store.create(Kind.PAGE, {"title": {"raw": "By hand"}, "slug": "about"})
    return int(stored_pages(service)[-1]["id"])


def test_an_adopted_page_is_updated_once(terminal: Terminal, service: RunningService, page: int) -> None:
    about = "content/pages/about.md"
    assert "Bound 1 file" in terminal.run("adopt", about, str(page)).stdout
    assert "is bound to page" in terminal.run("adopt", about, "77", exits=2).stderr
    other = terminal.run("adopt", "content/pages/index.md", str(page), exits=2).stderr
    assert f"belongs to {about}" in other
    terminal.run("sync", "--yes")
    records = {r["slug"]: r for r in stored_pages(service)}
    assert sorted(records) == ["about", "history", "index"]
    assert records["about"]["id"] == page
    assert records["about"]["title"]["raw"] == "About us"
    terminal.repository.remove(about)
    terminal.repository.commit()
    assert "Bound 1 file" in terminal.run("adopt", about, str(page)).stdout


def test_many_are_bound_from_csv_or_none(terminal: Terminal, tmp_path: Path, page: int) -> None:
    rows = tmp_path / "ids.csv"
    rows.write_text(f"path,id\ncontent/pages/about.md,{page}\ncontent/pages/index.md,first\n")
    assert "ids.csv:3: " in terminal.run("adopt", "--from", str(rows), exits=2).stderr
    assert "+ content/pages/about.md" in terminal.run("plan").stdout
    rows.write_text("content/pages/about.md,40\npages/about.md,41\n")
    told = terminal.run("adopt", "--from", str(rows), exits=2).stderr
    assert "names a file that another line names too" in told
    rows.write_text(f"path,id\ncontent/pages/about.md,{page}\n")
    terminal.run("adopt", "--from", str(rows))
    assert "~ content/pages/about.md" in terminal.run("plan").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("adopt", ""),
        ("adopt content/pages/about.md", ""),
        ("adopt 12 content/pages/about.md", "'content/pages/about.md' is not a valid record id."),
        ("adopt --from-site", "does not show how to read"),
        ("adopt content/pages/about.md --from-site", "alone"),
        ("resolve content/pages/index.md", ""),
        ("resolve content/pages/index.md --id 1 --not-created", ""),
    ],
)
def test_it_wants_a_path_and_an_id_or_a_list(terminal: Terminal, words: str, said: str) -> None:
    assert said in terminal.run(*words.split(), exits=2).stderr


def test_documents_are_bound_to_what_the_site_has_at_their_addresses(repository: SampleRepository) -> None:
    repository.commit({f"content/pages/{name}.md": f"# {name.title()}\n" for name in ("about", "news", "x")})
    with embedded_wordpress.serving() as site:
        terminal = Terminal(repository, {"PRESSYNC_URL": site.url, **embedded_wordpress.ENVIRON})
        about, trashed = site.put("About, by hand", "about"), site.put("News", "news")
        site.trash(trashed)

        blocked = terminal.run("sync", "--yes", exits=1)
        assert (
            f"page {about} has this address already: `pressync adopt content/pages/about.md {about}`, "
            in (blocked.stdout)
        )
        done = terminal.run("adopt", "--from-site")
        assert f"content/pages/about.md is now page {about}." in done.stderr
        assert (
            f"news.md was not bound: at its address the site has page {trashed} 'News', in the trash"
            in done.stderr
        )
        assert (
            done.stdout
            == "Bound 1 file; 1 left for you to decide. The next sync sends the content of the files.\n"
        )
        terminal.run("sync", "--yes", "--create-anyway", "content/pages/news.md")
        assert terminal.run("adopt", "--from-site").stdout == "Every document is bound already.\n"
        assert sorted(record["slug"] for record in site.shown.values()) == [
            *("about", "news", "news__trashed", "x"),
        ]


@pytest.fixture
def doubtful(terminal: Terminal) -> Iterator[StrictService]:
    """Lose the answer of the first create of a run, which was carried out."""
    with serving() as strict:
        terminal.environ["PRESSYNC_URL"] = strict.url
        strict.faults.append(Fault(acts=True, end="close"))
        terminal.run("sync", "--yes", exits=5)
        yield strict


def test_several_unconfirmed_creates_are_settled_at_once(terminal: Terminal, doubtful: StrictService) -> None:
    paths = ("content/pages/about.md", "content/pages/index.md")
    told = terminal.run("resolve", paths[1], "--not-created", exits=2).stderr
    assert "unconfirmed: content/pages/about.md" in told
    said = terminal.run("resolve", *paths, "--id", str(doubtful.pages[0]["id"]), exits=2).stderr
    assert "--id N is the record of one PATH" in said
    doubtful.faults.append(Fault(acts=True, end="close"))
    terminal.run("sync", "--yes", exits=5)
    doubtful.records.clear()
    told = terminal.run("resolve", *paths, "--not-created").stdout
    assert told == "2 documents were not created; the next sync creates them.\n"
    terminal.run("sync", "--yes")
    assert sorted(str(page["slug"]) for page in doubtful.pages) == ["about", "history", "index"]


def test_several_are_forgotten_at_once_or_none_of_them(terminal: Terminal) -> None:
    terminal.run("sync", "--yes")
    pages = ("content/pages/about.md", "content/pages/about/history.md")
    new = ("content/pages/new.md", "content/pages/other.md")
    terminal.repository.commit(dict.fromkeys(new, "# New\n"))
    refused = terminal.run("forget", *pages, *new, exits=2).stderr
    assert "content/pages/new.md, content/pages/other.md are not in the manifest" in refused
    assert "2 to create, 3 up to date" in terminal.run("plan").stdout
    shown = terminal.run("forget", *pages).stdout
    assert shown.count("stays on the site unchanged") == 2
    assert "2 files are still committed: the next sync creates a new record" in shown
    assert "4 to create" in terminal.run("plan").stdout


def test_a_command_that_a_sync_named_works_after_the_sync(terminal: Terminal) -> None:
    terminal.run("sync", "--yes")
    old, new = "content/pages/about/history.md", "content/posts/history.md"
    terminal.repository.move(old, new)
    terminal.repository.commit()
    assert f"`pressync forget {old}`" in terminal.run("sync", "--yes", exits=1).stdout
    assert terminal.run("forget", old).stdout.startswith(f"Forgot {new}; page ")


def test_of_a_record_that_is_deleted_it_is_not_said_that_it_stays(repository: SampleRepository) -> None:
    path = "content/pages/a.md"
    repository.commit({path: "# A\n"})
    with embedded_wordpress.serving() as site:
        terminal = Terminal(repository, {"PRESSYNC_URL": site.url, **embedded_wordpress.ENVIRON})
        terminal.run("sync", "--yes")
        number = max(site.shown)
        site.remove(number)
        repository.commit({path: "# Another\n"})
        terminal.run("sync", "--yes", exits=1)
        assert f"Forgot {path}; page {number} was deleted on the site." in terminal.run("forget", path).stdout


def test_nothing_is_promised_that_the_service_cannot_do(terminal: Terminal, service: RunningService) -> None:
    terminal.repository.commit({"content/posts/a.md": "# A\n"})
    post = service.store.create(Kind.POST, {"title": {"raw": "A"}})
    terminal.run("adopt", "content/posts/a.md", str(post["id"]))
    shown = terminal.run("forget", "content/posts/a.md").stdout
    assert "1 file is still committed: the next sync cannot create all of them." in shown


MANIFEST = ".pressync/default.json"


def test_show_as_json_is_the_file_without_what_moves_the_terminal(terminal: Terminal) -> None:
    terminal.run("sync", "--yes")
    file = terminal.repository.root / MANIFEST
    assert terminal.run("manifest", "show", "--format", "json").stdout == file.read_text()
    assert "does not show how to read" in terminal.run("manifest", "verify", "--remote", exits=2).stderr
    document = json.loads(file.read_text())
    document["records"][0]["link"] = "\x1b[31m"
    file.write_text(json.dumps(document))
    for form in ("text", "json"):
        assert "\x1b" not in terminal.run("manifest", "show", "--format", form).stdout
    file.write_text('{"version": 1,\n "target": "x",\n "records": [\n<<<<<<< ours\n]}\n')
    assert f"{MANIFEST}:4: it has the conflict markers" in terminal.run("manifest", "verify", exits=2).stderr


def test_verify_counts_and_ends_with_one_if_something_is_wrong(terminal: Terminal) -> None:
    terminal.run("sync", "--yes")
    assert terminal.run("manifest", "verify").stdout == "3 records read: 0 wrong, 0 to look at.\n"
    (terminal.repository.root / MANIFEST).unlink()
    told = terminal.run("manifest", "verify", exits=1)
    assert told.stdout == "0 records read: 3 wrong, 0 to look at.\n"
    assert told.stderr.startswith("content/pages/about.md: this clone created page")
    assert told.stderr.endswith("; also content/pages/about/history.md, content/pages/index.md\n")
    assert len(terminal.run("manifest", "verify", "-v", exits=1).stderr.splitlines()) == 3


def test_merge_writes_over_ours_and_tells_what_to_choose(terminal: Terminal, tmp_path: Path) -> None:
    base, ours, theirs = (tmp_path / name for name in ("base", "ours", "theirs"))
    base.write_text("")
    for file, number in ((ours, 1), (theirs, 2)):
        file.write_text(encode(manifest(entry("a.md", number))))
    said = terminal.run("manifest", "merge", str(base), str(ours), str(theirs), "m.json", exits=1).stderr
    assert said == "m.json: a.md is page 1 on one side and page 2 on the other\n"
    ours.write_text(encode(manifest(entry("b.md", 1))))
    terminal.run("manifest", "merge", str(base), str(ours), str(theirs))
    assert len(decode(ours.read_text(), where="ours").entries) == 2


def test_merge_wants_its_files_or_is_installed(terminal: Terminal) -> None:
    terminal.run("manifest", "merge", exits=2)
    terminal.run("manifest", "merge", "base", "ours", exits=2)
    terminal.run("manifest", "merge", "base", "ours", "theirs", "--install", exits=2)
    lines = terminal.run("manifest", "merge", "--install").stdout.splitlines()
    assert lines[0].startswith("Wrote git config merge.pressync.driver: ")
    assert lines[1] == "Wrote .gitattributes: /.pressync/*.json merge=pressync; commit it"


def test_log_lists_the_commits_of_the_file_and_show_what_it_said_then(terminal: Terminal) -> None:
    terminal.run("sync", "--yes", "--commit")
    terminal.repository.commit({"content/pages/new.md": "# New\n"})
    terminal.run("sync", "--yes", "--commit")
    second, first, *reports = terminal.run("manifest", "log").stdout.splitlines()
    assert "Sync default to" in first
    assert [report.split()[0] for report in reports] == ["run", "run"]
    said = terminal.run("manifest", "show", "--ref", first.split()[0]).stdout
    assert said.splitlines()[-1].startswith("3 records on")
    runs = json.loads(terminal.run("manifest", "log", "--format", "json", "--limit", "1").stdout)["runs"]
    assert [run["commit"][:10] for run in runs] == [second.split()[0]]
    assert set(runs[0]) == {"commit", "time", "by", "subject"}
    root = terminal.repository.git("rev-list", "--max-parents=0", "HEAD")
    assert (
        "does not have .pressync/default.json"
        in terminal.run("manifest", "show", "--ref", root, exits=2).stderr
    )


def test_without_a_run_the_log_is_empty_and_without_a_commit_it_says_so(terminal: Terminal) -> None:
    assert terminal.run("manifest", "log").stdout == ""
    terminal.repository.git("checkout", "--quiet", "--orphan", "new")
    said = terminal.run("manifest", "log", exits=2).stderr
    todo = "commit your content first, or `git switch main`, which has commits"
    assert said == f"Error: there is no commit on branch 'new'; {todo}\n"


class TestReference:
    """The same, and every other command, with the manifest in a reference of this clone."""

    @pytest.fixture(autouse=True)
    def in_a_reference(self, terminal: Terminal) -> None:
        url = terminal.environ.pop("PRESSYNC_URL")
        settings = f'[sites.live]\nurl = "{url}"\nmanifest = "ref"\n'
        terminal.repository.commit({"pressync.toml": settings})

    def test_a_sync_and_a_rollback_are_commits_of_the_reference(self, terminal: Terminal) -> None:
        terminal.run("sync", "--yes")
        assert terminal.repository.git("status", "--porcelain") == ""
        commit = terminal.repository.head()[:8]
        run = json.loads(terminal.run("manifest", "log", "--format", "json").stdout)["reports"][0]["run"]
        terminal.run("rollback", "--yes")
        subjects = terminal.repository.git("log", "--format=%s", "refs/pressync/live").splitlines()
        assert subjects[-2:] == [
            f"Sync of {commit}, run {run}: 3 created",
            f"Claim: Sync of {commit}, 3 to create",
        ]
        assert subjects[0].startswith(f"Rollback of run {run}")

    def test_log_lists_the_runs_and_show_what_each_left(self, terminal: Terminal) -> None:
        assert terminal.run("manifest", "log").stdout == ""
        terminal.run("sync", "--yes")
        terminal.repository.commit({"content/pages/new.md": "# New\n"})
        terminal.run("sync", "--yes")
        second, first = terminal.run("manifest", "log").stdout.splitlines()
        assert first.endswith(": 3 created")
        assert second.endswith(": 1 created")
        said = terminal.run("manifest", "show", "--ref", first.split()[0]).stdout
        assert said.splitlines()[-1].startswith("3 records on")
        assert terminal.run("manifest", "verify").stdout == "4 records read: 0 wrong, 0 to look at.\n"

    def test_the_other_commands_read_it_and_commit_there_what_a_person_says(self, terminal: Terminal) -> None:
        terminal.run("adopt", "content/pages/about.md", "7")
        terminal.run("forget", "content/pages/about.md")
        runs = terminal.run("manifest", "log").stdout
        assert "Forget content/pages/about.md: 1 deleted" in runs
        assert "Adopt content/pages/about.md: 1 created" in runs
        terminal.run("sync", "--yes")
        assert terminal.run("status").stdout.endswith("\n3 up to date.\n")
        terminal.run("redirects")
        assert "refs/pressync/live: 3 records" in terminal.run("doctor").stdout
        assert "  refs/pressync/live  (" in terminal.run("config").stdout
        terminal.repository.commit({"content/pages/new.md": "# New\n"})
        said = terminal.run("sync", "--yes", "--commit").stderr
        assert "The manifest is in refs/pressync/live, and it is committed there already." in said
