"""Somebody who may push a manifest names a record that is not the file's: it stays as it is."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.peers import PEERS
from tests.support.repository import SampleRepository, copied
from tests.support.syncing import Bound

from pressync.app import bind
from pressync.app.revision import Revision
from pressync.model.changes import Blocked, Delete, Result, Update
from pressync.model.fingerprint import fingerprint
from pressync.plan.build import PlanOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.strict_service import StrictService

    from pressync.model.changes import Change
    from pressync.model.outcomes import RunResult

MANIFEST = ".pressync/default.json"
A, B, OLD = "content/pages/a.md", "content/pages/b.md", "content/pages/old.md"
TEXT = "There is a good deal to say about {0}, and here it is said of {0}.\n"
PAGES = {path: f"# Page {name}\n\n{TEXT.format(name)}" for path, name in ((A, "a"), (B, "b"), (OLD, "old"))}
# The content of the page that was made by hand.
BENT = {
    name: fingerprint(text) for name, text in (("title", "The imprint"), ("slug", "imprint"), ("content", ""))
}
# The services differ in what can be read back, not in the evidence, so the sweeps have most of the second.
EITHER = ["documented", pytest.param("wordpress", marks=pytest.mark.sweep)]


@dataclass
class World:
    """A repository of three pages that were synced, one of which was removed; and a page made by hand."""

    repository: SampleRepository
    service: StrictService
    site: Bound
    foreign: int
    removed: dict[str, Any]
    memory: Any

    def forged(self, forge: Callable[[dict[str, dict[str, Any]]], None]) -> None:
        """Commit a manifest whose records (by path) somebody has changed by hand."""
        file = self.site.root / MANIFEST
        known = json.loads(file.read_text())
        records = {record["path"]: record for record in known["records"]}
        forge(records)
        known["records"] = [records[path] for path in sorted(records)]
        file.write_text(json.dumps(known))
        self.repository.commit(message="Look how innocent")

    def fresh(self) -> None:
        """Go on as a clone that was made just now, and has no notes of its own."""
        shutil.rmtree(self.site.root / ".git/pressync")

    def says(self, number: int) -> str:
        """Give the title of a record, and its status where that is not published."""
        record = self.service.shown[number]
        status = record["status"]
        return str(record["title"]["raw"]) + ("" if status == "publish" else f" ({status})")


@pytest.fixture(scope="module", params=EITHER)
def original(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Build it on each of the two strict services, once; each test gets a copy."""
    serving, environ = PEERS[request.param]
    repository = SampleRepository.create(tmp_path_factory.mktemp("original") / "repository")
    with serving() as service:
        site = Bound(repository.root, service.url, environ=environ)
        repository.commit(PAGES)
        site.sync()
        repository.commit(message="Sync")
        known = json.loads((repository.root / MANIFEST).read_text())
        removed = next(record for record in known["records"] if record["path"] == OLD)
        repository.remove(OLD)
        repository.commit(message="Remove a page")
        site.sync(PlanOptions())
        repository.commit(message="Sync")
        foreign = service.put("The imprint", "imprint")
        yield World(repository, service, site, foreign, removed, service.memory())


@pytest.fixture
def world(original: World, tmp_path: Path) -> World:
    original.service.recall(original.memory)
    root = copied(original.repository.root.parent, tmp_path) / "repository"
    return replace(original, repository=SampleRepository(root), site=replace(original.site, root=root))


readable = pytest.mark.parametrize("original", ["wordpress"], indirect=True)
documented = pytest.mark.parametrize("original", ["documented"], indirect=True)


def blocked(run: RunResult) -> dict[str, str]:
    return {change.path: change.reason for change in run.plan.changes if isinstance(change, Blocked)}


def of(run: RunResult, kind: type[Change]) -> list[str]:
    return [change.path for change in run.plan.changes if isinstance(change, kind)]


