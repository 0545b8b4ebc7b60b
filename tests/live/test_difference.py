"""The embedded face and real WordPress give the same responses to the same generated requests.

A slice of the sequences is part of the live suite. PRESSYNC_DIFFERENCE_STEPS makes the run longer.
"""

from __future__ import annotations

import base64
import contextlib
import os
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
import requests
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test
from tests.live.difference import Pair, Ref, Side, list_of
from tests.live.fact_requests import SEQUENCES, TYPED
from tests.live.generated_requests import (
    FIELD,
    FIELDS,
    FILE_NAMES,
    FILE_SLUGS,
    FORCE,
    KIND,
    KINDS,
    OWN_FIELDS,
    OWN_KINDS,
    QUERIES,
    TERM_NAMES,
    bodies,
)
from tests.live.live import change_permalinks, empty, own_types
from tests.live.recorded_run import recorded
from tests.live.sites import open_at, site
from tests.support.share import IS_SHARED

from pressync.client.credentials import basic
from pressync.client.wordpress import site_schema
from pressync.model.interface import DOCUMENTED_TYPES, SiteTypes
from pressync.model.site_schema import encode, site_types
from pressync.stage.server.server import running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.live.difference import Query, Step
    from tests.live.sites import Site

TOKEN = "the password of everybody"
STEPS = int(os.environ.get("PRESSYNC_DIFFERENCE_STEPS", "1000" if IS_SHARED else "2000"))
# The requests of one sequence; the longest take this many, and the others fewer.
_SEQUENCE = 20

# The permalinks of the three sites, and plain ones.
PRETTY, PLAIN = "/%postname%/", ""

_PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
_FILE = "id,slug,source_url,title.raw,type,status,author,mime_type,media_type,alt_text"
_TREES = frozenset({"pages", "chapters", "categories", "genres"})
_MODES = st.sampled_from(["normal", "normal", "require-all-validate", "bad"])
_CONTEXTS = st.sampled_from(["view", "edit", "edit", "bad"])


@dataclass(frozen=True)
class Way:
    """A way to play: which site, as whom, its share of all steps, the site's permalinks, and its types."""

    site: str
    user: str
    share: float
    permalinks: str = PRETTY
    own_types: bool = False

    @property
    def base(self) -> str:
        """The base address of the interface, below the address of the site."""
        return "/wp-json" if self.permalinks else "/index.php?rest_route="


WAYS = {
    "old": Way("old", "admin", 0.2, own_types=True),
    "mid": Way("mid", "admin", 0.2, own_types=True),
    "new": Way("new", "admin", 0.2),
    "mid-with-plain-permalinks-as-editor": Way("mid", "editor", 0.2, PLAIN),
    "new-as-author": Way("new", "author", 0.1, own_types=True),
    "old-with-plain-permalinks-as-contributor": Way("old", "contributor", 0.1, PLAIN, own_types=True),
}


@pytest.fixture(scope="session")
def run_of_the_client(tmp_path_factory: pytest.TempPathFactory) -> list[Step]:
    """Record a run of the client."""
    return recorded(tmp_path_factory.mktemp("recorded"))


@pytest.mark.parametrize("way", WAYS)
def test_the_client_and_the_known_traps_get_the_same_responses(
    way: str, tmp_path: Path, run_of_the_client: list[Step]
) -> None:
    differ = {}
    with pair(site(WAYS[way].site), WAYS[way], tmp_path) as both:
        typed = TYPED if WAYS[way].own_types else {}
        for name, steps in {**SEQUENCES, "a run of the client": run_of_the_client, **typed}.items():
            try:
                both.play(steps)
            except AssertionError as error:
                differ[name] = str(error)
            both.empty()
    assert not differ, "\n\n".join(f"{name}: {why}" for name, why in differ.items())


# WordPress 6.1 has no footnotes.
@pytest.mark.parametrize("way", ["mid", "new-as-author"])
def test_the_face_shows_the_schema_that_it_plays(way: str, tmp_path: Path) -> None:
    with pair(site(WAYS[way].site), WAYS[way], tmp_path) as both:
        opened = [open_at(side.base, basic(*side.auth)) for side in (both.real, both.face)]
        real, face = (site_schema.read(service.transport.send) for service in opened)
        assert encode(face) == encode(real)


