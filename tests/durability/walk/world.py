"""Two machines, the repository between them, and one site, with everything that people do there as methods.

Content and the committed manifest travel only by Git. People keep to the rule of a workflow: a machine
fetches before it syncs, and pushes its manifest afterwards. While one machine has a broken sync, the other
does not begin one. `World` checks the site's own records.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.durability.walk import death
from tests.support.interleaving import settled_between_reads
from tests.support.pages import TOP, Content, Page
from tests.support.repository import SampleRepository
from tests.support.syncing import Bound

from pressync.app import bind
from pressync.app.revision import Revision
from pressync.model.changes import Blocked, Result
from pressync.model.errors import ConfigError, ServiceError, StorageError
from pressync.model.fingerprint import UNSURE, is_unsure, may_be
from pressync.plan.build import PlanOptions
from pressync.plan.limits import DeleteLimit
from pressync.repo import push
from pressync.state.manifest import codec, merge

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping
    from pathlib import Path

    from tests.support.strict_service import Fault, StrictService
    from tests.support.wire import Json

    from pressync.model.outcomes import RunResult
    from pressync.model.records import Manifest

START = f"{TOP}/start.md"
# So many pages that one sync has calls under way while it decides on others.
_CROWD = 12
_ALL = DeleteLimit(percent=100)
_MANIFEST = ".pressync/default.json"


@dataclass
class Machine:
    """A clone with its site; `unfinished` if its last sync broke or left an unconfirmed create."""

    repository: SampleRepository
    site: Bound
    unfinished: bool = False

    @property
    def content(self) -> Content:
        """The content of its files."""
        return Content.read(self.repository)

    def unconfirmed(self) -> dict[str, str]:
        """Give the slug of each unconfirmed create, by path."""
        with self.site.workspace() as workspace, workspace.reading() as state:
            return {path: create.slug for path, create in state.unconfirmed.items()}


@dataclass
class World:
    """The whole world. `edits` are texts that other people put on the site and that no sync may overwrite.

    The name of each new file has the `ending`. With `follows`, links follow a page that moves.
    """

    service: StrictService
    machines: tuple[Machine, Machine]
    births: int = 0
    words: int = 0
    ending: str = ""
    follows: bool = False
    edits: dict[tuple[int, str], str] = field(default_factory=dict)
    tally: Counter[str] = field(default_factory=Counter)

    @property
    def reads(self) -> bool:
        """Whether the site can be read."""
        return "PRESSYNC_DIALECT" in self.machines[0].site.environ

    # Actions of people in the repository; each is one commit.

    def word(self) -> str:
        """Give a new word."""
        self.words += 1
        return f"word-{self.words}"

    def add(self, machine: Machine, folder: str, links: list[str]) -> str:
        """Add a page to a folder."""
        self.births += 1
        path, content = f"{folder}/text{self.births}{self.ending}.md", machine.content
        content.pages[path] = Page(f"Page {self.births}", f"Birth {self.births}", self.word(), links)
        content.write(machine.repository, path)
        machine.repository.commit()
        return path

    def crowd(self, machine: Machine, chance: random.Random) -> None:
        """Add a tree of pages that link to each other, some of them drafts, in one commit."""
        content, paths = machine.content, list[str]()
        for _ in range(_CROWD):
            self.births += 1
            folder = chance.choice([TOP, *(path.removesuffix(".md") for path in paths)])
            paths.append(f"{folder}/text{self.births}{self.ending}.md")
        for path in paths:
            status, links = chance.choice(("", "", "", "draft")), chance.sample(paths, 4)
            birth = f"Birth {path.rpartition('/')[2]}"
            content.pages[path] = Page(f"Page {path}", birth, self.word(), links, status=status)
        content.write(machine.repository, *paths)
        machine.repository.commit()

    def edit(self, machine: Machine, path: str, links: list[str], *, title: bool) -> None:
        """Change the text of a page, and its title if `title` is set."""
        content = machine.content
        page = content.pages[path]
        page.marker, page.links = self.word(), links
        page.title = f"Title {self.words}" if title else page.title
        content.write(machine.repository, path)
        machine.repository.commit()

    def move(self, machine: Machine, path: str, folder: str) -> None:
        """Move a page to another folder and name, and adjust its links, and those to it if all follow."""
        self.births += 1
        content, new = machine.content, f"{folder}/text{self.births}{self.ending}.md"
        machine.repository.move(path, new)
        content.pages[new] = content.pages.pop(path)
        linking = [other for other, page in content.pages.items() if self.follows and path in page.links]
        for other in linking:
            page = content.pages[other]
            page.links = [new if target == path else target for target in page.links]
        content.write(machine.repository, new, *linking)
        machine.repository.commit()

    def hide(self, machine: Machine, path: str) -> None:
        """Make a draft of a page, or publish it again."""
        content = machine.content
        content.pages[path].status = "" if content.pages[path].status else "draft"
        content.write(machine.repository, path)
        machine.repository.commit()

    def rename(self, machine: Machine, path: str) -> None:
        """Give a page another slug; its file stays, and so do the pages below it."""
        self.births += 1
        content = machine.content
        content.pages[path].slug = f"slug{self.births}{self.ending}"
        content.write(machine.repository, path)
        machine.repository.commit()

    def remove(self, machine: Machine, path: str) -> None:
        """Remove a page."""
        machine.repository.remove(path)
        machine.repository.commit()

    def redesign(self, machine: Machine) -> None:
        """Change the template."""
        content = machine.content
        content.design += 1
        content.write_design(machine.repository)
        machine.repository.commit()

    def reorder(self, machine: Machine, order: int | None) -> None:
        """Change the default that every page has."""
        content = machine.content
        content.order = order
        content.write_defaults(machine.repository)
        machine.repository.commit()

    def revert(self, machine: Machine) -> None:
        """Revert the last commit that changed the content, unless it is the first one."""
        git = machine.repository.git
        last = git("log", "-1", "--format=%H", "--", "content", "templates", "pressync.toml")
        if last != git("rev-list", "--max-parents=0", "HEAD"):
            git("revert", "--no-edit", last)

    # Actions of people on the site.

    def edit_remotely(self, number: int, name: str) -> None:
        """Change a record's title or text in the site's editor.

        A sync may not overwrite the edit if pressync can know the text before it. It cannot know the text of
        a record that was bound and never written, or of a field whose last write got no response and that
        cannot be read.
        """
        text = f"by hand: {self.word()}"
        self.service.bend(number, lambda record: record.update({name: {**record[name], "raw": text}}))
        held = [e for machine in self.machines for e in machine.site.entries().values() if e.id == number]
        if held and all(self._is_known(entry.fingerprints.get(name, UNSURE)) for entry in held):
            self.edits[number, name] = text
        else:
            self.edits.pop((number, name), None)

    def _is_known(self, digest: str) -> bool:
        return may_be(digest) is not None if self.reads else not is_unsure(digest)

    def delete_remotely(self, number: int, *, for_good: bool) -> None:
        """Put a record into the trash, or delete it for good."""
        if for_good:
            self.service.remove(number)
        elif self.service.shown[number]["status"] != "trash":
            self.service.trash(number)
        self.forget_edits(number)

    def forget_edits(self, number: int) -> None:
        """Allow syncs to overwrite the edits of a record."""
        self.edits = {key: text for key, text in self.edits.items() if key[0] != number}

    # Actions of people with pressync.

    def pull(self, machine: Machine) -> None:
        """Merge the pushed commits: the manifest record by record, other files from the other machine."""
        git = machine.repository.git
        _commit_manifest(machine)
        git("fetch", "--quiet", "origin")
        try:
            git("merge", "--quiet", "--no-edit", "origin/main")
        except subprocess.CalledProcessError:
            for path in set(git("diff", "--name-only", "--diff-filter=U").splitlines()):
                if path == _MANIFEST:
                    _merge_manifest(machine)
                elif not _checked_out(machine, path):
                    git("rm", "--quiet", "--force", "--", path)
            git("add", "--all")
            git("commit", "--quiet", "--no-edit")
        self._tidy(machine)

    def _tidy(self, machine: Machine) -> None:
        """If a merge made two files of one, remove the second."""
        born: dict[str, str] = {}
        twice = [
            path for path, page in machine.content.pages.items() if born.setdefault(page.birth, path) != path
        ]
        if twice:
            machine.repository.remove(*twice)
            machine.repository.git("add", "--all", "content")
            machine.repository.git("commit", "--quiet", "-m", "One of two")

    def push(self, machine: Machine) -> None:
        """Push every commit."""
        self.pull(machine)
        machine.repository.git("push", "--quiet", "origin", "HEAD:main")

    def may_sync(self, machine: Machine) -> bool:
        """Whether the other machine has finished its sync."""
        return not any(other.unfinished for other in self.machines if other is not machine)

    def may_sync_alone(self, machine: Machine) -> bool:
        """Whether only this machine has the documents that it would create."""
        mine, others = machine.content.pages, [other for other in self.machines if other is not machine]
        new = {mine[path].birth for path in mine.keys() - machine.site.entries().keys()}
        theirs = {page.birth for other in others for page in other.content.pages.values()}
        return self.may_sync(machine) and not machine.unfinished and not new & theirs

    def sync(
        self,
        machine: Machine,
        *,
        faults: tuple[Fault | None, ...] = (),
        dies: int | None = None,
        overwrite: bool = False,
        alone: bool = False,
    ) -> RunResult | None:
        """Fetch, sync and push the manifest; None if the run broke. With `alone`, do not fetch or push."""
        if not alone:
            self.pull(machine)
        self.service.faults.extend(faults)
        run = None
        try:
            with death.after(dies):
                choices = PlanOptions(overwrite=overwrite, delete_limit=_ALL)
                # One call at a time, so that a repeated walk takes the same way.
                run = machine.site.sync(choices, overwrite=overwrite, concurrency=1)
        except death.Killed:
            self.tally["runs killed"] += 1
        except (ServiceError, StorageError):
            self.tally["runs broken off"] += 1
        self.tally["runs"] += 1
        self.tally["answers gone wrong"] += len(faults) - len(self.service.faults) - faults.count(None)
        self.service.faults.clear()
        if overwrite:
            self.edits.clear()
        machine.unfinished = run is None or bool(machine.unconfirmed())
        if run is not None and not alone:
            self.push(machine)
        return run

    def sync_and_compare(self, machine: Machine) -> None:
        """Sync the only machine; the site equals the commit then, and nothing is left to do."""
        self.words += 1
        with settled_between_reads(self.words):
            run = machine.site.sync(PlanOptions(delete_limit=_ALL))
        failed = [o for o in run.outcomes if o.result not in {Result.DONE, Result.KEPT}]
        assert not failed, [(o.change.path, o.result, o.message) for o in failed]
        machine.content.assert_shown(machine.site.entries(), self.service.shown)
        assert not machine.site.plan().pending
        _commit_manifest(machine)
        self.tally["commits synced"] += 1

    def resolve(self, machine: Machine) -> None:
        """Look at the site for each unconfirmed create, and resolve it."""
        held = {entry.id for entry in machine.site.entries().values()}
        with machine.site.workspace() as workspace:
            for path, slug in machine.unconfirmed().items():
                made = [number for number, page in self._live().items() if page["slug"] == slug]
                left = [number for number in made if number not in held]
                bind.resolve(workspace, {path: left[0] if left else None})
                held.update(left)

    def adopt(self, machine: Machine, path: str) -> None:
        """Make a record by hand, and bind a page without a record to it."""
        number = self.service.put("By hand", path.rpartition("/")[2].removesuffix(".md"))
        with machine.site.workspace() as workspace:
            bind.adopt(workspace, {path: number}, Revision())
        self.push(machine)

    def forget(self, machine: Machine, path: str) -> None:
        """Forget a page's record, and delete it on the site by hand."""
        with machine.site.workspace() as workspace, contextlib.suppress(ConfigError):
            entry = bind.forget(workspace, [path])[0]
            if entry.id in self.service.shown:
                self.service.remove(entry.id)
            self.forget_edits(entry.id)
        self.push(machine)

    # Checks.

    def _live(self) -> Mapping[int, Json]:
        shown = self.service.shown
        return {number: record for number, record in shown.items() if record["status"] != "trash"}

    def check(self) -> None:
        """Check what is true at every moment."""
        assert not self.service.violations
        births: dict[str, int] = {}
        known = {entry.id for machine in self.machines for entry in machine.site.entries().values()}
        unconfirmed = {slug for machine in self.machines for slug in machine.unconfirmed().values()}
        for number, record in self._live().items():
            assert number in known or record["slug"] in unconfirmed, f"nobody knows of record {number}"
            if " stays." not in record["content"]["raw"]:
                continue
            birth = record["content"]["raw"].partition(" stays.")[0].rpartition("\n")[2]
            assert births.setdefault(birth, number) == number, f"{birth} is on the site twice"
        if self.reads:
            shown = self.service.shown
            for (number, name), text in self.edits.items():
                there = shown.get(number)
                assert there is None or there[name]["raw"] == text, f"{name} of {number} was overwritten"

    def converge(self) -> None:
        """Finish everything as people do, until nobody has anything to do; then the site equals the commit.

        Every page is written once more, because pressync cannot notice edits of a page that it does not
        write. Then every page is written again: if a page was written while its parent was in the trash, its
        address was that of the trash.
        """
        for machine in self.machines:
            self.push(machine)
        for _ in range(2):
            self.redesign(self.machines[0])
            self.push(self.machines[0])
            for _ in range(8):
                quiet = [self._one_more(machine) for machine in sorted(self.machines, key=_is_finished)]
                if all(quiet):
                    break
        for machine in self.machines:
            left = machine.site.sync(PlanOptions(delete_limit=_ALL)).outcomes
            assert not left, [(o.change.path, o.result, o.message, o.change.reason) for o in left]
            machine.content.assert_shown(machine.site.entries(), self.service.shown)

    def _one_more(self, machine: Machine) -> bool:
        """Resolve, sync, and follow the advice of the outcomes; true if there was nothing to do."""
        if not self.may_sync(machine):
            return False
        if not self.reads:
            self.resolve(machine)
        run = self.sync(machine, overwrite=True)
        assert run is not None
        for outcome in run.outcomes:
            change = outcome.change
            gone = outcome.result is Result.FAILED and "somebody removed the record" in outcome.message
            advised = isinstance(change, Blocked) and "pressync forget" in change.reason
            if gone or advised:
                self.forget(machine, change.path)
        return not run.outcomes


