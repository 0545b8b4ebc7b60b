"""`pressync forget`: the manifest drops the record, and the site keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.interface import Kind

if TYPE_CHECKING:
    from tests.support.terminal import Terminal

    from pressync.server.server import RunningService


def test_a_forgotten_record_stays_on_the_site(terminal: Terminal, service: RunningService) -> None:
    terminal.run("sync", "--yes")
    terminal.run("forget", "content/pages/about/history.md")
    terminal.repository.remove("content/pages/about/history.md")
    terminal.repository.commit()
    assert "Nothing to do" in terminal.run("sync", "--yes").stdout
    assert "history" in {r["slug"] for r in service.store.records(Kind.PAGE)}


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


def test_nothing_is_promised_that_the_service_cannot_do(terminal: Terminal, service: RunningService) -> None:
    terminal.repository.commit({"content/posts/a.md": "# A\n"})
    post = service.store.add_post({"title": {"raw": "A"}})
    terminal.run("adopt", "content/posts/a.md", str(post["id"]))
    shown = terminal.run("forget", "content/posts/a.md").stdout
    assert "1 file is still committed: the next sync cannot create all of them." in shown


def test_what_the_manifest_does_not_have_is_told(terminal: Terminal) -> None:
    assert "is not in the manifest" in terminal.run("forget", "content/pages/about.md", exits=2).stderr


def test_a_lost_manifest_makes_no_twins(terminal: Terminal, service: RunningService) -> None:
    terminal.run("sync", "--yes")
    (terminal.repository.root / ".pressync/default.json").unlink()
    shown = terminal.run("sync", "--yes", exits=1).stdout
    assert "pressync adopt content/pages/about.md" in shown
    assert len(service.store.records(Kind.PAGE)) == 3
    terminal.run("forget", "content/pages/about.md")
    assert "+ content/pages/about.md" in terminal.run("plan").stdout
