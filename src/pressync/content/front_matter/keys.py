"""Gives the keys of front matter their meaning: fields of the interface, our own keys, and all others.

People bring trees that were written for other generators. So a key is a field of the kind, one of our own
keys, a key of another generator, a misspelt key (which gets a warning), or a key for templates. No key gets
lost.
"""

from __future__ import annotations

import difflib
import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache, partial
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec.structs import replace

from pressync.content.front_matter import convert, registered
from pressync.content.front_matter.convert import Reader, UnfitError
from pressync.content.front_matter.value import Given
from pressync.content.sources import INDEXES, stem
from pressync.model.errors import Code, Problem
from pressync.model.interface import DOCUMENTED_TYPES, Kind, KindRow, SiteTypes
from pressync.model.records import FieldReference, Value
from pressync.model.visibility import FRONT_PAGE
from pressync.model.web_address import split

# Keys of Hugo, Jekyll, Zola, Eleventy, Docusaurus, Material for MkDocs and their themes, in lower case. They
# never count as misspelt or unread.
_GENERATORS = frozenset(
    """
    author_profile authors bookcollapsesection breadcrumbs build cascade categories category class classes
    collection comment comments cover cover_image custom_edit_url data displayed_sidebar eleventynavigation
    excerpt_separator expires expirydate extra featured gallery generate_feeds has_children has_toc header
    headless hero hidden hide hide_table_of_contents hide_title highlight icon image images in_search_index
    insert_anchor_links keywords lang language last_modified_at lastmod link linktitle listed locale markup
    math menu menus modified name nav nav_exclude nav_order navigation order outputs page_template paginate_by
    pagination pagination_label pagination_next pagination_prev params path permalink pin pinned pubdate
    publishdate published readtime redirect redirect_from redirect_to related release render resources search
    search_exclude seo series sidebar sidebar_class_name sidebar_label sidebar_position sitemap
    social sort_by subtitle tag tagline tags team teaser thumbnail toc toc_max_heading_level
    toc_min_heading_level translationkey transparent twitter unlisted updated url version videos weight
    """.split()  # noqa: SIM905 - a hundred quoted words would be harder to read
)
_PICTURE = "for a picture that the site shows with the page, write `featured_media: FILE`"
_DATE = "write `date` for the time at which the page appears"
_TIME = "leave it out: WordPress notes by itself when a page was changed"
_OVER = "the page stays public then: remove its file, or write `status: draft`, when it is over"
_SEEN = "visitors find the page: write `status: private`, `status: draft` or `type: none`"
_FIRST = "write `sticky: true`"
_COMMENTS = "write `comment_status: closed` or `comment_status: open`"
_TAGS = "for tags, write a list: `tags: [ONE, OTHER]`"
# Keys of generators that readers would miss, in lower case: the field that a file sets in their place ("" if
# there is none), and what to do. A file that sets the field needs no advice.
_INSTEAD: Mapping[str, tuple[str, str]] = {
    "category": ("categories", "write a list: `categories: [ONE, OTHER]`"),
    **dict.fromkeys(("tag", "keywords"), ("tags", _TAGS)),
    # These are read in small letters alone.
    "categories": ("categories", "write it in small letters: `categories`"),
    "tags": ("tags", "write it in small letters: `tags`"),
    **dict.fromkeys(("thumbnail", "image", "images", "cover", "cover_image"), ("featured_media", _PICTURE)),
    **dict.fromkeys(("comment", "comments"), ("comment_status", _COMMENTS)),
    **dict.fromkeys(("published", "pubdate"), ("date", _DATE)),
    "publishdate": ("", _DATE),
    **dict.fromkeys(("lastmod", "last_modified_at", "modified", "updated"), ("", _TIME)),
    **dict.fromkeys(("expires", "expirydate"), ("", _OVER)),
    **dict.fromkeys(("headless", "hidden", "unlisted"), ("", _SEEN)),
    **dict.fromkeys(("private", "publish", "visibility"), ("status", _SEEN)),
    **dict.fromkeys(("pin", "pinned"), ("sticky", _FIRST)),
}
# Only `true` says something in these.
_SWITCHES = frozenset({"headless", "hidden", "pin", "pinned", "private", "unlisted"})
_NEAR = 0.75
_NO_FIELDS: Mapping[str, str] = MappingProxyType({})
# The keys that set a field, the one that counts first. Every other field is set by the key of its name.
# Templates get `summary` and `description` in any case.
SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "status": ("status", "draft", "published"),
    "excerpt": ("excerpt", "summary", "description"),
    "menu_order": ("menu_order", "weight"),
    "date": ("date", "date_gmt"),
    "date_gmt": ("date_gmt", "date"),
    "author": ("author", "authors"),
}
# Hugo's and Jekyll's keys for a status: with this value the file is a draft, and else the key says nothing.
DRAFTS: Mapping[str, bool] = {"draft": True, "published": False}
# Keys that two records cannot share.
UNIQUE = frozenset({"id", "slug", FRONT_PAGE})
# The address of the page itself: of Jekyll and Eleventy, of Hugo, and of Zola.
_OWN = ("permalink", "url", "path")
# Further old addresses, of a plugin of Jekyll.
_FORMER = "redirect_from"
# Names of Jekyll's patterns.
_STYLES = frozenset({"date", "pretty", "ordinal", "weekdate", "none"})
_PLACEHOLDER = re.compile(r"(?:^|[/_.-]):\w|[{}<>$\s]")


