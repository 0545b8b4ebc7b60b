"""A site is imported into the repository that is synced to it, and nothing moves before a file is edited."""

from __future__ import annotations

import subprocess
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from msgspec import structs
from tests.live.sites import open_at
from tests.support import embedded_wordpress
from tests.support.builders import TARGET, desired
from tests.support.builders import record as of_site
from tests.support.clones import clone
from tests.support.embedded_wordpress import ENVIRON, PASSWORD, USER, EmbeddedWordPress
from tests.support.exports import export, record
from tests.support.repository import SampleRepository
from tests.support.syncing import Bound
from tests.support.undoing import rolled_back, seen
from tests.support.wire import PREFIX

from pressync.app.bind import adopt, forget
from pressync.app.pull import PullOptions, pull
from pressync.app.revision import Revision
from pressync.client.abilities import Uploaded
from pressync.client.credentials import basic
from pressync.config.settings import load
from pressync.importing.own_site import ImportedEntries, as_agreed, bind, in_conflict, look_up, own_site
from pressync.importing.run import ImportRequest, import_source
from pressync.importing.selection import Part
from pressync.importing.sources.item import ImportSource, Item, KnownFile, OwnFacts, OwnSite, Place
from pressync.importing.sources.item import seen as entry_of
from pressync.importing.sources.links import Uploads
from pressync.model.changes import Result
from pressync.model.fingerprint import fingerprints
from pressync.model.interface import Kind
from pressync.model.records import Medium
from pressync.model.site_schema import SiteSchema, SiteType, encode, site_types
from pressync.plan.build import PlanOptions
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pressync.client.port import Service


BLOCKS = "<!-- wp:paragraph -->\n<p>We are <em>two</em> people.</p>\n<!-- /wp:paragraph -->"


def make(site: EmbeddedWordPress, route: str = "pages", **fields: object) -> int:
    return site.post(route, **{"status": "publish", **fields})


def imported(
    repository: SampleRepository,
    url: str,
    at: str = "",
    media: Path | None = None,
    **wish: Any,  # noqa: ANN401
) -> ImportedEntries | None:
    """Import the site at an address into a repository that is synced to `at`, or to the same site."""
    with Bound(repository.root, at or url, environ=ENVIRON).workspace() as workspace:
        source = ImportSource(url, settings=workspace.settings, own=own_site(workspace), media=media)
        request = ImportRequest(source, **wish)
        account = import_source(workspace.repository, workspace.settings, request)
        return bind(workspace, source.own, account)


@pytest.fixture
def repository(repository: SampleRepository) -> SampleRepository:
    repository.commit({"README.md": "# Read me\n"})
    return repository


@dataclass(frozen=True)
class Desk:
    """A repository, and the site that it is synced to."""

    site: EmbeddedWordPress
    repository: SampleRepository

    @property
    def root(self) -> Path:
        return self.repository.root

    def imported_and_committed(self) -> None:
        self.imported()
        self.repository.commit()

    @property
    def bound(self) -> Bound:
        return Bound(self.repository.root, self.site.url, environ=ENVIRON)

    def imported(self, **wish: Any) -> ImportedEntries | None:  # noqa: ANN401
        return imported(self.repository, self.site.url, **wish)

    def record(self, slug: str) -> tuple[int, dict[str, Any]]:
        """Give the record of the site with a slug, and its id."""
        return next((number, row) for number, row in self.site.shown.items() if row["slug"] == slug)


@pytest.fixture
def desk(site: EmbeddedWordPress, repository: SampleRepository) -> Desk:
    news = make(site, "categories", name="News")
    world = make(site, "categories", name="World", parent=news)
    about = make(site, title="About", slug="about", content=BLOCKS)
    make(site, title="Team", slug="team", parent=about, content="Classic\n\n<b>text</b>")
    make(site, "posts", title="Hello", slug="hello", content=BLOCKS, categories=[world], sticky=True)
    return Desk(site, repository)


