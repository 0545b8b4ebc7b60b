"""The pages of a plan's link are in WordPress Playground as the sync stores them on a real site."""

from __future__ import annotations

import html
import json
import re
import shutil
import threading
from typing import TYPE_CHECKING, Any

import pytest
import requests
from tests.live.live import Eyes, Live, empty
from tests.live.test_rehearse import FILES, RED, SMALL

from pressync.app import playground, site_schema
from pressync.app.revision import Revision
from pressync.plan.build import PlanOptions
from pressync.stage.rehearse.playground import Mounted, running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

TITLE = 'A "test" site & more'
HOSTILE = '</script><b> & "x" ?> <?php exit; ?> {{ 7*7 }} \\u2028 [gallery]'
EDITED = {
    "content/pages/about.md": "# About us\n\nWe. [A post](../posts/hello.md), [new](about/new.md).\n\n"
    "![Red](red.png)\n",
    "content/pages/about/new.md": f"---\ntitle: '{HOSTILE}'\nmenu_order: 4\nexcerpt: A & b\nauthor: Admin\n"
    "comment_status: closed\n---\n" + HOSTILE + "\n\n`[gallery]` [up](../about.md#x) [draft](team.md)\n",
    "content/pages/about/team.md": "---\ntitle: Team\ndraft: true\n---\nOther text. [New](new.md)\n",
    "content/posts/hello.md": SMALL["content/posts/hello.md"].replace("world", "all").replace("a, b", "b, c")
    + "\nfeatured\n",
    "content/posts/red.md": "---\ntitle: Red\nfeatured_media: ../pages/red.png\nsticky: true\nformat: aside\n"
    "date: 2024-03-06T10:00:00\n---\nA picture.\n",
}
SETTINGS = '[authors]\n"Admin" = "admin"\n'
# A reader of the test may see drafts and raw texts.
READER = "<?php add_filter('determine_current_user', fn() => 1, 99);"
COMPARED = ("slug", "status", "link", "menu_order", "template", "comment_status", "format", "sticky")
_UPLOADED = re.compile(r"/wp-content/uploads/\S+?\.png")


def stored(session: requests.Session, address: str, rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Give what people see of each record by its slug: the ids in it are replaced by names."""

    def asked(route: str, number: int) -> dict[str, Any]:
        parameters = {"rest_route": f"/wp/v2/{route}/{number}", "context": "edit"}
        found = session.get(f"{address}/index.php", params=parameters, timeout=120)
        return dict(found.json())

    slugs = {row["id"]: row["slug"] for row in rows}
    found = {}
    for row in rows:
        texts = {name: row[name]["raw"] for name in ("title", "content", "excerpt")}
        names = {
            name: sorted(html.unescape(asked(name, number)["name"]) for number in row.get(name, ()))
            for name in ("categories", "tags")
        }
        file = asked("media", row["featured_media"])["mime_type"] if row["featured_media"] else ""
        content = _UPLOADED.sub("/PICTURE", texts["content"])
        found[row["slug"] or row["title"]["raw"]] = {
            **{name: row.get(name) for name in COMPARED},
            **texts,
            **names,
            "content": re.sub(r"page_id=\d+", "page_id=N", content),
            "link": re.sub(r"page_id=\d+", "page_id=N", row["link"]),
            "parent": slugs.get(row.get("parent", 0)),
            "featured_media": file,
        }
    return found


def everything(session: requests.Session, address: str) -> list[dict[str, Any]]:
    """Read all pages and posts of the WordPress of a reviewer."""
    found: list[dict[str, Any]] = []
    for route in ("pages", "posts"):
        asked = {"rest_route": f"/wp/v2/{route}", "context": "edit", "status": "any", "per_page": "100"}
        found += session.get(f"{address}/index.php", params=asked, timeout=120).json()
    return found


@pytest.fixture
def _titled(wordpress: Site) -> Iterator[None]:
    """Give the site a title with signs of HTML until the test ends."""
    settings, user = f"{wordpress.url}/wp-json/wp/v2/settings", ("admin", wordpress.passwords["admin"])
    requests.post(settings, json={"title": TITLE}, auth=user, timeout=60).raise_for_status()
    yield
    # As the stand installs it: a run that was killed may have left the other one.
    requests.post(settings, json={"title": "A test site"}, auth=user, timeout=60).raise_for_status()


@pytest.mark.usefixtures("playground", "_titled")
@pytest.mark.parametrize("wordpress", ["new"], indirect=True)
def test_the_pages_of_a_link_are_as_the_sync_stores_them(
    wordpress: Site, repository: SampleRepository, tmp_path: Path
) -> None:
    empty(wordpress)
    repository.commit({"pressync.toml": SETTINGS, "content/pages/old.md": "# Old\n", **SMALL})
    repository.commit({"content/pages/red.png": RED})
    site = Live(repository.root, f"{wordpress.url}/wp-json", password=wordpress.passwords["admin"])
    site.sync()
    there = Eyes(wordpress)
    with site.workspace() as workspace:
        site_schema.write(workspace, known := site_schema.look(workspace, print))
    repository.commit({known.path: known.text, **EDITED})
    with site.workspace() as workspace:
        planned = workspace.plan(Revision(), PlanOptions())
        look = playground.of_plan(workspace, Revision(), planned)
    assert sorted(look.shown) == sorted(EDITED)
    assert not look.left
    assert not look.pictures
    assert len(look.address) <= playground.LONGEST
    assert known.schema.title == TITLE
    assert wordpress.version.startswith(json.loads(look.blueprint)["preferredVersions"]["wp"] + ".")
    steps = json.loads(look.blueprint)["steps"]
    assert [step["step"] for step in steps] == ["mkdir", "writeFile", "writeFile", "runPHP"]

    site.sync()
    rows = [*there.rows().values(), *there.rows("post").values()]
    with requests.Session() as session:
        session.auth = ("admin", wordpress.passwords["admin"])
        real = stored(session, wordpress.url, rows)
    blueprint = tmp_path / "blueprint.json"
    blueprint.write_text(look.blueprint, encoding="utf-8")
    files = tmp_path / "wordpress"
    shutil.copytree(wordpress.folder / FILES, files, ignore_dangling_symlinks=True)
    (files / "wp-config.php").unlink()
    (files / "wp-content/mu-plugins").mkdir(exist_ok=True)
    (files / "wp-content/mu-plugins/reader.php").write_text(READER, encoding="utf-8")
    options = ["--blueprint", str(blueprint), "--wordpress-install-mode", "install-from-existing-files"]
    mounts = [Mounted(files, "/wordpress", before=True)]
    running_here = running(tmp_path, options, mounts, stop=threading.Event(), say=print)
    # A session keeps the cookie of the reviewer, whom WordPress Playground signs in.
    with running_here as address, requests.Session() as session:
        shown = stored(session, address, everything(session, address))
        first = session.get(f"{address}{json.loads(look.blueprint)['landingPage']}", timeout=60)

    home = {slug: {**row, "link": row["link"].replace(address, wordpress.url)} for slug, row in shown.items()}
    assert home == {slug: row for slug, row in real.items() if slug != "old"}
    assert f"<title>About us \u2013 {TITLE}</title>" in html.unescape(first.text)
    assert f'{address}/about/"' in first.text or f'{address}/hello/"' in first.text
