"""The requests of the client itself: a small site is synced again and again, and each request is recorded.

A request names the objects of the site by `Ref`, so the recording can be played on every service.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from tests.live.difference import TERMS, Ref, Step, kind_of, made_by
from tests.live.pictures import png
from tests.support.embedded_wordpress import ENVIRON, serving
from tests.support.repository import SampleRepository
from tests.support.syncing import Bound

from pressync.model.changes import Result

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.wire import Received

_ONE = re.compile(r"(/wp/v2/(\w+)/)(\d+)")
_HEADERS = frozenset({"content-type", "content-disposition", "x-http-method-override"})

_HOME, _GUIDE, _START = (
    "content/pages/index.md",
    "content/pages/guide/index.md",
    "content/pages/guide/start.md",
)
_NEWS, _DRAFT = "content/posts/2024-01-31-news.md", "content/posts/draft.md"

# The commits of the site. A file that is None is deleted.
_COMMITS: tuple[dict[str, str | bytes | None], ...] = (
    {
        _HOME: "# Home\n\nSee the [guide](guide/index.md) and the [news](../posts/2024-01-31-news.md).\n",
        _GUIDE: "---\ntitle: Guide\nmenu_order: 2\n---\nA note[^1] ![red](red.png)\n\n[^1]: Here.\n",
        _START: "# Start\n\nFirst.\n",
        "content/pages/guide/red.png": png(255, 0, 0),
        _NEWS: (
            "---\ntitle: News & more\ncategories: [News/Local & Near]\ntags: [A & B, CI/CD]\n"
            "featured_media: ../pages/guide/red.png\nexcerpt: Short.\n---\n> [!NOTE]\n> Hello.\n"
        ),
        _DRAFT: "---\nstatus: draft\ntags: [ci/cd]\n---\nLater.\n",
    },
    {
        _START: "---\nslug: begin\nparent: index.md\n---\n# Start\n\nOther.\n",
        _NEWS: "---\ntitle: News\ncategories: [Other]\nstatus: private\n---\nNew.\n",
        _DRAFT: None,
    },
    {
        _HOME: "---\npassword: open\ncomment_status: open\n---\n# Home\n",
        _GUIDE: None,
        _DRAFT: "---\ndate: 2035-01-01T00:00:00\nsticky: true\nformat: aside\n---\nAgain.\n",
        **{f"content/pages/more/{n}.md": f"---\nslug: same\n---\n# More {n}\n" for n in range(5)},
    },
)


def recorded(folder: Path) -> list[Step]:
    """Sync every commit to an empty site, and give the requests."""
    repository = SampleRepository.create(folder)
    with serving() as face:
        tape = _Tape()
        for commit in _COMMITS:
            repository.remove(*(path for path, text in commit.items() if text is None))
            repository.commit({path: text for path, text in commit.items() if text is not None})
            run = Bound(folder, face.url, environ=ENVIRON).sync(concurrency=1)
            assert {outcome.result for outcome in run.outcomes} <= {Result.DONE, Result.KEPT}
        for received, status, value in face.exchanges:
            tape.take(received, status, value)
    return tape.steps


@dataclass
class _Tape:
    """The steps so far; `ids` has the objects in their order: whether it is a term, and its id."""

    steps: list[Step] = field(default_factory=list)
    ids: list[tuple[bool, int]] = field(default_factory=list)

    def take(self, received: Received, status: int, value: Any) -> None:  # noqa: ANN401 - any JSON
        parts = urlsplit(received.path)
        path = parts.path.removeprefix("/wp-json")
        is_json = received.headers.get("Content-Type") == "application/json"
        body = json.loads(received.body) if is_json and received.body else None
        made = made_by(path, body, status, value)
        self.steps.append(
            Step(
                received.method,
                self._path(path),
                tuple((name, self._query(name, text, path)) for name, text in parse_qsl(parts.query)),
                self._named(body, terms=kind_of(path) in TERMS),
                tuple(pair for pair in received.headers.items() if pair[0].lower() in _HEADERS),
                None if is_json else received.body,
                len(made),
            )
        )
        self.ids += [(kind in TERMS, number) for kind, number in made]

    def _path(self, path: str) -> str:
        return _ONE.sub(lambda one: f"{one[1]}{self._braced(int(one[3]), terms=one[2] in TERMS)}", path)

    def _braced(self, number: int, *, terms: bool) -> str:
        name = self._name(number, terms=terms)
        return f"{{{name.number}}}" if isinstance(name, Ref) else str(number)

    def _name(self, number: int, *, terms: bool) -> Ref | int:
        return Ref(self.ids.index((terms, number))) if (terms, number) in self.ids else number

    def _query(self, name: str, text: str, path: str) -> object:
        if name not in {"include", "exclude", "parent"}:
            return text
        return [self._name(int(number), terms=kind_of(path) in TERMS) for number in text.split(",")]

    def _named(self, body: Any, *, terms: bool) -> Any:  # noqa: ANN401 - any JSON
        """Name the objects in a body; `terms` tells whether a parent is a term."""
        match body:
            case {"requests": items}:
                named = [
                    {
                        **self._named(item, terms=kind_of(item["path"]) in TERMS),
                        "path": self._path(item["path"]),
                    }
                    for item in items
                ]
                return {**body, "requests": named}
            case {"body": inner}:
                return {**body, "body": self._named(inner, terms=terms)}
            case dict():
                return {name: self._field(name, value, terms=terms) for name, value in body.items()}
            case _:
                return body

    def _field(self, name: str, value: Any, *, terms: bool) -> Any:  # noqa: ANN401 - any JSON
        if name in TERMS and isinstance(value, list):
            return [self._name(number, terms=True) for number in value]
        if name in {"parent", "featured_media"}:
            return self._name(value, terms=terms and name == "parent")
        return value
