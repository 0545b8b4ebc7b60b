"""Gives a body in the form to send: that of this version, or one that a former version sent of the same file.

A better form alone sends no page. A body whose file has no address yet is the same text as before somebody
added the file, so such a body has a fingerprint of its own.
"""

from __future__ import annotations

from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from pressync.content.basis import FORMER
from pressync.content.render.links import Unresolved
from pressync.content.render.renderer import may_be_new
from pressync.model.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

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
    former: Callable[..., Rendered],
    body: str,
    addresses: Addresses,
    sent: str | None,
    *,
    links: Collection[str],
    may_keep: bool,
) -> SentForm:
    """Give a body in the form to send; `sent` is the fingerprint of the one that the record has.

    `former` renders the document in the way of the version before, and with `former=True` of the first one.
    `links` are the paths that the body of the record names. With `may_keep`, the file has not changed since.
    """
    content = references.in_page_form(body, addresses)
    is_sent = sent == fingerprint(content)
    form = SentForm(content, "", _WAITING) if is_sent and _waits(references, addresses) else SentForm(content)
    if not may_keep or (is_sent and not form.fingerprints):
        return form
    forms: Iterable[str] = ()
    before = former() if may_be_new(body) else None
    if before and not (addresses.keys() - {*before.links}).isdisjoint(links):
        # The record has names that the version before did not read, so this version has sent it.
        return form
    if before and not _waits(references, {path: addresses[path] for path in before.links}):
        forms = [references.in_page_form(before.content, addresses)]
    if not form.fingerprints:
        first = before.content if before else body
        older = references.former_forms(first, lambda: former(former=True).content, addresses)
        forms = chain(forms, older)
    kept = next((text for text in forms if fingerprint(text) == sent), None)
    return form if kept is None else SentForm(kept, FORMER)


def _waits(references: References, addresses: Addresses) -> bool:
    """Tell whether a file among these paths is to be uploaded."""
    unknown = (path for path, address in addresses.items() if address is Unresolved.UNKNOWN)
    return any(references.address(path) is Unresolved.UNKNOWN for path in unknown)
