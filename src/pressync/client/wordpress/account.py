"""Judges by the answers of a site whether our account can do more than write drafts of its own.

An agent writes the texts of a repository, so no text of it can hold the agent. The site can: WordPress knows
roles. The raw list of rights lacks what filters and a network of sites add. So the site is also asked what it
evaluates for this account: the methods that it allows, and the actions that it links to an own draft.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from pressync.client.port import AccountJudgement, HttpRequest
from pressync.client.responses import clean, json_object, object_or_nothing
from pressync.client.wordpress.reads import ask, get, rows
from pressync.client.wordpress.terms_and_media import id_of
from pressync.model.errors import Refused
from pressync.model.interface import JSON_CONTENT_TYPE, TREE_KIND, Kind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from pressync.client.wordpress.reads import Query, Row, Send

_ME: Query = (("context", "edit"), ("_fields", "id,roles,capabilities"))
_DRAFTS: Query = (
    ("status", "draft,pending"),
    ("context", "edit"),
    ("per_page", "1"),
    ("_fields", "id,_links"),
)
_TYPES = "/wp/v2/types"
_MEDIA = "/wp/v2/media"
# Of these, too, an account that only writes drafts may change no record that everybody sees.
_PUBLIC = ("/wp/v2/comments", "/wp/v2/categories")
# WordPress says nothing of a comment whose post is gone, so a few are asked.
_SOME = "5"
# Here it may make nothing. Most sites do not let it read here either.
_CLOSED = ("/wp/v2/settings", "/wp/v2/users", "/wp/v2/plugins")
# A right to write or to delete something of one's own: `edit_posts`, `delete_books`.
_OWN = re.compile(r"(?:edit|delete)_(?!.*(?:others|published|private)_)[a-z0-9_-]+")
_LEVEL = re.compile(r"level_(?:10|[0-9])")
# A type may take its rights from words of WordPress that mean something else.
_NOT_OF_TYPES = frozenset(
    f"{verb}_{name}"
    for verb in ("edit", "delete")
    for name in ("users", "user", "themes", "plugins", "files", "theme_options", "dashboard", "css", "sites")
)
# A role may have any name. One that is built like a right may be that right.
_LIKE_A_RIGHT = re.compile(r"[a-z]+_.+")
_ACTION = "wp:action-"
# The terms of an own draft. The author is not a term: who assigns that may edit what others wrote.
_HARMLESS_ACTION = re.compile(r"(?:assign|create)-(?!author$).+")
_ACTIONS = {
    "publish": "publish",
    "unfiltered-html": "write any HTML, scripts too (`unfiltered_html`)",
    "assign-author": "name another author, so it may edit what others wrote",
}
_ROUTE = re.compile(r"[a-z0-9_/-]+", re.IGNORECASE)
# The words are fixed, so this draft carries nothing of the repository to the site.
FIRST_DRAFT = "pressync: by this draft the site shows what its account may do"


class _Route(NamedTuple):
    """The path of a type's records, and the names of the rights to write and to delete one's own."""

    path: str
    rights: frozenset[str]


def judged(send: Send) -> AccountJudgement:
    """Judge our account; nothing is written.

    :raises Refused: WordPress sees a visitor.
    :raises ServiceError: the site does not answer.
    """
    me = json_object(get(send, "/wp/v2/users/me", _ME))
    number = id_of(me)
    routes = list(_routes(send))
    if over := _over(me, frozenset().union(*(route.rights for route in routes))):
        return AccountJudgement(number, over)
    unseen: set[str] = set()
    said = _evaluated(send, [route.path for route in routes], number, unseen)
    return AccountJudgement(number, next(filter(None, said), ""), frozenset(unseen))


def with_drafts(send: Send, judgement: AccountJudgement, kinds: Collection[Kind]) -> AccountJudgement:
    """Make an empty draft of each of these kinds of which the account has none, and judge by it.

    Only an own record shows whether the account may publish, or write any HTML. The draft has no text, so it
    brings nothing to the site.

    :raises ServiceError: the site refuses the draft, or does not answer.
    """
    for path in sorted({kind.row.route for kind in kinds} & judgement.unseen):
        query = urlencode({"context": "edit", "_fields": "id,_links"}, safe=",")
        body = json.dumps({"title": FIRST_DRAFT, "status": "draft"}).encode()
        made = json_object(ask(send, HttpRequest("POST", f"{path}?{query}", JSON_CONTENT_TYPE, body)))
        if why := _acts(made, path):
            return judgement._replace(beyond=why)
    return judgement


def _over(me: Row, own: frozenset[str]) -> str:
    """Say which right is more than an own draft needs, the first of them; "" if there is none."""
    rights, roles = me.get("capabilities"), me.get("roles")
    if not isinstance(rights, dict) or not rights:
        return "the site shows no list of the account's rights"
    role_names = {str(role) for role in roles} if isinstance(roles, list) else set()
    mine = {name for name in role_names if not _LIKE_A_RIGHT.fullmatch(name)}
    given = (name for name, has in rights.items() if has is not False)
    beyond = (name for name in given if name not in {"read", *own, *mine} and not _LEVEL.fullmatch(name))
    over = next((clean(name, 60) for name in beyond), "")
    return f"the account has the right `{over}`" if over else ""


def _routes(send: Send) -> Iterator[_Route]:
    """Name the types of the site; only for those that we may edit it says the names of their rights."""
    # `_fields` would filter the map by its names.
    seen = json_object(get(send, _TYPES, (("context", "view"),)))
    # A subscriber may edit none of them.
    mine = object_or_nothing(send(HttpRequest("GET", f"{_TYPES}?context=edit")))
    for name, row in seen.items():
        path = _path(row if isinstance(row, dict) else {})
        if path:
            yield _Route(path, frozenset(_rights(mine.get(name))))


def _path(row: Mapping[str, object]) -> str:
    """Give the path of a type's records; "" for one that is below records of another type."""
    path = f"/{row.get('rest_namespace') or 'wp/v2'}/{row.get('rest_base')}"
    return path if _ROUTE.fullmatch(path) else ""


