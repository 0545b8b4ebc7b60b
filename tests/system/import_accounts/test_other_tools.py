"""Trees of other tools through the command line: what is left out, and what becomes of its records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.support.repository import SampleRepository
from tests.support.syncing import stored_pages
from tests.support.terminal import Terminal

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.stage.server.server import RunningService


def test_a_file_that_is_excluded_later_is_a_delete_with_the_usual_limits(
    terminal: Terminal, service: RunningService
) -> None:
    many = {f"content/pages/notes/{number}.md": f"# Note {number}\n" for number in range(12)}
    terminal.repository.commit(many)
    terminal.run("sync", "--yes")
    terminal.repository.commit({"pressync.toml": 'exclude = ["pages/notes/**"]\n'})

    planned = terminal.run("plan").stdout
    assert "the settings or its front matter leave it out" in planned
    assert "--max-delete" in terminal.run("sync", "--yes", exits=4).stderr
    assert len(stored_pages(service)) == 15

    terminal.run("sync", "--yes", "--max-delete", "12")
    assert len(stored_pages(service)) == 3
    assert "up to date" in terminal.run("sync", "--yes").stdout


@pytest.fixture
def folders(terminal: Terminal) -> Terminal:
    """Sync two pages in a folder without a page, whose address it keeps."""
    terminal.repository.commit(
        {
            "pressync.toml": 'folders = "pages"\n',
            "content/pages/user-guide/install.md": "# Install\n\nBack to [the guide](./).\n\n"
            + "Text.\n" * 9,
            "content/pages/user-guide/_tips/first.md": "# First\n",
        }
    )
    terminal.run("sync", "--yes")
    terminal.repository.commit()
    return terminal


def pages(service: RunningService) -> dict[str, dict[str, Any]]:
    return {page["slug"]: page for page in stored_pages(service)}


def test_a_folder_without_a_page_keeps_its_address(folders: Terminal, service: RunningService) -> None:
    found = pages(service)
    guide, tips = found["user-guide"], found["tips"]
    assert (guide["title"]["raw"], guide["content"]["raw"], guide["parent"]) == ("User guide", "", 0)
    assert found["install"]["parent"] == tips["parent"] == guide["id"]
    assert found["first"]["parent"] == tips["id"]
    assert f'href="{guide["link"]}"' in found["install"]["content"]["raw"]
    assert "up to date" in folders.run("sync", "--yes").stdout


@pytest.mark.parametrize("own", ["user-guide/_index.md", "user-guide.md"])
def test_a_page_that_is_added_later_takes_the_record_of_its_folder_and_leaves_it_again(
    folders: Terminal, service: RunningService, own: str
) -> None:
    before = pages(service)["user-guide"]["id"]
    folders.repository.commit({f"content/pages/{own}": "---\ntitle: The guide\n---\nRead.\n"})
    folders.run("sync", "--yes")
    found = pages(service)
    assert (found["user-guide"]["id"], found["user-guide"]["title"]["raw"]) == (before, "The guide")
    assert found["install"]["parent"] == before

    folders.repository.commit()
    folders.repository.git("rm", "-q", f"content/pages/{own}")
    folders.repository.commit()
    folders.run("sync", "--yes")
    found = pages(service)
    assert (found["user-guide"]["id"], found["user-guide"]["title"]["raw"]) == (before, "User guide")
    assert len(found) == 7


def test_the_page_of_a_folder_follows_its_folder(
    folders: Terminal, service: RunningService, tmp_path: Path
) -> None:
    before = pages(service)["user-guide"]["id"]
    folders.repository.git("mv", "content/pages/user-guide", "content/pages/manual")
    folders.repository.commit()
    folders.run("sync", "--yes")
    folders.repository.commit()
    found = pages(service)
    assert found["manual"]["id"] == before
    assert found["install"]["parent"] == before
    assert "user-guide" not in found
    # The last file takes the page of its folder along, also in another clone.
    folders.repository.git("rm", "-rq", "content/pages/manual")
    folders.repository.commit()
    folders.repository.git("clone", "-q", str(folders.repository.root), str(tmp_path / "clone"))
    clone = Terminal(SampleRepository(tmp_path / "clone"), folders.environ)
    clone.run("sync", "--yes")
    assert sorted(pages(service)) == ["about", "history", "index"]


def test_folders_lose_their_pages_with_the_setting(folders: Terminal, service: RunningService) -> None:
    folders.repository.commit({"pressync.toml": ""})
    planned = folders.run("plan").stdout
    assert "content/pages/user-guide/index.md" in planned
    folders.run("sync", "--yes")
    found = pages(service)
    assert found["install"]["parent"] == found["first"]["parent"] == 0
    assert "user-guide" not in found


def test_without_the_setting_a_folder_without_a_page_is_told(terminal: Terminal) -> None:
    terminal.repository.commit({f"content/pages/{name}/a.md": "# A\n" for name in ("x", "y")})
    told = terminal.run("check").stderr
    assert 'add an `index.md`, or set `folders = "pages"`' in told
    assert "also content/pages/y" in told