class Meaning(msgspec.Struct, frozen=True):
    """The meaning of front matter: fields of the interface, and other keys; None is "not named".

    `own` has the lines of the keys that neither pressync nor a generator knows.
    """

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
    extra: Mapping[str, object] = {}
    own: Mapping[str, int] = {}
    problems: tuple[Problem, ...] = ()


def interpret(
    values: Mapping[str, Given],
    kind: Kind,
    path: str,
    types: SiteTypes = DOCUMENTED_TYPES,
    *,
    shared: bool = False,
    seo: Mapping[str, str] = _NO_FIELDS,
) -> Meaning:
    """Give each key its meaning for a record of this kind; `path` is the file of its problems.

    `types` has all kinds of the site, and `seo` the fields that the settings name for the words of `seo`.
    `shared` values are defaults of many files. They may name fields of the other kind, and must not name a
    key that is unique to a file. A null means "not named".
    """
    taken: dict[str, Any] = {}
    extra: dict[str, object] = {}
    problems: list[Problem] = []
    own: dict[str, int] = {}
    written = values
    if kind.row.has_schema:
        values, wrong = registered.expanded(values, kind, types, seo)
        problems += [problem(path, line, error) for line, error in wrong]
        extra |= {key: written[key].plain() for key in registered.KEYS if key in written}
    for key, given in values.items():
        if given.value is None:
            continue
        try:
            reader = _reader(key, given, kind, types, shared=shared)
            if reader:
                taken[key] = reader(key, given)
            elif not shared and _is_for_nobody(key, given, kind, values):
                own[key] = given.line
            is_shown = not reader or key in SPELLINGS["excerpt"][1:] or isinstance(taken[key], FieldReference)
            if is_shown and key in written:
                extra[key] = given.plain()
        except UnfitError as error:
            problems.append(problem(path, given.line, error))
            if error.warning:
                extra[key] = given.plain()
            if error.value is not None:
                taken[key] = error.value
    contradictions = _contradictions(taken, values)
    problems += [Problem(path, *problem, code=Code.CONTRADICTION) for problem in contradictions]
    return _meaning(taken, extra, values, kind, problems, own=own)


