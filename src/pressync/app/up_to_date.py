"""Answers a run that has nothing to do: a stamp of the last such run is compared with the facts of now.

This module imports nothing heavy and calls Git twice. The stamp lies in the Git common directory and holds
every fact that could change the answer, so an outdated stamp gives no answer. `hooks.cache` writes the same
facts as tests for the shell.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from pressync import __version__
from pressync.repo import discover

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pressync.app.workspace import Workspace
    from pressync.config.settings import Settings
    from pressync.model.changes import Plan
    from pressync.model.reason import Reason
    from pressync.repo.discover import RepositoryPaths
    from pressync.state.clone_files import CloneFiles


class Stamp(NamedTuple):
    """The last run that found everything up to date: its site and target, the commit now, how many records.

    `readable` tells whether the site can be read, so that edits on it can be found. `folders` are those of
    the content and the templates. `manifest` is the file that people have to commit, if there is one.
    `remarks` is the JSON of what every plan says until files change; most sites have none.
    """

    site: str
    target: str
    commit: str
    kept: int
    readable: bool
    folders: tuple[str, ...] = ()
    manifest: str = ""
    remarks: str = ""


class SiteFiles(NamedTuple):
    """The folders and files of one site; `manifest` may also name a Git reference."""

    content: str
    templates: str
    manifest: str
    journal: str
    schema: str


def files_of(settings: Settings, root: Path, manifest: str, clone: CloneFiles) -> SiteFiles:
    """Name the files of the settings' site; `root` is that of the work tree, or the bare repository."""
    from pressync.config.settings import schema_path  # noqa: PLC0415 - only a read must be cheap

    schema = str(root / schema_path(settings.site.name))
    return SiteFiles(settings.content, settings.templates, manifest, str(clone.journal), schema)


class Fact(NamedTuple):
    """One thing that the answer depends on; `names` are those of variables, a file, a reference or folders.

    The kinds are: the values of `variables`; size, time and inode of a `file`; the `empty` file, which gives
    no answer once it has content; the commit of a `reference`; and the ids of `trees` in the commit.
    """

    kind: Literal["variables", "file", "empty", "reference", "trees"]
    names: tuple[str, ...]


def settings_facts(file: str | None) -> list[Fact]:
    """List the facts that decide what the settings are; secrets decide nothing."""
    variables = Fact("variables", ("PRESSYNC_URL", "PRESSYNC_DIALECT", "PRESSYNC_USER", "PRESSYNC_SITE"))
    return [variables, *([Fact("file", (file,))] if file else [])]


def site_facts(files: SiteFiles) -> list[Fact]:
    """List the facts that decide whether one site is up to date with a commit.

    A manifest in a reference is known by the commit in this clone. Later writes of other machines are not
    fetched: they change nothing that this clone would send.
    """
    kind: Literal["file", "reference"] = "reference" if files.manifest.startswith("refs/") else "file"
    return [
        Fact("empty", (files.journal,)),
        Fact(kind, (files.manifest,)),
        Fact("file", (files.schema,)),
        Fact("trees", (files.content or ".", files.templates or ".")),
    ]


def read(location: RepositoryPaths | None, *, site: str | None, config_file: Path | None) -> Stamp | None:
    """Read the stamp of a working tree; None if there is none, or if any fact has changed since."""
    if location is None:
        return None
    file = stamp_file(location.common, site, config_file)
    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as stamp:  # noqa: PTH123 - pathlib doubles the cost
            lines = stamp.read().split("\n")
        name, target, kept, readable, branch, *names = lines[0].split("\t")
        files = SiteFiles(*names)
    except (OSError, ValueError, TypeError):
        return None
    if not is_on(location, branch):
        return None
    now = facts(location, files, config_file)
    if now is None or now != lines[1:]:
        return None
    whole, _, remarks = kept.partition(" ")
    current = stamp_of(location, files, name, target, int(whole), readable=bool(readable))
    return current._replace(remarks=remarks)


def is_on(location: RepositoryPaths, branch: str | None) -> bool:
    """Tell whether HEAD is on the branch from which a site is synced; without one, every branch will do."""
    return not branch or location.branch == f"refs/heads/{branch}"


def stamp_of(
    location: RepositoryPaths, files: SiteFiles, site: str, target: str, kept: int, *, readable: bool
) -> Stamp:
    """Make the stamp of a site of a working tree."""
    # The manifest of the embedded service belongs to this clone, so nobody commits it.
    is_committed = not (files.manifest.startswith("refs/") or target == "embedded")
    manifest = os.path.relpath(files.manifest, location.working) if is_committed else ""
    folders = (files.content, files.templates)
    return Stamp(site, target, location.commit, kept, readable, folders, manifest)


