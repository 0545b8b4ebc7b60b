"""The merge driver that Git calls for manifests, and its installation in a clone.

Git uses the text that the driver leaves in our file as the merge. So a manifest that cannot be merged is left
with conflict markers around both whole sides: the next command refuses it, and no id is lost silently.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from pressync.app.init import WrittenFile, with_lines
from pressync.model.bounds import MANIFEST, FileTooLarge
from pressync.model.errors import ManifestError, RepositoryError, StorageError
from pressync.repo import work_tree
from pressync.repo.work_tree import refuse_symlink
from pressync.state import atomic_files
from pressync.state.manifest.codec import decode
from pressync.state.manifest.merge import merge

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.app.workspace import Workspace
    from pressync.model.records import Manifest
    from pressync.repo.repository import Repository

ATTRIBUTES = ".gitattributes"
_NAME = "merge.pressync.name"
_DRIVER = "merge.pressync.driver"
_DESCRIPTION = "pressync's manifests, record by record"


def merge_files(base: Path, ours: Path, theirs: Path, name: str) -> tuple[str, ...]:
    """Merge `theirs` into `ours`; the files are Git's %O, %A and %B. Messages call the manifest `name`.

    Returns one sentence for each conflict that a person has to settle; a clean merge has none.

    :raises ManifestError: a file is larger than a manifest may be.
    :raises StorageError: a file cannot be read or written.
    """
    try:
        texts = [work_tree.read(path, MANIFEST) for path in (base, ours, theirs)]
    except FileTooLarge as error:
        raise ManifestError(f"it cannot be merged: {error.what}", where=name, todo=error.todo) from error
    except OSError as error:
        raise StorageError(f"it cannot be merged ({error.strerror})", where=name) from error
    try:
        merged = merge(_common(texts[0]), *(_side(text, name) for text in texts[1:]))
    except ManifestError as error:
        _write(
            ours, b"<<<<<<< ours\n%s\n=======\n%s\n>>>>>>> theirs\n" % (texts[1].strip(), texts[2].strip())
        )
        return (f"{error.what}; both sides are in it, whole",)
    _write(ours, merged.text.encode())
    return tuple(clash.what for clash in merged.clashes)


def install(workspace: Workspace) -> tuple[WrittenFile, ...]:
    """Make Git in this clone call the driver for this site's manifest; a second call is harmless.

    :raises RepositoryError: there is no working tree, or Git's settings cannot be written.
    :raises ConfigError: .gitattributes is a link.
    """
    root = workspace.repository.root
    if root is None:
        raise RepositoryError(
            "a bare repository cannot merge", todo="install it in a clone that merges branches"
        )
    refuse_symlink(root, ATTRIBUTES)
    return (
        configure(workspace.repository),
        _attributed(root / ATTRIBUTES, pattern(workspace.settings.site.file)),
    )


def configure(repository: Repository) -> WrittenFile:
    """Make Git in this clone know the driver.

    :raises RepositoryError: Git's settings cannot be written.
    """
    # The command names this Python, because `pressync` need not be on the PATH of a merge. Git starts it at
    # the root of the working tree: `-P` stops Python from importing modules that are committed there.
    driver = f"{shlex.quote(sys.executable)} -P -m pressync manifest merge %O %A %B %P"
    repository.port.configure(_NAME, _DESCRIPTION)
    repository.port.configure(_DRIVER, driver)
    return WrittenFile(f"git config {_DRIVER}", written=True, words=driver)


def pattern(name: str) -> str:
    """Give the pattern of .gitattributes that covers the manifests of all sites in the folder of one."""
    folder = PurePosixPath(name).parent.as_posix()
    return f"/{name}" if folder == "." else f"/{folder}/*.json"


def _attributed(path: Path, covered: str) -> WrittenFile:
    line = f"{covered} merge=pressync"
    try:
        before = path.read_bytes().decode() if path.exists() else ""
        if line in before.splitlines():
            return WrittenFile(ATTRIBUTES, written=False, words=f"it has {line} already")
        atomic_files.replace(path, with_lines(before, line).encode())
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(f"it cannot be written ({error})", where=ATTRIBUTES) from error
    return WrittenFile(ATTRIBUTES, written=True, words=f"{line}; commit it")


def _common(data: bytes) -> Manifest | None:
    """Read the last common state; None if there is none that can be read, so both sides count in full."""
    try:
        return _side(data, "base") if data else None
    except ManifestError:
        return None


def _side(data: bytes, name: str) -> Manifest:
    return decode(data.decode(errors="replace"), where=name)


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise StorageError(f"the merge cannot be written ({error.strerror})", where=str(path)) from error
