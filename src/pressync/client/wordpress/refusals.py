"""Explains the refusals of WordPress: missing rights, credentials that did not arrive, and the next step.

`client.responses` decides for all dialects whether a call was done, perhaps done or never done. This module
overrules that only where WordPress's own source proves that a 5xx changed nothing.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from pressync.client import responses
from pressync.client.dialects import WORDPRESS
from pressync.model.errors import Gone, Refused
from pressync.model.interface import DOCUMENTED_TYPES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.client.port import HttpResponse
    from pressync.model.changes import Call

_NO_ACCOUNT = (
    "pressync sent no credentials, because the settings name no account: set `user`, and set "
    "PRESSYNC_PASSWORD to an application password of that user"
)

_FRONT_DOOR = (
    "the web server asks for a password of its own before WordPress, and a request can carry only one: let "
    "the address of the interface pass without it"
)
_NO_LIST = "rest_forbidden_status"

# The rights that may be missing, by error code; {} is `pages` or `posts`.
_RIGHTS: dict[str, tuple[str, ...]] = {
    "rest_cannot_create": ("edit_{}",),
    "rest_cannot_edit": ("edit_others_{}", "edit_published_{}"),
    "rest_cannot_edit_others": ("edit_others_{}",),
    "rest_cannot_publish": ("publish_{}",),
    "rest_cannot_delete": ("delete_{}", "delete_others_{}", "delete_published_{}"),
    "rest_cannot_assign_sticky": ("edit_others_{}", "publish_{}"),
    "rest_cannot_assign_term": ("assign_terms",),
    "rest_forbidden_context": ("edit_{}", "edit_others_{}"),
    _NO_LIST: ("edit_{}",),
    "rest_forbidden": ("read_private_{}", "edit_others_{}"),
}

_CLOSED = (
    "WordPress itself does not refuse so: if a plugin of the site closes the interface, let it open the "
    "interface to this user"
)
# The beginnings of the codes of WordPress itself that have 401.
_OWN_401 = ("rest_forbidden", "rest_cannot_", "rest_user_", "rest_not_logged_in", "rest_application_password")
# A widespread plugin gives a code that begins as those of WordPress.
_OF_PLUGIN = frozenset({"rest_cannot_access"})

_UNKNOWN_PERSON = frozenset({"rest_not_logged_in", "incorrect_password", "invalid_username", "invalid_email"})

# WordPress reads JSON and queries. A service that reads only forms refuses them with one of these.
_WRONG_REQUEST = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.UNSUPPORTED_MEDIA_TYPE})

# The beginnings of the codes that WordPress itself gives to a bad request for a page or a post.
_OWN_CODES = ("rest_", "empty_content")

_OF_READ = "`pressync doctor` asks the site about its version and its plug-ins"

# The database refused the one row, and WordPress stopped before it changed anything else.
_NOT_STORED = frozenset({"db_insert_error", "db_update_error"})

# A null cannot take back a value that the schema of its field does not take any more. The rest is written.
_STALE_VALUE = "rest_invalid_stored_value"
# WordPress lets nobody write a key that begins with `_`, unless its registration says who may.
_PROTECTED = "rest_cannot_update"


class AsVisitor(Refused):
    """WordPress has not seen our account."""


def expect_success(call: Call, response: HttpResponse) -> None:
    """Return if the status is a success; else raise the kind of ServiceError that the response shows."""
    body = responses.object_or_nothing(response)
    # The error of WordPress itself; something else may have written another one.
    error = body if isinstance(body.get("code"), str) else {}
    # The code of the error and those of its parameters: `rest_invalid_param` alone says little.
    details = [one for one in _data(error, "details").values() if isinstance(one, dict)]
    codes = {code for one in (error, *details) if isinstance(code := one.get("code"), str)}
    if "rest_trash_not_supported" in codes:
        raise Refused(
            "the site's trash is off", status=response.status, todo="`--permanent` deletes for good"
        )
    if codes & _NOT_STORED:
        more = error.get("additional_data")
        word = more[0] if isinstance(more, list) and more else error.get("message")
        words = f": {responses.clean(word)}" if isinstance(word, str) else ""
        raise Refused(
            f"the site's database refused the record{words}",
            status=response.status,
            todo="shorten the field that is too long (often the title, the excerpt or the password)",
        )
    if _STALE_VALUE in codes:
        raise Refused(
            f"the service refused with {response.status}: {responses.clean(str(error.get('message')))}",
            status=response.status,
            todo="name a value of the field that the site takes, or delete the value on the site",
        )
    try:
        responses.expect_success(call, response)
    except Gone:
        raise
    except Refused as refusal:
        for_visitor = _of_visitor(response, error, codes)
        todo = for_visitor or _todo(call, response, error, codes) or refusal.todo
        # A list in any status is refused with 400 to a user who may edit no record of the kind.
        status = HTTPStatus.FORBIDDEN if _NO_LIST in codes else refusal.status
        # To a visitor who asks for drafts, WordPress says that the parameter is wrong.
        is_misnamed = for_visitor and refusal.status == HTTPStatus.BAD_REQUEST
        problem = "the site answers as to a visitor" if is_misnamed else refusal.what
        raised = AsVisitor if for_visitor else Refused
        raise raised(problem, status=status, todo=todo, code=str(error.get("code", ""))) from None


def _of_visitor(response: HttpResponse, error: Mapping[str, object], codes: set[str]) -> str:
    """Give the advice where WordPress has not seen our account; "" if it has."""
    if not error and response.status == HTTPStatus.UNAUTHORIZED and _asks_for_password(response):
        return _FRONT_DOOR
    # A visitor who lists drafts gets 400, and 401 for a parameter.
    faults = [error, *_data(error, "details").values()]
    is_visitor = any(responses.inside(one, "data", "status") == HTTPStatus.UNAUTHORIZED for one in faults)
    if is_visitor or codes & _UNKNOWN_PERSON:
        advice = WORDPRESS.no_user if response.has_credentials else _NO_ACCOUNT
        return f"{advice}. {_CLOSED}" if _is_of_plugin(error) else advice
    return ""


def _is_of_plugin(error: Mapping[str, object]) -> bool:
    """Tell whether a plugin has refused: WordPress has not the code of this 401."""
    code = str(error.get("code", ""))
    is_unauthorized = responses.inside(error, "data", "status") == HTTPStatus.UNAUTHORIZED
    is_own = code in _UNKNOWN_PERSON or code.startswith(_OWN_401)
    return is_unauthorized and (code in _OF_PLUGIN or not is_own)


def _todo(call: Call, response: HttpResponse, error: Mapping[str, object], codes: set[str]) -> str:
    kind = call.kind
    rights = [right.format(kind.row.rights) for code in sorted(codes) for right in _RIGHTS.get(code, ())]
    if rights:
        editors = ": an Editor has them all" if kind in DOCUMENTED_TYPES.kinds else ""
        return f"the user lacks a right ({' or '.join(dict.fromkeys(rights))}){editors}"
    if response.status not in _WRONG_REQUEST:
        who = "let its registration say who may write it (`auth_callback`), or leave the field out"
        return who if _PROTECTED in codes else ""
    return _of_wrong_request(call, error, codes)


def _asks_for_password(response: HttpResponse) -> bool:
    """Whether a web server wants a password by basic authentication; WordPress never asks in this way."""
    return response.headers.get("www-authenticate", "").strip().lower().startswith("basic")


def _of_wrong_request(call: Call, error: Mapping[str, object], codes: set[str]) -> str:
    if not any(code.startswith(_OWN_CODES) for code in codes):
        fix = "fix what it names; if" if responses.has_document(call) else "if"
        return f'{fix} this is not stock WordPress, set dialect = "documented"'
    if not responses.has_document(call):
        return _OF_READ
    if "rest_post_invalid_id" in codes:
        # For a record that is gone itself, WordPress responds with 404.
        return "its parent page is no longer on the site: `pressync plan --drift` shows which one"
    wrong = "; ".join(
        responses.clean(f"{name}: {word}")
        for name, word in _data(error, "params").items()
        if isinstance(word, str)
    )
    return f"fix the front matter: {wrong}" if wrong else "fix what it names"


def _data(error: Mapping[str, object], name: str) -> Mapping[str, object]:
    """Give a member of `data`, which may be null, or a list where PHP encodes an empty map."""
    member = responses.inside(error, "data", name)
    return member if isinstance(member, dict) else {}
