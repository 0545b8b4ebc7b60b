"""A site, two clones and their remote: people edit on the site and in files, take edits, and sync.

Each edit adds one word that occurs nowhere else. So a test can ask where each word is.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar

from tests.support.embedded_wordpress import ENVIRON
from tests.support.repository import SampleRepository, copied
from tests.support.syncing import Bound

from pressync.app import propose
from pressync.app.pull import PullOptions, pull
from pressync.model.changes import Result
from pressync.model.errors import PressyncError
from pressync.repo.push import RemoteBranch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.embedded_wordpress import EmbeddedWordPress

POST, OTHER = "content/posts/hello.md", "content/pages/other.md"
TEXT = (
    "---\ndate: 2024-01-02T03:04:05\ntitle: Hello\nexcerpt: Short\ntags: [start]\n---\n\n"
    "First paragraph.\n\nSecond paragraph.\n\nThird paragraph.\n"
)
# Where an edit of the site and one of a file meet, by the kind of the edit.
LINES = {"text": "Third paragraph", "title": "title: Hello", "term": "start", "field": "excerpt: Short"}
_BRANCH = f"origin/{propose.BRANCH}"
_Result = TypeVar("_Result")


@dataclass
class SiteEdits:
    """The world of one history. `edits` are the words of people on the site, with the id of a tag.

    Somebody pulled the `refused` ones, and then put the file back.
    """

    folder: Path
    wordpress: EmbeddedWordPress
    in_file: bool
    edits: dict[str, int] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    said: list[str] = field(default_factory=list)
    _number: Iterator[int] = field(default_factory=count)

    @classmethod
    def begin(cls, folder: Path, wordpress: EmbeddedWordPress, *, in_file: bool) -> SiteEdits:
        """Sync a post and a page once, and clone them twice."""
        world = cls(folder, wordpress, in_file)
        first = SampleRepository.create(folder / "first")
        reference = "" if in_file else 'manifest = "ref"\n'
        toml = f'[sites.live]\nurl = "{wordpress.url}"\ndialect = "wordpress"\nuser = "admin"\n{reference}'
        first.commit({"pressync.toml": toml, POST: TEXT, OTHER: "# Other\n\nFirst paragraph.\n"})
        first.git("clone", "--quiet", "--bare", ".", str(folder / "origin.git"))
        first.git("remote", "add", "origin", str(folder / "origin.git"))
        first.git("fetch", "--quiet", "origin")
        first.git("branch", "--quiet", "--set-upstream-to=origin/main")
        assert world.sync(first) == {POST: Result.DONE, OTHER: Result.DONE}
        first.git("clone", "--quiet", str(folder / "origin.git"), str(folder / "second"))
        return world

    def again(self, folder: Path) -> SiteEdits:
        """Give a copy of this world in another folder, before anybody has edited anything."""
        return SiteEdits(copied(self.folder, folder), self.wordpress, self.in_file)

    @property
    def clones(self) -> tuple[SampleRepository, SampleRepository]:
        """Both clones."""
        return SampleRepository(self.folder / "first"), SampleRepository(self.folder / "second")

    # The site

    def record(self) -> dict[str, Any]:
        """Give the post as its administrator sees it."""
        return next(row for row in self.wordpress.shown.values() if row["type"] == "post")

    def edit(self, kind: str) -> str:
        """Add a word to the text, the title, the excerpt or the tags, as a person in the browser does."""
        word, post = f"site{next(self._number)}x", self.record()
        number = 0
        match kind:
            case "text":
                shown = post["content"]["raw"].replace("Third paragraph", f"Third paragraph {word}")
                assert word in shown, shown
                change: dict[str, object] = {"content": shown}
            case "title":
                change = {"title": f"{post['title']['raw']} {word}"}
            case "term":
                number = self.wordpress.post("tags", name=word)
                change = {"tags": [*post["tags"], number]}
            case _:
                change = {"excerpt": f"{post['excerpt']['raw']} {word}"}
        self.wordpress.post(f"posts/{post['id']}", **change)
        self.edits[word] = number
        return word

    def is_on_site(self, word: str) -> bool:
        """Whether the record has a word or its tag."""
        post = self.record()
        texts = " ".join(str(post[name]["raw"]) for name in ("title", "content", "excerpt"))
        return word in texts or self.edits.get(word) in post["tags"]

    # The clones

    def bound(self, clone: SampleRepository) -> Bound:
        """Bind a clone to the site."""
        return Bound(clone.root, self.wordpress.url, heard=self.said, environ=ENVIRON)

    def has(self, text: str, word: str) -> bool:
        """Whether a text of the post has a word or its tag."""
        return bool(re.search(rf"\b({word}|{self.edits.get(word) or word})\b", text))

    def in_some_head(self, word: str) -> bool:
        """Whether a branch main has a word, here or on the remote."""
        heads = [(clone, "main") for clone in self.clones]
        heads.append((SampleRepository(self.folder / "origin.git"), "main"))
        return any(self.has(clone.git("show", f"{name}:{POST}"), word) for clone, name in heads)

    def lost(self) -> list[str]:
        """List the edits that are neither on the site nor in a HEAD, and that nobody decided against."""
        wanted = self.edits.keys() - self.refused
        return [word for word in wanted if not self.is_on_site(word) and not self.in_some_head(word)]

    def update(self, clone: SampleRepository) -> bool:
        """Take what the remote has, as `git pull` does; a conflict waits for another day."""
        try:
            clone.git("pull", "--quiet", "--no-rebase", "--no-edit", "origin", "main")
        except subprocess.CalledProcessError:
            subprocess.run(["git", "merge", "--abort"], cwd=clone.root, capture_output=True, check=False)
            return False
        return True

    def push(self, clone: SampleRepository) -> bool:
        """Push main; tell whether the remote has it."""
        if self.update(clone):
            clone.git("push", "--quiet", "origin", "main")
            return True
        return False

    def commit(self, clone: SampleRepository, where: str, kind: str = "text") -> None:
        """Commit a word of a file: on the line of an edit, elsewhere on the page, or on another page."""
        path = OTHER if where == "other page" else POST
        line = LINES[kind] if where == "same line" else "First paragraph"
        text = (clone.root / path).read_text(encoding="utf-8")
        word = f"file{next(self._number)}x"
        glue = ", " if line == "start" else " "
        self.saved(clone, {path: text.replace(line, f"{line}{glue}{word}", 1)})

    def saved(self, clone: SampleRepository, files: dict[str, str]) -> None:
        """Commit files that lose no word which HEAD has, and push them."""
        before = clone.git("show", f"HEAD:{POST}")
        clone.commit(files)
        self._assert_kept(clone, before)
        self.push(clone)

    def _assert_kept(self, clone: SampleRepository, before: str) -> None:
        words = re.compile(r"(?:file|site)\d+x")
        after = clone.git("show", f"HEAD:{POST}")
        assert set(words.findall(before)) - self.refused <= set(words.findall(after))

    # What pressync does

    def attempt(self, act: Callable[[], _Result]) -> _Result | None:
        """Do something, and note a refusal; None if it was refused."""
        try:
            return act()
        except PressyncError as error:
            self.said.append(str(error))
            return None

    def sync(self, clone: SampleRepository) -> dict[str, Result]:
        """Sync a clone, and commit and push its manifest if that is a file."""
        run = self.attempt(self.bound(clone).sync)
        if self.in_file and run and clone.git("status", "--porcelain", ".pressync"):
            clone.git("add", ".pressync")
            clone.git("commit", "--quiet", "--message", "Sync", "--", ".pressync")
            if (self.folder / "second").exists():
                self.push(clone)
            else:
                clone.git("push", "--quiet", "origin", "main")
        return {each.change.path: each.result for each in run.outcomes} if run else {}

    def pull(self, clone: SampleRepository) -> bool:
        """Pull the edits into the file; a person takes both sides of a conflict. Tell whether it changed."""
        before = (clone.root / POST).read_text(encoding="utf-8")

        def act() -> object:
            with self.bound(clone).workspace() as workspace:
                return pull(workspace, PullOptions((POST,)))

        self.attempt(act)
        text = (clone.root / POST).read_text(encoding="utf-8")
        (clone.root / POST).write_text(_both_sides(text), encoding="utf-8")
        return text != before

    def put_back(self, clone: SampleRepository) -> None:
        """Decide against what a pull wrote into the file."""
        text = (clone.root / POST).read_text(encoding="utf-8")
        clone.git("checkout", "--quiet", "--", POST)
        now = (clone.root / POST).read_text(encoding="utf-8")
        self.refused |= {word for word in self.edits if self.has(text, word) and not self.has(now, word)}

    def propose(self, clone: SampleRepository, *, pushed: bool) -> bool:
        """Make the branch of edits, and let the remote have it or this clone alone."""

        def act() -> bool:
            with self.bound(clone).workspace() as workspace:
                made = propose.proposal(workspace, None, self.said.append)
                if pushed:
                    propose.publish(workspace, made)
                elif made.commit:
                    RemoteBranch(workspace.repository, propose.BRANCH).keep(made.commit, made.base)
                return bool(made.commit)

        return bool(self.attempt(act))

    def forget_takes(self, clone: SampleRepository) -> None:
        """Write the manifest of a reference as the former version did, which noted no merged text."""
        name, file = "refs/pressync/live", "manifest.json"
        text = re.sub(r',\s*"take": \{[^}]*\}', "", clone.git("show", f"{name}:{file}"))
        assert '"take"' not in text
        blob = clone.git("hash-object", "-w", str(clone.write(".git/manifest.json", f"{text}\n")))
        rows = clone.git("ls-tree", name).splitlines()
        listed = [f"100644 blob {blob}\t{file}" if row.endswith(f"\t{file}") else row for row in rows]
        (clone.root / ".git/rows").write_text("".join(f"{row}\n" for row in listed))
        tree = clone.git("-c", "alias.made=!git mktree < .git/rows", "made")
        made = clone.git("commit-tree", tree, "-p", name, "-m", "Pull")
        clone.git("update-ref", name, made)
        clone.git("push", "--quiet", "--force", "origin", f"{name}:{name}")

    # What a reviewer does with the branch on the remote

    def branch(self, clone: SampleRepository) -> str:
        """Fetch the branch of edits, and give its commit; "" if there is none."""
        clone.git("fetch", "--quiet", "--prune", "origin")
        return clone.git("for-each-ref", "--format=%(objectname)", f"refs/remotes/{_BRANCH}")

    def merge(self, clone: SampleRepository, *, squash: bool = False) -> bool:
        """Merge the branch, and remove it; tell whether Git could."""
        before = clone.git("show", f"HEAD:{POST}")
        try:
            clone.git("merge", "--quiet", *(["--squash"] if squash else ["--no-edit"]), _BRANCH)
        except subprocess.CalledProcessError:
            clone.git("reset", "--quiet", "--hard")
            return False
        if squash:
            clone.git("commit", "--quiet", "--allow-empty", "--message", "Edits of the site (#7)")
        self._assert_kept(clone, before)
        clone.git("push", "--quiet", "origin", "main", f":{propose.BRANCH}")
        return True

    def throw_away(self, clone: SampleRepository) -> None:
        """Remove the branch of edits from the remote."""
        clone.git("push", "--quiet", "origin", f":{propose.BRANCH}")

    def amend(self, clone: SampleRepository) -> None:
        """Add a word to the edit in the last commit that changes the post, as a reviewer does."""
        clone.git("checkout", "--quiet", "--detach", _BRANCH)
        text = (clone.root / POST).read_text(encoding="utf-8")
        word = f"site{next(self._number)}x"
        clone.write(POST, text.replace("Third paragraph", f"Third paragraph {word}"))
        clone.git("commit", "--quiet", "--all", "--amend", "--no-edit")
        clone.git("push", "--quiet", "--force", "origin", f"HEAD:{propose.BRANCH}")
        clone.git("checkout", "--quiet", "main")


def _both_sides(text: str) -> str:
    """Resolve each conflict with the words of both sides."""
    conflict = re.compile(
        r"<{7}.*\n(?P<ours>(?:.*\n)*?)\|{7}.*\n(?:.*\n)*?={7}\n(?P<theirs>(?:.*\n)*?)>{7}.*\n"
    )

    def resolved(found: re.Match[str]) -> str:
        ours, theirs = found["ours"], found["theirs"]
        words = re.findall(r"(?:site|file)\d+x|\b\d+\b", theirs)
        missing = [word for word in words if word not in ours]
        return "".join(_with(line, missing) for line in ours.splitlines(keepends=True))

    return conflict.sub(resolved, text)


def _with(line: str, words: list[str]) -> str:
    """Add words to the first line that an edit may be on; the list is empty afterwards."""
    if not words or not any(start in line for start in LINES.values()):
        return line
    added, words[:] = list(words), []
    if "tags:" in line:
        return line.replace("start", ", ".join(["start", *added]), 1)
    return f"{line.rstrip()} {' '.join(added)}\n"