@readable
def test_a_removed_path_that_comes_back_with_a_foreign_id_deletes_nothing(world: World) -> None:
    # All that the entry said once, but for the id.
    world.forged(lambda records: records.update({OLD: {**world.removed, "id": world.foreign}}))
    world.repository.commit({A: PAGES[A] + "\nInnocent.\n"})
    run = world.site.sync()
    assert blocked(run) == {
        OLD: f"the manifest says that it is page {world.foreign}, but page {world.foreign} on the site does "
        f"not have the content of the file; if it is that record, `pressync adopt {OLD} {world.foreign}` in "
        f"this clone, otherwise `pressync forget {OLD}`"
    }
    assert world.says(world.foreign) == "The imprint"
    assert [o.change.path for o in run.outcomes if o.result is Result.DONE] == [A], "the run goes on"
    assert sorted(o.result for o in run.outcomes) == [Result.BLOCKED, Result.DONE]


@documented
def test_nor_where_only_the_notes_of_this_clone_can_tell(world: World) -> None:
    world.forged(lambda records: records.update({OLD: {**world.removed, "id": world.foreign}}))
    assert "this clone has deleted its page" in blocked(world.site.sync())[OLD]
    assert world.says(world.foreign) == "The imprint"


def test_an_entry_that_its_file_does_not_give_deletes_nothing(world: World) -> None:
    prints = {**world.removed["fingerprints"], "title": "f" * 20, "slug": "e" * 20}
    entry = {**world.removed, "id": world.foreign, "fingerprints": prints}
    world.forged(lambda records: records.update({OLD: entry}))
    world.fresh()
    run = world.site.sync()
    assert "does not have the title, slug and date that were sent" in blocked(run)[OLD]
    assert world.says(world.foreign) == "The imprint"


@pytest.mark.parametrize(
    "members",
    [
        {"fingerprints": {}},
        {"fingerprints": {"title": "?", "slug": "?"}},
        {"fingerprints": {"content": "?"}},
        {"bent": BENT},
        {"path": "content/pages/never.md"},
    ],
)
def test_an_entry_that_says_nothing_of_its_file_deletes_nothing(
    world: World, members: dict[str, Any]
) -> None:
    entry = {**world.removed, "id": world.foreign, **members}
    world.forged(lambda records: records.update({entry["path"]: entry}))
    assert entry["path"] in blocked(world.site.sync())
    assert world.says(world.foreign) == "The imprint"


def test_a_foreign_id_at_a_path_that_is_there_is_not_overwritten(world: World) -> None:
    world.forged(lambda records: records[A].update(id=world.foreign))
    world.repository.commit({A: PAGES[A] + "\nInnocent.\n"})
    assert A in blocked(world.site.sync())
    assert world.says(world.foreign) == "The imprint"
    assert f"pressync forget {A}" in blocked(world.site.sync())[A]


def test_two_swapped_ids_overwrite_nothing(world: World) -> None:
    ids = {path: entry.id for path, entry in world.site.entries().items()}

    def swap(records: dict[str, dict[str, Any]]) -> None:
        records[A]["id"], records[B]["id"] = ids[B], ids[A]

    world.forged(swap)
    world.repository.commit({A: "# Page a, once more\n", B: PAGES[B] + "\nInnocent.\n"})
    assert blocked(world.site.sync()).keys() == {A, B}
    assert [world.says(ids[path]) for path in (A, B)] == ["Page a", "Page b"]


@readable
@pytest.mark.parametrize("overwrite", [False, True])
def test_nor_do_they_in_a_clone_that_was_made_just_now(world: World, overwrite: bool) -> None:
    ids = {path: entry.id for path, entry in world.site.entries().items()}

    def swap(records: dict[str, dict[str, Any]]) -> None:
        one, other = records[A], records[B]
        one["id"], other["id"] = ids[B], ids[A]
        # A thorough attacker makes the entries match the records.
        for name in ("title", "slug", "content"):
            one["fingerprints"][name], other["fingerprints"][name] = (
                other["fingerprints"][name],
                one["fingerprints"][name],
            )

    world.forged(swap)
    world.fresh()
    world.repository.commit({A: PAGES[A] + "\nInnocent.\n", B: PAGES[B] + "\nInnocent.\n"})
    assert blocked(world.site.sync(overwrite=overwrite)).keys() == {A, B}
    assert [world.says(ids[path]) for path in (A, B)] == ["Page a", "Page b"]


@readable
def test_an_adoption_that_nobody_here_made_must_look_like_its_file(world: World) -> None:
    bare = {"fingerprints": {}, "commit": "", "blob": "", "basis": ""}
    world.forged(lambda records: records[A].update(bare, id=world.foreign))
    world.fresh()
    assert A in blocked(world.site.sync())
    assert world.says(world.foreign) == "The imprint"