def _commit_manifest(machine: Machine) -> None:
    with machine.site.workspace() as workspace:
        push.commit_file(workspace.repository, workspace.manifest_path, "The manifest")


def _merge_manifest(machine: Machine) -> None:
    """Merge as the merge driver does."""
    base, ours, theirs = (_staged(machine, stage) for stage in (1, 2, 3))
    assert ours is not None
    assert theirs is not None
    merged = merge.merge(base, ours, theirs)
    assert not merged.clashes, merged.clashes
    machine.repository.write(_MANIFEST, merged.text)


def _staged(machine: Machine, stage: int) -> Manifest | None:
    try:
        text = machine.repository.git("show", f":{stage}:{_MANIFEST}")
    except subprocess.CalledProcessError:
        return None
    return codec.decode(f"{text}\n", where=_MANIFEST)


def _checked_out(machine: Machine, path: str) -> bool:
    try:
        machine.repository.git("checkout", "--quiet", "--theirs", "--", path)
    except subprocess.CalledProcessError:
        return False
    return True


def _is_finished(machine: Machine) -> bool:
    return not machine.unfinished


def prepare(folder: Path) -> None:
    """Make the repository between the machines, with two pages, and a clone for each machine."""
    origin = SampleRepository.create(folder / "origin.git")
    origin.git("config", "receive.denyCurrentBranch", "ignore")
    first = Content({START: Page("Start", "Birth start", "word-start")})
    first.write(origin)
    origin.commit()
    for name in ("one", "two"):
        origin.git("clone", "--quiet", str(origin.root), str(folder / name))
        # If both sides changed a file, `World` merges it, and not Git.
        (folder / name / ".git/info/attributes").write_text("* -merge\n", encoding="utf-8")


def opened(folder: Path, service: StrictService, environ: Mapping[str, str]) -> World:
    """Open a prepared folder as a world; the site must be empty."""
    machines = [
        Machine(SampleRepository(folder / name), Bound(folder / name, service.url, environ=environ))
        for name in ("one", "two")
    ]
    return World(service, (machines[0], machines[1]))


def copied(prepared: Path, folder: Path) -> Path:
    """Copy a prepared folder, which is quicker than to make one with Git."""
    shutil.copytree(prepared, folder)
    for name in ("one", "two"):
        SampleRepository(folder / name).git("remote", "set-url", "origin", str(folder / "origin.git"))
    return folder
