"""A repository bound to a real site over a line that can break; and a look at the site without the client."""

from __future__ import annotations

import html
import re
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import requests
from tests.live.sites import HOME
from tests.support.syncing import Site as Syncing

from pressync.app.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tests.live.proxy import Line
    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

    from pressync.model.outcomes import RunResult

# The routes of WordPress's two kinds of record, and of those of stand/types.php.
ROUTES = {
    **{kind: f"wp/v2/{kind}s" for kind in ("page", "post", "book", "chapter", "event")},
    "place": "atlas/v1/places",
}

# What WordPress puts on a new site; other tests look at it, and it is no business of ours.
FIRST_POST = 1

Row = dict[str, Any]


@dataclass
class Live(Syncing):
    """A repository that syncs to a real WordPress, as this user of it."""

    user: str = "admin"
    password: str = field(default="", repr=False)

    @property
    def environ(self) -> dict[str, str]:
        """The environment that a workflow would have."""
        return {
            "PRESSYNC_URL": self.url,
            "PRESSYNC_DIALECT": "wordpress",
            "PRESSYNC_USER": self.user,
            "PRESSYNC_PASSWORD": self.password,
        }

    def workspace(self) -> Workspace:
        """Open the workspace; the caller closes it."""
        return Workspace.open(self.root, environ=self.environ, wait=0, say=self.heard.append)

    def ids(self) -> dict[str, int]:
        """Give the id of each path's record, as the manifest has them."""
        with self.workspace() as workspace, workspace.reading() as state:
            return {path: entry.id for path, entry in state.manifest.entries.items()}

    def unconfirmed(self) -> list[str]:
        """Give the paths of which nobody knows whether they were created."""
        with self.workspace() as workspace, workspace.reading() as state:
            return sorted(state.unconfirmed)


def live(repository: SampleRepository, line: Line, site: Site, user: str = "admin") -> Live:
    """Bind a repository to a site over this line."""
    return Live(repository.root, f"{line.url}/wp-json", user=user, password=site.passwords[user])


@dataclass(frozen=True)
class Eyes:
    """The site as its administrator sees it and works on it, by requests of the test's own."""

    site: Site

    def rows(self, kind: str = "page") -> dict[int, Row]:
        """Read every record of a kind but the first, wherever it is, by id."""
        found: dict[int, Row] = {}
        wanted = {"context": "edit", "status": "any,trash", "orderby": "id", "per_page": 100}
        page, pages = 1, 1
        while page <= pages:
            answer = self._ask("GET", ROUTES[kind], params={**wanted, "page": page})
            found |= {row["id"]: row for row in answer.json() if row["id"] != FIRST_POST}
            pages = int(answer.headers["X-WP-TotalPages"])
            page += 1
        return found

    def terms(self, field: str) -> dict[int, str]:
        """Give the name of every category or tag, by id, as people see it."""
        found: dict[int, str] = {}
        page, pages = 1, 1
        while page <= pages:
            answer = self._ask(
                "GET", f"wp/v2/{field}", params={"orderby": "id", "per_page": 100, "page": page}
            )
            found |= {row["id"]: html.unescape(row["name"]) for row in answer.json()}
            pages = int(answer.headers["X-WP-TotalPages"])
            page += 1
        return found

    def row(self, number: int, kind: str = "page") -> Row:
        """Read one record."""
        return dict(self._ask("GET", f"{ROUTES[kind]}/{number}", params={"context": "edit"}).json())

    def make(self, kind: str = "page", **fields: str | int) -> int:
        """Make a record, as a person does, and give its id."""
        return int(self._ask("POST", ROUTES[kind], json=fields).json()["id"])

    def edit(self, number: int, **fields: str | int | dict[str, str]) -> None:
        """Change a page, as a person does in the editor."""
        self.edit_record("page", number, **fields)

    def edit_record(self, kind: str, number: int, **fields: Any) -> None:  # noqa: ANN401 - any field
        """Change a record of this kind."""
        self._ask("POST", f"{ROUTES[kind]}/{number}", json=fields)

    def remove(self, number: int, *, for_good: bool = False) -> None:
        """Put a page into the trash, or delete it for good."""
        self._ask("DELETE", f"{ROUTES['page']}/{number}", params={"force": "true"} if for_good else {})

    def _ask(self, method: str, route: str, **more: Any) -> requests.Response:  # noqa: ANN401 - requests' own
        answer = requests.request(
            method,
            f"{self.site.url}/wp-json/{route}",
            auth=("admin", self.site.passwords["admin"]),
            timeout=30,
            **more,
        )
        answer.raise_for_status()
        return answer


