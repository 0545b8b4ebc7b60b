"""Gives a body in the form to send: that of this version, or that of a former version.

A better form alone sends no page. A body whose file has no address yet is the same text as before somebody
added the file, so such a body has a fingerprint of its own.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from pressync.content.basis import FORMER
from pressync.content.render.links import Unresolved
from pressync.model.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pressync.content.references import References
    from pressync.content.render.renderer import Rendered

    Addresses = Mapping[str, str | Unresolved]


class SentForm(NamedTuple):
    """A body as it is sent; `mark` is `FORMER` if a former version sent it in this form.

    `fingerprints` has that of the body if it is not the one of its text.
    """

    content: str
    mark: str = ""
    fingerprints: Mapping[str, str] = MappingProxyType({})


# It differs from the fingerprint of any body: the page gets the address of a file with its upload.
_WAITING: Mapping[str, str] = MappingProxyType({"content": fingerprint("the body with an upload")})


def sent_form(
    references: References,
    former: Callable[[], Rendered],
    body: str,
    addresses: Addresses,
    sent: str | None,
    *,
    may_keep: bool,
) -> SentForm:
    """Give a body in the form to send; `sent` is the fingerprint of the one that the record has.

    `former` renders the document as a former version did. With `may_keep`, the file has not changed since.
    """
    content = references.in_page_form(body, addresses)
    is_sent = sent == fingerprint(content)
    waits = is_sent and _waits(references, addresses)
    form = SentForm(content, "", _WAITING) if waits else SentForm(content)
    if not may_keep or (is_sent and not waits):
        return form
    before = former()
    if waits and _waits(references, {path: addresses[path] for path in before.links}):
        return form
    forms = references.former_forms(before.content, addresses)
    kept = next((text for text in forms if fingerprint(text) == sent), None)
    return form if kept is None else SentForm(kept, FORMER)


def _waits(references: References, addresses: Addresses) -> bool:
    """Tell whether a file among these paths is to be uploaded."""
    unknown = (path for path, address in addresses.items() if address is Unresolved.UNKNOWN)
    return any(references.address(path) is Unresolved.UNKNOWN for path in unknown)
