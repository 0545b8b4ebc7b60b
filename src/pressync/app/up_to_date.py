"""The answer for a run with nothing to do: remembered, and checked against Git's tree ids in two calls.

It may import nothing heavy: this is the whole of what an unchanged run costs beside Python and Click.
What is remembered lives in the Git common directory, never committed; everything that could change the
answer is in it (tree ids of content and templates, configuration, environment, the manifest's file and
the absence of a journal), so a stale answer is never given, only no answer.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pressync import __version__

if TYPE_CHECKING:
    from pressync.app.workspace import Workspace
    from pressync.model.changes import Plan

# The environment that settings come from; secrets do not decide what is in step.
_VARIABLES = ("PRESSYNC_URL", "PRESSYNC_DIALECT", "PRESSYNC_USER", "PRESSYNC_SITE")


class Stamp(NamedTuple):
    """What the last look found in step: the site and its target, the commit now, how many records.

    `readable` tells whether somebody could look at the site for what others did there; `folders` are those
    of the content and the templates, `manifest` is the file that people have to commit, if there is one.
    """

    site: str
    target: str
    commit: str
    kept: int
    readable: bool
    folders: tuple[str, ...] = ()
    manifest: str = ""


class _Files(NamedTuple):
    """Where that is which the answer depends on."""

    content: str
    templates: str
    manifest: str
    journal: str


class _Location(NamedTuple):
    root: str
    common: str
    commit: str
    head: str


def read(directory: Path, *, site: str | None, config_file: Path | None) -> Stamp | None:
    """Tell whether nothing has changed since everything was found in step; None when that is not known."""
    place = _place(directory)
    if place is None:
        return None
    file = _file(place.common, site, config_file)
    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as seen:  # noqa: PTH123 - pathlib doubles the cost
            lines = seen.read().split("\n")
        name, target, kept, readable, branch, *names = lines[0].split("\t")
        files = _Files(*names)
    except (OSError, ValueError, TypeError):
        return None
    if branch and place.head != f"refs/heads/{branch}":
        return None
    now = _facts(place, files, config_file)
    if now is None or now != lines[1:]:
        return None
    # That of the embedded service is this clone's own.
    commits = not (files.manifest.startswith("refs/") or target == "embedded")
    manifest = os.path.relpath(files.manifest, place.root) if commits else ""
    folders = (files.content, files.templates)
    return Stamp(name, target, place.commit, int(kept), bool(readable), folders, manifest)


def write(workspace: Workspace, plan: Plan, *, site: str | None, config_file: Path | None) -> None:
    """Remember that a plan of HEAD found everything in step; anything else is forgotten."""
    from pressync.state import private_files  # noqa: PLC0415 - not needed to look

    root = workspace.repository.root
    place = _place(root) if root else None
    if place is None:
        return
    file = Path(_file(place.common, site, config_file))
    settings = workspace.settings
    files = _Files(
        settings.content, settings.templates, workspace.manifest_place, str(workspace.notes.journal)
    )
    # Looked up before the settings are read once more: an edit in between shows in the one or the other.
    facts = _facts(place, files, config_file)
    # An empty plan is not remembered: its note says where to put a first document. Nor is one with
    # files that moved: the sync after it still has to write their new paths into the manifest.
    in_step = plan.changes and plan.settled and not plan.refusals
    try:
        if facts and in_step and place.commit == plan.commit and _are_unchanged(workspace, site, config_file):
            told = (
                settings.site.name,
                settings.site.target,
                str(len(plan.changes)),
                "readable" if workspace.capabilities.read else "",
                settings.site.branch or "",
            )
            head = "\t".join((*told, *files))
            file.parent.mkdir(mode=private_files.FOLDER, parents=True, exist_ok=True)
            private_files.close(file.parent)
            with private_files.opened(file) as note:
                note.write("\n".join([head, *facts]).encode(errors="surrogateescape"))
        else:
            file.unlink(missing_ok=True)
    except OSError:
        # A clone that cannot be written to is looked at in full every time.
        return


def uncommitted(directory: Path, seen: Stamp) -> tuple[int, int]:
    """Count what the commit does not have: files with edits, and untracked ones."""
    status = _git(
        str(directory), "--no-optional-locks", "status", "--porcelain", "--untracked-files=all", "--",
        *(f":(top,literal){folder}" if folder else ":/" for folder in seen.folders),
    )  # fmt: skip
    rows = (status or "").splitlines()
    untracked = sum(row.startswith("??") for row in rows)
    return len(rows) - untracked, untracked


def manifest_status(directory: Path, seen: Stamp) -> str:
    """Tell what Git says of the manifest's file; nothing if it has it as it is."""
    question = ("--no-optional-locks", "status", "--porcelain", "--ignored", "--untracked-files=all", "--")
    return (seen.manifest and _git(str(directory), *question, f":(top,literal){seen.manifest}")) or ""