def test_a_site_becomes_files_that_are_in_step_with_it(desk: Desk) -> None:
    before = desk.site.shown
    settled = desk.imported()
    assert settled is not None
    assert sorted(entry.path for entry in settled.entries) == [
        "content/pages/about/index.md",
        "content/pages/about/team.md",
        "content/posts/hello.md",
    ]
    assert not settled.unbound
    desk.repository.commit()
    assert desk.bound.plan().pending == ()
    assert desk.bound.sync().outcomes == ()
    assert desk.site.shown == before
    assert desk.site.violations == []
    desk.repository.commit()
    again = desk.imported()
    assert desk.repository.git("status", "--porcelain") == ""
    assert again is not None
    assert (settled.bound, again.bound) == (3, 3), "a second import changes nothing"
    number, _ = desk.record("hello")
    desk.site.post(f"posts/{number}", content=BLOCKS.replace("two", "three"))
    desk.imported()
    assert "*three*" in (desk.root / "content/posts/hello.md").read_text(), "an edited record is taken over"


def test_a_copied_picture_keeps_its_id(
    site: EmbeddedWordPress, repository: SampleRepository, tmp_path: Path
) -> None:
    sent = {"Content-Type": "image/png", "Content-Disposition": 'attachment; filename="cat.png"'}
    picture = b"\x89PNG\r\n\x1a\n cat"
    said: Any = site.client.post(f"{PREFIX}/wp/v2/media", data=picture, headers=sent, auth=site.auth)
    link = said.json["source_url"]
    copy = tmp_path / "copy" / link.partition("/wp-content/uploads/")[2]
    copy.parent.mkdir(parents=True)
    copy.write_bytes(picture)
    make(site, title="Cat", slug="cat", content=f'<p><img src="{link}" alt="cat"></p>')
    imported(repository, site.url, media=tmp_path / "copy")
    bound = Bound(repository.root, site.url, environ=ENVIRON)
    with bound.workspace() as workspace, workspace.reading() as state:
        (medium,) = state.manifest.media.values()
    assert (medium.id, medium.link, medium.foreign) == (said.json["id"], link, True)


FILE = {"type": ["integer", "null"]}
# Advanced Custom Fields describes a choice of terms, people or pages so.
CHOICE = {"type": ["integer", "array", "null"], "items": {"type": ["integer"]}}
TEXT = {"type": ["string", "null"]}
BOX = {"type": ["object", "null"], "properties": {"leaflet": FILE, "words": TEXT, "near": CHOICE}}
FIELDS: dict[str, dict[str, Any]] = {
    "song": FILE,
    "box": BOX,
    "rows": {"type": ["array", "null"], "items": BOX},
}


@pytest.mark.parametrize("is_copied", [True, False])
def test_files_of_any_sort_inside_of_a_value_are_paths_and_keep_their_ids(
    repository: SampleRepository, tmp_path: Path, is_copied: bool
) -> None:
    page = SiteType(route="/wp/v2/pages", right="edit_pages", hierarchical=True, acf=FIELDS)
    schema = SiteSchema(types={"page": page})
    path, ids, links = "content/pages/cat.md", [], []
    with embedded_wordpress.serving(site_types(schema, {}, where="x")) as site:
        for name, data in (("song.mp3", b"ID3"), ("leaflet.pdf", b"%PDF-1.4")):
            sent = {"Content-Type": "any", "Content-Disposition": f'attachment; filename="{name}"'}
            said: Any = site.client.post(f"{PREFIX}/wp/v2/media", data=data, headers=sent, auth=site.auth)
            copy = tmp_path / "copy" / said.json["source_url"].partition("/wp-content/uploads/")[2]
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(data)
            ids.append(said.json["id"])
            links.append(f"../media/{copy.relative_to(tmp_path / 'copy')}")
        song, leaflet = ids
        box = {"leaflet": leaflet, "words": "Read", "near": [song]}
        number = make(site, title="Cat", acf={"song": song, "box": box, "rows": [box, {"leaflet": song}]})
        repository.commit({".pressync/default.schema.json": encode(schema)})

        imported(repository, site.url, media=tmp_path / "copy" if is_copied else None)

        repository.commit()
        text = (repository.root / path).read_text()
        in_file = links if is_copied else ids
        fields = yaml.safe_load(text.split("---")[1])["acf"]
        assert fields["box"] == {**box, "leaflet": in_file[1]}
        assert fields["rows"] == [fields["box"], {"leaflet": in_file[0]}]
        assert fields.get("song") == (links[0] if is_copied else None)
        bound = Bound(repository.root, site.url, environ=ENVIRON)
        assert bound.sync().outcomes == ()
        repository.commit({path: text.replace("Read", "Look")})
        assert [outcome.result for outcome in bound.sync().outcomes] == [Result.DONE]
        assert site.shown[number]["acf"]["box"] == {**box, "words": "Look"}


