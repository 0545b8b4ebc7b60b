"""Answers a run that has no stamp and little to do: it compares the manifest with HEAD, and makes no plan.

A plan of 100,000 records takes six times as long as Click and `git status`. This module decides nothing about
changes. It gives no answer if any fact that a plan would look for is unusual; then the plan is made.
"""

from __future__ import annotations

import os
import re
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from pressync.app import up_to_date
from pressync.repo import discover

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.app.up_to_date import Stamp
    from pressync.config.settings import Settings
    from pressync.model.interface import SiteTypes
    from pressync.plan.side_by_side import SideBySide
    from pressync.repo.discover import RepositoryPaths
    from pressync.state.clone_files import CloneFiles
    from pressync.state.manifest.rows import SortedRows

_COMMIT = re.compile("[0-9a-f]{40,64}")


def find(
    directory: Path, *, site: str | None, config_file: Path | None, environ: Mapping[str, str] = os.environ
) -> Stamp | None:
    """Read the stamp, or compare HEAD with the manifest and write the stamp; None if only a plan can tell."""
    location = discover.at_head(directory)
    if location is None:
        return None
    stamp = up_to_date.read(location, site=site, config_file=config_file)
    if stamp:
        return stamp
    from pressync.model.errors import PressyncError  # noqa: PLC0415 - a run with a stamp needs no errors

    try:
        return _compared(location, environ, site, config_file)
    except (PressyncError, OSError):
        # The plan meets the same fault, and says where it is and what to do.
        return None


def _compared(
    location: RepositoryPaths, environ: Mapping[str, str], site: str | None, config_file: Path | None
) -> Stamp | None:
    # A run with a stamp loads none of these.
    from pressync.client.dialects import capabilities_of  # noqa: PLC0415
    from pressync.config import settings  # noqa: PLC0415
    from pressync.state.clone_files import CloneFiles  # noqa: PLC0415

    file = str(discover.settings_file(location.root, config_file))
    state_of_settings = up_to_date.file_state(file)
    text = settings.read_text(location.root, location.common, config_file)
    loaded = settings.load(text.text, where=text.where, environ=environ, site=site)
    own = settings.with_schema(loaded, location.root, location.common, text)
    if own.site.reference or not up_to_date.is_on(location, own.site.branch):
        return None
    # A manifest behind a symbolic link may be outside the work tree.
    root, name = os.path.realpath(location.working), os.path.normpath(own.site.manifest)
    if os.path.realpath(os.path.join(root, name)) != os.path.join(root, name):  # noqa: PTH118 - as in `up_to_date`
        return None
    clone_files = CloneFiles.of(_home(location, own), own.site.name)
    manifest = location.working / own.site.manifest
    files = up_to_date.files_of(own, location.working, str(manifest), clone_files)
    facts = up_to_date.facts(location, files, config_file)
    if facts is None:
        return None
    both = _both_sides(location, own, manifest, clone_files)
    if both is None or state_of_settings != up_to_date.file_state(file):
        return None
    kept, readable = both.count, capabilities_of(own.site.dialect).read
    stamp = up_to_date.stamp_of(location, files, own.site.name, own.site.target, kept, readable=readable)
    if both.former:
        from pressync.content.basis import marked  # noqa: PLC0415 - few sites have such records
        from pressync.plan.notes import former_remarks  # noqa: PLC0415 - as above

        stamp = stamp._replace(remarks=up_to_date.lasting(former_remarks(marked(both.former))))
    noted = Path(up_to_date.stamp_file(location.common, site, config_file))
    up_to_date.write_at(noted, stamp, [own.site.branch or "", *files], facts)
    return stamp


def _home(location: RepositoryPaths, settings: Settings) -> Path:
    """Give the folder that has what this clone knows of its site."""
    if settings.site.url:
        return location.common
    from pressync.app import embedded_server  # noqa: PLC0415 - a site with an address does not need it

    return embedded_server.home(location.root, location.git, location.common)


def _both_sides(
    location: RepositoryPaths, settings: Settings, manifest: Path, files: CloneFiles
) -> SideBySide | None:
    """Compare both; None if a plan may change a record, or may have more to say."""
    from pressync.plan.side_by_side import SideBySide  # noqa: PLC0415 - as in `_compared`
    from pressync.state.clone_log import CloneLog  # noqa: PLC0415

    commit, types = location.commit, settings.types
    with discover.blobs(location) as read, ExitStack() as opened:
        # The manifest must have the records of this clone's copy, if there is one: the same bytes.
        if files.made.exists() and not _rows(opened, manifest, types).has_same(
            _rows(opened, files.made, types)
        ):
            return None
        listed = discover.pieces(location.working, commit)
        both = SideBySide(settings, listed, _rows(opened, manifest, types), read)
        # A run from a commit that HEAD lacks may have sent what the manifest no longer says.
        sent = CloneLog(files, settings.site.target, settings.types).commits().values()
        if not both.are_equal():
            return None
        commits = {*both.commits, *sent} - {"", commit}
        # A shallow clone cannot tell whether HEAD descends from them.
        if not commits or (location.common / "shallow").exists():
            return both
        are_ids = all(map(_COMMIT.fullmatch, commits))
        return both if are_ids and discover.descends_from_all(location.working, commit, commits) else None


def _rows(opened: ExitStack, file: Path, types: SiteTypes) -> SortedRows:
    from pressync.state.manifest.rows import SortedRows  # noqa: PLC0415 - as in `_compared`

    return SortedRows(opened.enter_context(file.open("rb")), where=str(file), types=types)