def test_an_up_to_date_page_is_not_overwritten_for_the_sake_of_its_links(world: World) -> None:
    world.repository.commit({A: PAGES[A] + "\n[See](b.md)\n"})
    world.site.sync()
    world.forged(lambda records: records[A].update(id=world.foreign))
    world.repository.commit({B: "---\nslug: elsewhere\n---\n" + PAGES[B]})
    world.site.sync()
    assert world.says(world.foreign) == "The imprint"


def test_a_person_who_binds_the_record_is_believed(world: World) -> None:
    entry = {**world.removed, "id": world.foreign, "fingerprints": {}}
    world.forged(lambda records: records.update({OLD: entry}))
    assert OLD in blocked(world.site.sync())
    with world.site.workspace() as workspace:
        bind.adopt(workspace, {OLD: world.foreign}, Revision())
    assert of(world.site.sync(), Delete) == [OLD]
    assert world.says(world.foreign) == "The imprint (trash)"


def test_what_a_file_names_by_id_is_believed(world: World) -> None:
    world.forged(lambda records: records[A].update(id=world.foreign))
    world.repository.commit({A: f"---\nid: {world.foreign}\n---\n{PAGES[A]}\nMore.\n"})
    assert of(world.site.sync(overwrite=True), Update) == [A]


def _edit(repository: SampleRepository) -> None:
    repository.commit({A: "# Another title\n\nAnd another text, of which no word was there.\n"})


def _remove(repository: SampleRepository) -> None:
    repository.remove(A)
    repository.commit()


def _move(repository: SampleRepository) -> None:
    repository.move(A, "content/pages/moved.md")
    repository.commit({"content/pages/moved.md": PAGES[A] + "\nOne more line.\n"})


def _move_and_remove_later(repository: SampleRepository) -> None:
    _move(repository)
    repository.remove("content/pages/moved.md")
    repository.commit()


def _template(repository: SampleRepository) -> None:
    repository.commit({"templates/page.html": "<b>Nothing of the text</b>"})


def _template_and_remove(repository: SampleRepository) -> None:
    _template(repository)
    _remove(repository)


def _merge(repository: SampleRepository) -> None:
    repository.git("checkout", "--quiet", "-b", "topic")
    _edit(repository)
    repository.git("checkout", "--quiet", "main")
    repository.commit({B: "# Page b, on main\n"})
    repository.git("merge", "--quiet", "--no-edit", "topic")


def _defaults(repository: SampleRepository) -> None:
    repository.commit({"pressync.toml": '[sites.default.defaults]\ncomment_status = "closed"\n'})
    _remove(repository)


@pytest.mark.parametrize(
    "change",
    [_edit, _remove, _move, _move_and_remove_later, _template, _template_and_remove, _merge, _defaults],
)
def test_an_honest_history_is_believed_by_a_clone_that_was_made_just_now(
    world: World, change: Callable[[SampleRepository], None]
) -> None:
    change(world.repository)
    world.fresh()
    assert blocked(world.site.sync()) == {}
    assert not world.site.plan().pending


def test_a_page_that_a_template_rewrote_is_known_by_its_rendering(world: World) -> None:
    _template(world.repository)
    world.site.sync()
    world.repository.commit({"templates/page.html": "<i>Something else altogether is here by now</i>"})
    _remove(world.repository)
    world.fresh()
    run = world.site.sync()
    assert (of(run, Delete), blocked(run)) == ([A], {})


def test_a_shallow_clone_overwrites_what_is_still_recognisable(world: World, tmp_path: Path) -> None:
    world.repository.commit({A: "# Another title\n\nAnd another text, of which no word was there.\n"})
    world.repository.git(
        "clone", "--quiet", "--depth=1", f"file://{world.repository.root}", str(tmp_path / "c")
    )
    site = Bound(tmp_path / "c", world.site.url, environ=world.site.environ)
    assert blocked(site.sync()) == {}


