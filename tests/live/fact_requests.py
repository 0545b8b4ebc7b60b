"""The requests by which real WordPress surprises clients, as sequences; each begins on an empty site.

They are those that the project measured before it wrote its client: the differential suite plays all of them.
"""

from __future__ import annotations

from typing import Any

from tests.live.difference import Ref, Step

_PAGES, _POSTS, _BATCH = "/wp/v2/pages", "/wp/v2/posts", "/batch/v1"
_CATEGORIES, _TAGS = "/wp/v2/categories", "/wp/v2/tags"
_FORM = (("Content-Type", "application/x-www-form-urlencoded"),)
_OLD, _FUTURE = "2020-01-02T03:04:05", "2035-01-01T00:00:00"


def _post(path: str, body: Any = None, *, makes: int = 0) -> Step:  # noqa: ANN401 - any JSON
    return Step("POST", path, body={} if body is None else body, makes=makes)


def _page(makes: int = 1, /, **fields: object) -> Step:
    return _post(_PAGES, {"status": "publish", **fields}, makes=makes)


def _form(path: str, text: str, *, makes: int = 0) -> Step:
    return Step("POST", path, headers=_FORM, sent=text.encode(), makes=makes)


def _get(path: str, **query: str) -> Step:
    return Step("GET", path, tuple(query.items()))


def _delete(path: str, **query: str) -> Step:
    return Step("DELETE", path, tuple(query.items()))


_SURE = {"context": "edit", "orderby": "id", "order": "asc"}

_ODD: tuple[Any, ...] = (
    *({"title": None}, {"title": 123}, {"title": True}, {"title": []}, {"title": {}}),
    *({"content": {"raw": 5}}, {"title": {"rendered": "x"}}, {"slug": None}, {"status": None}),
    *({"menu_order": None}, {"menu_order": "4"}, {"menu_order": "x"}, {"author": 0}, []),
    *({"author": 999_999}, {"meta": "text"}, {"meta": {"footnotes": "[]"}}, {"unknown": 1}),
    *({"status": "bad"}, {"comment_status": "bad"}, {"featured_media": 999_999}),
)