def _is_for_nobody(key: str, given: Given, kind: Kind, values: Mapping[str, Given]) -> bool:
    """Tell whether a key without a reader is nobody's, or one whose loss visitors would see."""
    name = key.lower()
    if name not in _INSTEAD:
        return name not in _GENERATORS and not key.startswith("_")
    # `published: false` is read, and `published: true` says nothing.
    is_switch = isinstance(given.value, bool) and name == "published"
    if given.value in ("", ()) or is_switch or (name in _SWITCHES and given.value is not True):
        return False
    field = _INSTEAD[name][0]
    is_set = any(spelling in values for spelling in SPELLINGS.get(field, (field,)))
    return not field or (kind.row.has(field) and not is_set)


def instead(key: str) -> str:
    """Say what to do about a key that nothing reads."""
    return _INSTEAD.get(key.lower(), ("", "it is not sent, and no template has it"))[1]


def problem(path: str, line: int, error: UnfitError) -> Problem:
    """Give the problem of a value at a line of a file."""
    return Problem(path, line, error.what, error.todo, error.warning, code=error.code)


def _reader(key: str, given: Given, kind: Kind, types: SiteTypes, *, shared: bool) -> Reader | None:
    """Find the reader of a key, None for a key of templates; refuse or warn if the key is misplaced.

    An empty list says nothing. Hugo's own skeletons have `categories: []` in each file.
    """
    if shared and key in UNIQUE:
        raise UnfitError(f"'{key}' cannot be a default: two records cannot share it", "name it in the file")
    reader = readers(kind.row).get(key)
    if reader is convert.read_type:
        return partial(convert.read_type, types=types)
    if not reader and "." in key and kind.row.has_schema:
        registered.refuse_unknown(key, kind, types)
    of_others = (field.name for other in types.kinds if other != kind for field in other.row.body)
    is_front = key == FRONT_PAGE and not kind.row.front
    if not reader and (is_front or key in of_others):
        if not shared and given.value != ():
            todo = f"'{key}' is left to the templates"
            raise UnfitError(f"{kind}s have no {key}", todo, warning=True, code=Code.UNUSED_KEY)
    elif not reader and (near := _near(key, kind.row)):
        inside, _, member = near.partition(".")
        todo = f"write `{inside}: {{{member}: …}}`" if member else f"did you mean '{near}'?"
        raise UnfitError(f"unknown key '{key}'", todo, warning=True, code=Code.UNKNOWN_KEY)
    return reader


@cache
def readers(row: KindRow) -> Mapping[str, Reader]:
    """Give all keys with a meaning for a record of the kind: its fields (4.1, 4.4), and our own keys."""
    by_key: dict[str, Reader] = {}
    for member in row.body:
        if member.taxonomy:
            by_key[member.name] = convert.TermsReader(member.taxonomy)
        elif member.schema:
            by_key[member.name] = registered.reader(member)
        else:
            by_key[member.name] = convert.BY_NAME.get(member.name) or convert.BY_TYPE[member.type]
    by_key |= convert.OUR_OWN
    if row.has("menu_order"):
        by_key["weight"] = convert.read_integer
    if row.front:
        by_key[FRONT_PAGE] = convert.read_boolean
    return by_key


@lru_cache(maxsize=4096)  # thousands of files have the same few keys
def _near(key: str, row: KindRow) -> str | None:
    if key.lower() in _GENERATORS or key.startswith("_"):
        return None
    members = {name.partition(".")[2]: name for name in readers(row) if "." in name}
    names = [name for name in readers(row) if "." not in name]
    return members.get(key) or next(iter(difflib.get_close_matches(key.lower(), names, 1, _NEAR)), None)


