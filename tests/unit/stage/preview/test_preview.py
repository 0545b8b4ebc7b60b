"""A preview shows the work tree on a stage, and follows it."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from tests.support.hostile.raw_requests import BROKEN, answered, broken_off

from pressync.content.render.renderer import Rendered, Renderer
from pressync.model.errors import ConfigError
from pressync.stage.preview import (
    Preview,
    PreviewOptions,
    RememberedDocuments,
    WatchedFiles,
    WorkTree,
    opened,
)
from pressync.stage.rehearse.stage import stage_folder
from pressync.sync.apply import RunListener

if TYPE_CHECKING:
    import logging
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.support.desk import Desk
    from tests.support.repository import SampleRepository

    from pressync.app.workspace import Workspace
    from pressync.content.read_files import ReadFile
    from pressync.model.records import Document, Entry


A, B = "content/pages/a.md", "content/pages/b.md"
TEXT = "# A\n\nOne *word*.\n"


@pytest.fixture
def synced(desk: Desk, repository: SampleRepository) -> Desk:
    repository.commit({A: TEXT, B: "# B\n\n[a](a.md)\n"})
    desk.sync()
    repository.commit()
    return desk


@contextmanager
def previewed(desk: Desk, *, drift: bool = False) -> Iterator[Preview]:
    with desk.workspace() as workspace, stage_folder(workspace.clone.embedded_home) as folder:
        listener = RunListener(lambda _outcome: None, desk.heard.append)
        options = PreviewOptions(stop=threading.Event(), listener=listener, drift=drift)
        with opened(workspace, folder.path, options) as preview:
            yield preview


@contextmanager
def following(preview: Preview) -> Iterator[threading.Thread]:
    """Let the preview follow the work tree, as the command does, until the block ends."""
    thread = threading.Thread(target=preview.follow, args=(lambda _paths: None,))
    thread.start()
    try:
        yield thread
    finally:
        preview._options.stop.set()  # noqa: SLF001 - the command sets it at Ctrl-C
        thread.join()


def page(preview: Preview, path: str) -> str:
    with urlopen(preview.address + path, timeout=60) as shown:  # noqa: S310 - loopback
        return str(shown.read().decode())


def save(preview: Preview, desk: Desk, path: str, text: str) -> None:
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
        save(preview, synced, B, "# B\n\n[new](new.md)\n")
        said: dict[str, Any] = preview.facts_of("/b/")
        assert 'href="/new/"' in said["sides"]["rendered"]
        save(preview, synced, "content/posts/d.md", "---\ntitle: D\nstatus: draft\n---\nDraft text.\n")
        draft = preview.address_of("content/posts/d.md").removeprefix(preview.address)
        assert "preview=true" in draft
        assert "Draft text." in page(preview, draft)
        assert preview.facts_of(draft)["path"] == "content/posts/d.md"
        save(preview, synced, "content/pages/team/index.md", "# Team\n")
        assert preview.address_of("content/pages/team") == f"{preview.address}/team/"
        with pytest.raises(ConfigError, match="'content' is not a document"):
            preview.address_of("content")
        for path in ("/a/", "/-/preview/state?at=/a/"):
            # A page of another site may lead its own host name to this machine.
            asked = Request(preview.address + path, headers={"Host": "evil.test"})  # noqa: S310 - loopback
            with pytest.raises(HTTPError, match="421") as refused:
                urlopen(asked, timeout=60)  # noqa: S310 - loopback
            refused.value.close()


def test_check_says_of_a_page_all_that_it_says_alone(synced: Desk) -> None:
    with previewed(synced) as preview:
        save(preview, synced, B, "# B\n\n[a](a.md#nowhere)\n")
        assert preview.facts_of("/b/")["checked"] is False
        preview.check()
        said: dict[str, Any] = preview.facts_of("/b/")
    assert said["checked"] is True
    assert [word for word, text in said["problems"] if "nowhere" in text] == ["warning"]


def test_a_check_in_a_preview_renders_what_no_check_before_has_rendered(
    synced: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced.variables["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    with previewed(synced) as preview:
        preview.check()
    with previewed(synced) as preview:
        save(preview, synced, B, "# B\n\n[a](a.md#nowhere)\n")
        rendered: list[str] = []
        original = Renderer.render

        def noted(renderer: Renderer, document: Document, **options: Any) -> Rendered:  # noqa: ANN401 - those of `render`
            rendered.append(document.path)
            return original(renderer, document, **options)

        monkeypatch.setattr(Renderer, "render", noted)
        preview.check()
        assert rendered == [B]
        said: dict[str, Any] = preview.facts_of("/b/")
    assert any("nowhere" in text for _, text in said["problems"])


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


def test_what_cannot_be_read_is_said_over_the_old_pages(synced: Desk, repository: SampleRepository) -> None:
    with previewed(synced) as preview:
        head = repository.root / ".git" / "HEAD"
        was = head.read_bytes()
        head.write_bytes(b"ref: refs/heads/nowhere\n")
        preview.refresh([A])
        (trouble,) = preview.trouble
        assert trouble.startswith("there is no commit on branch 'nowhere'; ")
        assert "<em>word</em>" in page(preview, "/a/")
        head.write_bytes(was)
        preview.refresh([A])
        assert not preview.trouble
        save(preview, synced, "pressync.toml", "strict = true\n")
        assert preview.trouble == ("pressync.toml has changed; end the preview and start it again",)
        said: dict[str, Any] = preview.facts_of("/a/")
    assert said["problems"] == [["error", preview.trouble[0]]]


def test_it_follows_saved_files_until_it_is_stopped(synced: Desk) -> None:
    stop, heard = threading.Event(), []

    def saved(paths: list[str]) -> None:
        heard.extend(paths)
        stop.set()

    with synced.workspace() as workspace, stage_folder(workspace.clone.embedded_home) as folder:
        listener = RunListener(lambda _outcome: None, synced.heard.append)
        with opened(workspace, folder.path, PreviewOptions(stop=stop, listener=listener)) as preview:
            (synced.root / A).write_text("# A\n\nSaved.\n")
            preview.follow(saved)
            assert "<p>Saved.</p>" in page(preview, "/a/")
    assert heard == [A]


def test_no_request_of_a_web_page_ends_it(
    synced: Desk, capfd: pytest.CaptureFixture[str], logged: list[logging.LogRecord]
) -> None:
    """A picture in any page of the browser can send such a request."""
    asked = (b"//[", b"http://[::1%25]:x/", b"//evil:99999/a/", b"", b"a/", b"%5C%5C[", b"/" + b"a" * 5_000)
    odd = (
        b"/-/preview/file?path=%2500",
        b"/%ff%00",
        b"/%F0%9F%98%80",
        b"/?p=" + b"9" * 3_000,
        b"/-/preview/file?path",
    )
    state = b"GET /-/preview/state?at=AT HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n"
    answers = {}
    with previewed(synced) as preview, following(preview) as thread:
        host = preview.address.removeprefix("http://")
        for request in (*(state.replace(b"AT", at) for at in (*asked, *odd)), *BROKEN):
            answers[request] = answered(host, request)
            broken_off(host, request)
        with urlopen(f"{preview.address}/-/preview/state?at=/a/", timeout=60) as shown:  # noqa: S310 - loopback
            assert json.load(shown)["path"] == A
        assert thread.is_alive()
    refused = [each for each in answers.values() if each.split(b" ")[1:2] == [b"400"]]
    assert len(refused) >= len(asked)
    assert not [each for each in answers.values() if each.split(b" ")[1:2] == [b"500"]]
    assert capfd.readouterr().err == ""
    assert not [record for record in logged if record.exc_info or "exception" in record.getMessage()]


@pytest.fixture
def watched_files(tmp_path: Path) -> WatchedFiles:
    """Watch a folder with one file, a folder that is not there, and a file by itself."""
    (tmp_path / "content" / "pages").mkdir(parents=True)
    (tmp_path / "content" / "pages" / "a.md").write_text("a")
    folders = (tmp_path / "content", tmp_path / "templates")
    return WatchedFiles(tmp_path, folders, (tmp_path / "manifest.json",))


def test_a_file_that_is_new_gone_or_different_is_named(watched_files: WatchedFiles, tmp_path: Path) -> None:
    assert watched_files.changed() == []
    (tmp_path / "content" / "pages" / "a.md").write_text("longer")
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "page.html").write_text("b")
    (tmp_path / "manifest.json").write_text("{}")
    assert watched_files.changed() == ["content/pages/a.md", "manifest.json", "templates/page.html"]
    (tmp_path / "content" / "pages" / "a.md").unlink()
    assert watched_files.changed() == ["content/pages/a.md"]
    (tmp_path / "content" / ".a.md.swp").write_text("x")
    (tmp_path / "content" / "loop").symlink_to(tmp_path / "content", target_is_directory=True)
    assert not [path for path in watched_files.changed() if "swp" in path or "loop/" in path]


A, B, C = (f"content/pages/{name}.md" for name in "abc")


@pytest.fixture
def workspace(desk: Desk, repository: SampleRepository) -> Iterator[Workspace]:
    """Sync three pages; the second links to the first."""
    repository.commit({A: "# A\n", B: "# B\n\n[a](a.md)\n", C: "# C\n\n[x](gone.md)\n"})
    desk.sync()
    with desk.workspace() as opened:
        yield opened.opening(RememberedDocuments().open)


def read(workspace: Workspace, entries: Mapping[str, Entry] | None = None) -> dict[str, ReadFile]:
    """Read every document of the work tree as it is now."""
    with workspace.reading() as state:
        content = workspace.content(WorkTree.now(workspace), manifest=state.manifest)
        known = state.manifest.entries if entries is None else entries
        return {path: content.read(path, known) for path in content.sources}


def again(before: dict[str, ReadFile], after: dict[str, ReadFile]) -> set[str]:
    return {path for path, found in after.items() if found is not before.get(path)}


def test_a_new_file_or_template_concerns_all(workspace: Workspace, repository: SampleRepository) -> None:
    before = read(workspace)
    assert len(before[C].problems) == 1
    (repository.root / "content/pages/gone.md").write_text("# Gone\n")
    after = read(workspace)
    assert again(before, after) == {*before, "content/pages/gone.md"}
    assert after[C].problems == ()
    (repository.root / "templates").mkdir(exist_ok=True)
    (repository.root / "templates/page.html").write_text("<main>{{ content }}</main>")
    assert again(after, read(workspace)) == after.keys()
    heard: list[str] = []
    for _ in range(2):
        content = workspace.content(
            WorkTree.now(workspace), on_rendered=lambda document, _rendered: heard.append(document.path)
        )
        content.read(A, {})
    assert heard == [A, A], "also of a remembered document"
