"""Random runs that are rolled back: people edit files and the site, a run syncs, and the rollback undoes it.

The walk knows nothing of how a rollback decides. It compares the site's own records: one that nobody has
edited since the run must be as it was before it, member by member, and one that somebody has edited stays.
"""

from __future__ import annotations

import contextlib
import re
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.durability.walk import death
from tests.support.syncing import IMPATIENT

from pressync.app import bind, rollback
from pressync.app.pull import PullOptions, pull
from pressync.app.revision import Revision
from pressync.model.errors import PressyncError, SafetyRefusal
from pressync.plan.build import PlanOptions
from pressync.plan.limits import DeleteLimit
from pressync.sync.apply import RunListener, RunOptions
from pressync.sync.control import Approval

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Mapping

    from tests.support.repository import SampleRepository
    from tests.support.syncing import Site

    from pressync.model.changes import Plan
    from pressync.model.outcomes import RunResult

Json = dict[str, Any]

ALL = DeleteLimit(percent=100)
_SEEN = (
    *("title", "content", "slug", "status", "parent", "categories", "tags", "meta", "excerpt", "menu_order"),
    *("comment_status", "sticky", "template", "featured_media"),
)
_LINK = re.compile(r'href="[^"]*"')


def seen(record: Json) -> Json:
    """Give the members of a record that a rollback answers for; texts as their raw text."""
    found = {name: record[name] for name in _SEEN if name in record}
    return {
        name: value.get("raw", value) if isinstance(value, dict) else value for name, value in found.items()
    }


def rolled_back(
    site: Site,
    run: str | None = None,
    *,
    limit: DeleteLimit = ALL,
    agree: Callable[[Plan], bool] = lambda _plan: True,
) -> RunResult:
    """Roll a run back without asking anybody."""
    with site.workspace() as workspace:
        result = rollback.rollback(
            workspace,
            rollback.find(workspace, run),
            limit,
            RunOptions(patience=IMPATIENT),
            Approval(agree),
            stop=threading.Event(),
            listener=RunListener(lambda _outcome: None, site.heard.append),
        )
    assert result is not None
    return result


_WORDS = (
    *(
        "Tom &amp; Jerry",
        "A <em>x</em>",
        "a < b",
        "&#8211;",
        '"q"',
        "\\",
        "\\n",
        "&lt;b>",
        "&amp;amp;",
        "&eacute;",
    ),
    *("\xa0", "[gallery]", "&#091;x]", "[sourcecode]\nif (a < b) {}\n[/sourcecode]", "plain", "日本"),
)
_BLOCK = "<!-- wp:paragraph -->\n<p>{}</p>\n<!-- /wp:paragraph -->"
_HEADING = '<!-- wp:heading {{"level": 3}} -->\n<h3 class="wp-block-heading">{}</h3>\n<!-- /wp:heading -->'
_FORMS = ("{}", "{}\r\n", "{}\n\n{}", "{}\r\n\r\n{}", "<p>{}</p>\n", "<div>{}</div>\r\n{}", "", " {}\t\n")
_FORMS_OF_BLOCKS = (
    _BLOCK, f"{_BLOCK}\n\n{_HEADING}", f"{_BLOCK}\r\n\r\n{{}}", f"{{}}\n\n{_BLOCK}",
    "<!-- wp:html -->\n{}<!-- /wp:html -->", "<!-- wp:html -->\r\n{}\r\n<!-- /wp:html -->",
    "<!-- wp:html -->\n<!-- wp:html -->\n{}<!-- /wp:html --><!-- /wp:html -->",
)  # fmt: skip


def stored_texts(choose: random.Random) -> Json:
    """Make the texts of a post as an editor, a plug-in or an older theme may have left them."""

    def words() -> str:
        return " ".join(choose.choices(_WORDS, k=choose.randrange(1, 4)))

    def text(forms: tuple[str, ...]) -> str:
        return choose.choice(forms).format(*(words() for _ in range(3)))

    content = text((*_FORMS, *_FORMS_OF_BLOCKS))
    return {"title": f"T {words()} e".replace("\n", " "), "content": content, "excerpt": text(_FORMS)}


