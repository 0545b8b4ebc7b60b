"""A simulated disk that loses data without a sync: it records the steps of a run and plays any power cut.

A killed process leaves its writes in the kernel's memory, so only a simulated disk can show a missing sync.
After a cut the disk has only what POSIX promises. Synced data is there. Of other data any part may be there,
in any order, block by block, and the last write byte by byte. A name is in its folder, and is safe once the
folder was synced.
"""

from __future__ import annotations

import itertools
import os
import random
import shutil
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pressync.state import atomic_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pytest

# Bytes that reach the disk together or not at all.
BLOCK = 128

_THOROUGH = 16

# What can be found by its name: the bytes of a file, None for a folder.
Image = dict[str, bytes | None]


class Node(NamedTuple):
    """A file or folder, whatever names lead to it."""

    number: int
    folder: bool


ROOT = Node(0, folder=True)


class Write(NamedTuple):
    """Bytes at an offset of a file."""

    node: Node
    offset: int
    data: bytes


class Resize(NamedTuple):
    """A file has this size from now on."""

    node: Node
    size: int


class Names(NamedTuple):
    """Names in a folder lead elsewhere from now on, all of them or none; None is nowhere."""

    node: Node
    changes: tuple[tuple[str, Node | None], ...]


class Sync(NamedTuple):
    """What was done to this file, or to the names in this folder, is on the disk."""

    node: Node


Change = Write | Resize | Names
Step = Change | Sync


@dataclass
class Disk:
    """Files and folders as they are at one moment."""

    files: defaultdict[Node, bytearray] = field(default_factory=lambda: defaultdict(bytearray))
    folders: defaultdict[Node, dict[str, Node]] = field(default_factory=lambda: defaultdict(dict))

    def copy(self) -> Disk:
        """Copy it whole."""
        made = Disk()
        made.files.update({node: bytearray(data) for node, data in self.files.items()})
        made.folders.update({node: dict(names) for node, names in self.folders.items()})
        return made

    def take(self, changes: Iterable[Change]) -> Disk:
        """Let changes have their effect, in their order."""
        for change in changes:
            match change:
                case Write(node, offset, data):
                    self.extend(node, offset)
                    self.files[node][offset : offset + len(data)] = data
                case Resize(node, size):
                    self.extend(node, size)
                    del self.files[node][size:]
                case Names(node, changes_):
                    for name, target in changes_:
                        self.folders[node].pop(name, None)
                        if target is not None:
                            self.folders[node][name] = target
        return self

    def extend(self, node: Node, size: int) -> None:
        """Let a file have at least this size, with NULs where nothing was written."""
        self.files[node].extend(bytes(max(size - len(self.files[node]), 0)))

    def nodes(self) -> dict[str, Node]:
        """Find everything that has a name, by its path."""
        found: dict[str, Node] = {}
        waiting = [("", ROOT)]
        while waiting:
            path, node = waiting.pop()
            found[path] = node
            if node.folder:
                waiting += [(f"{path}/{name}", inner) for name, inner in self.folders[node].items()]
        return found

    def image(self) -> Image:
        """Give what can be found by its name."""
        return {path: None if node.folder else bytes(self.files[node]) for path, node in self.nodes().items()}


