"""Turns the edits of people on the site into one branch: a commit for each record, in the name of its editor.

The edits are pulled, as by `pressync pull`, into a work tree of its own. The manifest of a file goes with
them, in the last commit. So the plan of the merged branch is empty. A text that both sides changed is left to
a person. So is the text of a record that visitors cannot see any more: it is not ours to publish.
"""

from __future__ import annotations

import shutil
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from pressync.app import pull
from pressync.app.revision import Revision, refuse_other_branch
from pressync.app.workspace import Workspace, site_places
from pressync.model.changes import Block, Blocked
from pressync.model.errors import ConfigError, RepositoryError, ServiceError
from pressync.model.printable import one_line
from pressync.model.reason import ReasonCode
from pressync.model.records import TRASH, Entry
from pressync.model.visibility import DELETED, HIDDEN
from pressync.model.web_address import split
from pressync.plan.build import PlannedRun, PlanOptions
from pressync.repo import push
from pressync.repo.repository import Repository
from pressync.state import atomic_files
from pressync.state.clone_files import CloneFiles, Lock

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from pressync.client.port import Service
    from pressync.pull.puller import Pulled


BRANCH = push.EDITS

_UNSEEN = HIDDEN | {TRASH, DELETED}
_EDITED = frozenset({ReasonCode.PULLED_ELSEWHERE})
# A place between letters that nobody sees. GitHub acts on `fixes #1` in the message of a commit.
_NOTHING = "\u200b"
# Git removes these from both ends of a name, and refuses a name without anything else.
_STRIPPED = "".join(map(chr, range(33))) + ".,:;<>\"\\'"
# Git takes no time outside of these years.
_YEARS = range(1971, 2100)


@dataclass(frozen=True, slots=True)
class Proposal:
    """The edits of a site: those in `commit`, which is "" if there are none, and why others are `left`.

    `base` is the commit below, of the branch `into`. `authors` has who made each edit, by its path, "" if
    nobody knows.
    """

    site: str
    base: str
    into: str
    commit: str = ""
    edits: tuple[Pulled, ...] = ()
    authors: Mapping[str, str] = field(default_factory=dict)
    left: tuple[tuple[str, str], ...] = ()


def proposal(workspace: Workspace, default_branch: str | None, say: Callable[[str], None]) -> Proposal:
    """Make the commits of the edits that the site has now; nothing is pushed, and the site is not changed.

    :raises SafetyRefusal: another branch is checked out, or people use ours.
    :raises RepositoryError: HEAD is not on the remote.
    :raises ServiceError: the site cannot be read.
    """
    repository, site = workspace.repository, workspace.settings.site
    refuse_other_branch(Revision(), repository, site)
    into = site.branch or default_branch or repository.branch
    if site.url is None or into is None or into == BRANCH:
        fault = (
            "no site is set" if site.url is None else "no branch is checked out that a site is synced from"
        )
        raise ConfigError(fault, todo="`pressync config` shows the site, and `branch` its branch")
    base = repository.commit()
    empty = Proposal(site.name, base, into)
    lock = Lock(repository.common_directory / "pressync" / "proposal.lock", "pressync propose")
    lock.acquire(workspace.clone.wait, say)
    try:
        with _beside(workspace, base) as there:
            return _made(there, empty, say)
    finally:
        lock.release()


@contextmanager
def _beside(workspace: Workspace, commit: str) -> Iterator[Workspace]:
    """Open the same site in a work tree of its own, with a copy of what this clone knows of the site.

    A manifest in a reference is one for all branches. A pull writes there what it took, as anywhere.
    """
    clone = workspace.clone
    folder = clone.repository.common_directory / "pressync" / "proposal"
    with push.work_tree(clone.repository, folder / "tree", commit) as root:
        repository = Repository(root)
        repository.environment.update(clone.repository.environment)
        repository.environment.update(push.remotes_from(clone.repository))
        inner = replace(clone, directory=root, repository=repository)
        places = site_places(inner)
        if not clone.settings.site.reference:
            files = CloneFiles(folder / "notes", clone.settings.site.name)
            shutil.rmtree(files.directory, ignore_errors=True)
            atomic_files.make_folder(files.directory, mode=atomic_files.PRIVATE_FOLDER)
            with workspace.reading() as state:
                state.log.copy(files)
            places = replace(places, clone_files=files)
        with Workspace(inner, places) as there:
            yield there


def _made(there: Workspace, empty: Proposal, say: Callable[[str], None]) -> Proposal:
    """Pull and commit all edits that may be proposed, in a work tree that has nothing else."""
    planned = there.plan(Revision(), PlanOptions(allow_rewind=True), drift=True)
    blocked = [change for change in planned.plan.changes if isinstance(change, Blocked)]
    edited = [c.path for c in blocked if c.block is Block.CONFLICT or c.why.code in _EDITED]
    left = [(path, why) for path in edited if (why := _unseen(planned, path))]
    wanted = tuple(sorted({*edited} - {path for path, _ in left}))
    looked = pull.pull(there, pull.PullOptions(wanted, look=True), say) if wanted else []
    left += [(pulled.path, why) for pulled in looked if (why := _why_left(pulled))]
    if unread := planned.plan.not_compared:
        more = f"{len(unread) - 1} more were not compared either" if unread[1:] else ""
        left.append((unread[0].path, "; ".join(filter(None, (unread[0].reason, more)))))
    wanted = tuple(pulled.path for pulled in looked if not _why_left(pulled))
    with there.reading() as state:
        before = {path: entry for path in wanted if (entry := state.manifest.entries.get(path))}
    pulled = pull.pull(there, pull.PullOptions(wanted, proposed=True), say) if wanted else []
    if any(map(_why_left, pulled)):
        raise RepositoryError("somebody edits these pages at this moment", todo="run it again")
    authors, refused = _committed(there, pulled, before)
    edits = tuple(edit for edit in pulled if edit.path in authors)
    head = there.repository.commit()
    made = head if head != empty.base else ""
    left += refused.items()
    return replace(empty, commit=made, edits=edits, authors=authors, left=tuple(sorted(left)))


