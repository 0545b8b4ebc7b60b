"""The requests that the differential suite chooses from: what people and programs send, good and bad."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from tests.live.fact_requests import ACF_VALUES, META_VALUES

Strategy = st.SearchStrategy[Any]

# The numbers are ids that a site of these tests never reaches: a slug that is an id is compared by its name.
_TITLES = st.sampled_from(
    ["One", "Two", "One", "", "A & B", "Über uns", "1230000", "日本 x", "  outer  ", "Don't.stop/now", "feed"]
)
_ODD_TEXTS = st.sampled_from([5, None, True, {}, {"raw": "inner"}, {"rendered": "x"}, {"raw": ""}])
_BODIES = st.sampled_from(["<p>x</p>\n", "", "two\n\nlines", "<!-- wp:html -->\n<p>q</p>\n<!-- /wp:html -->"])
_SLUGS = st.sampled_from(["one", "two", "one", "", "feed", "1200000", "Über", "A b.c/d_e", None, "one-2"])
_STATUSES = st.sampled_from(
    [*["publish"] * 6, "draft", "draft", "pending", "private", "future", "bad", None, "trash", ""]
)
_DATES = st.sampled_from(
    [
        *("2020-01-02T03:04:05", "2035-01-01T00:00:00", "2024-02-30T00:00:00", "bad", "2024-03-01", None),
        *("2020-01-02T03:04:05Z", "2020-01-02T03:04:05+05:00", "2020-01-02 03:04:05", "2024-13-01T00:00:00"),
    ]
)
_CHOICES = st.sampled_from(["open", "closed", "closed", "bad"])


def _joined(parts: list[dict[str, object]]) -> dict[str, object]:
    return {key: one for part in parts for key, one in part.items()}


def _mostly(good: Strategy, odd: Strategy) -> Strategy:
    return st.integers(0, 9).flatmap(lambda number: odd if number == 0 else good)


_COMMON: dict[str, Strategy] = {
    "title": _mostly(_TITLES, _ODD_TEXTS),
    "content": _mostly(_BODIES, _ODD_TEXTS),
    "excerpt": _mostly(_BODIES, _ODD_TEXTS),
    "slug": _SLUGS,
    "status": _STATUSES,
    "date": _DATES,
    "date_gmt": _DATES,
    "password": st.sampled_from(["", "secret"]),
    "comment_status": _CHOICES,
    "ping_status": _CHOICES,
    "meta": st.sampled_from([{"footnotes": "[]"}, {"footnotes": ""}, {}, [], "text"]),
    "modified": st.just("2019-01-01T00:00:00"),
    "unknown": st.just("x"),
    "author": st.sampled_from([1, 999_999, 0]),
}
_ORDER = {"menu_order": st.sampled_from([0, 3, "4", -2, "x", 1.0, None])}
_META, _ACF = (
    st.sampled_from([{key: one} for key, values in known.items() for one in values])
    for known in (META_VALUES, ACF_VALUES)
)
KINDS: dict[str, dict[str, Strategy]] = {
    "pages": _ORDER,
    "posts": {
        "format": st.sampled_from(["standard", "aside", "bad"]),
        "sticky": st.sampled_from([True, False, "true", "yes", 1]),
    },
}
FIELDS = ("categories", "tags")
# The kinds and the taxonomies of stand/types.php.
OWN_KINDS: dict[str, dict[str, Strategy]] = {
    "books": {**_ORDER, "meta": st.lists(_META, max_size=3).map(_joined), "acf": _ACF},
    "chapters": _ORDER,
    "places": {},
    "events": {},
}
OWN_FIELDS = ("genres", "mood")
# The machine that plays has the kinds and the taxonomies of its site.
KIND = st.runner().flatmap(lambda machine: st.sampled_from(machine.kinds))
FIELD = st.runner().flatmap(lambda machine: st.sampled_from(machine.fields))
FORCE = st.sampled_from(["", "false", "true", "true", "no"])
TERM_NAMES = st.sampled_from(
    ["News", "news", "A & B", "A &amp; B", "Vec<T>", "Ü", "", "  two  words ", "x > y", "News!"]
)
FILE_NAMES = st.sampled_from(["one.png", "b.PNG", "c.php", "d e.png"])
FILE_SLUGS = st.sampled_from(["one", "picture", "two", ""])


def bodies(kind: str) -> st.SearchStrategy[dict[str, object]]:
    """Give bodies of creates and updates: a few fields each."""
    known = {**_COMMON, **(KINDS.get(kind) or OWN_KINDS[kind])}
    if kind in OWN_KINDS and kind != "books":
        del known["author"]
    return st.lists(st.sampled_from(sorted(known)), max_size=5, unique=True).flatmap(
        lambda names: st.fixed_dictionaries({name: known[name] for name in names})
    )


QUERIES: st.SearchStrategy[list[tuple[str, object]]] = st.lists(
    st.sampled_from(
        [
            *(("status", "any"), ("status", "any,trash"), ("status", "draft,publish"), ("status", "bad")),
            *(("per_page", "2"), ("per_page", "101"), ("page", "2"), ("page", "0"), ("order", "asc")),
            *(("order", "bad"), ("search", "one"), ("search", "x two"), ("slug", "one,two"), ("slug[]", "")),
            *(("slug[]", "Über"), ("parent", "0"), ("orderby", "bad"), ("status[]", "trash")),
            *(("orderby", "relevance"), ("author", "1"), ("modified_after", "2021-01-01T00:00:00Z")),
            *(("modified_after", "bad"), ("exclude", "1"), ("context", "view"), ("context", "bad")),
        ]
    ),
    max_size=4,
    unique_by=lambda pair: pair[0],
)
