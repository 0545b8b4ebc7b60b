"""Two sites with other types are planned and synced in one process, by two threads at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import requests
from tests.support.embedded_wordpress import ENVIRON
from tests.support.kinds import SCHEMA, SCHEMA_TEXT, TYPES
from tests.support.repository import SampleRepository
from tests.support.syncing import Bound

from pressync.model.changes import Keep, Result
from pressync.model.site_schema import SiteSchema, SiteType, encode, site_types
from pressync.stage.server.server import running

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.model.changes import Plan
    from pressync.model.interface import SiteTypes

FILE = ".pressync/default.schema.json"
# Here `book` has another route, parents and another field, and there are neither chapters nor places.
OTHER = SiteSchema(
    types={
        "book": SiteType(
            route="/wp/v2/tomes",
            right="edit_pages",
            hierarchical=True,
            batch=True,
            fields=("title", "content", "slug", "status", "parent", "menu_order"),
            meta={"volume": {"type": "integer", "default": 0}},
        ),
        **{name: SCHEMA.types[name] for name in ("page", "post")},
    },
    taxonomies={name: SCHEMA.taxonomies[name] for name in ("mood", "category", "post_tag")},
)
FIRST = {
    FILE: SCHEMA_TEXT,
    "content/books/moby.md": "---\ngenre: [Sea]\nmeta: {isbn: '1', copies: 2}\n---\nCall me\n",
    "content/chapters/one.md": "One\n",
    "content/pages/about.md": "About\n",
}
SECOND = {
    FILE: encode(OTHER),
    "content/tomes/index.md": "Tomes\n",
    "content/tomes/moby.md": "---\nparent: content/tomes/index.md\nmeta: {volume: 3}\n---\nCall me\n",
    "content/pages/about.md": "About\n",
}


def rows(plan: Plan) -> set[tuple[str, str, bool]]:
    """Give path, type, and whether nothing is to be done."""
    return {(change.path, str(change.kind), isinstance(change, Keep)) for change in plan.changes}


def life(folder: Path, files: dict[str, str], types: SiteTypes, both: threading.Barrier) -> list[Any]:
    """Plan, sync, edit and sync again, each step at the same time as the other site does it."""
    told: list[Any] = []
    repository = SampleRepository.create(folder / "repository")
    repository.commit(files)
    with running(folder / "site.db", dialect="wordpress", types=types) as service:
        site = Bound(repository.root, service.url, environ=ENVIRON)
        with site.workspace() as workspace:
            both.wait()
            kinds = workspace.settings.types.kinds
            told.append(kinds)
        both.wait()
        told.append(rows(site.plan()))
        both.wait()
        told.append({(each.change.path, each.result) for each in site.sync().outcomes})
        both.wait()
        told.append(rows(site.plan()))
        both.wait()
        (path,) = (path for path in files if path.endswith("moby.md"))
        repository.commit({path: files[path].replace("Call me", "Call me Ishmael")})
        both.wait()
        told.append({(each.change.path, each.result) for each in site.sync().outcomes})
        route = types.kind("book").row.route
        shown = requests.get(f"{service.url}{route}?slug=moby&_fields=meta,parent", timeout=30).json()
        told.append(shown)
    return told


def test_each_thread_sees_the_types_of_its_own_site(tmp_path: Path) -> None:
    both = threading.Barrier(2, timeout=120)
    with ThreadPoolExecutor(2) as pool:
        sites = [
            pool.submit(life, tmp_path / "first", FIRST, TYPES, both),
            pool.submit(life, tmp_path / "second", SECOND, site_types(OTHER, {}, where="schema"), both),
        ]
        first, second = (site.result(timeout=300) for site in sites)
    page = {"content/pages/about.md": "page"}
    books = {"content/books/moby.md": "book", "content/chapters/one.md": "chapter"}
    assert_told(first, page | books, ("page", "post", "book", "chapter", "place"))
    assert first[-1][0]["meta"]["isbn"] == "1"
    tomes = dict.fromkeys(("content/tomes/index.md", "content/tomes/moby.md"), "book")
    assert_told(second, page | tomes, ("page", "post", "book"))
    assert second[-1][0]["meta"] == {"volume": 3}
    assert second[-1][0]["parent"]


def assert_told(told: list[Any], paths: dict[str, str], kinds: tuple[str, ...]) -> None:
    moby = next(path for path in paths if path.endswith("moby.md"))
    assert told[:5] == [
        kinds,
        {(path, kind, False) for path, kind in paths.items()},
        {(path, Result.DONE) for path in paths},
        {(path, kind, True) for path, kind in paths.items()},
        {(moby, Result.DONE)},
    ]
