"""WordPress as a stage, and its rendered pages."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from pressync.app import embedded_server
from pressync.app.workspace import Workspace
from pressync.client import discovery
from pressync.client.credentials import basic
from pressync.client.terms import Term
from pressync.model.errors import StorageError
from pressync.model.interface import Kind
from pressync.stage.rehearse import playground
from pressync.stage.rehearse.live_site import LiveSite
from pressync.stage.rehearse.playground import Mounted, Mounts
from pressync.stage.rehearse.stage import SiteDifference, on_stage
from pressync.stage.rehearse.wordpress_stage import NEWEST, WordPressStage, rendered
from pressync.stage.server.server import running
from pressync.stage.server.wordpress.session import User

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.support.repository import SampleRepository
    from tests.unit.stage.rehearse.conftest import Stages

    from pressync.stage.rehearse.stage import RenderedSite
    from pressync.stage.server.server import RunningService


HOME = "https://example.org"
ADA = User(7, "ada", "ada@example.org", "Ada", "ada", "editor", visible=True)
LIVE = LiveSite(
    home=HOME,
    title="Harbour",
    version="6.8.2",
    theme="harbour 2.1",
    plugins=("notes 1.0", "shop 9"),
    timezone="+05:30",
    offset=330,
    permalinks="/%year%/%postname%/",
    user=7,
    users=(ADA,),
    terms={"categories": (Term(4, "News", "news", 0),), "tags": ()},
    settings={"default_category": 4, "page_on_front": 9},
)


@dataclass
class Playground:
    """What WordPress was started with; `answer` is the response of its plugin."""

    answer: object = field(default_factory=lambda: {"password": "abcd efgh"})
    keys: list[str | None] = field(default_factory=list)
    options: Sequence[str] = ()
    places: dict[str, Path] = field(default_factory=dict)

    @contextmanager
    def running(
        self, _directory: Path, options: Sequence[str], mounts: Sequence[Mounted], **_more: object
    ) -> Iterator[str]:
        self.options, self.places = options, {mount.place: mount.folder for mount in mounts}
        asked = self

        class Answer(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.keys.append(self.headers["X-Pressync-Stage"])
                body = json.dumps(asked.answer).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Print nothing."""

        with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
            thread = threading.Thread(target=server.serve_forever, args=(0.01,))
            thread.start()
            try:
                yield f"http://127.0.0.1:{server.server_address[1]}"
            finally:
                server.shutdown()
                thread.join()


@pytest.fixture
def wordpress(monkeypatch: pytest.MonkeyPatch) -> Playground:
    """Start the small server in the place of WordPress Playground."""
    found = Playground()
    monkeypatch.setattr(playground, "running", found.running)
    monkeypatch.setattr(discovery, "version", lambda _address: "6.8.2")
    return found


def brought(
    bound: Stages, directory: Path, live: LiveSite = LIVE, given: Mounts | None = None
) -> tuple[object, tuple[SiteDifference, ...]]:
    """Bring a stage to what the manifest says; give its credentials, and how it differs from the site."""
    directory.mkdir()
    with bound.workspace() as site:
        stage = WordPressStage(site, given or Mounts(), stop=threading.Event(), say=bound.heard.append)
        with stage.running(directory, live) as running:
            running.bring(on_stage(site, running, directory))
            return running.authorization, running.differences()


def test_wordpress_is_told_the_records_of_the_manifest_and_the_people_terms_and_settings_of_the_site(
    bound: Stages, repository: SampleRepository, wordpress: Playground, tmp_path: Path
) -> None:
    repository.commit(
        {
            "content/pages/about.md": "# About\n\nWe & you.\n",
            "content/posts/hello.md": "---\ntitle: Hello\ndate: 2024-03-05T09:00:00Z\n---\nText.\n",
        }
    )
    bound.sync()
    ids = {entry.path: entry.id for entry in bound.entries().values()}
    secret, differs = brought(bound, tmp_path / "stage")
    told = json.loads((tmp_path / "stage/plugin/stage.json").read_text())
    records = {row["id"]: row for row in told["records"]}
    about, hello = records[ids["content/pages/about.md"]], records[ids["content/posts/hello.md"]]
    assert (about["kind"], about["slug"], about["title"]) == ("page", "about", "About")
    assert "We &amp; you." in about["content"]
    assert (hello["kind"], hello["date"]) == ("post", 1709629200)
    assert wordpress.keys == [told["key"]]
    assert repr(secret) == repr(basic("ada", "abcd efgh"))
    assert getattr(secret, "reveal", str)() == basic("ada", "abcd efgh").reveal()
    assert [(row["id"], row["login"], row["role"]) for row in told["users"]] == [(7, "ada", "editor")]
    assert [(row["id"], row["taxonomy"], row["slug"]) for row in told["terms"]] == [(4, "category", "news")]
    assert told["options"] == {
        "blogname": "Harbour", "timezone_string": "", "gmt_offset": 5.5, "default_category": 4,
    }  # fmt: skip
    assert (told["user"], told["home"], told["permalinks"]) == (7, HOME, "/%year%/%postname%/")
    assert json.loads((tmp_path / "stage/plugin/address.json").read_text()) == {"home": HOME}
    assert wordpress.options == ["--wp", "6.8.2"]
    assert [(row.what, row.stage, row.site) for row in differs] == [
        ("theme", "the standard one", "harbour 2.1"),
        ("plugins", "none", "notes 1.0, shop 9"),
    ]


