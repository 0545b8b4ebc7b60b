"""A real site with the types, taxonomies and fields of stand/types.php: read, synced, edited and changed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import requests
import yaml
from tests.live.exports import export
from tests.live.live import Eyes, Live, as_memo, live, messages, results
from tests.live.pictures import png
from tests.live.test_import import imported
from tests.live.test_pull import pulled
from tests.live.test_rehearse import FILES, assert_sync_ends_as_rehearsed
from tests.support.described_site import described
from tests.support.repository import SampleRepository
from tests.support.terminal import Terminal
from tests.support.undoing import rolled_back
from tests.unit.client.wordpress.answered import answered

from pressync.app.revision import Revision
from pressync.client.wordpress.site_schema import read
from pressync.model.changes import Keep
from pressync.model.errors import Refused, SafetyRefusal
from pressync.plan.build import PlanOptions
from pressync.plan.limits import DeleteLimit

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.live.proxy import Line
    from tests.live.sites import Site

BOOK, COVER, FILE = "content/books/moby-dick.md", "content/books/cover.png", ".pressync/default.schema.json"
CHAPTER, BELOW, PLACE = "content/chapters/one.md", "content/chapters/one/two.md", "content/places/sea.md"
EVENT, PAGE, POST = "content/events/party.md", "content/pages/about.md", "content/posts/news.md"
FIELDS = {
    "isbn": "0142437247",
    "price": 12.5,
    "copies": 3,
    "in_print": True,
    "keywords": ["sea", "whale"],
    "binding": "leather",
    "size": {"width": 10, "height": 20},
    "reviews": ["good"],
    "published_on": "1851-10-18T00:00:00",
    "shop": "https://example.org/moby",
}
FRONT: dict[str, Any] = {
    "title": "Moby Dick",
    "genre": ["Fiction/Sea"],
    "mood": ["dark"],
    "meta": FIELDS,
    "acf": {"subtitle": "The Whale", "pages": 635, "cover": "cover.png"},
    "seo": {"title": "A whale"},
}


def book(text: str = "A [chapter](../chapters/one/two.md).", **changes: Any) -> str:  # noqa: ANN401 - any key
    """Write a book; JSON is YAML. None as a change leaves the key out."""
    front = {**FRONT, **changes}
    return f"---\n{json.dumps({key: front[key] for key in front if front[key] is not None})}\n---\n{text}\n"


TREE: dict[str, str | bytes] = {
    BOOK: book(),
    COVER: png(0, 0, 255),
    CHAPTER: "# One\n",
    BELOW: "---\nmenu_order: 2\n---\n# Two\n",
    PLACE: "# Sea\n",
    EVENT: "# Party\n",
    PAGE: "---\nseo: {description: Us}\n---\n# About\n",
    POST: "---\nmood: [dark, light]\n---\n# News\n",
}
KINDS = ("book", "chapter", "place", "event", "page", "post")


@pytest.fixture
def site(
    types_without: Callable[[str], None], repository: SampleRepository, line: Line, wordpress: Site
) -> Live:
    """Bind a repository with the schema of the site."""
    types_without("")
    bound = live(repository, line, wordpress)
    repository.write(".gitignore", ".pressync/default.json\n")
    read_schema(repository, bound)
    return bound


def read_schema(repository: SampleRepository, site: Live) -> None:
    Terminal(repository, site.environ).run("schema", "site")
    repository.commit()


def drifted(site: Live) -> set[str]:
    """Give the paths of the records that a plan beside the site does not keep."""
    with site.workspace() as workspace:
        plan = workspace.plan(Revision(), PlanOptions(), drift=True).plan
    return {change.path for change in plan.changes if not isinstance(change, Keep)}


def shown(eyes: Eyes) -> dict[int, dict[str, Any]]:
    return {number: row for kind in KINDS for number, row in eyes.rows(kind).items()}


def test_the_schema_is_the_recorded_one_with_the_same_bytes_each_time(
    site: Live, repository: SampleRepository, wordpress: Site, types_without: Callable[[str], None]
) -> None:
    version = described(wordpress.name)
    editors = read(wordpress.service("editor").transport.send)
    assert editors == read(lambda request: answered(*version.take(request.path)))
    with pytest.raises(Refused):
        read(wordpress.service("subscriber").transport.send)
    terminal = Terminal(repository, site.environ)
    before = (repository.root / FILE).read_bytes()
    terminal.run("schema", "site", "--check")
    terminal.run("schema", "site")
    assert (repository.root / FILE).read_bytes() == before
    assert {"memo", "attachment"}.isdisjoint(json.loads(before)["types"])
    types_without("no-isbn")
    assert (
        "“book” has no field `meta.isbn` any more"
        in terminal.run("schema", "site", "--check", exits=3).output
    )
    assert (repository.root / FILE).read_bytes() == before


def test_records_of_each_type_are_made_changed_moved_and_deleted(
    site: Live, repository: SampleRepository, line: Line, wordpress: Site
) -> None:
    eyes = Eyes(wordpress)
    repository.commit(TREE)
    assert set(results(site.sync()).values()) == {"done"}
    ids = site.ids()
    made = eyes.row(ids[BOOK], "book")
    assert {key: made["meta"][key] for key in FIELDS} == FIELDS
    assert made["meta"]["_yoast_wpseo_title"] == "A whale"
    cover = requests.get(f"{wordpress.url}/wp-json/wp/v2/media/{made['acf']['cover']}", timeout=30).json()
    assert requests.get(cover["source_url"], timeout=30).content == TREE[COVER]
    assert made["acf"] == {"subtitle": "The Whale", "pages": 635, "cover": cover["id"]}
    assert eyes.terms("genres")[made["genres"][0]] == "Sea"
    assert sorted(eyes.terms("genres").values()) == ["Fiction", "Sea"]
    assert sorted(eyes.terms("mood").values()) == ["dark", "light"]
    assert eyes.row(ids[BELOW], "chapter")["parent"] == ids[CHAPTER]
    assert eyes.row(ids[BELOW], "chapter")["link"] in made["content"]["raw"]
    assert len(eyes.row(ids[POST], "post")["mood"]) == 2
    assert eyes.row(ids[PAGE])["meta"]["_yoast_wpseo_metadesc"] == "Us"
    # This controller takes no batches, so its records go alone.
    assert not any(b"/wp/v2/events" in one.body for one in line.passed if one.path.endswith("/batch/v1"))
    assert site.sync().outcomes == ()

    repository.move(PLACE, "content/places/ocean.md")
    repository.remove(BELOW, EVENT)
    changed = {**FIELDS, "copies": 4, "in_print": False, "keywords": ["whale", "ship"], "size": {"height": 1}}
    del changed["isbn"], changed["binding"]
    front = {"mood": ["bright"], "meta": changed, "acf": {"pages": 635, "cover": "cover.png"}, "seo": None}
    repository.commit({BOOK: book("Text.", **front)})
    assert set(results(site.sync(PlanOptions(delete_limit=DeleteLimit(percent=100)))).values()) == {"done"}
    after = eyes.row(ids[BOOK], "book")
    assert after["meta"] == {
        **made["meta"],
        **changed,
        "isbn": "",
        "binding": "paper",
        "_yoast_wpseo_title": "",
    }
    assert after["acf"] == {**made["acf"], "subtitle": None}
    # A term is never deleted.
    assert sorted(eyes.terms("mood").values()) == ["bright", "dark", "light"]
    assert eyes.row(ids[PLACE], "place")["slug"] == "ocean"
    assert {eyes.row(ids[BELOW], "chapter")["status"], eyes.row(ids[EVENT], "event")["status"]} == {"trash"}
    assert "/place/ocean/" in Terminal(repository, site.environ).run("redirects").output
    assert site.sync().outcomes == ()


def test_a_field_that_we_did_not_name_is_neither_sent_nor_a_conflict_nor_lost(
    site: Live, repository: SampleRepository, line: Line, wordpress: Site
) -> None:
    eyes, meta = Eyes(wordpress), {"copies": 3, "isbn": "1"}
    repository.commit({BOOK: book(meta=meta, acf=None, genre=None, seo=None), COVER: png(0, 0, 255)})
    site.sync()
    number = site.ids()[BOOK]
    mine = {"price": 7.5, "_yoast_wpseo_title": "Theirs", "keywords": ["theirs"]}
    eyes.edit_record("book", number, meta=mine, acf={"subtitle": "Theirs"})
    del line.passed[:]
    repository.commit({BOOK: book("Other.", meta={"copies": 4}, acf=None, genre=None, seo=None)})
    assert results(site.sync()) == {BOOK: "done"}
    sent = b"".join(one.body for one in line.passed if one.is_write)
    assert not any(word in sent for word in (b"price", b"yoast", b"keywords", b"subtitle", b"acf", b"genres"))
    after = eyes.row(number, "book")
    assert {key: after["meta"][key] for key in mine} == mine
    assert (after["meta"]["copies"], after["meta"]["isbn"], after["acf"]["subtitle"]) == (4, "", "Theirs")

    eyes.edit_record("book", number, meta={"copies": 9, "in_print": True})
    repository.commit({BOOK: book("Third.", meta={"copies": 5}, acf=None, genre=None, seo=None)})
    run = site.sync()
    assert results(run) == {BOOK: "blocked"}
    assert "meta.copies changed on the site since the last sync" in messages(run)[BOOK]
    assert results(site.sync(overwrite=True)) == {BOOK: "done"}
    assert eyes.row(number, "book")["meta"].items() >= {"copies": 5, "in_print": True, **mine}.items()


def test_a_run_is_rolled_back_member_by_member(
    site: Live, repository: SampleRepository, wordpress: Site
) -> None:
    eyes = Eyes(wordpress)
    repository.commit(TREE)
    site.sync()
    volatile = {"modified", "modified_gmt", "content", "class_list"}

    def seen() -> dict[int, dict[str, Any]]:
        rows = shown(eyes)
        return {
            number: {key: value for key, value in row.items() if key not in volatile and key[0] != "_"}
            for number, row in rows.items()
        }

    before, texts = seen(), {number: row["content"]["raw"] for number, row in shown(eyes).items()}
    repository.remove(BELOW, PLACE)
    repository.commit(
        {BOOK: book("New.", genre=["Other"], mood=None, meta={"copies": 9}, acf=None, seo=None)}
    )
    assert set(results(site.sync(PlanOptions(delete_limit=DeleteLimit(percent=100)))).values()) == {"done"}
    assert seen() != before
    assert set(results(rolled_back(site)).values()) == {"done"}
    assert seen() == before
    assert {number: row["content"]["raw"] for number, row in shown(eyes).items()} == texts


def test_what_is_on_the_site_is_found_and_not_made_again(
    site: Live, repository: SampleRepository, wordpress: Site
) -> None:
    eyes = Eyes(wordpress)
    there = eyes.make("book", title="Old", slug="old", status="publish", content="<p>Old</p>")
    repository.commit({**TREE, "content/books/old.md": "# Old\n\nNew.\n"})
    run = site.sync()
    assert results(run)["content/books/old.md"] == "blocked"
    Terminal(repository, site.environ).run("adopt", "content/books/old.md", str(there))
    assert results(site.sync(overwrite=True)) == {"content/books/old.md": "done"}
    everything = set(shown(eyes))
    # A clone without the manifest finds each record at its address.
    (repository.root / ".pressync/default.json").unlink()
    site.sync()
    assert set(shown(eyes)) == everything


def test_edits_of_each_type_come_into_the_files_and_a_conflict_is_that_of_one_field(
    site: Live, repository: SampleRepository, wordpress: Site
) -> None:
    eyes = Eyes(wordpress)
    repository.commit({**TREE, CHAPTER: "# One\n\nText.\n", EVENT: "# Party\n\nText.\n"})
    site.sync()
    ids = site.ids()
    meta = {"isbn": "9", "price": 0.5, "copies": 7, "in_print": False, "keywords": ["x"], "binding": "cloth"}
    meta |= {"size": {"width": 1, "height": 20}, "reviews": [], "shop": "https://example.org/other"}
    seo = {"_yoast_wpseo_title": "Theirs", "_yoast_wpseo_metadesc": "Nobody named it"}
    moods = {name: number for number, name in eyes.terms("mood").items()}
    acf = {"subtitle": "Theirs", "pages": 9}
    eyes.edit_record("book", ids[BOOK], meta={**meta, **seo}, acf=acf, mood=[moods["light"]], genres=[])
    eyes.edit_record("chapter", ids[BELOW], menu_order=9, title="Theirs")
    eyes.edit_record("place", ids[PLACE], title="Theirs")
    eyes.edit_record("event", ids[EVENT], content="<p>Theirs.</p>")
    eyes.edit_record("post", ids[POST], mood=[moods["dark"]])
    edited = shown(eyes)
    paths = (BOOK, BELOW, PLACE, EVENT, POST)
    assert drifted(site) == set(paths)
    assert {one.path: one.problems for one in pulled(site, "content")} == dict.fromkeys(paths, ())
    front = front_of(repository, BOOK)
    assert front["meta"] == {**FIELDS, **meta}
    assert front["acf"] == {**acf, "cover": "cover.png"}
    assert (front["seo"], front["genre"], front["mood"]) == ({"title": "Theirs"}, [], ["light"])
    repository.commit()
    assert site.plan().pending == ()
    assert drifted(site) == set()
    assert site.sync().outcomes == ()
    assert shown(eyes) == edited

    eyes.edit_record("book", ids[BOOK], meta={"copies": 8, "price": 2})
    eyes.edit_record("chapter", ids[CHAPTER], content="<p>Text of theirs.</p>")
    eyes.edit_record("event", ids[EVENT], title="Theirs")
    text = (repository.root / BOOK).read_text()
    files = {BOOK: text.replace('"copies": 7', '"copies": 6'), CHAPTER: "# First\n\nText.\n"}
    repository.commit({**files, EVENT: "# Party\n\nTheirs, and mine.\n"})
    assert results(site.sync()) == dict.fromkeys((BOOK, CHAPTER, EVENT), "blocked")
    conflicts = {one.path: one.conflicts for one in pulled(site)}
    assert conflicts == {BOOK: 1, CHAPTER: 0, EVENT: 0}
    told = (repository.root / BOOK).read_text()
    assert all(f'"copies": {number}' in told and "<<<<<<<" in told for number in (6, 8))
    repository.commit(
        {BOOK: text.replace('"copies": 7', '"copies": 6').replace('"price": 0.5', '"price": 2')}
    )
    assert set(results(site.sync()).values()) == {"done"}
    assert eyes.row(ids[BOOK], "book")["meta"].items() >= {"copies": 6, "price": 2, "isbn": "9"}.items()
    chapter, event = eyes.row(ids[CHAPTER], "chapter"), eyes.row(ids[EVENT], "event")
    assert (chapter["title"]["raw"], event["title"]["raw"]) == ("First", "Theirs")
    assert ("of theirs" in chapter["content"]["raw"], "and mine" in event["content"]["raw"]) == (True, True)
    assert site.plan().pending == ()


@pytest.mark.parametrize("source", ["live", "live without a schema", "export"])
def test_records_of_each_type_come_back_from_the_site_and_from_its_export(
    site: Live, repository: SampleRepository, wordpress: Site, tmp_path: Path, source: str
) -> None:
    eyes, uploads = Eyes(wordpress), wordpress.folder / FILES / "wp-content/uploads"
    repository.commit(TREE)
    site.sync()
    eyes.make("event", title="A draft of theirs", status="draft", content="<p>Text</p>")
    # The interface does not show this type.
    as_memo(wordpress, eyes.make("place", title="Memo", status="publish"))
    before = shown(eyes)
    other = SampleRepository.create(tmp_path / "other")
    other.commit({"README.md": "# Read me\n", ".gitignore": ".pressync/default.json\n"})
    again = Live(other.root, f"{wordpress.url}/wp-json", password=wordpress.passwords["admin"])
    if source != "live without a schema":
        read_schema(other, again)
    address, file = again.url, None
    if source == "export":
        address, file = "export.xml", export(wordpress, tmp_path / "export.xml")

    account = imported(again, address, uploads, file)
    assert len(account.files) == len(before) + 1  # the first post is there, too
    assert (other.root / FILE).read_bytes() == (repository.root / FILE).read_bytes()
    assert any("memo" in left.kind for left in account.left_out) or source != "export"
    front = front_of(other, BOOK)
    assert front["meta"] == {**FIELDS, "_yoast_wpseo_title": "A whale"}
    assert (other.root / BOOK).parent.joinpath(front["acf"].pop("cover")).read_bytes() == TREE[COVER]
    assert front["acf"] == {"subtitle": "The Whale", "pages": 635}
    assert ([*front["genre"], *front["mood"]], front_of(other, BELOW)["menu_order"]) == (
        ["Fiction/Sea", "dark"],
        2,
    )
    other.commit()
    assert not again.plan().problems
    assert again.plan().pending == ()
    assert again.sync().outcomes == ()
    assert shown(eyes) == before
    imported(again, address, uploads, file)
    # The first account says that it wrote the schema.
    report = [] if source != "live without a schema" else [".pressync/import/report.md"]
    assert other.git("diff", "--name-only").splitlines() == report

    for path in (BOOK, BELOW, PLACE):
        with (other.root / path).open("a") as opened:
            opened.write("\nA word of ours.\n")
    other.commit()
    assert results(again.sync()) == dict.fromkeys((BOOK, BELOW, PLACE), "done")
    after = shown(eyes)
    assert after.keys() == before.keys()
    changed = [row for number, row in after.items() if row["content"] != before[number]["content"]]
    assert sorted(row["type"] for row in changed) == ["book", "chapter", "place"]
    assert all("A word of ours." in row["content"]["raw"] for row in changed)
    kept = after[site.ids()[BOOK]], before[site.ids()[BOOK]]
    assert all(kept[0][name] == kept[1][name] for name in ("meta", "acf", "genres", "mood", "slug"))


def front_of(repository: SampleRepository, path: str) -> dict[str, Any]:
    """Read front matter; a moment is a text."""
    found = yaml.safe_load((repository.root / path).read_text().split("---\n")[1])
    return dict(json.loads(json.dumps(found, default=lambda moment: moment.isoformat())))


def test_a_create_that_is_refused_for_a_protected_key_makes_one_record(
    site: Live, repository: SampleRepository, wordpress: Site
) -> None:
    repository.commit({BOOK: book(meta={"isbn": "1", "_internal": "x"}, acf=None)})
    run = site.sync()
    assert results(run) == {BOOK: "failed"}
    assert "rest_cannot_update" in messages(run)[BOOK]
    site.sync()
    repository.commit({BOOK: book(meta={"isbn": "1"}, acf=None)})
    site.sync()
    assert site.sync().outcomes == ()
    (row,) = Eyes(wordpress).rows("book").values()
    assert row["meta"]["isbn"] == "1"


# A word of the stand, with the sentence of a run that is refused, and that of `check` with the new schema.
STALE = {
    "no-isbn": (
        "“book” has no field `meta.isbn` any more: the site would ignore its values in silence",
        "the site has not registered meta.isbn for the type book; WordPress would ignore it",
    ),
    "no-leather": (
        "`meta.binding` of “book” does not take leather any more",
        "meta.binding cannot be 'leather'; use one of cloth, paper",
    ),
    "no-genre": ("“book” has no taxonomy `genre` any more", "nothing reads its key 'genre'"),
    "no-book": ("the site does not show the type “book” to this account", "it is neither under pages/"),
    "moved": ("“book” is at /wp/v2/library and not at /wp/v2/books", "it is neither under pages/"),
}


@pytest.mark.parametrize("words", STALE)
def test_a_schema_that_the_site_contradicts_stops_a_run_before_anything_is_sent(
    site: Live, repository: SampleRepository, line: Line, types_without: Callable[[str], None], words: str
) -> None:
    sentence, then = STALE[words]
    repository.commit(TREE)
    site.sync()
    types_without(words)
    repository.commit({BOOK: book("Other."), POST: "# Other\n"})
    del line.passed[:]
    with pytest.raises(SafetyRefusal) as refused:
        site.sync()
    assert f"the site is not as {FILE} says: {sentence}" in str(refused.value)
    assert not any(one.is_write for one in line.passed)
    read_schema(repository, site)
    told = Terminal(repository, site.environ).run("check", exits=2 if "meta." in then else 0)
    assert then in told.output
    assert BOOK in told.output


def test_the_records_of_a_type_that_is_gone_are_not_compared(
    site: Live, repository: SampleRepository, line: Line, types_without: Callable[[str], None]
) -> None:
    repository.commit(TREE)
    site.sync()
    types_without("no-book")
    del line.passed[:]
    told = Terminal(repository, site.environ).run("plan", "--exit-code", exits=1).output
    assert f"Plan: {len(TREE) - 2} up to date, 1 not compared." in told
    assert "the site does not show the type “book” to this account" in told
    assert not any(one.is_write for one in line.passed)


def test_a_field_that_is_gone_and_that_no_file_has_is_told_and_stops_nothing(
    site: Live, repository: SampleRepository, types_without: Callable[[str], None]
) -> None:
    repository.commit(TREE)
    types_without("no-_internal")
    assert set(results(site.sync()).values()) == {"done"}
    assert (
        f"warning: the site no longer takes what {FILE} says of `meta._internal` of “book”. "
        "No file has them: `pressync schema site` reads the schema again"
    ) in site.heard


def test_a_value_that_the_site_does_not_take_any_more_gets_its_default_again(
    site: Live, repository: SampleRepository, wordpress: Site, types_without: Callable[[str], None]
) -> None:
    repository.commit(TREE)
    site.sync()
    types_without("no-leather")
    read_schema(repository, site)
    # WordPress answers 500 to a null here.
    repository.commit({BOOK: book(meta={key: FIELDS[key] for key in FIELDS if key != "binding"})})
    assert results(site.sync()) == {BOOK: "done"}
    assert Eyes(wordpress).row(site.ids()[BOOK], "book")["meta"]["binding"] == "paper"


def edited(repository: SampleRepository, site: Live, wordpress: Site) -> None:
    """Sync the tree, let a person edit the site, and commit a change of everything.

    The addresses of two types do not begin with their names.
    """
    repository.commit(TREE)
    site.sync()
    Eyes(wordpress).edit_record("place", site.ids()[PLACE], title="Somebody's")
    repository.remove(BELOW)
    front = {"mood": ["bright"], "meta": {**FIELDS, "copies": 4, "keywords": ["ship"]}, "acf": None}
    repository.commit({BOOK: book("Other.", **front), PLACE: "# Ocean\n", CHAPTER: "# First\n"})


def test_a_sync_of_each_type_ends_as_its_rehearsal(
    site: Live,
    repository: SampleRepository,
    line: Line,
    wordpress: Site,
    types_without: Callable[[str], None],
) -> None:
    repository.commit(TREE)
    assert assert_sync_ends_as_rehearsed(site, line) == 7
    types_without("elsewhere")
    edited(repository, site, wordpress)
    assert assert_sync_ends_as_rehearsed(site, line) == 4


@pytest.mark.usefixtures("playground")
@pytest.mark.parametrize("wordpress", ["mid"], indirect=True)
def test_a_sync_of_each_type_ends_as_its_rehearsal_on_wordpress(
    site: Live,
    repository: SampleRepository,
    line: Line,
    wordpress: Site,
    types_without: Callable[[str], None],
) -> None:
    types_without("elsewhere")
    edited(repository, site, wordpress)
    mounts = (f"wordpress={wordpress.folder / FILES}",)
    assert assert_sync_ends_as_rehearsed(site, line, on="wordpress", mounts=mounts) == 4
