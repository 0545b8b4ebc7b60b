"""Make repositories of a given number of pages for the measurements; the same number gives the same bytes."""

from __future__ import annotations

import random
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING

from msgspec import structs

from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.config import settings as config
from pressync.content.basis import BasisDigest
from pressync.content.render.renderer import Renderer
from pressync.model.bounds import TEMPLATE
from pressync.model.interface import Kind
from pressync.model.records import Entry, Manifest
from pressync.state.manifest import codec
from pressync.state.manifest.rows import two_lines

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

_WORDS = ("content", "service", "page", "record", "site", "text", "tree", "commit", "plan", "field", "value")
# A folder holds so many pages, below a page of its own.
IN_A_FOLDER = 100
_FIELDS = ("content", "menu_order", "parent", "slug", "title")


def git(root: Path, *arguments: str) -> str:
    """Run Git in the repository at `root`; what it says."""
    author = ("-c", "user.name=A Writer", "-c", "user.email=writer@example.org", "-c", "gc.auto=0")
    done = subprocess.run(
        ["git", "-C", root, *author, *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout


def make(root: Path, count: int) -> list[Path]:
    """Make a repository with one commit of `count` pages of 2 to 6 KB; the files."""
    chance = random.Random(count)  # noqa: S311 - the same every time
    paragraphs = [" ".join(chance.choices(_WORDS, k=60)).capitalize() + "." for _ in range(200)]
    git(root.parent, "init", "--quiet", "--initial-branch=main", str(root))
    files = []
    for number in range(count):
        folder = root / f"content/pages/part-{number // IN_A_FOLDER:04}"
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / (f"page-{number:06}.md" if number % IN_A_FOLDER else "index.md")
        file.write_text(_page(number, chance, paragraphs), encoding="utf-8")
        files.append(file)
    (root / "templates").mkdir()
    (root / "templates/page.html").write_text("<article>{{ content }}</article>\n", encoding="utf-8")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "All pages")
    return files


def edited(files: list[Path]) -> list[Path]:
    """Choose ten files of a tree, which are far from each other."""
    return files[:: len(files) // 10][:10]


def put_in_step(root: Path, rendered: Collection[Path] = ()) -> None:
    """Write the manifest that a sync of the commit would leave, with made-up digests of what was sent.

    Whether a page is in step shows in its blob and its basis; nothing is rendered to find that out. A plan of
    an edit compares digests, so those of the files that will be edited are true: they are `rendered`.
    """
    true = {str(file.relative_to(root)) for file in rendered}
    with Workspace.open(root, environ={}) as workspace:
        content = workspace.content(Revision())
        numbers = {path: number for number, path in enumerate(content.sources, 1)}
        entries: dict[str, Entry] = {}
        for path in sorted(numbers, key=lambda path: (path.count("/"), not path.endswith("index.md"), path)):
            number, parent = numbers[path], content.folder_parent(path, content.readmes)
            slug, digests = f"page-{number}", dict.fromkeys(_FIELDS, f"{number:020x}")
            if path in true and (read := content.read(path, entries).prepared):
                slug, digests = read.desired.slug, {**read.desired.fingerprints, **read.desired.create_only}
            entries[path] = Entry(
                path=path,
                kind=Kind.PAGE,
                id=number,
                slug=slug,
                link=f"http://127.0.0.1:8127/p{number}/",
                modified="2026-01-01T00:00:00",
                modified_gmt="2026-01-01T00:00:00",
                blob=content.sources[path],
                commit=content.tree.commit,
                fingerprints=digests,
                parent_path=parent,
                basis=content.basis("page.html", parent, (), entries),
                layout="page.html",
            )
        file = workspace.manifest_path
        file.parent.mkdir(exist_ok=True)
        file.write_text(codec.encode(Manifest(workspace.settings.site.target, entries)), encoding="utf-8")


def with_one_change(known: Manifest, number: int) -> Manifest:
    """Give a manifest in which one record has another slug."""
    path, entry = next(iter(known.entries.items()))
    return replace(known, entries={**known.entries, path: structs.replace(entry, slug=f"changed-{number}")})


def make_without_files(root: Path, count: int) -> None:
    """Make a repository of `count` pages that has one blob and no files, and the manifest of its sync."""
    git(root.parent, "init", "--quiet", "--initial-branch=main", str(root))
    blob, commit = _commit_of_one_blob(root, count)
    settings = config.load("", where="", environ={})
    digest = BasisDigest(
        settings, Renderer.of_files({}, lambda _path, _blob, _bound=TEMPLATE: b"", settings).digest
    )
    bases = {0: digest.of("", 0)}
    manifest = root / ".pressync/embedded.json"
    manifest.parent.mkdir()
    with manifest.open("w", encoding="utf-8") as file:
        file.write(codec.encode(Manifest(settings.site.target)).removesuffix("]}\n"))
        for number in range(count):
            first = number - number % IN_A_FOLDER
            parent = 0 if number == first else first + 1
            entry = Entry(
                path=_path_of(number),
                kind=Kind.PAGE,
                id=number + 1,
                slug=f"p{number}",
                link=f"http://127.0.0.1:8127/p{number}/",
                modified="2026-01-01T00:00:00",
                modified_gmt="2026-01-01T00:00:00",
                blob=blob,
                commit=commit,
                fingerprints=dict.fromkeys(_FIELDS, f"{number:020x}"),
                parent_path=_path_of(first) if parent else None,
                basis=bases.get(parent) or bases.setdefault(parent, digest.of("", parent)),
            )
            file.write(two_lines(entry) + ("," if number + 1 < count else "\n"))
        file.write("]}\n")


def _path_of(number: int) -> str:
    name = f"page-{number:06}.md" if number % IN_A_FOLDER else "index.md"
    folder = number // IN_A_FOLDER
    # Git finds a name in a folder by looking at each, so no folder has thousands.
    return f"content/pages/part-{folder // 100:03}/{folder % 100:02}/{name}"


def _commit_of_one_blob(root: Path, count: int) -> tuple[str, str]:
    """Commit `count` paths with one content, and give its blob and the commit."""
    head = "commit refs/heads/main\ncommitter A Writer <writer@example.org> 0 +0000\ndata 0\n\n"
    rows = "".join(f"M 100644 :1 {_path_of(number)}\n" for number in range(count))
    stream = f"blob\nmark :1\ndata 7\n# Page\n\n{head}{rows}\n"
    subprocess.run(["git", "-C", root, "fast-import", "--quiet"], input=stream.encode(), check=True)
    return git(root, "rev-parse", f"HEAD:{_path_of(0)}").strip(), git(root, "rev-parse", "HEAD").strip()


def _page(number: int, chance: random.Random, paragraphs: list[str]) -> str:
    parts = [f"---\ntitle: Page {number}\nslug: p{number}\nmenu_order: {number % 100}\n---"]
    for place in range(chance.randint(4, 12)):
        parts.append(f"{chance.choice(paragraphs)} **{number}** `code` [a](https://example.org/{number})")
        if place % 4 == 0:
            parts.append("- one\n- two\n- three")
        if place % 5 == 0:
            parts.append(f"## Heading {place}\n\n| a | b |\n|---|---|\n| 1 | 2 |")
    return "\n\n".join(parts) + "\n"