def visit(link: str) -> str:
    """Open a page as any visitor does, and give its text; an error if it is not there."""
    answer = requests.get(link, timeout=30)
    answer.raise_for_status()
    return answer.text


def empty(site: Site) -> None:
    """Take every record but the first post, every file, every note and every term but the first.

    Past WordPress, whose own ways would take minutes for the thousands of a real tree.
    """
    _sql(
        site,
        "DELETE FROM wp_posts WHERE ID > 1 AND post_type IN"
        " ('page', 'post', 'revision', 'attachment', 'book', 'chapter', 'place', 'event', 'memo');"
        "DELETE FROM wp_comments WHERE comment_type = 'note';"
        "DELETE t, x FROM wp_terms t JOIN wp_term_taxonomy x USING (term_id)"
        " WHERE x.taxonomy IN ('category', 'post_tag', 'genre', 'mood') AND t.term_id > 1;"
        # WordPress makes both again when it needs them.
        "DELETE FROM wp_options WHERE option_name IN ('sticky_posts', 'cron')",
    )


def as_memo(site: Site, number: int) -> None:
    """Give a record the type of stand/types.php that the interface does not show."""
    value = f"SET post_type = 'memo' WHERE ID = {number}"
    _sql(site, f"UPDATE wp_posts {value}")


def scheduled(site: Site) -> set[int]:
    """Give the ids of the records for which the site has an event at their date; no interface shows these."""
    events = _sql(site, "SELECT option_value FROM wp_options WHERE option_name = 'cron'")
    found = re.findall(r's:19:"publish_future_post";(?:(?!s:19:).)*?s:4:"args";a:1:\{i:0;i:([0-9]+);', events)
    return set(map(int, found))


def change_permalinks(site: Site, structure: str) -> None:
    """Change the permalinks of a site, past WordPress; "" is plain."""
    value = f"SET option_value = '{structure}' WHERE option_name = 'permalink_structure'"
    _sql(site, f"UPDATE wp_options {value}")


@contextmanager
def own_types(site: Site) -> Iterator[Callable[[str], None]]:
    """Give a site the types of stand/types.php; the function takes those of its words away again.

    WordPress keeps the addresses of types as rules, and makes them again when they are gone.
    """
    switch = site.folder / "types"

    def without(words: str) -> None:
        switch.write_text(words, encoding="utf-8")
        _sql(site, "DELETE FROM wp_options WHERE option_name = 'rewrite_rules'")

    without("")
    try:
        yield without
    finally:
        switch.unlink()


def _sql(site: Site, statements: str) -> str:
    client = ["mariadb", "--no-defaults", "-uroot", f"--socket={HOME / 'run/mariadb.sock'}"]
    called = [*client, f"wp_{site.name}", "-Ne", statements]
    return subprocess.run(called, check=True, capture_output=True, text=True).stdout


def results(run: RunResult) -> dict[str, str]:
    """Give how each path ended."""
    return {outcome.change.path: str(outcome.result) for outcome in run.outcomes}


def messages(run: RunResult) -> dict[str, str]:
    """Give what was told of each path."""
    return {outcome.change.path: outcome.message for outcome in run.outcomes}


def numbered(count: int, *, kind: str = "page") -> dict[str, str]:
    """Give small documents, each with a title, a slug and a text of its own."""
    return {
        f"content/{kind}s/{kind}-{number:03}.md": f"# Number {number}\n\nThe text of {kind} {number}.\n"
        for number in range(1, count + 1)
    }


def titles(rows: Iterable[Row]) -> list[str]:
    """Give the titles of records, sorted."""
    return sorted(row["title"]["raw"] for row in rows)