def _contradictions(taken: dict[str, Any], values: Mapping[str, Given]) -> Iterator[tuple[int, str, str]]:
    """Merge the keys that set one field, and give a problem for each pair that contradicts."""
    # Jekyll writes `published: false` for a draft. Other generators have a date there.
    unpublished = "published" in values and values["published"].value is False
    for key, written, draft in (
        ("draft", "draft: true", taken.pop("draft", False)),
        ("published", "published: false", unpublished),
    ):
        if draft and taken.setdefault("status", "draft") != "draft":
            problem = f"'{written}' contradicts 'status: {taken['status']}'"
            yield values[key].line, problem, "keep one of them"
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
    *,
    own: Mapping[str, int],
) -> Meaning:
    excerpts = [taken.pop(key) for key in SPELLINGS["excerpt"][1:] if key in taken]
    if excerpts:
        taken.setdefault("excerpt", excerpts[0])
    if "weight" in taken:
        taken.setdefault("menu_order", taken.pop("weight"))
    parent = taken.pop("parent", None)
    mentions = tuple(taken.pop(key) for key in values if isinstance(taken.get(key), FieldReference))
    fields = {field.name: taken[field.name] for field in kind.row.body if field.name in taken}
    layout = taken.get("layout")
    return Meaning(
        fields=fields,
        mentions=mentions,
        parent=parent,
        parent_line=0 if parent is None else values["parent"].line,
        layout=layout,
        layout_line=0 if layout is None else values["layout"].line,
        bound_id=taken.get("id"),
        protect=taken.get("protect"),
        aliases=taken.get("aliases"),
        front_page=taken.get(FRONT_PAGE),
        extra=extra,
        own=own,
        problems=tuple(problems),
    )


# Each tool has its own key, and its own root for an address without a leading slash. An address that only
# the tool itself could complete is not guessed: a wrong redirect would hide a page.
def old_addresses(
    values: Mapping[str, Given],
    aliases: tuple[str, ...],
    inner: str,
    host: str,
    types: SiteTypes = DOCUMENTED_TYPES,
) -> tuple[str, ...]:
    """Give all old addresses of a file whose path below the content folder is `inner`, each once.

    `aliases` are its own and its defaults' ones. `host` is the site's: its addresses lose scheme and host.
    """
    addresses = [address for alias in aliases for address in _of_alias(_reduced(alias, host), inner, types)]
    addresses += [_from_root(_reduced(text, host)) for text in _texts(values.get(_FORMER))]
    for key in _OWN:
        own = _own(values.get(key), host)
        addresses += [_from_root(text) for text in own if not _PLACEHOLDER.search(text)]
    return tuple(dict.fromkeys(addresses))


def odd_addresses(values: Mapping[str, Given], path: str) -> Iterator[Problem]:
    """Warn of addresses that only another tool can complete, and of those with blanks."""
    for text in _texts(values.get("aliases")):
        if len(text.split()) > 1:
            problem = f"its alias '{text}' has a blank, which no address has"
            todo = "write `%20` in its place"
            yield Problem(path, values["aliases"].line, problem, todo, warning=True, code=Code.VALUE)
    # A `path` is often something else.
    for key in _OWN[:2]:
        if any(_PLACEHOLDER.search(text) for text in _own(values.get(key), "")):
            problem = f"its {key} has placeholders of another tool"
            todo = "it is left out; write its old address in `aliases`"
            yield Problem(path, values[key].line, problem, todo, warning=True, code=Code.FOREIGN_VALUE)


def _own(given: Given | None, host: str) -> Iterator[str]:
    """Give the address that a file has for itself; a whole address elsewhere is not one."""
    for text in _texts(given) if given and given.scalar else ():
        reduced = _reduced(text, host)
        if reduced not in _STYLES and not _is_whole(reduced):
            yield reduced


def _of_alias(alias: str, inner: str, types: SiteTypes) -> Iterator[str]:
    """Give the addresses that an alias may mean.

    Without a leading slash, Zola begins at the root, and Hugo beside the page, whose address has the folders
    of its file. An alias that begins with a dot can only be Hugo's.
    """
    if alias.startswith("/") or _is_whole(alias):
        yield alias
        return
    folder = posixpath.dirname(inner)
    if stem(inner) in INDEXES:
        folder = posixpath.dirname(folder)
    first, _, rest = folder.partition("/")
    next_to_page = posixpath.normpath(posixpath.join("/", rest if first in types.folders else folder, alias))
    if not alias.startswith("."):
        yield _from_root(alias)
    yield f"{next_to_page}/" if alias.endswith("/") and next_to_page != "/" else next_to_page