SEQUENCES: dict[str, list[Step]] = {
    "a create with little": [
        _post(_PAGES, {"title": "t"}, makes=1),
        _post(_PAGES, {}, makes=1),
        _post(_POSTS, {}),
        _post(_POSTS, {"title": "t"}, makes=1),
        _post(_PAGES, {"id": 999_999, "title": "t"}),
        _post(f"{_PAGES}?title=x", {"content": "<p>x</p>"}, makes=1),
    ],
    "dates decide statuses": [
        _page(title="old", date=_OLD),
        _page(title="new", date=_FUTURE),
        _page(title="three", status="future"),
        _page(title="four"),
        _post(f"{_PAGES}/{{3}}", {"date": _FUTURE}),
        _post(f"{_PAGES}/{{3}}", {"status": "publish"}),
        _post(f"{_PAGES}/{{3}}", {"date": _OLD}),
        _page(title="five", date=_OLD, date_gmt=_FUTURE),
        *(_page(0, title="six", date=date) for date in ("bad", "2024-03-01", "", "2024-13-01T00:00:00")),
        *(_page(title="seven", date=f"2020-01-02{rest}") for rest in ("T03:04:05Z", "T03:04:05+05:00")),
        *(_page(title="eight", date=date) for date in ("2024-02-30T00:00:00", "2024-03-01 01:02:03", None)),
        _page(title="nine", date="2024-03-01T01:02:03.999"),
    ],
    "an id in a body acts on that record": [
        _page(title="one"),
        _page(title="two"),
        _post(f"{_PAGES}/{{0}}", {"id": Ref(1), "title": "three"}),
        Step("GET", f"{_PAGES}/{{0}}", (("id", Ref(1)),)),
        Step("DELETE", f"{_PAGES}/{{0}}", (("id", Ref(1)),)),
        _get(_PAGES, **_SURE, slug="one,two"),
    ],
    "the trash": [
        _page(title="top", slug="top"),
        _page(title="below", parent=Ref(0)),
        _delete(f"{_PAGES}/{{0}}"),
        _delete(f"{_PAGES}/{{0}}"),
        _get(f"{_PAGES}/{{1}}"),
        _get(f"{_PAGES}/{{0}}", context="edit"),
        _post(f"{_PAGES}/{{0}}", {"title": "changed"}),
        _page(title="top", slug="top"),
        _post(f"{_PAGES}/{{0}}", {"status": "trash"}),
        _post(f"{_PAGES}/{{0}}", {"status": "draft"}),
        _delete(f"{_PAGES}/{{0}}", force="true"),
        _get(f"{_PAGES}/{{1}}"),
        _delete(f"{_PAGES}/{{0}}"),
        _post(f"{_PAGES}/{{0}}", {"title": "x"}),
        _page(0, status="trash"),
        _form(f"{_PAGES}/{{2}}", "force=false"),
        Step("DELETE", f"{_PAGES}/{{2}}", headers=_FORM, sent=b"force=1"),
    ],
    "parents": [
        _page(title="one"),
        _page(title="two", parent=Ref(0)),
        _page(title="three", parent=Ref(1)),
        _post(f"{_PAGES}/{{0}}", {"parent": Ref(0)}),
        _post(f"{_PAGES}/{{0}}", {"parent": Ref(2)}),
        _post(_POSTS, {"title": "post", "status": "publish"}, makes=1),
        _page(title="four", parent=Ref(3)),
        _page(0, title="five", parent=999_999),
        _page(0, title="five", parent=-1),
        _post(f"{_PAGES}/{{2}}", {"parent": None, "template": None}),
        _page(title="six", parent=Ref(0), slug="two"),
        _get(_PAGES, **_SURE, slug="two,two-2"),
    ],
    "null and other types": [
        _page(title="one", slug="one"),
        *(_post(f"{_PAGES}/{{0}}", body) for body in _ODD),
    ],
    "forms": [
        _form(_PAGES, "title=a+%26+b&status=publish&content[raw]=%3Cp%3Ex%3C%2Fp%3E", makes=1),
        _form(f"{_PAGES}/{{0}}", "slug=&password=&title="),
        *(_form(f"{_PAGES}/{{0}}", f"{name}=") for name in ("parent", "author", "menu_order", "status")),
        _form(f"{_PAGES}/{{0}}", 'title={"raw": "text"}'),
        _form(f"{_PAGES}/{{0}}", 'meta={"footnotes":"[]"}'),
        _form(_POSTS, "title=p&categories=1", makes=1),
        *(_form(f"{_POSTS}/{{1}}", f"categories{rest}") for rest in ("=", "=[1]", "[]=1", "=1,1")),
    ],
    "slugs": [
        *(_page(slug=slug, title="t") for slug in ("Doc Page!", "café", "日本語", "a/b", "a_b.c", "1230000")),
        *(_page(slug=slug, title="t") for slug in ("feed", "x" * 250, "dup", "dup", "dup")),
        _page(slug="dup", title="t", status="draft"),
        _post(f"{_PAGES}/{{11}}", {"status": "publish"}),
        _post(_POSTS, {"slug": "dup", "title": "t", "status": "publish"}, makes=1),
        _page(title="A & B < C"),
        _page(title="x" * 300),
    ],
    "terms": [
        _post(_CATEGORIES, {"name": "A & B"}, makes=1),
        _post(_CATEGORIES, {"name": "A & B"}),
        _post(_CATEGORIES, {"name": "a &amp; b"}),
        _post(_CATEGORIES, {"name": "A & B", "parent": Ref(0)}, makes=1),
        _post(_CATEGORIES, {"name": "A & B", "slug": "other"}, makes=1),
        _post(_CATEGORIES, {"name": "Lost", "parent": 999_999}),
        _post(_CATEGORIES, {}),
        _post(_CATEGORIES, {"name": ""}),
        _post(f"{_CATEGORIES}/{{0}}", {"parent": Ref(1)}),
        _post(_TAGS, {"name": "A & B"}, makes=1),
        _post(_POSTS, {"title": "p", "tags": [Ref(3), 999_999], "categories": []}, makes=1),
        _post(f"{_POSTS}/{{4}}", {"categories": [Ref(0), 1], "status": "publish"}),
        _post(f"{_POSTS}/{{4}}", {"categories": None}),
        _post(f"{_POSTS}/{{4}}", {"tags": "news"}),
        *(
            Step(
                "GET",
                _CATEGORIES,
                (("orderby", "id"), ("search", text), ("include[]", Ref(0)), ("include[]", Ref(1))),
            )
            for text in ("A & B", "A &amp; B", "a")
        ),
        _delete(f"{_TAGS}/{{3}}"),
        _delete(f"{_TAGS}/{{3}}", force="true"),
        _get(f"{_POSTS}/{{4}}"),
        _delete(f"{_CATEGORIES}/1", force="true"),
    ],
    "batches": [
        _post(_BATCH, {"requests": []}),
        _post(_BATCH, {"requests": [{"path": _PAGES}] * 26}),
        _post(_BATCH, {"requests": [{"path": _PAGES, "method": "GET"}]}),
        _post(_BATCH, {"requests": "text"}),
        _post(_BATCH, {}),
        _post(
            _BATCH,
            {
                "requests": [
                    {"path": _PAGES, "body": {"title": "a", "status": "publish"}},
                    {"path": _PAGES, "body": {"title": "a", "status": "bad"}},
                    {"path": "/wp/v2/media", "body": {}},
                    {"path": f"{_POSTS}/999999", "method": "DELETE"},
                    {"path": f"{_TAGS}?_fields=id,name", "body": {"name": "t"}},
                ]
            },
            makes=2,
        ),
        _post(
            _BATCH,
            {
                "validation": "require-all-validate",
                "requests": [
                    {"path": f"{_PAGES}/{{0}}", "method": "PUT", "body": {"title": "b"}},
                    {"path": _PAGES, "body": {"status": "bad"}},
                ],
            },
        ),
        _get(f"{_PAGES}/{{0}}"),
    ],
    "lists": [
        *(_page(title=f"p{n}", slug=f"p{n}", status=status) for n, status in enumerate(("publish", "draft"))),
        _get(_PAGES, **_SURE, slug="p0,p1"),
        _get(_PAGES, **_SURE, slug="p0,p1", status="any"),
        _get(_PAGES, **_SURE, slug="p0,p1", status="any", per_page="1", page="2"),
        _get(_PAGES, **_SURE, slug="p0,p1", status="any", per_page="1", page="3"),
        *(_get(_PAGES, per_page=size) for size in ("0", "-1", "101", "x")),
        _get(_PAGES, slug="p0", modified_after="2020-01-01T00:00:00Z"),
        _get(_PAGES, slug="p0", modified_after="2099-01-01T00:00:00Z"),
        _get(_PAGES, slug="p0", _fields="id,title.raw,nothing", context="edit"),
        _get(f"{_PAGES}/999999"),
        _get(f"{_PAGES}/0"),
        _get(f"{_PAGES}/x"),
        _get(f"{_POSTS}/{{0}}"),
        _get(f"{_PAGES}/{{0}}/"),
        Step("POST", f"{_PAGES}", body={"slug": ["p0"]}, headers=(("X-HTTP-Method-Override", "GET"),)),
    ],
    "posts": [
        _post(_POSTS, {"title": "p", "status": "publish", "sticky": True}, makes=1),
        _post(_POSTS, {"title": "p", "sticky": True, "password": "x"}),
        _post(f"{_POSTS}/{{0}}", {"sticky": False, "password": "x"}),
        _post(f"{_POSTS}/{{0}}", {"sticky": False}),
        _post(f"{_POSTS}/{{0}}", {"password": "x"}),
        _post(f"{_POSTS}/{{0}}", {"status": "private", "password": "x"}),
        _post(f"{_POSTS}/{{0}}", {"format": "aside", "parent": 1}),
        _post(f"{_POSTS}/{{0}}", {"format": "bad"}),
        _post(f"{_POSTS}/{{0}}", {"sticky": "yes"}),
    ],
}

