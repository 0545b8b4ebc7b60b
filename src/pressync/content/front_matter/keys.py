"""Gives the keys of front matter their meaning: fields of the interface, our own keys, and all others.

People bring trees that were written for other generators. So a key is a field of the kind, one of our own
keys, a key of another generator, a misspelt key (which gets a warning), or a key for templates. No key gets
lost.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pressync.content.front_matter.convert import READERS, ByName, UnfitError
from pressync.model.errors import Problem
from pressync.model.front_page import FRONT_PAGE
from pressync.model.interface import BODIES, Kind
from pressync.model.problem_codes import Code
from pressync.model.records import FieldReference

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pressync.content.front_matter.convert import Reader
    from pressync.content.front_matter.value import Given
    from pressync.model.records import Value

# Keys of Hugo, Jekyll, Zola, Eleventy and their themes, in lower case. They never count as misspelt.
_GENERATORS = frozenset(
    """
    author_profile authors bookcollapsesection build cascade categories category classes collection comment
    comments cover cover_image data eleventynavigation excerpt_separator expires expirydate extra featured
    generate_feeds has_children has_toc header headless hero hidden highlight image images in_search_index
    insert_anchor_links keywords lang language last_modified_at lastmod link linktitle listed locale markup
    math menu menus modified name nav nav_exclude nav_order navigation order outputs page_template
    paginate_by params path permalink pin pinned pubdate publishdate published redirect redirect_from
    redirect_to release render resources search_exclude seo series sidebar sitemap sort_by subtitle tag
    tagline tags taxonomies team teaser thumbnail toc translationkey transparent updated url version videos
    weight
    """.split()  # noqa: SIM905 - a hundred quoted words would be harder to read
)
_NEAR = 0.75
# If no excerpt is named, the first of these keys becomes the excerpt. Templates get them in any case.
_EXCERPTS = ("summary", "description")
# Keys that two records cannot share.
UNIQUE = frozenset({"id", "slug", FRONT_PAGE})


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of front matter: fields of the interface, and other keys; None is "not named"."""

    fields: Mapping[str, Value]
    mentions: tuple[FieldReference, ...] = ()
    parent: str | int | None = None
    parent_line: int = 0
    layout: str | None = None
    layout_line: int = 0
    bound_id: int | None = None
    protect: bool | None = None
    aliases: tuple[str, ...] | None = None
    front_page: bool | None = None
    extra: Mapping[str, object] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def interpret(values: Mapping[str, Given], kind: Kind, path: str, *, shared: bool = False) -> Meaning:
    """Give each key its meaning for a record of this kind; `path` is the file of its problems.

    `shared` values are defaults of many files. They may name fields of the other kind, and must not name a
    key that is unique to a file. A null means "not named".
    """
    taken: dict[str, Any] = {}
    extra: dict[str, object] = {}
    problems: list[Problem] = []
    for key, given in values.items():
        if given.value is None:
            continue
        try:
            reader = _reader(key, given, kind, shared=shared)
            if reader:
                taken[key] = reader(key, given)
            if not reader or key in _EXCERPTS or isinstance(taken[key], ByName):
                extra[key] = given.plain()
        except UnfitError as error:
            problems.append(Problem(path, given.line, error.what, error.todo, error.warning, code=error.code))
            if error.warning:
                extra[key] = given.plain()
            if error.value is not None:
                taken[key] = error.value
    problems += [
        Problem(path, *problem, code=Code.CONTRADICTION) for problem in _contradictions(taken, values)
    ]
    return _meaning(taken, extra, values, kind, problems)


def _reader(key: str, given: Given, kind: Kind, *, shared: bool) -> Reader | None:
    """Find the reader of a key, None for a key of templates; refuse or warn if the key is misplaced.

    An empty list says nothing. Hugo's own skeletons have `categories: []` in each file.
    """
    if shared and key in UNIQUE:
        raise UnfitError(f"'{key}' cannot be a default: two records cannot share it", "name it in the file")
    reader = READERS[kind].get(key)
    if not reader and _is_of_another(key, kind):
        if not shared and given.value != ():
            raise UnfitError(
                f"{kind}s have no {key}",
                f"'{key}' is left to the templates",
                warning=True,
                code=Code.UNUSED_KEY,
            )
    elif not reader and (near := _near(key, kind)):
        raise UnfitError(
            f"unknown key '{key}'", f"did you mean '{near}'?", warning=True, code=Code.UNKNOWN_KEY
        )
    return reader


def _is_of_another(key: str, kind: Kind) -> bool:
    return (key == FRONT_PAGE and kind is Kind.POST) or any(
        field.name == key for other, body in BODIES.items() if other is not kind for field in body
    )


@lru_cache(maxsize=4096)  # thousands of files have the same few keys
def _near(key: str, kind: Kind) -> str | None:
    if key.lower() in _GENERATORS or key.startswith("_"):
        return None
    return next(iter(difflib.get_close_matches(key.lower(), READERS[kind], 1, _NEAR)), None)


def _contradictions(taken: dict[str, Any], values: Mapping[str, Given]) -> Iterator[tuple[int, str, str]]:
    """Merge the keys that set one field, and give a problem for each pair that contradicts."""
    # Jekyll writes `published: false` for a draft. Other generators have a date there.
    unpublished = "published" in values and values["published"].value is False
    for key, written, draft in (
        ("draft", "draft: true", taken.pop("draft", False)),
        ("published", "published: false", unpublished),
    ):
        if draft and taken.setdefault("status", "draft") != "draft":
            what = f"'{written}' contradicts 'status: {taken['status']}'"
            yield values[key].line, what, "keep one of them"
    if "date" in taken and "date_gmt" in taken:
        yield values["date_gmt"].line, "date and date_gmt are both named", "keep one: they could contradict"
    for key, (text, utc) in [(key, taken.pop(key)) for key in ("date", "date_gmt") if key in taken]:
        taken["date_gmt" if utc else key] = text


def _meaning(
    taken: dict[str, Any],
    extra: Mapping[str, object],
    values: Mapping[str, Given],
    kind: Kind,
    problems: list[Problem],
) -> Meaning:
    excerpts = [taken.pop(key) for key in _EXCERPTS if key in taken]
    if excerpts:
        taken.setdefault("excerpt", excerpts[0])
    if "weight" in taken:
        taken.setdefault("menu_order", taken.pop("weight"))
    parent = taken.pop("parent", None)
    named = {key: taken.pop(key) for key in values if isinstance(taken.get(key), ByName)}
    return Meaning(
        fields={field.name: taken[field.name] for field in BODIES[kind] if field.name in taken},
        mentions=tuple(FieldReference(key, value.given, values[key].line) for key, value in named.items()),
        parent=parent,
        parent_line=0 if parent is None else values["parent"].line,
        layout=taken.get("layout"),
        layout_line=0 if taken.get("layout") is None else values["layout"].line,
        bound_id=taken.get("id"),
        protect=taken.get("protect"),
        aliases=taken.get("aliases"),
        front_page=taken.get(FRONT_PAGE),
        extra=extra,
        problems=tuple(problems),
    )