def test_notes_of_editors_stay_on_the_site(site: EmbeddedWordPress, repository: SampleRepository) -> None:
    noted = BLOCKS.replace("paragraph -->", 'paragraph {"metadata":{"noteId":[7]}} -->', 1)
    number = make(site, title="About", slug="about", content=noted)
    imported(repository, site.url)
    repository.commit()
    bound = Bound(repository.root, site.url, environ=ENVIRON)
    file = repository.root / "content/pages/about.md"
    assert file.read_text().endswith("We are *two* people.\n")
    assert bound.sync().outcomes == ()
    repository.commit({"content/pages/about.md": file.read_text().replace("two", "three")})
    assert [outcome.result for outcome in bound.sync().outcomes] == [Result.DONE]
    assert '"noteId":[7]' in site.shown[number]["content"]["raw"]


def test_the_first_edit_of_an_imported_record_can_be_rolled_back_to_what_the_site_had(desk: Desk) -> None:
    desk.imported_and_committed()
    file = desk.root / "content/pages/about/index.md"
    file.write_text(file.read_text().replace("people", "persons").replace("title: About", "title: We"))
    desk.repository.commit()
    before = {number: seen(row) for number, row in desk.site.shown.items()}
    desk.bound.sync()
    assert {number: seen(row) for number, row in desk.site.shown.items()} != before
    assert [(o.result, o.message) for o in rolled_back(desk.bound).outcomes] == [(Result.DONE, "")]
    assert {number: seen(row) for number, row in desk.site.shown.items()} == before
    desk.repository.git("revert", "--no-edit", "HEAD")
    assert desk.bound.plan().pending == ()
    with desk.bound.workspace() as workspace:
        assert workspace.plan(Revision(), PlanOptions(), drift=True).plan.pending == ()


def test_another_clone_may_rewrite_and_remove_what_was_imported(desk: Desk, tmp_path: Path) -> None:
    """The manifest names the commit before the import, and that commit does not have the files."""
    items = ("One of the things", "Two of them, and that is all")
    one_line = "".join(f"<!-- wp:list-item --><li>{item}</li><!-- /wp:list-item -->" for item in items)
    one_line = f"<!-- wp:list --><ul>{one_line}</ul><!-- /wp:list -->"
    make(desk.site, title="List", slug="list", content=one_line)
    make(desk.site, title="Old", slug="old", content=BLOCKS)
    desk.imported_and_committed()
    clone(desk.repository, desk.site, tmp_path / "first")
    other = SampleRepository(tmp_path / "first")
    texts = {name: (other.root / f"content/pages/{name}.md").read_text() for name in ("list", "old")}
    other.commit({"content/pages/list.md": texts["list"].replace("- Two", "- One more\n- Two")})
    head = "---\ntitle: About\n---\n\n"
    other.commit({"content/pages/about/index.md": f"{head}All of this was written anew, by another hand.\n"})
    other.commit({"content/pages/old.md": f"{texts['old']}\nIt gets a line before it goes.\n"})
    other.remove("content/pages/old.md")
    other.commit()
    run = Bound(other.root, desk.site.url, environ=ENVIRON).sync()
    assert [outcome.message for outcome in run.outcomes if outcome.result is not Result.DONE] == []
    shown = {
        row["slug"]: row["content"]["raw"] for row in desk.site.shown.values() if row["status"] == "publish"
    }
    assert "One more" in shown["list"]
    assert "written anew" in shown["about"]
    assert "old" not in shown