@dataclass
class TakenOver:
    """Posts that others wrote, and that runs of ours take over: adopted, pulled, or overwritten."""

    repository: SampleRepository
    site: Site
    make: Callable[..., int]
    edit: Callable[[int, Json], object]
    records: Callable[[], dict[int, Json]]
    prefix: str

    def path(self, name: str) -> str:
        """Give the file of a post."""
        return f"content/posts/{self.prefix}-{name}.md"

    def written(self, names: Iterable[str], text: str) -> None:
        """Write the files of posts, whose titles look as those of WordPress do."""
        heads = "title: A <em>x</em> &amp; b\nexcerpt: Short"
        self.repository.commit({self.path(name): f"---\n{heads}\n---\n\n{text}\n" for name in names})

    def take_over(self, texts: Mapping[str, Json]) -> tuple[dict[int, Json], dict[int, Json]]:
        """Let others write the posts and a run take them; give what the site showed before, and afterwards.

        A third is adopted, a third adopted and pulled, and a third was ours before somebody edited it.
        """
        names = sorted(texts)
        adopted, pulled, ours = names[::3], names[1::3], names[2::3]
        self.written(ours, "Ours.")
        self.site.sync()
        entries = self.site.entries()
        ids = {name: self._theirs(name, texts[name]) for name in (*adopted, *pulled)}
        ids |= {name: entries[self.path(name)].id for name in ours}
        for name in ours:
            self.edit(ids[name], texts[name])
        self.written((*adopted, *pulled), "Ours.")
        with self.site.workspace() as workspace:
            bind.adopt(workspace, {self.path(n): ids[n] for n in (*adopted, *pulled)}, Revision())
        with self.site.workspace() as workspace:
            pull(workspace, PullOptions(tuple(map(self.path, pulled))))
        self.repository.commit()
        before = self.records()
        self.written(names, "New text.")
        self.site.sync(overwrite=True)
        rolled_back(self.site)
        after = self.records()
        return {n: before[n] for n in ids.values()}, {n: after[n] for n in ids.values()}

    def _theirs(self, name: str, texts: Json) -> int:
        return self.make(slug=f"{self.prefix}-{name}", status="publish", **texts)


@dataclass
class Walk:
    """One walk; `records` reads every record of the site as its administrator sees it."""

    repository: SampleRepository
    site: Site
    records: Callable[[], dict[int, Json]]
    edit: Callable[[int, Json], object]
    make: Callable[[str, str], int]
    choose: random.Random
    prefix: str = "u"
    pages: dict[str, Json] = field(default_factory=dict)
    births: int = 0

    def write(self) -> None:
        """Write the files as the walk has them, and commit."""
        self.repository.remove(*(p for p in ("content",) if (self.repository.root / p).exists()))
        files = {}
        for path, page in self.pages.items():
            front = "".join(f"{key}: {value}\n" for key, value in page["front"].items())
            links = " ".join(
                f"[to]({self._link(path, target)})" for target in page["links"] if target in self.pages
            )
            files[path] = f"---\n{front}---\n\n{page['text']} stays {page['birth']} for ever.\n\n{links}\n"
        self.repository.commit(files)

    def change(self, count: int) -> None:
        """Change some files: add, edit, name fields and no longer name them, move, remove, bind."""
        steps = [
            self._add,
            self._edit,
            self._edit,
            self._field,
            self._field,
            self._move,
            self._remove,
            self._bind,
        ]
        for _ in range(count):
            self.choose.choice(steps)()
        if self.choose.random() < 0.3:
            self._template()

    def people(self) -> set[int]:
        """Let people edit some records of the site, and give their ids."""
        touched = set()
        for number, record in sorted(self.records().items()):
            if record["status"] != "trash" and self.choose.random() < 0.15:
                self.edit(number, {"title": f"Somebody's {number}"})
                touched.add(number)
        return touched

    def sync(self, *, dies: int | None = None, overwrite: bool = False) -> bool:
        """Sync; true if the run was killed."""
        options = PlanOptions(delete_limit=ALL, overwrite=overwrite, again=True)
        return self._dying(lambda: self.site.sync(options, overwrite=overwrite), dies)

    def roll_back(self, run: str | None = None, *, dies: int | None = None) -> bool:
        """Roll back; true if it was killed."""
        return self._dying(lambda: rolled_back(self.site, run), dies)

    def runs(self) -> list[str]:
        """Name the syncs of this clone, the oldest first."""
        with self.site.workspace() as workspace:
            return [each.run for each in rollback.records_of(workspace).all() if not each.undoes]

    @staticmethod
    def _dying(run: Callable[[], object], dies: int | None) -> bool:
        try:
            with death.after(dies):
                run()
        except death.Killed:
            return True
        except PressyncError:
            if dies is None:
                raise
            return True
        return False

    def _pick(self) -> str | None:
        return self.choose.choice(sorted(self.pages)) if self.pages else None

    def _add(self) -> None:
        self.births += 1
        name = f"{self.prefix}{self.births}"
        kind = self.choose.choice(["pages", "pages", "posts"])
        folders = [path.removesuffix(".md") for path in self.pages if path.startswith("content/pages")]
        folder = (
            self.choose.choice(["content/pages", *sorted(folders)]) if kind == "pages" else "content/posts"
        )
        links = [target for target in [self._pick()] if target]
        self.pages[f"{folder}/{name}.md"] = {
            "front": {"title": name.title()},
            "text": f"Text {self.births}",
            "birth": f"{name} " * 8,
            "links": links,
        }

    def _edit(self) -> None:
        if path := self._pick():
            self.births += 1
            self.pages[path]["text"] = f"Edited {self.births}"

    def _field(self) -> None:
        if path := self._pick():
            front = self.pages[path]["front"]
            name, value = self.choose.choice(
                [("excerpt", "Short"), ("weight", "3"), ("status", "draft"), ("title", f"T{self.births}"),
                 ("tags", f"[{self.prefix}red, {self.prefix}blue]"), ("slug", f"{self.prefix}s{self.births}"),
                 ("comment_status", "closed")]
            )  # fmt: skip
            if name in {"tags", "weight"} and path.startswith("content/pages") == (name == "tags"):
                return
            if name in front and name != "title":
                del front[name]
            else:
                front[name] = value

    def _move(self) -> None:
        path = self._pick()
        if path and not any(other.startswith(path.removesuffix(".md") + "/") for other in self.pages):
            self.births += 1
            folder = "content/pages" if path.startswith("content/pages") else "content/posts"
            page = self.pages.pop(path)
            self.pages[f"{folder}/{self.prefix}m{self.births}.md"] = page

    def _remove(self) -> None:
        path = self._pick()
        if path and len(self.pages) > 2:
            del self.pages[path]

    def _bind(self) -> None:
        self.births += 1
        name = f"{self.prefix}b{self.births}"
        number = self.make(f"Theirs {name}", name)
        self.pages[f"content/pages/{name}.md"] = {
            "front": {"title": f"Ours {name}", "id": number},
            "text": "Bound",
            "birth": f"{name} " * 8,
            "links": [],
        }

    def _template(self) -> None:
        self.births += 1
        self.repository.write("templates/page.html", f"<!-- {self.births} -->{{{{ content }}}}")

    @staticmethod
    def _link(path: str, target: str) -> str:
        return "../" * path.count("/") + target


