"""What `git add --all` and `git commit` do in a plain repository, without their two processes.

The tests make some thousand commits, most of them of one or two files. Whoever wants hooks, filters, ignored
files, merges or another index gets Git itself.
"""

from __future__ import annotations

import os
import re
import stat
import struct
import time
import zlib
from hashlib import sha1
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

# What `git init` and `git clone` write.
CONFIG = """\
[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlogallrefupdates = true
"""
_REMOTES = re.compile(r'(?:\[(?:remote|branch) "[^"\n]*"\]\n|\t(?:url|fetch|remote|merge) = .*\n)*')
_FILES = frozenset(
    {
        *("branches", "config", "description", "HEAD", "hooks", "info", "objects", "refs", "index", "logs"),
        *("COMMIT_EDITMSG", "packed-refs", "FETCH_HEAD", "ORIG_HEAD", "pressync"),
    }
)
# With one of these in a work tree, Git decides what is added, and how.
_DECIDING = frozenset({".git", ".gitignore", ".gitattributes", ".gitmodules"})
_VARIABLES = re.compile(
    r"GIT_(?:CONFIG_(?:GLOBAL|SYSTEM)|CEILING_DIRECTORIES|(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL))"
)
_MESSAGE = re.compile(r"\S+(?: \S+)*(?:\n{1,2}\S+(?: \S+)*)*")
_MANY = 200
_NONE = "0" * 40
_LENGTH = 0xFFF


class _File(NamedTuple):
    path: bytes
    about: os.stat_result
    mode: int
    blob: bytes


def commit(root: Path, message: str, person: str) -> str | None:
    """Commit all files, and give the id of the commit; None if this needs Git itself."""
    git = root / ".git"
    head = _branch(git)
    if head is None or not _MESSAGE.fullmatch(message):
        return None
    branch = git / head
    if not branch.is_file() and (git / "packed-refs").exists():
        return None
    try:
        files = sorted(_files(git, root, ""))
    except _NotPlain:
        return None
    parent = branch.read_text().strip() if branch.is_file() else ""
    now = time.time()
    who = f"{person} {int(now)} {time.strftime('%z', time.localtime(now))}"
    lines = [f"tree {_tree(git, files, 0).hex()}", *([f"parent {parent}"] if parent else [])]
    text = "\n".join([*lines, f"author {who}", f"committer {who}", "", f"{message}\n"])
    made = _write(git, b"commit", text.encode()).hex()
    (git / "index").write_bytes(_index(files))
    kind = "commit" if parent else "commit (initial)"
    note = f"{parent or _NONE} {made} {who}\t{kind}: {message.partition(chr(10))[0]}\n"
    for log in (git / "logs" / "HEAD", git / "logs" / head):
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a", encoding="utf-8") as file:
            file.write(note)
    branch.parent.mkdir(parents=True, exist_ok=True)
    branch.write_text(f"{made}\n", encoding="ascii")
    return made


class _NotPlain(Exception):  # noqa: N818 - an expected event: Git goes on
    """Git itself must decide about a file."""


def is_plain(environ: Mapping[str, str]) -> bool:
    """Whether no variable of Git has an effect on a commit."""
    return all(_VARIABLES.fullmatch(name) for name in environ if name.startswith("GIT_"))


def _branch(git: Path) -> str | None:
    """Give the reference that HEAD is on; None if the repository has more than `git init` made."""
    try:
        if not _FILES.issuperset(each.name for each in git.iterdir()):
            return None
        config, head = (git / "config").read_text(), (git / "HEAD").read_text()
        index = git / "index"
        hooks = [each for each in (git / "hooks").iterdir() if each.suffix != ".sample"]
        told = [line for file in (git / "info").iterdir() for line in file.read_text().split("\n")]
    except OSError:
        return None
    is_settled = config.startswith(CONFIG) and _REMOTES.fullmatch(config[len(CONFIG) :])
    is_second_version = not index.exists() or index.read_bytes()[4:8] == b"\0\0\0\2"
    if hooks or not is_settled or not is_second_version or any(line[:1] not in {"", "#"} for line in told):
        return None
    return head[5:].strip() if head.startswith("ref: refs/heads/") else None


def _files(git: Path, folder: Path, prefix: str) -> Iterator[_File]:
    """Write the blobs of a folder, and give its files."""
    entries = list(folder.iterdir())
    if len(entries) > _MANY:
        raise _NotPlain
    for entry in entries:
        if entry == git:
            continue
        if entry.name.lower() in _DECIDING:
            raise _NotPlain
        path, about = prefix + entry.name, entry.lstat()
        if stat.S_ISDIR(about.st_mode):
            yield from _files(git, entry, f"{path}/")
            continue
        if stat.S_ISLNK(about.st_mode):
            mode, data = 0o120000, os.fsencode(entry.readlink())
        elif stat.S_ISREG(about.st_mode):
            mode, data = 0o100755 if about.st_mode & 0o100 else 0o100644, entry.read_bytes()
        else:
            raise _NotPlain
        yield _File(os.fsencode(path), about, mode, _write(git, b"blob", data))


def _tree(git: Path, files: list[_File], depth: int) -> bytes:
    """Write the tree of these files, which are sorted and have a folder of this depth in common."""
    rows: dict[bytes, bytes] = {}
    below: dict[bytes, list[_File]] = {}
    for file in files:
        name, *rest = file.path.split(b"/")[depth:]
        if rest:
            below.setdefault(name, []).append(file)
        else:
            rows[name] = b"%o %s\0%s" % (file.mode, name, file.blob)
    for name, some in below.items():
        # Git sorts a folder as if its name ended with a slash.
        rows[name + b"/"] = b"40000 %s\0%s" % (name, _tree(git, some, depth + 1))
    return _write(git, b"tree", b"".join(rows[name] for name in sorted(rows)))


def _write(git: Path, kind: bytes, data: bytes) -> bytes:
    """Write an object, and give its id."""
    whole = b"%s %d\0%s" % (kind, len(data), data)
    made = sha1(whole, usedforsecurity=False)
    name = made.hexdigest()
    file = git / "objects" / name[:2] / name[2:]
    if not file.exists():
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(zlib.compress(whole, 1))
        file.chmod(0o444)
    return made.digest()


def _index(files: list[_File]) -> bytes:
    rows = [struct.pack(">4sLL", b"DIRC", 2, len(files))]
    for path, about, mode, blob in files:
        times = (each for ns in (about.st_ctime_ns, about.st_mtime_ns) for each in divmod(ns, 10**9))
        numbers = (about.st_dev, about.st_ino, mode, about.st_uid, about.st_gid, about.st_size)
        fixed = struct.pack(
            ">10L20sH", *(n & 0xFFFFFFFF for n in (*times, *numbers)), blob, min(len(path), _LENGTH)
        )
        row = fixed + path
        rows.append(row + b"\0" * (8 - len(row) % 8))
    text = b"".join(rows)
    return text + sha1(text, usedforsecurity=False).digest()
