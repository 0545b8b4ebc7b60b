"""Finds the synced commits that HEAD does not descend from, and says whether a pull brings them.

The manifest names commits that other people synced. A clone that has not pulled lacks these commits, and
looks like a clone with a rewritten history. The two need opposite answers: a pull, or `--allow-rewind`. That
option would send old texts over those of the people who pushed first.
"""

from __future__ import annotations

from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING

from pressync.model.bounds import MANIFEST
from pressync.model.changes import Refusal
from pressync.model.printable import listed

if TYPE_CHECKING:
    from collections.abc import Collection

    from pressync.config.settings import Site
    from pressync.repo.repository import Repository

NOT_PULLED, _REWRITTEN = "not_pulled", "rewritten_history"


@dataclass(frozen=True, slots=True)
class Lineage:
    """Whether HEAD has what was synced: the refusal if it has not.

    `replaced` are commits that HEAD does not descend from, although it has all that they sent.
    """

    refusal: Refusal | None = None
    replaced: frozenset[str] = frozenset()


def lineage(
    repository: Repository,
    site: Site,
    synced: Collection[str],
    head: str,
    changed: Collection[str] | None = None,
) -> Lineage:
    """Judge whether HEAD has all that was synced; a shallow clone cannot tell.

    The plan changes what was sent from the commits `changed`, and keeps all else; None if that is not known.
    """
    if not synced or repository.shallow:
        return Lineage()
    present = repository.history.known(synced)
    strays, unknown = repository.history.non_ancestors(present, head), frozenset(synced) - present
    if not strays and not unknown:
        return Lineage()
    upstream = _upstream(repository, site)
    if upstream and (theirs := repository.history.ancestors(strays, upstream)):
        there = f"HEAD {head[:10]} lacks {_named(theirs)}, synced before and on {short_name(upstream)}"
        return Lineage(Refusal(NOT_PULLED, f"{there}; {first_pull(repository, site)}"))
    is_rebased = bool(strays) and repository.history.has_changes(strays, head)
    away = unknown if is_rebased else strays | unknown
    if not away or (changed is not None and away.isdisjoint(changed)):
        return Lineage(replaced=strays | unknown)
    rewritten = (
        f"HEAD {head[:10]} does not descend from {_named(away)}, synced before: it is another branch, a "
        "reset or a rewritten history; if this is intended, `pressync sync --allow-rewind`"
    )
    if unknown and repository.port.remotes():
        lacks = f"this clone lacks {_named(unknown)}, synced before"
        # A reference arrives without the commits that it names. A fetch after its last run brings them.
        if site.reference and repository.was_fetched_after(site.reference):
            rewritten = (
                f"{lacks}, and the last fetch did not bring that: somebody did not push, or has rebased or "
                "rewritten since. A `git push` in the clone that made the commit ends this. After a rebase, "
                "a sync in the clone that did it ends this; if somebody meant to rewrite it, "
                "`pressync sync --allow-rewind`"
            )
        elif site.reference or _may_come(repository, site, unknown, upstream, head):
            return Lineage(Refusal(NOT_PULLED, f"{lacks}; {first_pull(repository, site)}"))
    return Lineage(Refusal(_REWRITTEN, rewritten))


def _named(commits: Collection[str]) -> str:
    return f"commit {listed([commit[:10] for commit in sorted(commits)], 1)}"


def first_pull(repository: Repository, site: Site) -> str:
    """Say how the commits of others come to this branch."""
    if tracked := repository.history.upstream():
        return first(repository, bring_in(tracked))
    pull = f"git pull {quote(site.remote or 'origin')} {quote(repository.branch or '')}"
    return first(repository, pull if repository.branch else "git fetch")


def first(repository: Repository, pull: str) -> str:
    """Say to run a command that pulls; amid a merge, say to finish the merge."""
    if repository.port.resolve("MERGE_HEAD"):
        # Git refuses another pull until then.
        return "finish the merge first: `git commit`"
    return f"pull first: `{pull}`"


def bring_in(upstream: str) -> str:
    """Give the command that brings the commits of an upstream into HEAD's branch."""
    is_remote = upstream.startswith("refs/remotes/")
    return "git pull" if is_remote else f"git merge {quote(short_name(upstream))}"


def _upstream(repository: Repository, site: Site) -> str:
    """Name the upstream, or the remote's branch of the same name, as Git fetched it last; "" for neither."""
    branch = repository.branch or site.branch
    for name in (repository.history.upstream(), f"refs/remotes/{site.remote or 'origin'}/{branch}"):
        if name and repository.history.commit(name):
            return name
    return ""


def _may_come(repository: Repository, site: Site, unknown: Collection[str], upstream: str, head: str) -> bool:
    """Tell whether a pull may bring commits that the manifest's file names."""
    if upstream and not repository.port.is_ancestor(upstream, head):
        return True
    # A file arrives together with the commits that it names. A squash or a rebase has dropped them.
    committed = repository.text(repository.port.resolve(f"{head}:{site.file}") or "", MANIFEST) or ""
    return any(commit not in committed for commit in unknown)


def short_name(reference: str) -> str:
    """Give the name of a branch as people write it."""
    return reference.removeprefix("refs/remotes/").removeprefix("refs/heads/")