def _rights(row: object) -> Iterator[str]:
    rights = row.get("capabilities") if isinstance(row, dict) else None
    if not isinstance(rights, dict):
        return
    for key in ("edit_posts", "delete_posts"):
        name = str(rights.get(key))
        if _OWN.fullmatch(name) and name not in _NOT_OF_TYPES:
            yield name


def _evaluated(send: Send, paths: Collection[str], user: int, unseen: set[str]) -> Iterator[str]:
    """Ask what the site evaluates for this account: each text but "" says what is more than an own draft.

    `unseen` gets the path of each type that the account may write, if it does not have a draft there.
    """
    for path in (*paths, *_PUBLIC):
        yield _published(send, path)
    for path in _CLOSED:
        yield _more(_allowed(send, path), path)
    yield _more_than_reads(_allowed(send, _MEDIA), _MEDIA)
    for path in paths:
        if path == _MEDIA or "POST" not in _allowed(send, path):
            continue
        mine = ("author", str(user))
        # A person has published these.
        yield _published(send, path, mine)
        drafts = list(_listed(send, path, (mine, *_DRAFTS)))
        yield from (_acts(draft, path) for draft in drafts)
        if not drafts:
            unseen.add(path)


def _published(send: Send, path: str, *of: tuple[str, str]) -> str:
    """Say that we may change a published record of this path; "" if not, or if we see none."""
    status: Query = (("status", "publish"),) if path not in {_MEDIA, *_PUBLIC} else ()
    unanswered = ""
    for row in _listed(send, path, (("per_page", _SOME), ("_fields", "id"), *status, *of)):
        number = row.get("id")
        # The id of a template is the name of its file.
        if not isinstance(number, int):
            continue
        place = f"{path}/{number}"
        allowed = _allowed(send, place)
        verdict = _more_than_reads(allowed, place, ", which is published")
        if allowed:
            return verdict
        unanswered = unanswered or verdict
    return unanswered


def _more_than_reads(allowed: Collection[str], path: str, which: str = "") -> str:
    """Say that the site allows us more at a path than to read it, or does not tell; "" otherwise."""
    if "GET" not in allowed:
        return f"the site does not answer OPTIONS {path} with the methods that it allows"
    return _more(allowed, path, which)


def _more(allowed: Collection[str], path: str, which: str = "") -> str:
    more = ", ".join(clean(one, 20) for one in sorted({*allowed} - {"GET", "HEAD", "OPTIONS"}))
    return f"the site allows it {more} at {path}{which}" if more else ""


def _listed(send: Send, path: str, query: Query) -> list[Row]:
    # A list that this account may not see has nothing that it could change.
    try:
        return list(rows(get(send, path, query)))
    except Refused:
        return []


def _allowed(send: Send, path: str) -> frozenset[str]:
    """Name the methods that the site allows us at a path; none if it refuses the question."""
    try:
        response = ask(send, HttpRequest("OPTIONS", path), TREE_KIND)
    except Refused:
        return frozenset()
    return frozenset(filter(None, re.split(r"[\s,]+", response.headers.get("allow", "").upper())))


def _acts(draft: Row, path: str) -> str:
    """Say what more than a draft the site lets us do with an own draft."""
    links = draft.get("_links")
    if not isinstance(links, dict) or not links:
        return f"the site does not show what the account may do with its draft at {path}"
    actions = sorted(name.removeprefix(_ACTION) for name in links if name.startswith(_ACTION))
    over = next((name for name in actions if not _HARMLESS_ACTION.fullmatch(name)), "")
    may = _ACTIONS.get(over, f"`{clean(over, 60)}`")
    return f"the site says of its draft at {path} that it may {may}" if over else ""
