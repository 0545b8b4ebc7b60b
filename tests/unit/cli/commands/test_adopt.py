"""`pressync adopt`: a file becomes the source of a record that exists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support import embedded_wordpress
from tests.support.syncing import stored_pages
from tests.support.terminal import Terminal

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository

    from pressync.server.server import RunningService


@pytest.fixture
def page(service: RunningService) -> int:
    """Make a page on the site by hand, as somebody might."""
    service.store.create_page({"title": {"raw": "By hand"}, "slug": "about"})
    return int(stored_pages(service)[-1]["id"])


def test_an_adopted_page_is_updated_and_not_made_again(
    terminal: Terminal, service: RunningService, page: int
) -> None:
    assert "Bound 1 file" in terminal.run("adopt", "content/pages/about.md", str(page)).stdout
    terminal.run("sync", "--yes")
    records = {r["slug"]: r for r in stored_pages(service)}
    assert sorted(records) == ["about", "history", "index"]
    assert records["about"]["id"] == page
    assert records["about"]["title"]["raw"] == "About us"


def test_front_matter_binds_as_the_command_does(
    terminal: Terminal, service: RunningService, page: int
) -> None:
    terminal.repository.commit(
        {"content/pages/about.md": f"---\ntitle: About us\nid: {page}\n---\nWe are.\n"}
    )
    terminal.run("sync", "--yes")
    assert [r["id"] for r in stored_pages(service) if r["slug"] == "about"] == [page]


def test_one_record_is_bound_once_only(terminal: Terminal, page: int) -> None:
    terminal.run("adopt", "content/pages/about.md", str(page))
    assert "is bound to page" in terminal.run("adopt", "content/pages/about.md", "77", exits=2).stderr
    assert (
        "belongs to content/pages/about.md"
        in terminal.run("adopt", "content/pages/index.md", str(page), exits=2).stderr
    )


def test_a_binding_is_confirmed_also_where_the_file_was_removed(terminal: Terminal, page: int) -> None:
    terminal.run("adopt", "content/pages/about.md", str(page))
    terminal.run("adopt", "content/pages/about.md", str(page))
    terminal.repository.remove("content/pages/about.md")
    terminal.repository.commit()
    assert "Bound 1 file" in terminal.run("adopt", "content/pages/about.md", str(page)).stdout


def test_many_are_bound_from_csv_or_none(terminal: Terminal, tmp_path: Path, page: int) -> None:
    rows = tmp_path / "ids.csv"
    rows.write_text(f"path,id\ncontent/pages/about.md,{page}\ncontent/pages/index.md,first\n")
    assert "ids.csv:3: " in terminal.run("adopt", "--from", str(rows), exits=2).stderr
    assert "+ content/pages/about.md" in terminal.run("plan").stdout
    rows.write_text(f"path,id\ncontent/pages/about.md,{page}\n")
    terminal.run("adopt", "--from", str(rows))
    assert "~ content/pages/about.md" in terminal.run("plan").stdout


def test_many_are_bound_from_a_wordpress_export_by_their_addresses(
    terminal: Terminal, tmp_path: Path
) -> None:
    def item(number: int, slug: str, parent: int) -> str:
        return (
            f"<item><title>{slug}</title><wp:post_id>{number}</wp:post_id><wp:post_name>{slug}</wp:post_name>"
            f"<wp:post_parent>{parent}</wp:post_parent><wp:post_type>page</wp:post_type></item>"
        )

    export = tmp_path / "export.xml"
    items = item(40, "about", 0) + item(41, "history", 40) + item(42, "history", 0)
    export.write_text(
        f'<rss xmlns:wp="http://wordpress.org/export/1.2/"><channel>{items}</channel></rss>', encoding="utf-8"
    )
    bound = terminal.run("adopt", "--from", str(export))
    assert (bound.stdout, bound.stderr) == ("Bound 2 files; the next sync sends their content.\n", "")
    assert (
        "content/pages/about.md is now page 40." in terminal.run("-v", "adopt", "--from", str(export)).stderr
    )
    shown = terminal.run("plan").stdout
    assert "content/pages/about.md          page 40" in shown
    assert "content/pages/about/history.md  page 41" in shown


def test_what_is_no_document_is_told(terminal: Terminal) -> None:
    terminal.repository.commit({"notes.txt": "x"})
    assert "is not a committed document" in terminal.run("adopt", "notes.txt", "7", exits=2).stderr


def test_it_wants_a_path_and_an_id_or_a_list(terminal: Terminal) -> None:
    terminal.run("adopt", exits=2)
    terminal.run("adopt", "content/pages/about.md", exits=2)
    swapped = terminal.run("adopt", "12", "content/pages/about.md", exits=2).stderr
    assert "'content/pages/about.md' is not a valid record id." in swapped


def test_a_file_that_a_list_names_in_two_ways_is_told(terminal: Terminal, tmp_path: Path) -> None:
    rows = tmp_path / "ids.csv"
    rows.write_text("content/pages/about.md,40\npages/about.md,41\n")
    told = terminal.run("adopt", "--from", str(rows), exits=2).stderr
    assert "names a file that another line names too" in told


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


def test_a_service_without_reads_is_told_and_so_are_contradictions(terminal: Terminal) -> None:
    assert "shows no way to read" in terminal.run("adopt", "--from-site", exits=2).stderr
    assert "alone" in terminal.run("adopt", "content/pages/about.md", "--from-site", exits=2).stderr