def test_without_a_look_at_the_site_the_stage_is_the_newest_wordpress_with_its_administrator(
    bound: Stages, repository: SampleRepository, wordpress: Playground, tmp_path: Path
) -> None:
    repository.commit({"content/pages/about.md": "# About\n"})
    secret, differs = brought(bound, tmp_path / "stage", LiveSite())
    told = json.loads((tmp_path / "stage/plugin/stage.json").read_text())
    assert wordpress.options == ["--wp", NEWEST]
    assert [(row["id"], row["role"]) for row in told["users"]] == [(1, "administrator")]
    assert getattr(secret, "reveal", str)() == basic("admin", "abcd efgh").reveal()
    assert differs == ()
    # A version that is not one never becomes an option.
    brought(bound, tmp_path / "other", LiveSite(home=HOME, version="6.8 --mount=/:/wordpress"))
    assert wordpress.options == ["--wp", NEWEST]


@pytest.mark.usefixtures("wordpress")
@pytest.mark.parametrize("address", ["", "http://127.0.0.1:9"])
def test_a_site_without_an_address_has_that_of_its_embedded_service_or_else_of_the_stage(
    repository: SampleRepository, tmp_path: Path, address: str
) -> None:
    repository.commit({"content/pages/about.md": "# About\n"})
    with Workspace.open(repository.root, environ={}) as site:
        if address:
            data = embedded_server.database(site.clone.embedded_data)
            data.parent.mkdir(parents=True)
            with running(data, address=address):
                pass
        stage = WordPressStage(site, Mounts(), stop=threading.Event(), say=lambda _: None)
        with stage.running(tmp_path, LiveSite()) as here:
            here.bring(on_stage(site, here, tmp_path))
            assert here.home == (address or here.address)


def test_theme_plugin_and_wordpress_are_copies_of_the_folders_that_were_given(
    bound: Stages, repository: SampleRepository, wordpress: Playground, tmp_path: Path
) -> None:
    repository.commit({"content/pages/about.md": "# About\n"})
    folders = {name: tmp_path / "given" / name for name in ("harbour", "notes", "wp")}
    for folder in folders.values():
        folder.mkdir(parents=True)
        (folder / "file.php").write_text(folder.name)
    (folders["wp"] / "wp-config.php").touch()
    given = Mounts(folders["harbour"], ((folders["notes"], "notes/file.php"),), folders["wp"])
    _, differs = brought(bound, tmp_path / "stage", given=given)
    told = json.loads((tmp_path / "stage/plugin/stage.json").read_text())
    assert (told["theme"], told["plugins"]) == ("harbour", ["notes/file.php"])
    content = "/wordpress/wp-content"
    places = ("/wordpress", f"{content}/themes/harbour", f"{content}/plugins/notes")
    for place, name in zip(places, ("wp", "harbour", "notes"), strict=True):
        assert (wordpress.places[place] / "file.php").read_text() == name
        assert wordpress.places[place].is_relative_to(tmp_path / "stage")
    assert not (wordpress.places["/wordpress"] / "wp-config.php").exists()
    assert wordpress.options == ["--wordpress-install-mode", "install-from-existing-files"]
    assert [(row.what, row.stage, row.site) for row in differs] == [("plugins", "notes/file.php", "shop 9")]


def test_wordpress_that_does_not_take_the_rows_ends_the_rehearsal(
    bound: Stages, repository: SampleRepository, wordpress: Playground, tmp_path: Path
) -> None:
    repository.commit({"content/pages/about.md": "# About\n"})
    broken = {"error": "the theme harbour: \x1b[2Jbroken"}
    for name, answer, why in (
        ("a", broken, r"the theme harbour: \[2Jbroken"),
        ("b", {}, "no response"),
    ):
        wordpress.answer = answer
        with pytest.raises(StorageError, match=why):
            brought(bound, tmp_path / name)


@pytest.fixture
def pages(site_service: RunningService) -> RenderedSite:
    """Make a page below another one, a post, and a draft."""
    store = site_service.store
    above = store.create(Kind.PAGE, {"title": "About", "slug": "about", "content": "<p id=we>We</p>"})
    store.create(Kind.PAGE, {"title": "日本", "parent": int(str(above["id"])), "content": "<p>in</p>"})
    store.create(Kind.POST, {"title": "Hello", "slug": "hello"})
    store.create(Kind.PAGE, {"title": "Soon", "slug": "soon", "status": "draft"})
    site = site_service.site
    return rendered(site_service.url, None, home=site, stage=site)


def test_each_public_record_is_a_page_at_its_address(pages: RenderedSite) -> None:
    assert [page.address.removeprefix(pages.address) for page in pages.pages()] == [
        *("/about/", "/about/%e6%97%a5%e6%9c%ac/", "/blog/hello/")
    ]
    page = pages.page_at("/about")
    assert page is not None
    assert "<p id=we>We</p>" in page.html
    assert pages.page_at("/soon/") is None


def test_a_visitor_finds_public_records_alone(pages: RenderedSite) -> None:
    for path in ("/", "/about/", "/about/日本", "/?page_id=1", "/blog/"):
        assert pages.has(path), path
    for path in ("/soon/", "/nowhere/", "/wp-content/uploads/a.png"):
        assert (pages.has(path), pages.hidden(path)) == (False, path == "/soon/")