def _texts(given: Given | None) -> Iterator[str]:
    """Give the texts of one value or a list; other tools may have anything there."""
    for item in given.items if given else ():
        if isinstance(item.value, str) and item.value.strip():
            yield item.value.strip()


def _reduced(address: str, host: str) -> str:
    """Take scheme and host from an address of this site."""
    parts = split(address)
    if parts is None or not host or parts.scheme not in {"http", "https"} or parts.netloc.lower() != host:
        return address
    return parts._replace(scheme="", netloc="").geturl() or "/"


def _is_whole(address: str) -> bool:
    return "//" in address[: len("https://")]


def _from_root(address: str) -> str:
    return address if address.startswith("/") or _is_whole(address) else f"/{address}"


# The key of everybody whom the table does not name.
REST = "*"
# `authors` counts where `author` is missing.
_KEYS = ("author", "authors")


class Authors:
    """The table of one site. Without a table, a file names a user by itself, as in any other field."""

    def __init__(self, users: Mapping[str, str | int]) -> None:
        self._rows = users
        # Exact spelling counts first, as it does on the site: `Matz` and `matz` can be two people.
        self._users = {_plain(name).casefold(): user for name, user in users.items()}
        self._users |= {_plain(name): user for name, user in users.items()}

    def mapped(self, values: Mapping[str, Given]) -> Mapping[str, Given]:
        """Put the user of the first author in the place of what a file says."""
        written = self._written(values)
        if written is None:
            return values
        first, _ = _first(written)
        user: str | int | None = first.value if isinstance(first.value, int) else _plain(first.text)
        if isinstance(user, str) and user and (named := self._user(user)) is not None:
            user = named
        others = {key: given for key, given in values.items() if key != "author"}
        return {**others, "author": Given(user, written.line, str(user))} if user else others

    def kept(self, meaning: Meaning, values: Mapping[str, Given], path: str) -> Meaning:
        """Give templates the words of the file, and warn where a file has several authors."""
        written = self._written(values)
        if written is None:
            return meaning
        extra = {key: values[key].plain() for key in _KEYS if key in values}
        problems, problem = meaning.problems, "it has several authors, and a record has one"
        if _first(written)[1]:
            code = Code.SEVERAL_AUTHORS
            several = Problem(path, written.line, problem, "the first is taken", warning=True, code=code)
            problems = (*problems, several)
        return replace(meaning, extra={**meaning.extra, **extra}, problems=problems)

    def has(self, name: str) -> bool:
        """Tell whether the table has a user for an author."""
        return self._user(_plain(name)) is not None

    def name_of(self, login: str, number: int) -> str | None:
        """Give the one name by which a file means a user; None if there is none, or if there are several."""
        rows = [name for name, user in self._rows.items() if name != REST and user in {login, number}]
        if len(rows) == 1:
            return rows[0]
        return login if self._user(_plain(login)) in {None, login, number} else None

    def _written(self, values: Mapping[str, Given]) -> Given | None:
        if not self._users:
            return None
        return next((values[key] for key in _KEYS if key in values and values[key].value is not None), None)

    def _user(self, name: str) -> str | int | None:
        return next((self._users[key] for key in (name, name.casefold(), REST) if key in self._users), None)


def _first(written: Given) -> tuple[Given, bool]:
    """Give the first author, and whether there are more; a table names a person by its `name`."""
    value = written.value
    several = isinstance(value, tuple) and len(value) > 1
    first = next(iter(written.items), Given(None))
    if isinstance(first.value, Mapping):
        first = first.value.get("name", Given(None))
    return first, several


def _plain(name: str) -> str:
    return " ".join(name.split())