def test_a_part_of_the_site_keeps_the_parent_that_has_no_file_and_fits_to_the_other_parts(desk: Desk) -> None:
    desk.imported(part=Part(("/about/team/",)))
    team = desk.root / "content/pages/about/team.md"
    (about,) = (number for number, row in desk.site.shown.items() if row["title"]["raw"] == "About")
    assert f"parent: {about}\n" in team.read_text()
    assert len(list((desk.root / "content").rglob("*.md"))) == 1
    team.write_text(f"{team.read_text()}\nAn edit.\n")
    desk.repository.commit()
    assert [outcome.result for outcome in desk.bound.sync().outcomes] == [Result.DONE]
    (row,) = (row for row in desk.site.shown.values() if row["title"]["raw"] == "Team")
    assert row["parent"] == about
    desk.imported(part=Part(("/about/",), ("/about/team/",)))
    desk.repository.commit()
    assert desk.bound.sync().outcomes == ()


def test_a_forgotten_record_or_a_removed_file_does_not_come_back_by_itself(desk: Desk) -> None:
    desk.imported_and_committed()
    hello, team = "content/posts/hello.md", "content/pages/about/team.md"
    with desk.bound.workspace() as workspace:
        forget(workspace, [hello])
    desk.repository.remove(hello)
    desk.repository.remove(team)
    desk.repository.commit()
    desk.imported()
    assert not (desk.root / hello).exists()
    assert not (desk.root / team).exists()
    report = (desk.root / ".pressync/import/report.md").read_text()
    assert "forgotten here, 2 times" in report
    desk.imported(forgotten=True)
    assert (desk.root / hello).exists()
    assert (desk.root / team).exists()


def test_a_record_of_another_manifest_of_this_repository_is_left_out_and_named(desk: Desk) -> None:
    desk.imported(part=Part(("/about/team/",)))
    manifest = desk.root / ".pressync/default.json"
    manifest.rename(manifest.with_name("docs.json"))
    (desk.root / "content/pages/about/team.md").unlink()
    (desk.root / ".pressync/other.json").write_text("{}")
    desk.imported(forgotten=True)
    assert not (desk.root / "content/pages/about/team.md").exists()
    report = (desk.root / ".pressync/import/report.md").read_text()
    assert "of another manifest, once: docs.json has it for content/pages/about/team.md" in report


def test_people_see_how_far_each_pass_is(desk: Desk) -> None:
    seen: dict[str, list[tuple[int, int]]] = {}
    request, settings = ImportRequest(ImportSource(desk.site.url)), load(None, where="", environ={})
    import_source(
        Repository(desk.root),
        settings,
        request,
        lambda title: lambda *done: seen.setdefault(title, []).append(done),
    )
    assert [*seen] == ["Reading", "Converting", "Writing"]
    assert all({(1, 3), (2, 3), (3, 3)} <= set(counts) for counts in seen.values())