# A long run takes longer than one test may.
@pytest.mark.timeout(300 + STEPS)
@pytest.mark.parametrize("way", WAYS)
def test_no_response_differs_except_on_purpose(
    way: str, tmp_path: Path, run_of_the_client: list[Step]
) -> None:
    steps = round(STEPS * WAYS[way].share)
    with pair(site(WAYS[way].site), WAYS[way], tmp_path) as both:
        run_state_machine_as_test(
            type("Played", (Sequence,), {"both": both, "run": run_of_the_client, **_objects(WAYS[way])}),
            settings=settings(
                max_examples=max(1, steps // _SEQUENCE),
                stateful_step_count=_SEQUENCE,
                derandomize=True,
                deadline=None,
                database=None,
                phases=[Phase.generate, Phase.shrink],
                suppress_health_check=list(HealthCheck),
            ),
        )
    # Hypothesis ends some sequences early.
    assert steps / 2 < both.steps


def _objects(way: Way) -> dict[str, tuple[str, ...]]:
    """Name the kinds and the taxonomies of the site."""
    own = (OWN_KINDS, OWN_FIELDS) if way.own_types else ((), ())
    return {"kinds": (*KINDS, *own[0]), "fields": (*FIELDS, *own[1])}


@contextlib.contextmanager
def pair(real: Site, way: Way, folder: Path) -> Iterator[Pair]:
    """Open a real site and an empty face, as the same user of both."""
    empty(real)
    typed = typed_as(real) if way.own_types else contextlib.nullcontext(DOCUMENTED_TYPES)
    with (
        typed as types,
        running(
            folder / "site.db", dialect="wordpress", token=TOKEN, structure=way.permalinks, types=types
        ) as face,
        permalinks(real, way.permalinks),
    ):
        if way.user != "admin":
            person = {"username": way.user, "email": f"{way.user}@example.test", "roles": [way.user]}
            made = requests.post(
                f"{face.url}/wp/v2/users", json={**person, "password": "x"}, auth=("admin", TOKEN), timeout=30
            )
            made.raise_for_status()
        there = Side(
            real.url + way.base,
            (way.user, real.passwords[way.user]),
            ("admin", real.passwords["admin"]),
            real.url,
        )
        here = Side(face.site + way.base, (way.user, TOKEN), ("admin", TOKEN), face.store.settings.address)
        for side in (there, here):
            side.is_filtered = way.user not in {"admin", "editor"}
            side.people = {1: "admin", side.ask("GET", "/wp/v2/users/me").json()["id"]: "me"}
        yield Pair(there, here, real.version, partial(empty, real))


@contextlib.contextmanager
def typed_as(real: Site) -> Iterator[SiteTypes]:
    """Give a real site its own types, and the kinds of the schema that its administrator reads there."""
    with own_types(real):
        schema = site_schema.read(real.service().transport.send)
        yield site_types(schema, {}, where="the site")


@contextlib.contextmanager
def permalinks(real: Site, structure: str) -> Iterator[None]:
    """Give a real site these permalinks while the block runs."""
    try:
        change_permalinks(real, structure)
        yield
    finally:
        change_permalinks(real, PRETTY)


class Sequence(RuleBasedStateMachine):
    """One sequence of requests; afterwards both sides are empty again."""

    both: Pair
    run: list[Step]
    kinds: tuple[str, ...]
    fields: tuple[str, ...]

    def __init__(self) -> None:
        super().__init__()
        self.ask = self.both.ask

    @initialize(data=st.data(), starts=st.integers(0, 3))
    def begins(self, data: st.DataObject, starts: int) -> None:
        """Begin with an empty site, or amid a run of the client."""
        if starts == 0:
            self.both.play(self.run[: data.draw(st.integers(1, len(self.run)))])

    def teardown(self) -> None:
        """Delete everything that was made."""
        self.both.empty()

    def chosen(self, data: st.DataObject, *kinds: str) -> str:
        """Choose an object of these kinds, or now and then an id that nobody has."""
        known = self.known(*kinds)
        picked = data.draw(st.sampled_from([*known, *known, *known, -1]))
        return "999999" if picked < 0 else f"{{{picked}}}"

    def reference(self, data: st.DataObject, *kinds: str) -> object:
        """Choose an object for a field, or an id that nobody has, or none."""
        known: list[object] = [Ref(number) for number in self.known(*kinds)]
        return data.draw(st.sampled_from([*known, *known, 999_999, 0]))

    def known(self, *kinds: str) -> list[int]:
        """Give the objects of these kinds, also those that are deleted."""
        return [number for number, kind in enumerate(self.both.kinds) if kind in kinds]

    def made(self, *kinds: str) -> Query:
        """Ask for no object that somebody else made on the site."""
        return tuple(("include[]", Ref(n)) for n in self.known(*kinds)) or (("include[]", 999_999),)

    def body(self, data: st.DataObject, kind: str) -> dict[str, Any]:
        """Draw a body, with references to objects that exist."""
        body = data.draw(bodies(kind))
        if data.draw(st.integers(0, 2)) == 0:
            body["featured_media"] = self.reference(data, "media", "pages")
        if kind in _TREES and data.draw(st.booleans()):
            body["parent"] = self.reference(data, kind)
        if kind in {"books", "posts"} and data.draw(st.booleans()):
            body |= {field: [self.reference(data, field)] for field in self.fields if field in OWN_FIELDS}
        if kind == "posts" and data.draw(st.booleans()):
            count = data.draw(st.integers(0, 2))
            body["categories"] = [self.reference(data, "categories") for _ in range(count)]
            body["tags"] = [self.reference(data, "tags")]
        return body

    @rule(data=st.data(), kind=KIND)
    def creates(self, data: st.DataObject, kind: str) -> None:
        """Create a record of any fields."""
        self.ask("POST", list_of(kind), body=self.body(data, kind))

    @rule(data=st.data(), kind=KIND, title=st.sampled_from(["One", "Two"]), slug=FILE_SLUGS)
    def creates_a_common_one(self, data: st.DataObject, kind: str, title: str, slug: str) -> None:
        """Create a record as the client does."""
        body: dict[str, object] = {"title": title, "slug": slug, "content": "<p>x</p>\n", "status": "publish"}
        if kind in _TREES:
            body["parent"] = self.reference(data, kind)
        self.ask("POST", list_of(kind), body=body)

    @rule(data=st.data(), kind=KIND)
    def updates(self, data: st.DataObject, kind: str) -> None:
        """Update a record, or one of the other kind."""
        self.ask("POST", f"{list_of(kind)}/{self.chosen(data, kind, 'pages')}", body=self.body(data, kind))

    @rule(data=st.data(), kind=KIND, force=FORCE)
    def deletes(self, data: st.DataObject, kind: str, force: str) -> None:
        """Move a record to the trash, or delete it."""
        self.ask("DELETE", f"{list_of(kind)}/{self.chosen(data, kind)}", (("force", force),) if force else ())

    @rule(data=st.data(), kind=KIND, context=_CONTEXTS)
    def reads(self, data: st.DataObject, kind: str, context: str) -> None:
        """Read a record."""
        self.ask("GET", f"{list_of(kind)}/{self.chosen(data, kind)}", (("context", context),))

    @rule(kind=KIND, query=QUERIES)
    def lists(self, kind: str, query: list[tuple[str, object]]) -> None:
        """List records in an order that both sides share."""
        steady = (("orderby", "id"), ("context", "edit"))
        given = dict(query)
        self.ask(
            "GET", list_of(kind), (*self.made(*self.kinds), *(p for p in steady if p[0] not in given), *query)
        )

    @rule(data=st.data(), kind=KIND, mode=_MODES, count=st.integers(1, 3))
    def sends_a_batch(self, data: st.DataObject, kind: str, mode: str, count: int) -> None:
        """Send a few requests at once."""
        items: list[dict[str, Any]] = []
        for _ in range(count):
            one = f"{list_of(kind)}/{self.chosen(data, kind)}"
            choices: list[dict[str, Any]] = [
                {"path": list_of(kind), "body": self.body(data, kind)},
                {"path": one, "body": self.body(data, kind), "method": "PUT"},
                {"path": f"{one}?force=true", "method": "DELETE"},
                {"path": one, "method": "DELETE"},
                {"path": "/wp/v2/nothing"},
                {"path": "/wp/v2/media"},
            ]
            items.append(data.draw(st.sampled_from(choices)))
        self.ask("POST", "/batch/v1", body={"requests": items, "validation": mode})

    @rule(data=st.data(), field=FIELD, name=TERM_NAMES)
    def makes_a_term(self, data: st.DataObject, field: str, name: str) -> None:
        """Make a term, or one that exists."""
        parent = {"parent": self.reference(data, field)} if field in _TREES else {}
        self.ask("POST", f"/wp/v2/{field}", body={"name": name, **parent})

    @rule(data=st.data(), field=FIELD, force=FORCE)
    def deletes_a_term(self, data: st.DataObject, field: str, force: str) -> None:
        """Delete a term."""
        self.ask("DELETE", f"/wp/v2/{field}/{self.chosen(data, field)}", (("force", force),) if force else ())

    @rule(field=FIELD)
    def lists_terms(self, field: str) -> None:
        """List terms."""
        self.ask("GET", f"/wp/v2/{field}", (("orderby", "id"), *self.made(field)))

    @rule(slug=FILE_SLUGS, name=FILE_NAMES)
    def uploads(self, slug: str, name: str) -> None:
        """Upload a picture as the client does, in a form."""
        file = {"files": {"file": (name, _PNG)}, "data": {"slug": slug}}
        self.ask("POST", "/wp/v2/media", (("_fields", _FILE),), **file)

    @rule(data=st.data(), force=FORCE)
    def deletes_a_file(self, data: st.DataObject, force: str) -> None:
        """Delete a file."""
        query = (("_fields", f"deleted,previous,{_FILE}"), *((("force", force),) if force else ()))
        self.ask("DELETE", f"/wp/v2/media/{self.chosen(data, 'media')}", query)

    @rule(slugs=st.lists(FILE_SLUGS, min_size=1, max_size=3))
    def lists_files(self, slugs: list[str]) -> None:
        """Look files up by slug."""
        steady = (("_fields", _FILE), ("orderby", "id"), ("context", "edit"))
        wanted = tuple(("slug[]", slug) for slug in slugs)
        self.ask("GET", "/wp/v2/media", (*steady, *wanted, *self.made("media")))