def _are_unchanged(workspace: Workspace, site: str | None, config_file: Path | None) -> bool:
    """Whether the settings are still those of the workspace: a sync may take longer than an edit."""
    from pressync.config import settings as config  # noqa: PLC0415 - not needed to look
    from pressync.model.errors import ConfigError  # noqa: PLC0415
    from pressync.repo import discover  # noqa: PLC0415 - not needed to look

    file = discover.settings_file(workspace.repository.root, config_file)
    try:
        text = file.read_text(encoding="utf-8") if file and file.is_file() else None
        flags = config.Flags(site)
        now = config.load(text, where=str(file), environ=workspace.environ, flags=flags)
    except (ConfigError, ValueError):
        return False
    before = workspace.settings
    return (now.content, now.templates, now.site) == (before.content, before.templates, before.site)


def _facts(place: _Location, files: _Files, config_file: Path | None) -> list[str] | None:
    """Write down everything that could change the answer, a line each; None when there can be no answer."""
    if os.path.exists(files.journal) and os.path.getsize(files.journal):  # noqa: PTH110, PTH202 - the same
        return None
    from pressync.repo import discover  # noqa: PLC0415 - `--help` does not need it

    settings = discover.settings_file(Path(place.root), config_file)
    trees = _git(
        place.root, "ls-tree", "--full-tree", place.commit, "--", files.content or ".", files.templates or "."
    )
    if trees is None:
        return None
    environment = "\t".join(os.environ.get(name, "") for name in _VARIABLES)
    return [
        __version__,
        place.root,
        environment,
        _stamp(str(settings)),
        _manifest_stamp(place.root, files.manifest),
        *trees.splitlines(),
    ]


def _manifest_stamp(root: str, name: str) -> str:
    """Stamp the manifest: its file, or the commit that its reference is at in this clone.

    What other machines have written since is not looked for: it changes nothing that this one would send.
    """
    if not name.startswith("refs/"):
        return _stamp(name)
    return (_git(root, "rev-parse", "--verify", "--quiet", name) or "none").strip()


def _stamp(path: str) -> str:
    """Size, time and inode of a file: what Git itself goes by to know that a file is the one it saw."""
    try:
        found = os.stat(path)  # noqa: PTH116 - pathlib doubles the cost
    except OSError:
        return "none"
    return f"{found.st_size} {found.st_mtime_ns} {found.st_ino}"


def _place(directory: Path) -> _Location | None:
    from pressync.repo import discover  # noqa: PLC0415 - `--help` does not need it

    found = discover.in_working_tree(directory, "HEAD", "--symbolic-full-name", "HEAD")
    if found is None or len(found.told) != 2:  # noqa: PLR2004 - the commit, and the branch
        return None
    return _Location(str(found.root), str(found.common), *found.told)


def _file(common: str, site: str | None, config_file: Path | None) -> str:
    name = f"{site or ''}{f'-{config_file}' if config_file else ''}".replace("/", "%")
    return os.path.join(common, "pressync", f"{name or 'any'}.seen")  # noqa: PTH118 - pathlib doubles the cost


def _git(directory: str, *arguments: str) -> str | None:
    from pressync.repo import run_git  # noqa: PLC0415 - `--help` does not need it

    return run_git.text(directory, *arguments)