def test_a_renamed_file_that_no_sync_has_sent_is_not_written_at_its_old_path(desk: Desk) -> None:
    desk.imported_and_committed()
    desk.repository.git("mv", "content/posts/hello.md", "content/posts/welcome.md")
    desk.repository.git("commit", "-qm", "Rename")
    settled = desk.imported()
    assert settled is not None
    assert (settled.bound, settled.unbound, settled.conflicts) == (3, {}, ())
    assert desk.repository.git("status", "--porcelain") == "M .pressync/import/addresses.csv"
    assert [each.path for each in desk.bound.plan().pending] == ["content/posts/welcome.md"]
    number, _ = desk.record("hello")
    desk.site.post(f"posts/{number}", content=BLOCKS.replace("two", "three"))
    again = desk.imported()
    assert again is not None
    assert again.conflicts == ("content/posts/welcome.md",)
    with desk.bound.workspace() as workspace:
        assert [each.settled for each in pull(workspace, PullOptions())] == [True]
    assert "*three* people" in (desk.root / "content/posts/welcome.md").read_text()


def test_terms_and_authors_have_the_names_that_files_of_this_repository_use(desk: Desk) -> None:
    rows = '[authors]\n"The Chief" = "admin"\n"*" = "guest"\n[terms]\n"categories/Welt" = "News/World"\n'
    desk.repository.commit({"pressync.toml": rows})
    settled = desk.imported()
    assert settled is not None
    assert not settled.unbound
    text = (desk.root / "content/posts/hello.md").read_text()
    assert "author: The Chief\n" in text
    assert "categories: [Welt]\n" in text
    desk.repository.commit()
    assert desk.bound.plan().pending == ()
    assert desk.bound.sync().outcomes == ()


@pytest.mark.parametrize("rename", [("git", "mv"), ("mv",)], ids=["in the index", "on the disk"])
def test_a_renamed_file_is_known_before_somebody_commits_the_new_name(
    desk: Desk, rename: tuple[str, ...]
) -> None:
    desk.imported_and_committed()
    subprocess.run([*rename, "content/posts/hello.md", "content/posts/welcome.md"], cwd=desk.root, check=True)
    settled = desk.imported()
    assert settled is not None
    assert (settled.bound, settled.unbound) == (3, {})
    assert "hello.md" not in (desk.root / ".pressync/import/report.md").read_text()
    assert not (desk.root / "content/posts/hello.md").exists()


@pytest.mark.sweep
def test_a_file_that_was_bound_to_its_record_stays_unless_it_says_the_same(desk: Desk) -> None:
    """Nobody knows what was last agreed on, so neither text wins in silence."""
    desk.imported()
    file = desk.root / "content/pages/about/index.md"
    file.write_text(ours := file.read_text().replace("*two*", "*four*"))
    desk.repository.commit()
    records = {path: entry.id for path, entry in desk.bound.entries().items()}
    with desk.bound.workspace() as workspace:
        for path in records:
            forget(workspace, [path])
        adopt(workspace, records, Revision())
    with desk.bound.workspace() as workspace:
        source = ImportSource(desk.site.url, settings=workspace.settings, own=own_site(workspace))
        account = import_source(workspace.repository, workspace.settings, ImportRequest(source))
        bind(workspace, source.own, account)
    assert file.read_text() == ours
    assert [note[:62] for note in account.notes if note.startswith("Bound")] == [
        "Bound to a record, and not synced since: 1, such as content/pa"
    ]
    assert {path for path, entry in desk.bound.entries().items() if not entry.fingerprints} == {
        "content/pages/about/index.md"
    }
    with desk.bound.workspace() as workspace:
        assert [each.settled for each in pull(workspace, PullOptions(("content/pages/about/index.md",)))] == [
            True
        ]
    assert "*two*" in file.read_text()