@documented
def test_a_page_that_was_removed_and_made_anew_elsewhere_is_believed(world: World, tmp_path: Path) -> None:
    """The other clone's record has another id, and Git shows why."""
    world.repository.git("clone", "--quiet", str(world.repository.root), str(tmp_path / "c"))
    other = SampleRepository(tmp_path / "c")
    elsewhere = Bound(other.root, world.site.url, environ=world.site.environ)
    other.remove(A)
    other.commit()
    elsewhere.sync()
    other.commit({A: PAGES[A]})
    elsewhere.sync()
    other.commit({A: PAGES[A] + "\nOne more line.\n"})
    world.repository.git("pull", "--quiet", "--ff-only", str(other.root), "HEAD")
    assert blocked(world.site.sync()) == {}


def test_one_commit_to_the_reference_deletes_nothing(repository: SampleRepository) -> None:
    serving, environ = PEERS["wordpress"]
    with serving() as service:
        settings = f'[sites.production]\nurl = "{service.url}"\ndialect = "wordpress"\nmanifest = "ref"\n'
        repository.commit({**PAGES, "pressync.toml": settings})
        environ = {name: value for name, value in environ.items() if name != "PRESSYNC_DIALECT"}
        site = Bound(repository.root, "", environ={"PRESSYNC_URL": service.url, **environ})
        site.sync()
        old = repository.git("show", "refs/pressync/production:manifest.json")
        repository.remove(OLD)
        repository.commit()
        site.sync()
        foreign = service.put("The imprint", "imprint")
        known = json.loads(old)
        for record in known["records"]:
            if record["path"] == OLD:
                # The values of the record, so that it does not look edited.
                record["id"], record["bent"] = foreign, BENT
        _push(repository, json.dumps(known))
        repository.commit({A: PAGES[A] + "\nInnocent.\n"})
        run = site.sync()
        assert (of(run, Update), list(blocked(run))) == ([A], [OLD])
        assert service.shown[foreign]["status"] == "publish"


def _push(repository: SampleRepository, manifest: str) -> None:
    """Put one commit on top of the reference, as anybody may who may push it."""
    repository.write("manifest.json", manifest)
    blob = repository.git("hash-object", "-w", "manifest.json")
    repository.remove("manifest.json")
    tree = subprocess.run(
        ["git", "mktree"],
        cwd=repository.root,
        input=f"100644 blob {blob}\tmanifest.json\n",
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    tip = "refs/pressync/production"
    commit = repository.git("commit-tree", tree, "-p", tip, "-m", "Sync main: 1 updated")
    repository.git("update-ref", tip, commit)


def _cloned(world: World, folder: Path) -> tuple[SampleRepository, Bound]:
    world.repository.git("clone", "--quiet", f"file://{world.repository.root}", str(folder))
    return SampleRepository(folder), Bound(folder, world.site.url, environ=world.site.environ)


def test_a_history_that_was_written_anew_still_shows_the_bytes_that_were_sent(
    world: World, tmp_path: Path
) -> None:
    world.repository.git("checkout", "--quiet", "--orphan", "anew")
    world.repository.commit()
    world.repository.commit({B: "# Another title\n\nAnd another text, of which no word was there.\n"})
    _remove(world.repository)
    world.repository.git("branch", "--force", "main", "HEAD")
    world.repository.git("checkout", "--quiet", "main")
    _, site = _cloned(world, tmp_path / "c")
    run = site.sync(PlanOptions(allow_rewind=True))
    assert (of(run, Delete), of(run, Update), blocked(run)) == ([A], [B], {})


def test_a_binding_that_was_made_elsewhere_is_believed_if_the_page_looks_like_it(
    world: World, tmp_path: Path
) -> None:
    number = world.service.put("By hand", "made")
    world.repository.commit({"content/pages/made.md": "# Made\n\nIts text is not there yet.\n"})
    with world.site.workspace() as workspace:
        bind.adopt(workspace, {"content/pages/made.md": number}, Revision())
    world.repository.commit(message="Adopt a page")
    _, site = _cloned(world, tmp_path / "c")
    assert (of(run := site.sync(), Update), blocked(run)) == (["content/pages/made.md"], {})
    assert world.says(number) == "Made"


@readable
def test_a_page_that_only_an_overwrite_would_change_is_checked_too(world: World) -> None:
    world.forged(lambda records: records[A].update(id=world.foreign))
    world.fresh()
    run = world.site.sync(PlanOptions(overwrite=True), overwrite=True)
    assert "does not have the content of the file" in blocked(run)[A]
    assert world.says(world.foreign) == "The imprint"
