"""Nouns for tests: each with everything needed and nothing else; a test names what matters to it.

A page that `desired` makes and the entry that `entry` makes for the same path are up to date.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from msgspec import structs

from pressync.model.changes import Blocked, Create, Delete, Keep, Plan, Update
from pressync.model.fingerprint import fingerprint, fingerprints
from pressync.model.interface import Kind
from pressync.model.reason import NO_REASON, Reason, ReasonCode
from pressync.model.records import Desired, Entry, Manifest, Record
from pressync.plan import reasons

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.model.changes import Change

SITE = "https://site.test"
TARGET = f"{SITE}/wp-json"
HEAD = "c0ffee" + "0" * 34
PUBLISHED = {"status": fingerprint("publish")}


def desired(path: str, **changes: Any) -> Desired:  # noqa: ANN401 - any member of a desired document
    """Make what a file asks for: a page with a title, a slug and a body."""
    made = Desired(
        path=path,
        blob="b" * 40,
        kind=Kind.PAGE,
        slug=changes.get("slug", name_of(path)),
        title=name_of(path).title(),
        fingerprints=prints(path, slug=changes.get("slug", name_of(path))),
        parent_path=None,
        basis="basis",
        create_only=PUBLISHED,
    )
    return structs.replace(made, **changes)


def entry(path: str, number: int = 7, **changes: Any) -> Entry:  # noqa: ANN401 - any member of an entry
    """Make what the manifest says of a page that was made from `desired(path)`."""
    slug = changes.get("slug", name_of(path))
    made = Entry(
        path=path,
        kind=Kind.PAGE,
        id=number,
        slug=slug,
        link=f"{SITE}/{slug}/",
        modified="2024-01-31T12:00:00",
        modified_gmt="2024-01-31T11:00:00",
        blob="b" * 40,
        commit=HEAD,
        fingerprints={**prints(path, slug=slug), **PUBLISHED},
        basis="basis",
    )
    return structs.replace(made, **changes)


def manifest(*entries: Entry) -> Manifest:
    """Make the manifest of these entries."""
    return Manifest(TARGET, {each.path: each for each in entries})


def prints(path: str, **fields: Any) -> dict[str, str]:  # noqa: ANN401 - any field's value
    """Digest the fields that `desired(path)` names, and further or other ones."""
    name = name_of(path)
    return fingerprints({"title": name.title(), "slug": name, "content": f"<p>{name}</p>", **fields})


def without(digests: Mapping[str, str], *names: str) -> dict[str, str]:
    """Leave fields out."""
    return {name: digest for name, digest in digests.items() if name not in names}


def record(path: str, number: int = 7, **fields: Any) -> Record:  # noqa: ANN401 - any field's value
    """Make the answer to a write of `desired(path)`, with further or other fields in its echo."""
    name = name_of(path)
    echoed = {"title": name.title(), "slug": name, "content": f"<p>{name}</p>", "status": "publish", **fields}
    slug = str(echoed["slug"])
    return Record(
        Kind.PAGE, number, slug, f"{SITE}/{slug}/", "2024-02-01T12:00:00", "2024-02-01T11:00:00", echoed
    )


def why(sentence: str) -> Reason:
    """Make a reason of its sentence alone; "" is none."""
    return Reason(ReasonCode.CHANGED, {"said": sentence}, sentence) if sentence else NO_REASON


def create(path: str, **changes: Any) -> Create:  # noqa: ANN401 - any member of a desired document
    """Make the create of `desired(path)`."""
    wanted = desired(path, **changes)
    fields = tuple(sorted({*wanted.fingerprints, *wanted.create_only}))
    return Create(path, wanted.kind, fields, reasons.NEW, wanted)


def update(
    path: str,
    *fields: str,
    number: int = 7,
    old: Entry | None = None,
    reason: str = "",
    **changes: Any,  # noqa: ANN401 - any member of a desired document
) -> Update:
    """Make an update of the named fields (the body, if none is named) from the entry `old`."""
    wanted = desired(path, **changes)
    before = old or entry(path, number, kind=wanted.kind)
    named = fields or ("content",)
    return Update(
        path, wanted.kind, before.id, named, why(reason) or reasons.differences(named, (), ()), wanted, before
    )


def delete(path: str, number: int = 7, **changes: Any) -> Delete:  # noqa: ANN401 - any member of an entry
    """Make the delete of `entry(path)`."""
    gone = entry(path, number, **changes)
    return Delete(path, gone.kind, number, reasons.REMOVED, gone)


def keep(path: str, number: int = 7, reason: str = "") -> Keep:
    """Make the keep of `entry(path)`."""
    return Keep(path, Kind.PAGE, number, entry(path, number), why(reason), unrecorded=bool(reason))


def blocked(path: str, reason: Reason | str = "a reason", number: int | None = None) -> Blocked:
    """Make a blocked change."""
    return Blocked(path, Kind.PAGE, number, why(reason) if isinstance(reason, str) else reason)


def plan(*changes: Change, **members: Any) -> Plan:  # noqa: ANN401 - any member of a plan
    """Make the plan of these changes."""
    return replace(Plan("production", TARGET, HEAD, changes), **members)


def name_of(path: str) -> str:
    """Give the name of a file, without folder and ending."""
    return path.rpartition("/")[2].removesuffix(".md")