def test_an_export_of_the_site_binds_its_files_and_one_of_another_site_binds_nothing(desk: Desk) -> None:
    number, row = desk.record("hello")
    file = desk.root.parent / "export.xml"
    moment = row["modified_gmt"].replace("T", " ")
    text = export(record(number, "hello", row["content"]["raw"], post_modified_gmt=moment))
    home = desk.site.url.removesuffix("/wp-json")
    for address, bound in (("https://site-a.test", []), (home, ["content/posts/hello.md"])):
        desk.repository.git("clean", "-fdq")
        file.write_text(text.replace("https://blog.test", address))
        with desk.bound.workspace() as workspace:
            source = ImportSource("export.xml", file, settings=workspace.settings, own=own_site(workspace))
            account = import_source(workspace.repository, workspace.settings, ImportRequest(source))
            settled = bind(workspace, source.own, account)
        assert ([entry.path for entry in settled.entries] if settled else []) == bound
    desk.repository.commit()
    assert desk.bound.plan().pending == ()


def exported_again(
    repository: SampleRepository, site: EmbeddedWordPress, *records: str
) -> tuple[list[str], Mapping[str, str]]:
    """Import an export of the site, and give what is told and which files have no records."""
    path = repository.root.parent / "export.xml"
    path.write_text(export(*records).replace("https://blog.test", site.url.removesuffix("/wp-json")))
    with Bound(repository.root, site.url, environ=ENVIRON).workspace() as workspace:
        source = ImportSource("export.xml", path, settings=workspace.settings, own=own_site(workspace))
        account = import_source(workspace.repository, workspace.settings, ImportRequest(source))
        settled = bind(workspace, source.own, account)
    assert settled is not None
    return account.notes, settled.unbound


def edit_on_both_sides(site: EmbeddedWordPress, repository: SampleRepository) -> Path:
    """Import the site, commit, commit an edit of a file, and edit its record on the site."""
    imported(repository, site.url)
    repository.commit()
    file = repository.root / "content/pages/about/index.md"
    file.write_text(file.read_text().replace("title: About", "title: About us"))
    repository.git("commit", "-aqm", "Edit")
    number = next(number for number, row in site.shown.items() if row["slug"] == "about")
    site.post(f"pages/{number}", content=BLOCKS.replace("two", "three"))
    return file


def test_another_import_keeps_a_committed_edit_and_leaves_the_conflict_to_pull(desk: Desk) -> None:
    file = edit_on_both_sides(desk.site, desk.repository)
    ours = file.read_text()
    settled = desk.imported()
    assert settled is not None
    assert settled.conflicts == ("content/pages/about/index.md",)
    assert settled.bound == 3
    assert file.read_text() == ours
    assert desk.bound.entries()["content/pages/about/index.md"].conflict.keys() == {"content"}
    with desk.bound.workspace() as workspace:
        assert [each.settled for each in pull(workspace, PullOptions())] == [True]
    assert "*three* people" in file.read_text()
    assert "title: About us" in file.read_text()


def test_an_export_of_the_site_keeps_a_committed_edit(desk: Desk) -> None:
    file = edit_on_both_sides(desk.site, desk.repository)
    ours = file.read_text()
    number, row = desk.record("about")
    about = record(number, "about", row["content"]["raw"], post_type="page")
    notes, _ = exported_again(desk.repository, desk.site, about)
    assert any(note.startswith("Edited since the last sync: 1, such as content/") for note in notes)
    assert file.read_text() == ours
    assert [each.path for each in desk.bound.plan().pending] == ["content/pages/about/index.md"]
    desk.site.remove(number)
    assert exported_again(desk.repository, desk.site, about)[1] == {}
    assert file.read_text() == ours


def test_imports_on_a_branch_bring_in_what_changed_and_keep_edits(desk: Desk) -> None:
    elsewhere = "https://site-b.test/wp-json"

    def import_on_branch() -> None:
        desk.repository.git("switch", "-q", "import")
        desk.imported(at=elsewhere)
        desk.repository.commit()
        desk.repository.git("switch", "-q", "main")
        desk.repository.git("merge", "-q", "import", "-m", "Merge the import")

    desk.repository.git("branch", "import")
    import_on_branch()
    team = desk.root / "content/pages/about/team.md"
    team.write_text(team.read_text().replace("Classic", "An edited classic"))
    desk.repository.git("commit", "-aqm", "Edit")
    number, _ = desk.record("team")
    desk.site.post(f"pages/{number}", content="Classic\n\n<b>text</b>\n\nA line of the source")
    make(desk.site, title="New", slug="new", content=BLOCKS)
    import_on_branch()
    text = team.read_text()
    assert "An edited classic" in text
    assert "A line of the source" in text
    assert (desk.root / "content/pages/new.md").exists()
    assert desk.repository.git("status", "--porcelain") == ""


