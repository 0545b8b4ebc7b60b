"""`pressync adopt`: a file becomes the source of a record that exists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support import embedded_wordpress
from tests.support.strict_service import Fault, serving
from tests.support.syncing import stored_pages
from tests.support.terminal import Terminal

from pressync.model.interface import Kind

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
    rows.write_text(f"path,id\ncontent/pages/about.md,{page}\n")
    terminal.run("adopt", "--from", str(rows))
    assert "~ content/pages/about.md" in terminal.run("plan").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("adopt", ""),
        ("adopt content/pages/about.md", ""),
        ("adopt 12 content/pages/about.md", "'content/pages/about.md' is not a valid record id."),
        ("adopt --from-site", "shows no way to read"),
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


def test_adopting_settles_it_as_well(terminal: Terminal, doubtful: StrictService) -> None:
    terminal.run("adopt", "content/pages/about.md", str(doubtful.pages[0]["id"]))
    terminal.run("sync", "--yes")
    assert len(doubtful.pages) == 3


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


def test_nothing_is_promised_that_the_service_cannot_do(terminal: Terminal, service: RunningService) -> None:
    terminal.repository.commit({"content/posts/a.md": "# A\n"})
    post = service.store.create(Kind.POST, {"title": {"raw": "A"}})
    terminal.run("adopt", "content/posts/a.md", str(post["id"]))
    shown = terminal.run("forget", "content/posts/a.md").stdout
    assert "1 file is still committed: the next sync cannot create all of them." in shown