def _committed(
    there: Workspace, pulled: Collection[Pulled], before: Mapping[str, Entry]
) -> tuple[dict[str, str], dict[str, str]]:
    """Commit each edit, and then the manifest of a file; give who made it, and why Git refuses some, by path.

    A refused edit goes back to the entry that it had `before`: the next run finds it on the site again.
    """
    repository, site = there.repository, there.settings.site
    authors, refused = dict[str, str](), dict[str, str]()
    last = ""
    with there.reading() as state:
        entries = state.manifest.entries
    with there.service(1) as service:
        for edit in pulled:
            entry = entries[edit.path]
            author, who = _editor(service, site.home, entry)
            message = push.OF_EDIT.format(_inert(edit.path))
            try:
                is_new = push.commit_edit(repository, edit.path, message, f"{entry.kind} {entry.id}", who)
            except RepositoryError as error:
                refused[edit.path] = error.what
                push.restore(repository, edit.path)
                continue
            last = max(last, entry.modified_gmt)
            if is_new:
                authors[edit.path] = author
    if refused:
        with there.state(writable=True) as state:
            state.put(*(before[path] for path in refused))
            state.save("Pull")
    if len(pulled) > len(refused) and not site.reference:
        # The commit has the time of the last edit, so that the same edits make the same commit.
        message = push.OF_MANIFEST.format(_inert(site.name))
        push.commit_edit(repository, site.manifest, message, "manifest", _when(last))
    return authors, refused


def _unseen(planned: PlannedRun, path: str) -> str:
    """Say why the text of a record is not proposed: visitors of the site do not see it any more."""
    entry = planned.entries.get(path)
    conflict = entry.conflict if entry else {}
    status = conflict.get("status", "")
    if status in _UNSEEN:
        return f"on the site it is not public any more ({status}), so its text stays there"
    return (
        "somebody gave it a password on the site, so its text stays there" if "password" in conflict else ""
    )


def _why_left(pulled: Pulled) -> str:
    if pulled.conflicts:
        return "both sides changed the same place: `pressync pull` in a clone shows both"
    return "" if pulled.taken else "; ".join(pulled.problems)


def _editor(service: Service, url: str, entry: Entry) -> tuple[str, dict[str, str]]:
    """Give the name of the last editor, "" if the site does not tell, and Git's variables for a commit."""
    last = None
    # Only its users see who edited a record on some sites.
    with suppress(ServiceError):
        last = service.facts.last_revision(entry.kind, entry.id) if service.facts else None
    if last is None or not last.slug:
        return "", _when(entry.modified_gmt)
    host = (parts := split(url)) and parts.hostname
    name = next(filter(None, map(_git_name, (last.name, last.slug, host or ""))), "the site")
    # It is not the person's own address, which the site may not show to everybody.
    mail = f"{last.slug}@users.noreply.{host}"
    return name, {"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": mail, **_when(entry.modified_gmt)}


def _git_name(text: str) -> str:
    """Give a name as Git writes it: without the characters that separate parts of a commit; maybe ""."""
    return "".join(one_line(text).split("<")).replace(">", "").strip(_STRIPPED)


def _when(moment: str) -> dict[str, str]:
    """Give the time of an edit to Git, or the first day that it takes: a site may name any time, or none."""
    try:
        year = datetime.fromisoformat(moment.removesuffix("Z")).year
    except ValueError:
        year = 0
    time = f"{moment.removesuffix('Z')}Z" if year in _YEARS else "1970-01-02T00:00:00Z"
    return {"GIT_AUTHOR_DATE": time, "GIT_COMMITTER_DATE": time}


def _inert(text: str) -> str:
    """Let a text in the message of a commit mention nobody and close nothing."""
    return (
        one_line(text)
        .replace("#", f"#{_NOTHING}")
        .replace("@", f"@{_NOTHING}")
        .replace("://", f":{_NOTHING}//")
    )


def keep(workspace: Workspace, made: Proposal) -> bool:
    """Let the branch of this clone have the commits of a proposal; tell whether there are any.

    :raises SafetyRefusal: people use the branch, or the remote lacks HEAD.
    """
    branch = push.RemoteBranch(workspace.repository, BRANCH)
    branch.require_pushed(made.commit and made.base, made.into)
    if made.commit:
        branch.keep(made.commit, made.base)
    return bool(made.commit)


def publish(workspace: Workspace, made: Proposal, options: Collection[str] = ()) -> str | None:
    """Let the branch of the remote have exactly the commits of a proposal.

    Give what the remote said to the push with these `options`; None if the remote then
    lacks the branch. A branch without an edit is removed, and the forge closes its pull request with it.

    :raises SafetyRefusal: people use the branch, or the remote lacks HEAD.
    :raises RepositoryError: the remote refuses.
    """
    branch = push.RemoteBranch(workspace.repository, BRANCH)
    branch.require_pushed(made.commit and made.base, made.into)
    tip = branch.tip()
    if tip == made.commit:
        return "" if tip else None
    if tip:
        branch.require_ours(tip, made.base)
    if made.commit:
        return branch.put(made.commit, tip, options)
    branch.remove(tip)
    return None