def configured(site: EmbeddedWordPress, password: str = PASSWORD) -> OwnSite:
    @contextmanager
    def connect() -> Iterator[Service]:
        with closing(open_at(site.url, basic(USER, password) if password else None)) as service:
            yield service

    return OwnSite(site.url, connect)


def item(site: EmbeddedWordPress, number: int, **members: str) -> Item:
    """Give the item that an export of today has for a record."""
    row = site.shown[number]
    modified = members.get("modified", row["modified_gmt"].replace("T", " "))
    return Item(str(number), site.types.kind(row["type"]), Place("export.xml"), id=number, modified=modified)


def looked_up(
    site: EmbeddedWordPress, *items: Item, facts: OwnFacts | None = None
) -> tuple[OwnFacts, list[Item]]:
    looked = look_up(configured(site), facts or OwnFacts(), items)
    assert looked is not None
    return looked[0], [*looked[1]]


def test_a_record_is_noted_for_each_item_or_it_is_given_back(site: EmbeddedWordPress) -> None:
    assert looked_up(site, Item("x", Kind.POST, Place("export.xml"))) == (OwnFacts(), [])
    assert site.received == []
    for route in ("pages", "posts"):
        site.post(route, title=route, content="<p>We</p>", status="publish")
    lost = Item("99", Kind.POST, Place("export.xml"), id=99)
    facts, gone = looked_up(site, lost, *(item(site, number) for number in site.shown))
    assert {entry.id for entry in facts.seen.values()} == set(site.shown)
    assert (facts.changed, gone) == ({}, [lost])
    assert look_up(configured(site, ""), OwnFacts(), [lost]) is None, "a visitor cannot look anything up"


def test_a_record_that_is_newer_than_the_export_is_a_conflict(site: EmbeddedWordPress) -> None:
    number = site.post("pages", title="About", slug="about", content="<p>They</p>", status="publish")
    facts, gone = looked_up(site, item(site, number, modified="2001-01-01 00:00:00"))
    key = str(number)
    agreed = as_agreed(desired("content/pages/about.md"), facts.seen[key], "")
    assert in_conflict(agreed, facts.changed[key]).conflict == {"content": "<p>They</p>"}
    assert gone == []


PATH = "content/pages/about.md"
AT = "/wp-content/uploads/2024/01/"


def own(url: str = TARGET) -> OwnSite:
    return OwnSite(url, nullcontext)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("url", "is_it"),
    [
        (f"{TARGET}/", True),
        ("HTTPS://SITE.test/wp-json", True),
        ("http://site.test/wp-json", False),
        ("https://user@site.test/wp-json", False),
        ("not an address", False),
    ],
)
def test_only_the_configured_address_itself_is_the_own_site(url: str, is_it: bool) -> None:
    assert own().is_at(url) is is_it
    assert not own("not an address").is_at("not an address")


def test_pictures_of_the_library_keep_their_ids(tmp_path: Path) -> None:
    (tmp_path / "2024/01").mkdir(parents=True)
    for name in ("cat.jpg", "dog.jpg", "twin.jpg"):
        (tmp_path / "2024/01" / name).write_bytes(name.replace("twin", "cat").encode())
    uploads = Uploads(tmp_path, "https://site.test")
    library = tuple(
        Uploaded(number, f"https://site.test{AT}{name}")
        for number, name in enumerate(("twin.jpg", "cat-scaled.jpg", "dog.jpg"), 4)
    )
    site = OwnFacts(library=library, copied=uploads.path_of)
    uploads.file_of(f"{AT}cat-300x200.jpg")
    path = "content/media/2024/01/cat.jpg"
    found = Medium("b" * 40, path, 5, f"https://site.test{AT}cat-scaled.jpg", foreign=True)
    assert site.media("content", {path: "b" * 40}, {}) == [found]
    sent_by_us = Medium("b" * 40, path, 5, found.link)
    assert site.media("content", {path: "b" * 40}, {"b" * 40: sent_by_us}) == []


