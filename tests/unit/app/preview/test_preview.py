"""A preview of a work tree on a real stage: saved files, broken files, and a site that nobody touches."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from pressync.app.preview.preview import opened
from pressync.app.preview.preview_stage import PreviewOptions
from pressync.app.rehearse import directories
from pressync.model.errors import ConfigError
from pressync.sync.apply import RunListener

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.desk import Desk
    from tests.support.repository import SampleRepository

    from pressync.app.preview.preview import Preview

A, B = "content/pages/a.md", "content/pages/b.md"
TEXT = "# A\n\nOne *word*.\n"


@pytest.fixture
def synced(desk: Desk, repository: SampleRepository) -> Desk:
    """Sync two pages."""
    repository.commit({A: TEXT, B: "# B\n\n[a](a.md)\n"})
    desk.sync()
    repository.commit()
    return desk


@contextmanager
def previewed(desk: Desk, *, drift: bool = False) -> Iterator[Preview]:
    """Run a preview until the block ends."""
    with desk.workspace() as workspace, directories.opened(workspace.embedded_home) as folder:
        listener = RunListener(lambda _outcome: None, desk.heard.append)
        options = PreviewOptions(stop=threading.Event(), listener=listener, drift=drift)
        with opened(workspace, folder.path, options) as preview:
            yield preview


def page(preview: Preview, path: str) -> str:
    """Open a page as a browser does."""
    with urlopen(preview.address + path, timeout=60) as shown:  # noqa: S310 - loopback
        return str(shown.read().decode())


def save(preview: Preview, desk: Desk, path: str, text: str) -> None:
    """Save a file, and let the preview follow."""
    (desk.root / path).parent.mkdir(exist_ok=True)
    (desk.root / path).write_text(text)
    preview.refresh([path])


def files(desk: Desk) -> dict[str, bytes]:
    """Read every file of the repository, those of Git included."""
    return {str(file): file.read_bytes() for file in sorted(desk.root.rglob("*")) if file.is_file()}


def test_an_edit_is_shown_at_the_address_of_its_record_and_nothing_else_is_touched(synced: Desk) -> None:
    (synced.root / A).write_text(TEXT.replace("word", "sentence"))
    before, held = files(synced), dict(synced.service.held)
    with previewed(synced) as preview:
        assert "<em>sentence</em>" in page(preview, "/a/")
        assert preview.address_of(A) == f"{preview.address}/a/"
        said: dict[str, Any] = preview.facts_of("/a/")
        assert (said["path"], said["action"], said["reason"]) == (A, "update", "content changed")
        assert "<del>word</del>" in said["sides"]["rendered"]
        save(preview, synced, A, TEXT.replace("word", "phrase"))
        assert "<em>phrase</em>" in page(preview, "/a/")
        save(preview, synced, A, TEXT.replace("word", "sentence"))
    assert files(synced) == before
    assert synced.service.held == held


def test_a_broken_file_says_so_and_its_last_good_page_stays(synced: Desk) -> None:
    with previewed(synced) as preview:
        save(preview, synced, A, TEXT.replace("word", "sentence"))
        save(preview, synced, A, "---\ntitle: [\n---\n")
        assert "<em>sentence</em>" in page(preview, "/a/")
        said: dict[str, Any] = preview.facts_of("/a/")
        assert said["action"] == "problem"
        assert said["problems"][0][1].startswith(f"{A}:")
        save(preview, synced, A, TEXT)
        assert preview.facts_of("/a/")["action"] == "keep"


def test_a_new_file_gets_a_page_and_a_broken_new_one_a_page_about_it(synced: Desk) -> None:
    with previewed(synced) as preview:
        save(preview, synced, "content/pages/new.md", "---\ntitle: [\n---\n")
        address = preview.address_of("content/pages/new.md").removeprefix(preview.address)
        assert address == "/-/preview/file?path=content/pages/new.md"
        assert preview.facts_of(address)["action"] == "problem"
        save(preview, synced, "content/pages/new.md", "# New\n\nText.\n")
        # The page that is open there leads to this one.
        assert preview.facts_of(address)["address"] == "/new/"
        assert "<p>Text.</p>" in page(preview, "/new/")


@pytest.mark.sweep
def test_a_broken_new_file_is_named_at_the_address_that_its_page_will_have(synced: Desk) -> None:
    with previewed(synced) as preview:
        for path in (
            "content/pages/new.md",
            "content/posts/2024-01-31-hello.md",
            "content/pages/team/index.md",
        ):
            save(preview, synced, path, "---\ntitle: [\n---\n")
        for address, path in (
            ("/new/", "content/pages/new.md"),
            ("/blog/hello/", "content/posts/2024-01-31-hello.md"),
            ("/team/", "content/pages/team/index.md"),
        ):
            said: dict[str, Any] = preview.facts_of(address)
            assert (said["path"], said["action"]) == (path, "problem")
            assert said["reason"].endswith("it has no page yet")
            assert said["problems"][0][1].startswith(f"{path}:")
        assert preview.facts_of("/never/")["path"] == ""


def test_a_draft_is_shown_as_a_preview(synced: Desk) -> None:
    with previewed(synced) as preview:
        save(preview, synced, "content/posts/d.md", "---\ntitle: D\nstatus: draft\n---\nDraft text.\n")
        address = preview.address_of("content/posts/d.md").removeprefix(preview.address)
        assert "preview=true" in address
        assert "Draft text." in page(preview, address)
        assert preview.facts_of(address)["path"] == "content/posts/d.md"


def test_check_says_of_a_page_all_that_it_says_alone(synced: Desk) -> None:
    with previewed(synced) as preview:
        save(preview, synced, B, "# B\n\n[a](a.md#nowhere)\n")
        assert preview.facts_of("/b/")["checked"] is False
        preview.check()
        said: dict[str, Any] = preview.facts_of("/b/")
    assert said["checked"] is True
    assert [word for word, text in said["problems"] if "nowhere" in text] == ["warning"]


def test_somebodys_edit_on_the_site_is_the_other_side_with_drift(synced: Desk) -> None:
    synced.edit(A, content=("word", "text"))
    (synced.root / A).write_text(TEXT.replace("word", "sentence"))
    with previewed(synced, drift=True) as preview:
        said: dict[str, Any] = preview.facts_of("/a/")
        assert "<em>sentence</em>" in page(preview, "/a/")
    assert said["action"] == "blocked"
    assert said["sides"]["heading"] == "Rendered: the site now | the work tree"
    assert "<del>text</del>" in said["sides"]["rendered"]


def test_a_sync_in_another_terminal_is_followed(synced: Desk, repository: SampleRepository) -> None:
    repository.commit({A: TEXT.replace("word", "sentence")})
    with previewed(synced) as preview:
        assert preview.facts_of("/a/")["action"] == "update"
        synced.sync()
        with synced.workspace() as workspace:
            preview.refresh([workspace.settings.site.manifest])
        assert preview.facts_of("/a/")["action"] == "keep"


def test_settings_that_change_are_named(synced: Desk) -> None:
    with previewed(synced) as preview:
        save(preview, synced, "pressync.toml", "strict = true\n")
        assert preview.trouble == ("pressync.toml has changed; end the preview and start it again",)
        said: dict[str, Any] = preview.facts_of("/a/")
    assert said["problems"] == [["error", preview.trouble[0]]]


def test_a_new_page_has_its_pictures_and_links_in_the_comparison_too(synced: Desk) -> None:
    with previewed(synced) as preview:
        save(preview, synced, "content/pages/new.md", "# New\n\nText.\n")
        save(preview, synced, B, "# B\n\n[new](new.md)\n")
        said: dict[str, Any] = preview.facts_of("/b/")
    assert 'href="/new/"' in said["sides"]["rendered"]


def test_what_cannot_be_read_is_said_over_the_old_pages(synced: Desk, repository: SampleRepository) -> None:
    with previewed(synced) as preview:
        head = repository.root / ".git" / "HEAD"
        was = head.read_bytes()
        head.write_bytes(b"ref: refs/heads/nowhere\n")
        preview.refresh([A])
        (trouble,) = preview.trouble
        assert trouble.startswith("there is no commit yet; ")
        assert "<em>word</em>" in page(preview, "/a/")
        head.write_bytes(was)
        preview.refresh([A])
        assert not preview.trouble


def test_it_follows_saved_files_until_it_is_stopped(synced: Desk) -> None:
    stop, heard = threading.Event(), []

    def saved(paths: list[str]) -> None:
        heard.extend(paths)
        stop.set()

    with synced.workspace() as workspace, directories.opened(workspace.embedded_home) as folder:
        listener = RunListener(lambda _outcome: None, synced.heard.append)
        with opened(workspace, folder.path, PreviewOptions(stop=stop, listener=listener)) as preview:
            (synced.root / A).write_text("# A\n\nSaved.\n")
            preview.follow(saved)
            assert "<p>Saved.</p>" in page(preview, "/a/")
    assert heard == [A]


def test_another_host_name_is_refused(synced: Desk) -> None:
    """A page of another site may lead its own host name to this machine."""
    with previewed(synced) as preview:
        for path in ("/a/", "/-/preview/state?at=/a/"):
            asked = Request(preview.address + path, headers={"Host": "evil.test"})  # noqa: S310 - loopback
            with pytest.raises(HTTPError, match="421"):
                urlopen(asked, timeout=60)  # noqa: S310 - loopback


def test_a_folder_is_the_page_of_that_folder(synced: Desk) -> None:
    with previewed(synced) as preview:
        save(preview, synced, "content/pages/team/index.md", "# Team\n")
        assert preview.address_of("content/pages/team") == f"{preview.address}/team/"


def test_a_path_that_is_not_a_document_is_refused(synced: Desk) -> None:
    with previewed(synced) as preview, pytest.raises(ConfigError, match="'content' is not a document"):
        preview.address_of("content")