_BOOKS, _CHAPTERS, _PLACES, _EVENTS = "/wp/v2/books", "/wp/v2/chapters", "/atlas/v1/places", "/wp/v2/events"
_GENRES, _MOOD = "/wp/v2/genres", "/wp/v2/mood"
# Values of the fields of a book that WordPress takes, converts, ignores or refuses.
META_VALUES: dict[str, tuple[Any, ...]] = {
    "isbn": ("1", 5, None, ["a"], True, 1.5, {"a": 1}, ""),
    "price": (12.5, "12.5", "x", -1, None, "", True, 3, 1e3),
    "copies": (3, "3", 1.5, "x", None, 1.0, "", -2),
    "in_print": (True, "true", "yes", 1, 0, "false", None, "", 2),
    "keywords": (["a", "b"], "a", [1], [{}], [], None, ["b", "a", "a"], [None], ["b"], "a,b"),
    "binding": ("cloth", "stone", "", None, 5),
    "size": (
        *({"width": 3, "height": 4}, {"width": 0}, {"wide": 1}, "x", [], {}, None, {"width": "7"}),
        *({"width": None}, {"height": 1.5}, [1]),
    ),
    "reviews": (["a"], ["a"] * 4, "a,b", [], None, [1], {"a": "b"}, [[]]),
    "published_on": ("2024-02-03T04:05:06", "soon", "", None, "2024-02-03", "2024-02-03T04:05:06+02:00"),
    "shop": (
        "https://example.org/a",
        "not an url",
        "https://example.org/ä b",
        "javascript:x",
        "",
        None,
        "/a",
    ),
    "hidden_key": ("x",),
    "nothing": ("x",),
}
ACF_VALUES: dict[str, tuple[Any, ...]] = {
    "subtitle": ("x", None, 5, ["a"], ""),
    "pages": (5, 0, "7", None, "x", 1.5, True),
    "cover": (3, None, "", 0),
    "nothing": ("x",),
}


# Neither `meta` nor `acf` is one of these.
_NO_OBJECTS: tuple[Any, ...] = (None, "x", [], {}, ["x"], 5)