def test_two_files_with_the_same_bytes_keep_the_one_that_the_manifest_knows(tmp_path: Path) -> None:
    blob, uploads = "b" * 40, Uploads(tmp_path, "https://site.test")
    blobs = {}
    for year in ("2023", "2024"):
        (tmp_path / year).mkdir()
        (tmp_path / year / "logo.png").write_bytes(b"logo")
        uploads.file_of(f"/wp-content/uploads/{year}/logo.png")
        blobs[f"content/media/{year}/logo.png"] = blob
    links = {3: "2023/logo.png", 7: "2024/logo.png", 9: "2026/logo-bbbb.png"}
    library = (Uploaded(each, f"https://site.test/wp-content/uploads/{link}") for each, link in links.items())
    site = OwnFacts(library=tuple(library), copied=uploads.path_of)
    (found,) = site.media("content", blobs, {})
    assert (found.id, found.path) == (3, "content/media/2023/logo.png")
    assert site.media("content", blobs, {blob: found}) == []
    sent_by_us = Medium(blob, "content/media/2024/logo.png", 9, site.library[2].link)
    assert site.media("content", blobs, {blob: sent_by_us}) == []
    gone = Medium(blob, "content/media/2024/logo.png", 8, site.library[2].link)
    assert site.media("content", blobs, {blob: gone}) == [found]


def test_an_edited_file_stays_and_an_edit_on_both_sides_is_a_conflict() -> None:
    there = of_site(PATH, content="<!-- wp:paragraph --><p>We</p><!-- /wp:paragraph -->")
    entry = as_agreed(desired(PATH), entry_of(there), "")
    assert not KnownFile(entry, entry.path, entry.blob).is_current(there)
    assert KnownFile(entry, entry.path, "an edited file").is_current(there)
    assert KnownFile(entry, entry.path, "an edited file").is_current(of_site(PATH, content="<p>They</p>"))
    same = structs.replace(entry, changed_by_service={}, fingerprints=fingerprints(there.fields))
    assert KnownFile(same, same.path, same.blob).is_current(there)
    assert not KnownFile(structs.replace(same, conflict={"title": "x"}), PATH, same.blob).is_current(there)
    before, there = of_site(PATH, content="<p>We</p>"), of_site(PATH, content="<p>They</p>")
    entry = as_agreed(desired(PATH), entry_of(before), "")
    edited = KnownFile(entry, entry.path, "an edited file")
    assert edited.conflict(before) is None
    assert KnownFile(entry, entry.path, entry.blob).conflict(there) is None
    conflict = structs.replace(entry, conflict={"content": "<p>They</p>"})
    assert edited.conflict(there) == conflict
    assert KnownFile(entry, "content/pages/renamed.md", entry.blob).conflict(there) == conflict


@pytest.mark.parametrize(
    ("url", "home", "is_it"),
    [
        ("https://site.test/wp-json", "https://site.test", True),
        ("https://site.test/blog/wp-json", "https://site.test/blog/", True),
        ("https://site.test/index.php?rest_route=/", "https://site.test", True),
        ("https://site.test/wp-json", "http://site.test", False),
        ("https://site.test/wp-json", "", False),
    ],
)
def test_an_export_is_of_the_site_whose_address_it_names(url: str, home: str, is_it: bool) -> None:
    assert own(url).is_exported_from(home) is is_it
