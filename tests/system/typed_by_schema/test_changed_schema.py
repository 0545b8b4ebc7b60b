"""The schema of a site changes under a synced tree, and each consequence is told before anything is sent."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
import requests
from msgspec import structs
from tests.support import embedded_wordpress
from tests.support.kinds import SCHEMA, SCHEMA_TEXT
from tests.support.terminal import Terminal
from tests.support.wire import Reply

from pressync.model.site_schema import decode, encode, site_types
from pressync.stage.server.server import running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.repository import SampleRepository

FOLDERS = ("books", "chapters", "places", "pages", "posts")
EACH = 6
BINDINGS = ("paper", "cloth", "leather")


def tree(text: str) -> dict[str, str]:
    files = {}
    for number in range(EACH):
        for folder in FOLDERS:
            fields = f"meta: {{isbn: '{number}', binding: {BINDINGS[number % 3]}, copies: {number}}}\n"
            front = f"---\ngenre: [G{number % 5}]\n{fields}---\n" if folder == "books" else ""
            files[f"content/{folder}/{folder}-{number:02}.md"] = f"{front}# {folder} {number}\n\n{text}\n"
    return files


def later_schema() -> str:
    """Write the schema without a field, a type, and a value of a list."""
    book = SCHEMA.types["book"]
    meta = {key: schema for key, schema in book.meta.items() if key != "isbn"}
    meta["binding"] = {**meta["binding"], "enum": ["cloth", "paper"]}
    types = {name: each for name, each in SCHEMA.types.items() if name != "place"}
    return encode(structs.replace(SCHEMA, types={**types, "book": structs.replace(book, meta=meta)}))


@contextmanager
def serving(database: Path, schema: str, port: int = 0) -> Iterator[str]:
    """Serve a site with this schema; its records are in the database."""
    types = site_types(decode(schema, where="schema.json"), {}, where="schema.json")
    with running(database, port=port, dialect="both", types=types) as service:
        yield service.url


def times(url: str) -> list[list[str]]:
    query = "per_page=100&orderby=id&_fields=modified_gmt,link"
    routes = (SCHEMA.types[name].route for name in ("book", "chapter", "page", "post"))
    found = [requests.get(f"{url}{route}?{query}", timeout=30).json() for route in routes]
    return [[f"{row['modified_gmt']} {row['link']}" for row in rows] for rows in found]


def test_a_tree_of_five_kinds_is_told_what_a_new_schema_means_for_it(
    repository: SampleRepository, tmp_path: Path
) -> None:
    site = tmp_path / "site.db"
    terminal = Terminal(repository, {"PRESSYNC_DIALECT": "wordpress"})
    repository.write(".pressync/default.schema.json", SCHEMA_TEXT)
    repository.commit(tree("Before."))
    with serving(site, SCHEMA_TEXT) as url:
        terminal.environ["PRESSYNC_URL"] = url
        assert f"{5 * EACH} done" in terminal.run("sync", "--yes").output
        assert terminal.run("sync", "--yes").output.startswith(f"Nothing to do: {5 * EACH} records")
    repository.commit(tree("After."))

    with serving(site, later_schema(), port=int(url.split(":")[2].partition("/")[0])) as url:
        before = times(url)
        told = terminal.run("sync", "--yes", exits=4).output
        assert told.count("the site is not as .pressync/default.schema.json says: ") == 1
        for sentence in (
            "“book” has no field `meta.isbn` any more: the site would ignore its values in silence; ",
            "`meta.binding` of “book” does not take leather any more; ",
            "the site does not show the type “place” to this account: nothing is written to its records; ",
        ):
            assert told.count(sentence) == 1
        repository.write(".pressync/default.schema.json", later_schema())
        assert "It is not committed, so other clones do not have it" in terminal.run("doctor").output
        repository.commit()

        told = terminal.run("check", exits=2).output
        for sentence in (
            "content/books/books-00.md:3: the site has not registered meta.isbn for the type book; ",
            "content/books/books-02.md:3: meta.binding cannot be 'leather'; use one of cloth, paper; also ",
            "content/places/places-00.md: it is neither under pages/ nor ",
        ):
            assert told.count(sentence) == 1
        terminal.run("sync", "--yes", exits=2)
        told = terminal.run("plan", exits=2).output
        assert (
            "no committed schema of the site has the type place; `pressync schema site` reads it, or" in told
        )
        assert times(url) == before

        files = {path: re.sub("isbn: '[0-9]+', |leather", "", text) for path, text in tree("After.").items()}
        repository.commit(files)
        told = terminal.run("sync", "--yes", exits=1).output
        assert f"{4 * EACH} done, {EACH} blocked" in told


@pytest.mark.parametrize("before", ["meta: {isbn: '1'}", "meta: {}"], ids=["sent before", "never sent"])
def test_a_field_that_is_gone_stops_a_sync_only_if_a_file_has_it_or_had_it(
    repository: SampleRepository, tmp_path: Path, before: str
) -> None:
    site, file = tmp_path / "site.db", "content/books/moby.md"
    terminal = Terminal(repository, {"PRESSYNC_DIALECT": "wordpress"})
    repository.commit({".pressync/default.schema.json": SCHEMA_TEXT, file: f"---\n{before}\n---\n# Moby\n"})
    with serving(site, SCHEMA_TEXT) as url:
        terminal.environ["PRESSYNC_URL"] = url
        terminal.run("sync", "--yes")
    repository.commit({file: "---\nmeta: {copies: 2}\n---\n# Moby\n"})
    with serving(site, later_schema(), port=int(url.split(":")[2].partition("/")[0])):
        is_used = "isbn" in before
        told = terminal.run("sync", "--yes", exits=4 if is_used else 0).output
    (warning,) = (line for line in told.splitlines() if line.startswith("warning: the site no longer "))
    assert ("`meta.isbn` of “book”" in warning, "1 done" in told) == (not is_used, not is_used)
    assert ("has no field `meta.isbn` any more" in told) is is_used
    assert warning.endswith("No file has them: `pressync schema site` reads the schema again")


def test_records_of_a_type_that_is_gone_are_not_compared_and_not_up_to_date(
    repository: SampleRepository, tmp_path: Path
) -> None:
    site = tmp_path / "site.db"
    terminal = Terminal(repository, {"PRESSYNC_DIALECT": "wordpress"})
    places = {f"content/places/{number}.md": f"# {number}\n\nText.\n" for number in range(3)}
    posts = {f"content/posts/{number}.md": f"# {number}\n\nText.\n" for number in range(2)}
    repository.commit({".pressync/default.schema.json": SCHEMA_TEXT, **places, **posts})
    with serving(site, SCHEMA_TEXT) as url:
        terminal.environ["PRESSYNC_URL"] = url
        terminal.run("sync", "--yes")
        assert "5 records are up to date." in terminal.run("plan", "--exit-code").output
    with serving(site, later_schema(), port=int(url.split(":")[2].partition("/")[0])):
        told = terminal.run("plan", "--drift", "--exit-code", exits=1).output
        assert "Plan: 2 up to date, 3 not compared." in told
        assert told.count("the site does not show the type “place” to this account") == 1
        document = json.loads(terminal.run("plan", "--drift", "--format", "json").stdout)
        assert (document["counts"]["keep"], document["counts"]["not_compared"]) == (2, 3)
        assert {row["path"] for row in document["not_compared"]} == places.keys()
        assert {row["code"] for row in document["not_compared"]} == {"other_schema"}
        # A sync that sends nothing of this type does not end with it.
        repository.commit({"content/posts/0.md": "# Other\n\nText.\n"})
        assert "Sync would refuse" not in terminal.run("plan", "--exit-code", exits=3).output
        terminal.run("plan", "--drift", "--out", str(tmp_path / "plan.json"))
        told = terminal.run("sync", "--plan", str(tmp_path / "plan.json")).output
        assert "1 done" in told
        repository.commit({"content/places/0.md": "# Other\n"})
        told = terminal.run("plan", "--exit-code", exits=4).output
        assert "Sync would refuse: the site is not as .pressync/default.schema.json says: " in told
        assert "2 not compared" in told
        terminal.run("sync", "--yes", exits=4)


def test_a_contributor_reads_the_schema_of_what_it_may_edit(repository: SampleRepository) -> None:
    with embedded_wordpress.serving() as site:
        site.demote("contributor")
        environ = {**embedded_wordpress.ENVIRON, "PRESSYNC_URL": site.url, "PRESSYNC_DIALECT": "wordpress"}
        told = Terminal(repository, environ).run("schema", "site").output
    assert "The type “page” is left out: this account may not edit its records" in told
    assert "\npost: content/posts/" in told


def test_a_schema_that_the_site_does_not_show_is_named(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    with embedded_wordpress.serving() as site:
        respond, refused = site.respond, Reply(403, {"code": "rest_cannot_view", "message": "No."})
        monkeypatch.setattr(
            site, "respond", lambda got: refused if "/wp/v2/types" in got.path else respond(got)
        )
        environ = {**embedded_wordpress.ENVIRON, "PRESSYNC_URL": site.url, "PRESSYNC_DIALECT": "wordpress"}
        told = Terminal(repository, environ).run("schema", "site", exits=1).stderr
    assert "Error: the types and fields of site 'default': the service refused with 403" in told