def _book(makes: int = 1, /, **fields: object) -> Step:
    return _post(_BOOKS, {"title": "b", "status": "publish", **fields}, makes=makes)


_FULL = {key: values[0] for key, values in META_VALUES.items() if key not in {"hidden_key", "nothing"}}
# The sequences of a site with the types of stand/types.php.
TYPED: dict[str, list[Step]] = {
    "records of each type": [
        *(_post(path, {"title": "One", "status": "publish"}, makes=1) for path in (_BOOKS, _PLACES, _EVENTS)),
        _post(_CHAPTERS, {"title": "One", "status": "publish"}, makes=1),
        _post(_CHAPTERS, {"title": "Two", "status": "publish", "parent": Ref(3), "menu_order": 4}, makes=1),
        _post(_CHAPTERS, {"title": "Two", "status": "publish", "parent": 999_999}),
        _post(_BOOKS, {"title": "One", "status": "publish", "parent": Ref(0), "excerpt": "x"}, makes=1),
        _post(_PLACES, {"title": "One", "status": "draft", "excerpt": "x", "categories": [1]}, makes=1),
        *(_post(path, {}) for path in (_BOOKS, _PLACES, _CHAPTERS)),
        *(_get(path, **_SURE, status="any") for path in (_BOOKS, _PLACES, _CHAPTERS, _EVENTS)),
        *(_get(path, context="edit", slug="one,two") for path in (_BOOKS, _CHAPTERS)),
        *(
            _get(path, context="edit")
            for path in (f"{_BOOKS}/{{3}}", f"{_CHAPTERS}/{{0}}", f"{_PAGES}/{{0}}")
        ),
        _delete(f"{_CHAPTERS}/{{3}}"),
        *(_get(f"{_CHAPTERS}/{{{number}}}", context="edit") for number in (3, 4)),
        _delete(f"{_PLACES}/{{1}}", force="true"),
        _delete(f"{_EVENTS}/{{2}}"),
        _post(
            _BATCH,
            {
                "requests": [
                    *(
                        {"path": path, "body": {"title": "Three"}}
                        for path in (_BOOKS, _PLACES, _EVENTS, _CHAPTERS)
                    ),
                ]
            },
            makes=3,
        ),
    ],
    "terms of own taxonomies": [
        _post(_GENRES, {"name": "Fiction"}, makes=1),
        _post(_GENRES, {"name": "Sea", "parent": Ref(0)}, makes=1),
        _post(_GENRES, {"name": "Sea", "parent": Ref(0)}),
        _post(_MOOD, {"name": "dark"}, makes=1),
        _post(_MOOD, {"name": "dark", "parent": Ref(2)}),
        _book(genres=[Ref(0), Ref(1)], mood=[Ref(2)]),
        _post(_POSTS, {"title": "p", "status": "publish", "mood": [Ref(2)], "genres": [Ref(0)]}, makes=1),
        *(_post(f"{_BOOKS}/{{3}}", {"genres": value}) for value in ([], [999_999], "x", [Ref(2)], None)),
        *(_get(path, orderby="id", hide_empty="false") for path in (_GENRES, _MOOD)),
        Step("GET", _BOOKS, (*_SURE.items(), ("mood", Ref(2)))),
        _delete(f"{_MOOD}/{{2}}", force="true"),
        _get(f"{_BOOKS}/{{3}}", context="edit"),
    ],
    "a value of a field at a create": [
        _book(meta=_FULL, acf={"subtitle": "x", "pages": 5}),
        *(_book(1, meta={key: one}) for key, values in META_VALUES.items() for one in values),
        *(_book(1, acf={key: one}) for key, values in ACF_VALUES.items() for one in values),
        _book(1, meta={"isbn": "1", "binding": "stone", "copies": 4}, acf={"subtitle": "x"}),
        *(_book(1, **{inside: odd}) for inside in ("meta", "acf") for odd in _NO_OBJECTS),
        # A create that is refused for a field has made a record, whose id no response has.
        _get(_BOOKS, **_SURE, per_page="100", _fields="slug,status,meta,acf"),
    ],
    "a value of a field at an update": [
        _book(meta=_FULL, acf={"subtitle": "x", "pages": 5}),
        *(
            _post(f"{_BOOKS}/{{0}}", {inside: {key: one}})
            for inside, known in (("meta", META_VALUES), ("acf", ACF_VALUES))
            for key, values in known.items()
            for one in (*values, values[0])
        ),
        _post(
            f"{_BOOKS}/{{0}}", {"meta": {"isbn": "9", "binding": "stone", "copies": 4}, "acf": {"pages": 9}}
        ),
        _get(f"{_BOOKS}/{{0}}", context="edit"),
        *(_post(path, {"title": "o", "meta": {"isbn": "1"}}, makes=1) for path in (_PAGES, _PLACES)),
    ],
}