def write(workspace: Workspace, plan: Plan, *, site: str | None, config_file: Path | None) -> None:
    """Write the stamp if a plan of HEAD found everything up to date; remove it otherwise."""
    root = workspace.repository.root
    location = discover.at_head(root) if root else None
    if location is None:
        return
    file, settings = Path(stamp_file(location.common, site, config_file)), workspace.settings
    files = files_of(settings, location.working, workspace.manifest_place, workspace.clone_files)
    # The facts are read before the settings are read again, so an edit in between shows in one of the two.
    values = facts(location, files, config_file)
    # An empty plan gets no stamp: its note says where to put a first document. Neither does a plan with
    # moved files: the next sync still has to write their new paths into the manifest.
    is_up_to_date = plan.changes and plan.settled and not plan.refusals
    if (
        values
        and is_up_to_date
        and location.commit == plan.commit
        and _are_settings_unchanged(workspace, site, config_file)
    ):
        readable, kept = workspace.capabilities.read, len(plan.changes) + plan.unlisted
        stamp = stamp_of(location, files, settings.site.name, settings.site.target, kept, readable=readable)
        stamp = stamp._replace(remarks=lasting(plan.remarks))
        write_at(file, stamp, [settings.site.branch or "", *files], values)
    else:
        with suppress(OSError):
            file.unlink(missing_ok=True)


def lasting(remarks: Iterable[Reason]) -> str:
    """Write those of the remarks that hold until files change as JSON, on one line; "" if there are none."""
    from pressync.model.reason import ReasonCode  # noqa: PLC0415 - only a read must be cheap

    codes = (ReasonCode.FORMER_FORM, ReasonCode.KEPT_RULE)
    rows = [{**remark.document, "message": str(remark)} for remark in remarks if remark.code in codes]
    if not rows:
        return ""
    import json  # noqa: PLC0415 - few sites have such records

    return json.dumps(rows)


def write_at(file: Path, stamp: Stamp, rest: Sequence[str], values: Sequence[str]) -> None:
    """Write a stamp and the values of its facts; `rest` are the site's branch and its `SiteFiles`."""
    from pressync.state import atomic_files  # noqa: PLC0415 - only a read must be cheap

    readable = "readable" if stamp.readable else ""
    kept = f"{stamp.kept} {stamp.remarks}".rstrip()
    head = (stamp.site, stamp.target, kept, readable, *rest)
    # In a clone that cannot be written to, every run compares everything.
    with suppress(OSError):
        file.parent.mkdir(mode=atomic_files.PRIVATE_FOLDER, parents=True, exist_ok=True)
        atomic_files.make_private(file.parent)
        with atomic_files.open_private(file) as written:
            written.write("\n".join(["\t".join(head), *values]).encode(errors="surrogateescape"))


def _are_settings_unchanged(workspace: Workspace, site: str | None, config_file: Path | None) -> bool:
    """Tell whether the settings are still those of the workspace: people may edit them during a long sync."""
    from pressync.config import settings as config  # noqa: PLC0415 - only a read must be cheap
    from pressync.model.errors import ConfigError  # noqa: PLC0415 - the same

    try:
        settings_text = config.find_text(workspace.repository, config_file)
        now = config.load(settings_text.text, where=settings_text.where, environ=workspace.environ, site=site)
    except ConfigError:
        return False
    before = workspace.settings
    return (now.content, now.templates, now.site) == (before.content, before.templates, before.site)


def facts(location: RepositoryPaths, files: SiteFiles, config_file: Path | None) -> list[str] | None:
    """Read the value of every fact, as lines; None if a fact allows no answer."""
    settings = discover.settings_file(location.root, config_file)
    lines = [__version__, str(location.root)]
    for kind, names in (*settings_facts(str(settings)), *site_facts(files)):
        match kind:
            case "variables":
                lines.append("\t".join(os.environ.get(name, "") for name in names))
            case "file":
                lines.append(file_state(*names))
            case "empty":
                if os.path.exists(*names) and os.path.getsize(*names):
                    return None
            case "reference":
                lines.append(discover.commit(location.working, *names) or "none")
            case "trees":
                trees = discover.trees(location.working, location.commit, names)
                if trees is None:
                    return None
                lines += trees
    return lines


def file_state(path: str) -> str:
    """Give size, time and inode of a file: Git's index compares the same to find changed files."""
    try:
        status = os.stat(path)  # noqa: PTH116 - pathlib doubles the cost
    except OSError:
        return "none"
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ino}"


def stamp_file(common: Path, site: str | None, config_file: Path | None) -> str:
    """Name the file of a stamp; `site` and `config_file` are as the command line has them."""
    name = f"{site or ''}{f'-{config_file}' if config_file else ''}".replace("/", "%")
    return os.path.join(common, "pressync", f"{name or 'any'}.seen")  # noqa: PTH118 - pathlib doubles the cost
