"""A stage, its folder, the workspace on it, and the pages that the embedded service renders there."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from tests.support.syncing import IMPATIENT, Site

from pressync.app.revision import Revision
from pressync.model.errors import Code, ConfigError
from pressync.model.interface import Kind
from pressync.plan.build import PlanOptions
from pressync.stage.rehearse import rehearse
from pressync.stage.rehearse.embedded_stage import EmbeddedStage, StoredPages
from pressync.stage.rehearse.live_site import LiveSite
from pressync.stage.rehearse.stage import on_stage, stage_folder, stages_folder
from pressync.stage.server.server import running
from pressync.stage.server.store import Store
from pressync.sync.apply import RunListener, RunOptions
from pressync.sync.control import Approval

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.repository import SampleRepository
    from tests.support.strict_service import StrictService
    from tests.unit.stage.rehearse.conftest import Embedded

    from pressync.app.workspace import Workspace
    from pressync.client.credentials import Secret
    from pressync.model.outcomes import RunResult
    from pressync.stage.rehearse.stage import RehearsalStage


@dataclass
class _Stage:
    """An embedded service as it is, without anything of the site."""

    url: str
    address: str
    authorization: Secret | None = None

    def rehearse(self, site: Site, directory: Path) -> RunResult | None:
        """Sync to this stage as the site would be synced."""
        with site.workspace() as real:
            staged = on_stage(real, self, directory)  # type: ignore[arg-type]  # `bring` is not used
            return staged.sync(
                Revision(),
                PlanOptions(),
                RunOptions(1, patience=IMPATIENT),
                Approval(lambda _plan: True),
                stop=threading.Event(),
                listener=RunListener(lambda _outcome: None, site.heard.append),
            )


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[_Stage]:
    with running(tmp_path / "stage" / "site.db", dialect="both") as service:
        yield _Stage(service.url, service.site)


def files(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Read the bytes and the time of every file, those of Git too."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in found}


def test_a_rehearsal_writes_to_the_stage_and_nowhere_else(
    repository: SampleRepository, strict: StrictService, stage: _Stage, tmp_path: Path
) -> None:
    repository.commit({"content/pages/a.md": "# A\n", "content/pages/b.md": "# B\n"})
    site = Site(repository.root, strict.url)
    site.sync()
    repository.commit({"content/pages/c.md": "# C\n"})
    before, asked = files(repository.root), strict.connections
    result = stage.rehearse(site, tmp_path / "stage")
    assert result is not None
    assert [outcome.change.path for outcome in result.outcomes] == ["content/pages/c.md"]
    assert files(repository.root) == before
    assert strict.connections == asked
    real = site.plan()
    assert (result.plan.target, result.plan.changes) == (real.target, real.changes)


def test_the_plan_of_a_rehearsal_is_that_of_the_sync_with_its_warnings(
    repository: SampleRepository, strict: StrictService, stage: _Stage, tmp_path: Path
) -> None:
    about = "content/pages/about.md"
    site = Site(repository.root, strict.url)
    for text in ("We are two.", "A secret leaked."):
        repository.commit({about: f"# About\n\n{text}\n", "content/pages/b.md": "# B\n"})
        site.sync()
        repository.git("add", ".pressync")
        repository.git("commit", "--quiet", "--message", "The manifest")
    repository.git("reset", "--quiet", "--hard", "HEAD~2")
    result = stage.rehearse(site, tmp_path / "stage")
    assert result is not None
    assert [problem.code for problem in result.plan.problems] == [Code.TAKEN_BACK]
    assert result.plan == site.plan()


def test_a_sync_writes_no_note_whose_name_a_rehearsal_does_not_know(
    repository: SampleRepository, strict: StrictService
) -> None:
    site = Site(repository.root, strict.url)
    for text in ("one", "two"):
        repository.commit({"content/pages/a.md": f"# A\n\n{text}\n"})
        site.sync()
    with site.workspace() as workspace:
        notes = workspace.clone_files
    names = [name for name, each in vars(type(notes)).items() if isinstance(each, property)]
    named = {getattr(notes, name) for name in names if name[0] != "_"}
    written = {*notes.directory.glob(f"{notes.site}.*")}
    assert notes.log in written
    assert written <= named


def test_a_kept_folder_replaces_the_one_before_and_stays(tmp_path: Path) -> None:
    for text in ("old", "new"):
        with stage_folder(tmp_path) as folder:
            (folder.path / "site.db").write_text(text)
            kept = folder.keep("live-1234567")
    assert (kept / "site.db").read_text() == "new"
    with stage_folder(tmp_path):
        pass
    assert [path.name for path in stages_folder(tmp_path).iterdir()] == ["kept-live-1234567"]


def test_a_folder_goes_with_its_rehearsal_and_that_of_a_killed_process_too(tmp_path: Path) -> None:
    killed = stages_folder(tmp_path) / "running-1-killed"
    killed.mkdir(parents=True)
    (killed / "site.db").write_text("rows")
    with stage_folder(tmp_path) as first, stage_folder(tmp_path) as second:
        assert not killed.exists()
        assert first.path.is_dir()
        assert second.path.stat().st_mode & 0o777 == 0o700
        (first.path / "site.db").write_text("rows")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(KeyboardInterrupt), stage_folder(tmp_path):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def named(name: str, site: Workspace, *mounts: str) -> RehearsalStage:
    return rehearse.stage_named(name, site, mounts, stop=threading.Event(), say=lambda _sentence: None)


def test_wordpress_gets_the_folders_that_were_given(embedded: Embedded, tmp_path: Path) -> None:
    (tmp_path / "style.css").touch()
    with embedded.workspace() as site:
        assert named("wordpress", site, f"theme={tmp_path}").name == "wordpress"
        with pytest.raises(ConfigError, match="no file with the header"):
            named("wordpress", site, f"plugin={tmp_path}")


def test_nobody_else_on_the_machine_may_write_to_a_stage(
    repository: SampleRepository, embedded: Embedded
) -> None:
    repository.commit({"content/pages/a.md": "# A\n"})
    with embedded.workspace() as site:
        stage = EmbeddedStage(site)
        with stage.running(repository.root / ".git" / "stage", LiveSite()) as running:
            request = Request(f"{running.url}/wp/v2/pages", data=b"title=x", method="POST")  # noqa: S310 - loopback
            with pytest.raises(HTTPError, match="401"):
                urlopen(request, timeout=60)  # noqa: S310 - loopback
            with urlopen(running.address, timeout=60) as page:  # noqa: S310 - loopback
                assert page.status == 200


@pytest.fixture
def pages(tmp_path: Path) -> StoredPages:
    """Make a page below another one, a post, and a draft."""
    store = Store(tmp_path / "site.db", address="https://example.org", with_post=False)
    above = store.create(Kind.PAGE, {"title": "About", "slug": "about"})
    store.create(Kind.PAGE, {"title": "日本", "parent": int(str(above["id"])), "content": "<p>in</p>"})
    store.create(Kind.POST, {"title": "Hello", "slug": "hello"})
    store.create(Kind.PAGE, {"title": "Locked", "password": "x", "content": "<p>in</p>"})
    store.create(Kind.PAGE, {"title": "Soon", "slug": "soon", "status": "draft"})
    store.create(Kind.PAGE, {"title": "Film", "content": '[video src="/film.mp4"]'})
    return StoredPages(store)


def test_each_public_record_is_a_page_at_its_address(pages: StoredPages) -> None:
    assert [page.address for page in pages.pages()] == [
        "https://example.org/about/",
        "https://example.org/about/%e6%97%a5%e6%9c%ac/",
        "https://example.org/blog/hello/",
        "https://example.org/locked/",
        "https://example.org/film/",
    ]
    page = pages.page_at("/about/%E6%97%A5%E6%9C%AC")
    assert page is not None
    assert page.html == "<p>in</p>"
    assert pages.page_at("/soon/") is None
    html = {page.title: page.html for page in pages.pages()}
    assert html["Locked"] == ""
    assert 'src="/film.mp4"' in html["Film"], "as WordPress makes it of the shortcode"


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        (("/", "/about/", "/about", "/about/日本/", "/?page_id=1", "/blog/", "/feed.xml"), True),
        (("/soon/", "/nowhere/", "/?page_id=5", "/?p=99", "/wp-content/uploads/a.png"), False),
    ],
)
def test_a_visitor_finds_records_and_what_the_site_makes_itself(
    pages: StoredPages, paths: tuple[str, ...], *, found: bool
) -> None:
    assert {pages.has(path) for path in paths} == {found}
    assert [path for path in paths if pages.hidden(path)] == ([] if found else ["/soon/", "/?page_id=5"])