class Recorder:
    """Notes every step below a folder while it is really done there."""

    def __init__(self, root: Path, start: Disk, steps: Sequence[Step] = ()) -> None:
        """Begin with what was on the disk, and the steps that were done since then."""
        self.start = start
        self.steps = list(steps)
        self._root = root
        seen = self.seen(len(self.steps))
        lay_out(seen.image(), root)
        self._nodes = {root / path.lstrip("/"): node for path, node in seen.nodes().items()}
        self._numbers = itertools.count(1_000 + len(self.steps))
        self._descriptors: dict[int, Node] = {}

    def seen(self, count: int) -> Disk:
        """Give the disk as processes see it after `count` steps: the kernel forgets nothing."""
        return self.start.copy().take(step for step in self.steps[:count] if not isinstance(step, Sync))

    @contextmanager
    def noting(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        """Note everything that happens inside of the block."""
        calls: dict[str, Callable[..., object]] = {
            "close": lambda descriptor: self._descriptors.pop(descriptor, None),
            "ftruncate": lambda descriptor, size: self._change(descriptor, Resize, size),
            "fsync": lambda descriptor: self._change(descriptor, Sync),
            "mkdir": lambda path, *_: self._name(Path(path), self._new(folder=True)),
            "unlink": lambda path: self._name(Path(path), None),
        }
        with monkeypatch.context() as patch:
            for name, note in calls.items():
                patch.setattr(os, name, _then(getattr(os, name), note))
            patch.setattr(os, "open", self._opening(os.open))
            patch.setattr(os, "pwrite", self._writing(os.pwrite))
            patch.setattr(os, "replace", self._replacing(os.replace))
            patch.setattr(atomic_files, "_sync", _then(lambda _: None, calls["fsync"]))
            yield
        # What was written past these functions would be missing here.
        assert self.seen(len(self.steps)).image() == read_in(self._root)

    def _opening(self, real: Callable[..., int]) -> Callable[..., int]:
        def opened(path: Path, flags: int, *mode: int) -> int:
            descriptor = real(path, flags, *mode)
            if Path(path).is_relative_to(self._root):
                if Path(path) not in self._nodes:
                    self._name(Path(path), self._new(folder=False))
                self._descriptors[descriptor] = self._nodes[Path(path)]
                if flags & os.O_TRUNC:
                    self._change(descriptor, Resize, 0)
            return descriptor

        return opened

    def _writing(self, real: Callable[..., int]) -> Callable[..., int]:
        def written(descriptor: int, data: bytes, offset: int) -> int:
            size = real(descriptor, data, offset)
            self._change(descriptor, Write, offset, bytes(data[:size]))
            return size

        return written

    def _replacing(self, real: Callable[..., None]) -> Callable[..., None]:
        def replaced(old: Path, new: Path) -> None:
            real(old, new)
            node = self._nodes[Path(new)] = self._nodes.pop(Path(old))
            changes = ((Path(old).name, None), (Path(new).name, node))
            self.steps.append(Names(self._nodes[Path(new).parent], changes))

        return replaced

    def _change(self, descriptor: int, kind: Callable[..., Step], *what: object) -> None:
        if descriptor in self._descriptors:
            self.steps.append(kind(self._descriptors[descriptor], *what))

    def _new(self, *, folder: bool) -> Node:
        return Node(next(self._numbers), folder)

    def _name(self, path: Path, node: Node | None) -> None:
        if path.is_relative_to(self._root):
            self.steps.append(Names(self._nodes[path.parent], ((path.name, node),)))
            self._nodes.pop(path, None)
            if node is not None:
                self._nodes[path] = node


@dataclass(frozen=True, slots=True)
class Care:
    """How many of the ways are tried in which a disk can lose what was not synced.

    All of them where they are at most `ways`; else none and all, and from 16 on each piece missing, each
    alone, all up to each, and a random choice. The last write is torn every `stride` bytes.
    """

    ways: int
    stride: int


def after_a_cut(start: Disk, steps: Sequence[Step], care: Care) -> Iterator[Image]:
    """Give what may be found after the power failed behind the last step."""
    durable, pending = _settled(start, steps)
    pieces = [piece for change in pending for piece in _pieces(change)]
    for kept in _selections(len(pieces), care.ways):
        yield _kept(durable, pieces, kept, padded=False)
        yield _kept(durable, pieces, kept, padded=True)
    if steps and isinstance(steps[-1], Write):
        last = steps[-1]
        for size in range(1, len(last.data), care.stride):
            torn = last._replace(data=last.data[:size])
            yield durable.copy().take([*pending[:-1], torn]).image()
            yield durable.copy().take([torn]).image()


def _settled(start: Disk, steps: Sequence[Step]) -> tuple[Disk, list[Change]]:
    """Give what is certainly on the disk after these steps, and what was not synced."""
    durable, pending = start.copy(), list[Change]()
    for step in steps:
        if isinstance(step, Sync):
            durable.take(change for change in pending if change.node == step.node)
            pending = [change for change in pending if change.node != step.node]
        else:
            pending.append(step)
    return durable, pending


def _pieces(change: Change) -> list[Change]:
    """Cut a write where blocks of the file end."""
    if not isinstance(change, Write):
        return [change]
    begin, end = change.offset, change.offset + len(change.data)
    edges = [begin, *range((begin // BLOCK + 1) * BLOCK, end, BLOCK), end]
    return [
        Write(change.node, low, change.data[low - begin : high - begin])
        for low, high in itertools.pairwise(edges)
    ]


def _selections(count: int, ways: int) -> Iterator[tuple[bool, ...]]:
    if 2**count <= ways:
        yield from itertools.product((False, True), repeat=count)
        return
    yield (False,) * count
    yield (True,) * count
    if ways < _THOROUGH:
        return
    for place in range(count):
        for alone in (False, True):
            yield tuple((number == place) is alone for number in range(count))
        yield tuple(number <= place for number in range(count))
    chance = random.Random(count)  # noqa: S311 - the same ways in every run
    for _ in range(ways - 3 * count):
        yield tuple(chance.random() < 0.5 for _ in range(count))


def _kept(durable: Disk, pieces: Sequence[Change], kept: Sequence[bool], *, padded: bool) -> Image:
    """Keep some pieces; `padded`, the size of a file is on the disk though the bytes are not."""
    disk = durable.copy()
    for piece, here in zip(pieces, kept, strict=True):
        if here:
            disk.take([piece])
        elif padded and isinstance(piece, Write):
            disk.extend(piece.node, piece.offset + len(piece.data))
    return disk.image()


def on_disk(image: Image) -> Disk:
    """Make a disk on which everything of an image is safe."""
    disk, numbers = Disk(), itertools.count(1)
    nodes = {"": ROOT}
    for path in sorted(image):
        if path:
            folder, _, name = path.rpartition("/")
            data = image[path]
            nodes[path] = disk.folders[nodes[folder]][name] = Node(next(numbers), data is None)
            if data is not None:
                disk.files[nodes[path]] = bytearray(data)
    return disk


def lay_out(image: Image, root: Path) -> None:
    """Make a folder hold exactly what an image says."""
    for folder, folders, names in os.walk(root):
        here = folder.removeprefix(str(root))
        for name in [name for name in folders if f"{here}/{name}" not in image]:
            shutil.rmtree(Path(folder, name))
            folders.remove(name)
        for name in [name for name in names if image.get(f"{here}/{name}") is None]:
            Path(folder, name).unlink()
    for path in sorted(image):
        data, place = image[path], Path(f"{root}{path}")
        if data is not None:
            place.write_bytes(data)
        elif not place.is_dir():
            place.mkdir(parents=True)


def read_in(root: Path) -> Image:
    """Make the image of a folder."""
    return {
        "": None,
        **{
            f"/{path.relative_to(root)}": None if path.is_dir() else path.read_bytes()
            for path in root.rglob("*")
        },
    }


def _then(real: Callable[..., None], note: Callable[..., object]) -> Callable[..., None]:
    """Do what is really done, and note it once it was."""

    def both(*arguments: object) -> None:
        real(*arguments)
        note(*arguments)

    return both