def walk(world: Walk, steps: int) -> None:
    """Walk: several runs, then a rollback of the last, with kills and edits of other people; then compare."""
    choose = world.choose
    world.change(4)
    world.write()
    world.sync()
    for _ in range(steps):
        world.change(choose.randrange(1, 6))
        world.write()
        before, known = {n: seen(r) for n, r in world.records().items()}, len(world.runs())
        killed = world.sync(dies=choose.randrange(40) if choose.random() < 0.2 else None)
        if len(world.runs()) == known:
            continue
        run = world.runs()[-1]
        edited = world.people() if choose.random() < 0.4 else set()
        since = {n: seen(r) for n, r in world.records().items()}
        for _ in range(3):
            if not world.roll_back(run, dies=choose.randrange(40) if choose.random() < 0.3 else None):
                break
        else:
            world.roll_back(run)
        compare(before, since, {n: seen(r) for n, r in world.records().items()}, edited)
        with contextlib.suppress(SafetyRefusal):
            if killed or edited or choose.random() < 0.5:
                world.site.sync(PlanOptions(delete_limit=ALL, again=True, overwrite=True), overwrite=True)


def compare(before: dict[int, Json], since: dict[int, Json], now: dict[int, Json], edited: set[int]) -> None:
    """Hold the site of now to that of before, and the records that people edited to those of since.

    An edited page that the run had moved stays where it is, so the links to it lead there.
    """
    if edited:
        before, since, now = (
            {n: _without_links(r) for n, r in each.items()} for each in (before, since, now)
        )
    for number, record in now.items():
        if number in edited:
            assert record == since[number], f"{number} was edited by somebody"
        elif number in before and (before[number]["status"], since[number]["status"]) == ("trash", "draft"):
            assert record == since[number], "a run that took a record out of the trash is left, and says so"
        elif number in before:
            assert record == before[number], f"{number} is not as before"
        else:
            # A page above one that somebody has edited stays with it.
            stays = number in _above(now, edited)
            assert stays or record["status"] == "trash", f"{number} was made by the run"
    assert before.keys() <= now.keys()


def _without_links(record: Json) -> Json:
    return {**record, "content": _LINK.sub("", str(record["content"]))}


def _above(records: dict[int, Json], below: set[int]) -> set[int]:
    """Name the pages above some records."""
    found: set[int] = set()
    for each in below:
        number = records[each].get("parent", 0)
        while number and number not in found:
            found.add(number)
            number = records[number].get("parent", 0)
    return found
