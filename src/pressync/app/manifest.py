"""Reads, verifies, merges, pushes and moves the manifest of a site.

A manifest that cannot be merged is left with markers around both whole sides: the next command refuses it,
and no id is lost silently. A move completes the new place before the setting changes and the old place is
given up. So a killed move loses nothing, and running it again ends it.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from functools import partial
from shlex import quote
from typing import TYPE_CHECKING

from pressync.app.revision import Revision
from pressync.app.workspace import Workspace, site_places
from pressync.client.port import read_keys
from pressync.config.settings_file import with_setting
from pressync.model import bounds
from pressync.model.errors import (
    Code,
    ConfigError,
    ManifestError,
    Problem,
    RepositoryError,
    SafetyRefusal,
    StorageError,
    storing,
)
from pressync.model.records import Entry, Manifest
from pressync.plan import known_elsewhere, manifest_search, synced_commits
from pressync.repo import discover, push, work_tree
from pressync.state import atomic_files, manifest_ref
from pressync.state.manifest.codec import decode
from pressync.state.manifest.merge import merge
from pressync.state.manifest_file import ManifestFile, read_for
from pressync.sync import field_comparison

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from pressync.config.settings import Site
    from pressync.repo.history import Commit
    from pressync.repo.repository import Repository
    from pressync.state.state import State


def manifest_now(workspace: Workspace) -> Manifest:
    """Read the manifest as this clone knows it, with the changes in the journal."""
    with workspace.reading() as state:
        return state.whole


def manifest_at(workspace: Workspace, revision: str) -> Manifest:
    """Read the manifest as it was committed at a revision.

    :raises RepositoryError: there is no such commit, or no manifest in it.
    :raises ManifestError: the manifest cannot be read, or is for another target.
    """
    repository, site = workspace.repository, workspace.settings.site
    name = manifest_ref.MANIFEST if site.reference else site.manifest
    commit = repository.commit(revision)
    data = repository.blob_at(repository.tree(commit), name, bounds.MANIFEST)
    if data is None:
        problem = f"commit {commit[:10]} does not have {name}"
        raise RepositoryError(problem, todo="`pressync manifest log` lists the commits that have it")
    return read_for(site.target, data, f"{name} ({commit[:10]})", workspace.settings.types)


def runs(workspace: Workspace, limit: int) -> Sequence[Commit]:
    """List the last runs that changed the manifest, the newest first; a commit of a claim is not listed.

    :raises RepositoryError: there is no commit yet.
    """
    kept = workspace.manifest_reference
    if kept is None:
        head = workspace.repository.commit()
        return workspace.repository.history.commits(head, workspace.settings.site.manifest, limit=limit)
    kept.read(writable=False)
    if kept.reference.tip is None:
        return []
    return workspace.repository.history.commits(kept.reference.name, limit=limit, but=manifest_ref.CLAIMED)


def verify(workspace: Workspace, *, remote: bool) -> tuple[int, list[Problem]]:
    """Count the records of the manifest and list its problems; with `remote`, compare it with the site, too.

    :raises ManifestError: the manifest cannot be read, or is for another target.
    :raises ConfigError: with `remote`, the site's interface shows no reads.
    :raises ServiceError: the site did not answer.
    """
    with workspace.reading() as state:
        entries = dict(state.manifest.entries)
        made_here, unconfirmed = state.forgotten_by_manifest, state.unconfirmed
    problems = [*_against_commit(workspace, entries)]
    for path, entry in sorted(made_here.items()):
        fault = f"this clone created {entry.kind} {entry.id} for this path, and the manifest does not have it"
        todo = f"`pressync adopt {quote(path)} {entry.id}`, or `pressync forget {quote(path)}`"
        problems.append(_problem(path, 0, fault, todo))
    for path, create in sorted(unconfirmed.items()):
        fault = f"a create was sent at {create.time} and got no response"
        todo = f"`pressync resolve {quote(path)} --id N`, or `pressync resolve {quote(path)} --not-created`"
        problems.append(_problem(path, 0, fault, todo, warning=True))
    if remote:
        problems += _against_site(workspace, entries)
    return len(entries), problems


_problem = partial(Problem, code=Code.MANIFEST)


def _against_commit(workspace: Workspace, entries: Mapping[str, Entry]) -> Iterator[Problem]:
    tree = workspace.content(Revision()).tree  # It has the pages of folders, which are not files.
    for path, entry in sorted(entries.items()):
        if path not in tree.files:
            problem = f"its file is not in commit {tree.commit[:10]}"
            todo = f"`pressync plan` shows what a sync would do with {entry.kind} {entry.id}"
            yield _problem(path, 0, problem, todo, warning=True)
        if entry.parent_path is not None and entry.parent_path not in entries:
            problem = f"its parent {entry.parent_path} is not in the manifest"
            yield _problem(path, 0, problem, "the next sync sends the current parent", warning=True)


def _against_site(workspace: Workspace, entries: Mapping[str, Entry]) -> Iterator[Problem]:
    records = {(entry.kind, entry.id): entry for entry in entries.values()}
    with workspace.service(1) as service:
        reading = service.readable
        if reading is None:
            problem = f"the {service.name} interface does not show how to read a record"
            raise ConfigError(problem, where="--remote", todo="leave it out, and check the site yourself")
        there = read_keys(reading, records)
    for key, entry in sorted(records.items(), key=lambda row: row[1].kind):
        record = there.get(key)
        if record is None:
            problem = "is not on the site"
        elif record.is_trashed:
            problem = "is in the trash of the site"
        elif "status" in field_comparison.edits(entry, record):
            problem = f"has the status '{record.fields['status']}' on the site, and nobody sent that"
        elif entry.slug and record.slug != entry.slug:
            problem = f"has the slug '{record.slug}' on the site, and '{entry.slug}' in the manifest"
        else:
            continue
        yield _problem(entry.path, 0, f"{entry.kind} {entry.id} {problem}", "look at it on the site")


_BACK = (
    "`git checkout --merge -- {0}` brings the conflict back; if it is committed, `git log -- {0}` names the "
    "commits before, and `git checkout COMMIT -- {0}` takes the file of one of them"
)
_OURS, _BASE, _MIDDLE, _THEIRS = "<" * 7, "|" * 7, "=" * 7, ">" * 7


def own_file(workspace: Workspace) -> Path:
    """Give the file of the site's manifest.

    :raises ConfigError: the manifest is in a reference, or its file is not there.
    """
    site = workspace.settings.site
    root = workspace.repository.require_root("name the file")
    file = root / site.manifest
    if site.reference:
        raise ConfigError("the manifest is in a Git reference, which has no conflict markers")
    if not file.is_file():
        raise ConfigError(f"there is no manifest at {site.manifest} yet")
    return file


def fix(file: Path, name: str) -> tuple[str, ...]:
    """Put both sides of a conflict in a manifest together, in place; `name` is the file's, for messages.

    Returns what a person has to settle, a sentence each; these records keep their markers.

    :raises ConfigError: there is no conflict in it.
    :raises ManifestError: a side is not a manifest, or the sides are of two sites.
    :raises StorageError: the file cannot be read or written.
    """
    text = _data(file, name).decode(errors="replace")
    base, ours, theirs = discover.stages(file, bounds.MANIFEST) or sides(text, name)
    merged = merge(
        _common(base, name),
        decode(ours, where=f"{name}, our side"),
        decode(theirs, where=f"{name}, their side"),
    )
    with storing(file):
        atomic_files.replace(file, merged.text.encode())
    return tuple(
        f"{clash.what}; both are on the site: keep the line of one, delete the other's line and the markers, "
        "and delete the other record on the site or bind another file to it"
        for clash in merged.clashes
    )


def sides(text: str, name: str) -> tuple[str, str, str]:
    """Read the common text, our side and their side out of a text with conflict markers.

    The common text is empty where the markers do not show it.

    :raises ConfigError: there is no conflict in it, or one does not end.
    """
    parts: dict[str, list[str]] = {_BASE: [], _OURS: [], _THEIRS: []}
    side, has_markers, has_base = "", False, False
    for line in io.StringIO(text):
        mark = line[:7]
        if mark in (_OURS, _BASE, _MIDDLE, _THEIRS):
            has_markers = True
            has_base |= mark == _BASE
            side = {_OURS: _OURS, _BASE: _BASE, _MIDDLE: _THEIRS, _THEIRS: ""}[mark]
        else:
            for mark in (side,) if side else parts:
                parts[mark].append(line)
    if not has_markers or side:
        problem = "one of its conflicts does not end" if side else "it does not have conflict markers"
        todo = _BACK.format(quote(name)) if side else "nothing is to be fixed"
        raise ConfigError(problem, where=name, todo=todo)
    base, ours, theirs = ("".join(parts[mark]) for mark in (_BASE, _OURS, _THEIRS))
    return (base if has_base else "", ours, theirs)


def _common(text: str, name: str) -> Manifest | None:
    """Read the common state; where nobody knows one, both sides count in full."""
    try:
        return decode(text, where=name) if text else None
    except ManifestError:
        return None


def merge_files(base: Path, ours: Path, theirs: Path, name: str) -> tuple[str, ...]:
    """Merge `theirs` into `ours`; the files are Git's %O, %A and %B. Messages call the manifest `name`.

    Returns one sentence for each conflict that a person has to settle; a clean merge has none.

    :raises ManifestError: a file is larger than a manifest may be.
    :raises StorageError: a file cannot be read or written.
    """
    texts = [_data(path, name) for path in (base, ours, theirs)]
    try:
        merged = merge(
            _common(texts[0].decode(errors="replace"), "base"),
            *(decode(text.decode(errors="replace"), where=name) for text in texts[1:]),
        )
    except ManifestError as error:
        whole = b"<<<<<<< ours\n%s\n=======\n%s\n>>>>>>> theirs\n"
        with storing(ours):
            ours.write_bytes(whole % (texts[1].strip(), texts[2].strip()))
        return (f"{error.what}; both sides are in it, whole",)
    with storing(ours):
        ours.write_bytes(merged.text.encode())
    return tuple(clash.what for clash in merged.clashes)


def branch_to_push(workspace: Workspace) -> str | None:
    """Give the branch to which the manifest is pushed; None if the manifest is not a committed file.

    :raises ConfigError: the manifest is a committed file, and no branch is checked out.
    :raises RepositoryError: the remote refuses a push.
    """
    site, repository = workspace.settings.site, workspace.repository
    if site.reference or site.url is None or repository.root is None:
        return None
    if repository.branch is None:
        raise ConfigError(
            "no branch is checked out, so the manifest cannot be committed to one",
            todo="check out a branch (`ref:` of actions/checkout)",
        )
    push.RemoteBranch(repository, repository.branch).require_push()
    return repository.branch


def commit_and_push(repository: Repository, manifest: Path, branch: str, message: str) -> str | None:
    """Commit and push the manifest; give the commit on the branch, None if the manifest has no change.

    The run has already changed the site, so its new ids must not be lost when another run pushed meanwhile.

    :raises RepositoryError: Git or the remote refused; the commit stays in this clone.
    :raises ManifestError: another run pushed a manifest that contradicts ours.
    """
    made = push.commit_file(repository, manifest, message)
    if made is None or repository.root is None:
        return None
    file = manifest.relative_to(repository.root).as_posix()
    return push.RemoteBranch(repository, branch).publish(made, file, partial(_pushed, file))


def _pushed(file: str, base: bytes | None, ours: bytes, theirs: bytes | None) -> bytes:
    """Merge our manifest with the one that another run has pushed."""
    if theirs is None or theirs == base:
        return ours
    read = partial(decode, where=file)
    before, mine, other = ((data or b"").decode(errors="replace") for data in (base, ours, theirs))
    both = merge(read(before) if before else None, read(mine), read(other))
    if both.clashes:
        raise ManifestError(
            f"another run pushed a manifest meanwhile, and {both.clashes[0].what}",
            where=file,
            todo="delete one of the two on the site, and bind the file to the other (`pressync adopt`)",
        )
    return both.text.encode()


def _data(file: Path, name: str) -> bytes:
    try:
        return work_tree.read(file, bounds.MANIFEST)
    except bounds.FileTooLarge as error:
        raise ManifestError(error.what, where=name, todo=error.todo) from error
    except OSError as error:
        raise StorageError(f"it cannot be read ({error.strerror})", where=name) from error


REFERENCE = "ref"
_AGAIN = "make it writable, and run the same command again: it goes on from here"
# Seconds in which the remote must answer whether it has newer commits.
_PATIENCE = 30.0


@dataclass(frozen=True, slots=True)
class ManifestMove:
    """The result of a move: the number of records, the new place, and the files that are to be committed.

    `stale` is the branch with edits of the site that has the manifest at its old place; "" if there is none.
    """

    records: int
    place: str
    changed: tuple[str, ...]
    stale: str = ""


def move(workspace: Workspace, to: str, config_file: Path | None) -> ManifestMove:
    """Move the manifest to a reference or to a file, and write the setting; a second call is harmless.

    :raises ConfigError: the settings cannot be edited, or no other clone shares this manifest.
    :raises SafetyRefusal: another run holds the manifest, this clone has to pull, or a file has two records.
    :raises RepositoryError: the remote refuses the push, or cannot be reached.
    """
    todo = "change `manifest` in a clone, and push that: it takes the records over"
    root, site = workspace.repository.require_root(todo), workspace.settings.site
    if site.url is None:
        raise ConfigError("the embedded service belongs to this clone, so nobody shares its manifest")
    settings_text = workspace.clone.settings_text
    settings = discover.settings_file(root, config_file) or root
    value = REFERENCE if to == REFERENCE else site.file
    text = with_setting(settings_text.text or "", settings_text.where, site.name, "manifest", value)
    work_tree.refuse_symlink(root, site.file)
    workspace = Workspace(workspace.clone, site_places(workspace.clone, takes_back=True))
    mover = _Mover(workspace, root, site, _reference(workspace))
    if to == REFERENCE:
        mover.refuse_unpulled()
    # Everything happens under the lock: a run between two steps would write to the place that is given up.
    with workspace.state(writable=True) as state:
        if not state.has_manifest:
            # Git may have a manifest of this site somewhere else.
            repository = workspace.repository
            refusals, _ = manifest_search.lost(repository, site, repository.commit())
            for refusal in refusals:
                raise SafetyRefusal(refusal.message, code=refusal.code)
        records = mover.to_reference(state) if to == REFERENCE else mover.to_file(state)
        if text != settings_text.text:
            with storing(settings, todo=_AGAIN):
                atomic_files.replace(settings, text.encode())
        if to == REFERENCE:
            with storing(root / site.file, todo=_AGAIN):
                atomic_files.remove(root / site.file)
    place = mover.reference.where if to == REFERENCE else site.file
    files = (settings, root / site.file)
    names = [str(file.relative_to(root) if file.is_relative_to(root) else file) for file in files]
    changed = [name for name in names if any(workspace.repository.uncommitted([name]))]
    branches = (f"refs/heads/{push.EDITS}", f"refs/remotes/{push.REMOTE}/{push.EDITS}")
    is_open = changed and any(map(workspace.repository.port.resolve, branches))
    return ManifestMove(records, place, tuple(changed), push.EDITS if is_open else "")


@dataclass(frozen=True, slots=True)
class _Mover:
    """The two places of one site's manifest. Every step happens under the lock of the site."""

    workspace: Workspace
    root: Path
    site: Site
    reference: manifest_ref.ManifestRef

    def to_reference(self, state: State) -> int:
        """Put everything that is known into the reference; give the number of records."""
        if not (state.has_manifest or (self.site.reference and self._file.path.exists())):
            return 0
        state.save("Before a move")
        if self.site.reference:
            theirs = self._file.read()
        else:
            theirs = self.reference.read(writable=True)
            if self.reference.reference.tip is None:
                # The reference does not exist, and gives the committed file: ours is at least as new.
                theirs = Manifest(self.site.target)
        ours = self._merged(state.whole, theirs)
        self.reference.arrive(ours, self.site.file)
        return len(ours.entries)

    def to_file(self, state: State) -> int:
        """Close the reference, then write the file; give the number of records."""
        if not self.site.reference or not state.has_manifest:
            return len(state.manifest.entries)
        file = self._file
        ours = self._merged(state.whole, file.read())
        self.reference.leave(ours, self.site.file)
        with storing(file.path, todo=_AGAIN):
            file.save(ours)
        return len(ours.entries)

    @property
    def _file(self) -> ManifestFile:
        return ManifestFile(self.root / self.site.file, self.site.target, self.workspace.settings.types)

    def _merged(self, ours: Manifest, theirs: Manifest) -> Manifest:
        """Merge what both places know, because clones that had not pulled wrote to the old place.

        A term or a file that was made twice keeps our id: both mean the same.
        """
        if ours == theirs or not (theirs.entries or theirs.unconfirmed or theirs.names or theirs.media):
            return ours
        reference = self.reference.reference.name
        before = known_elsewhere.after_last_move(self.workspace.repository, reference, self.site.target)
        merged = merge(before and _shared(before, theirs), ours, theirs)
        for mine, other in filter(None, (clash.records for clash in merged.clashes)):
            path = quote(mine.path)
            raise SafetyRefusal(
                f"{mine.path} is {mine.kind} {mine.id} here, and {other.kind} {other.id} in the other place",
                todo=f"`pressync forget {path}` and a second move take {other.kind} {other.id}; `pressync "
                f"forget {path}` and `pressync adopt {path} {mine.id}` after it take {mine.kind} {mine.id}",
            )
        return merged.manifest

    def refuse_unpulled(self) -> None:
        """Refuse to move a file of which the upstream has a newer version."""
        repository, remote = self.workspace.repository, self.reference.reference.remote
        if remote:
            # Without the network, the push of the reference says so.
            repository.fetch(remote, _PATIENCE)
        # If the upstream has deleted the file, somebody has moved it. Our file then has only what came later.
        if repository.history.upstream_has_newer(self.site.file):
            problem = f"the upstream has a newer {self.site.file}"
            raise SafetyRefusal(problem, todo=synced_commits.first_pull(repository, self.site))


def _reference(workspace: Workspace) -> manifest_ref.ManifestRef:
    """Open the reference of the site, also if the settings still name a file."""
    settings = workspace.settings
    wanted = settings._replace(site=settings.site._replace(manifest=REFERENCE))
    clone = replace(workspace.clone, settings=wanted)
    reference = workspace.manifest_reference or site_places(clone, takes_back=True).reference()
    if reference is None:
        raise AssertionError('a site with `manifest = "ref"` is without a reference')
    return reference


def _shared(before: Manifest, theirs: Manifest) -> Manifest:
    """Give the part of a common state that the other side, which may be older than that state, still has."""
    records = {(entry.kind, entry.id) for entry in theirs.entries.values()}
    entries = {path: entry for path, entry in before.entries.items() if (entry.kind, entry.id) in records}
    unconfirmed = (create for create in before.unconfirmed if create in theirs.unconfirmed)
    return replace(
        before,
        entries=entries,
        names={name: number for name, number in before.names.items() if name in theirs.names},
        media={blob: medium for blob, medium in before.media.items() if blob in theirs.media},
        unconfirmed=tuple(unconfirmed),
    )
