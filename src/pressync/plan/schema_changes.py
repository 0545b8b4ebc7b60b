"""The differences between the committed schema of a site and what the site says now. Pure.

A difference contradicts the committed schema if a run that believes the schema would be wrong. Such a run
would write to an address that the site does not name. Or it would send a value that the site refuses or
ignores.

Everybody who may push can change the committed schema, and types change on a site. So before anything is
sent, the site itself has to name the route of each kind, and the fields that the run believes in
(`contradictions`). A site without a committed schema is asked nothing.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import structs

from pressync.config.settings import Settings, schema_path
from pressync.model.changes import Change, Create, Plan, Refusal, Update, desired_of
from pressync.model.interface import DOCUMENTED_TYPES, OBJECTS, Kind
from pressync.model.printable import listed
from pressync.model.reason import Reason, ReasonCode
from pressync.model.site_schema import CORE_TAXONOMIES, SiteSchema, SiteTaxonomy, SiteType

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from pressync.model.records import Desired, Entry


_IGNORED = "the site would ignore its values in silence"


class DifferenceCode(Enum):
    """A sort of difference: its sentence, and whether it contradicts the committed schema."""

    TYPE_GONE = (
        "the site does not show the type “{of}” to this account: nothing is written to its records",
        True,
    )
    TYPE_NEW = ("the site has the type “{of}” as well", False)
    ROUTE = (
        "“{of}” is at {now} and not at {before}: nothing is sent to an address that the site does not name",
        True,
    )
    PARENTS = ("“{of}” has parents now: addresses would change", True)
    NO_PARENTS = ("“{of}” has no parents any more: the site would ignore them", True)
    NO_BATCHES = ("the site takes no batches of “{of}” any more", True)
    BATCHES = ("the site takes batches of “{of}” now", False)
    RIGHT = ("“{of}” needs the right {now} and not {before}", False)
    FIELD_GONE = (f"“{{of}}” has no field `{{field}}` any more: {_IGNORED}", True)
    FIELD_NEW = ("“{of}” has the field `{field}` as well", False)
    VALUE_TYPE = ("`{field}` of “{of}” is of the type {now} and not {before}", True)
    VALUES_GONE = ("`{field}` of “{of}” does not take {before} any more", True)
    VALUES_NEW = ("`{field}` of “{of}” takes {now} as well", False)
    DESCRIPTION = ("the site describes `{field}` of “{of}” otherwise: {now}", False)
    TAXONOMY_GONE = (f"“{{of}}” has no taxonomy `{{field}}` any more: {_IGNORED}", True)
    TAXONOMY_NEW = ("“{of}” has the taxonomy `{field}` as well", False)
    MEMBER = ("the terms of “{of}” are in the member `{now}` and not in `{before}`", True)
    SITE = ("the {of} of the site is {now} and not {before}", False)


_NOWHERE = "nothing"
_CONTRADICTED = "schema_contradicted"
# A message names this many differences, and counts the others.
_NAMED = 10


class SchemaDifference(NamedTuple):
    """One difference: `facts` name the type or taxonomy, the field, and the values before and now."""

    code: DifferenceCode
    facts: Mapping[str, str]

    @property
    def contradicts(self) -> bool:
        """Whether a run that believes the committed schema would be wrong."""
        return self.code.value[1]

    def __str__(self) -> str:
        return self.code.value[0].format_map(self.facts)


def differences(committed: SiteSchema, now: SiteSchema) -> list[SchemaDifference]:
    """Give all differences, by type and taxonomy; a run does not ask for the title and the version."""
    pairs = ("title", committed.title, now.title), ("version", committed.release, now.release)
    site = [
        _changed(DifferenceCode.SITE, name, "", before, after)
        for name, before, after in pairs
        if after not in {"", before}
    ]
    return [*site, *_of_types(committed, now), *_of_taxonomies(committed, now)]


def _of_types(committed: SiteSchema, now: SiteSchema) -> Iterator[SchemaDifference]:
    for name in sorted({*committed.types, *now.types}):
        before, after = committed.types.get(name), now.types.get(name)
        if before and after:
            yield from _of_type(name, before, after)
        else:
            yield SchemaDifference(
                DifferenceCode.TYPE_GONE if before else DifferenceCode.TYPE_NEW, {"of": name}
            )


def _of_type(name: str, before: SiteType, after: SiteType) -> Iterator[SchemaDifference]:
    yield from _of_place(name, before, after)
    if before.batch != after.batch:
        yield SchemaDifference(
            DifferenceCode.NO_BATCHES if before.batch else DifferenceCode.BATCHES, {"of": name}
        )
    if before.right != after.right:
        yield _changed(DifferenceCode.RIGHT, name, "", before.right, after.right)
    for old, new, gone, more in (
        (before.fields, after.fields, DifferenceCode.FIELD_GONE, DifferenceCode.FIELD_NEW),
        (before.taxonomies, after.taxonomies, DifferenceCode.TAXONOMY_GONE, DifferenceCode.TAXONOMY_NEW),
    ):
        yield from (SchemaDifference(gone, {"of": name, "field": field}) for field in sorted({*old} - {*new}))
        yield from (SchemaDifference(more, {"of": name, "field": field}) for field in sorted({*new} - {*old}))
    for inside in OBJECTS:
        yield from _of_fields(name, f"{inside}.", getattr(before, inside), getattr(after, inside))


def _of_place(
    name: str, before: SiteType | SiteTaxonomy, after: SiteType | SiteTaxonomy
) -> Iterator[SchemaDifference]:
    if before.route != after.route:
        yield _changed(DifferenceCode.ROUTE, name, "", before.route, after.route)
    if before.hierarchical != after.hierarchical:
        code = DifferenceCode.NO_PARENTS if before.hierarchical else DifferenceCode.PARENTS
        yield SchemaDifference(code, {"of": name})


def _of_taxonomies(committed: SiteSchema, now: SiteSchema) -> Iterator[SchemaDifference]:
    """Compare the taxonomies that both have; one that is gone is gone from its types."""
    for name in sorted(committed.taxonomies.keys() & now.taxonomies.keys()):
        before, after = committed.taxonomies[name], now.taxonomies[name]
        yield from _of_place(name, before, after)
        if before.field != after.field:
            yield _changed(DifferenceCode.MEMBER, name, "", before.field, after.field)
        for old, new in ((before.create, after.create), (before.assign, after.assign)):
            if old != new:
                yield _changed(DifferenceCode.RIGHT, name, "", old, new)


def _of_fields(
    of: str, above: str, before: Mapping[str, Mapping[str, Any]], after: Mapping[str, Mapping[str, Any]]
) -> Iterator[SchemaDifference]:
    for key in sorted({*before, *after}):
        field = f"{above}{key}"
        if key in before and key in after:
            yield from _of_value(of, field, before[key], after[key])
        else:
            code = DifferenceCode.FIELD_GONE if key in before else DifferenceCode.FIELD_NEW
            yield SchemaDifference(code, {"of": of, "field": field})


def _of_value(
    of: str, field: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[SchemaDifference]:
    if before == after:
        return
    old, new = (_listed(schema.get("type")) for schema in (before, after))
    taken = {*new, "integer"} if "number" in new else {*new}
    is_narrower = bool(new) and (not old or not taken.issuperset(old))
    if is_narrower:
        yield _changed(DifferenceCode.VALUE_TYPE, of, field, " or ".join(old) or "any", " or ".join(new))
    yield from _of_enum(of, field, before.get("enum"), after.get("enum"))
    inner = {"enum", "properties", "items", *(("type",) if is_narrower else ())}
    rules = [
        f"{key} {' or '.join(_listed(after.get(key))) or 'none'}"
        for key in sorted({*before, *after} - inner)
        if before.get(key) != after.get(key)
    ]
    if rules:
        yield _changed(DifferenceCode.DESCRIPTION, of, field, "", ", ".join(rules))
    yield from _of_fields(of, f"{field}.", before.get("properties", {}), after.get("properties", {}))
    yield from _of_value(of, f"{field}[]", before.get("items", {}), after.get("items", {}))


def _of_enum(of: str, field: str, before: object, after: object) -> Iterator[SchemaDifference]:
    """Compare the values that are allowed; None allows any."""
    old, new = _listed(before), _listed(after)
    lost = ", ".join(value for value in old if value not in new) if before is not None else "any other value"
    more = ", ".join(value for value in new if value not in old) if after is not None else "any other value"
    if after is not None and lost:
        yield _changed(DifferenceCode.VALUES_GONE, of, field, lost, "")
    if before is not None and more:
        yield _changed(DifferenceCode.VALUES_NEW, of, field, "", more)


def _changed(code: DifferenceCode, of: str, field: str, before: str, now: str) -> SchemaDifference:
    return SchemaDifference(
        code, {"of": of, "field": field, "before": before or _NOWHERE, "now": now or _NOWHERE}
    )


def _listed(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    return tuple(map(_shown, value if isinstance(value, list) else [value]))


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def kinds_used(settings: Settings, changes: Iterable[Change]) -> frozenset[Kind]:
    """Give the kinds of these changes that need the schema; pages and posts need it for its own fields."""
    schema = settings.site_schema
    described = [change for change in changes if change.kind in schema.types] if schema else []
    documented = DOCUMENTED_TYPES.kinds
    return frozenset(record.kind for record in described if record.kind not in documented or _is_own(record))


def contradictions(  # noqa: PLR0917 - the plan with its kinds and settings, and the site with its memory
    plan: Plan,
    kinds: Collection[Kind],
    settings: Settings,
    read: Callable[[Collection[Kind]], SiteSchema],
    entries: Iterable[Entry],
    say: Callable[[str], None],
) -> list[SchemaDifference]:
    """Find how the site contradicts the committed schema of these kinds; `read` asks the site.

    A field that no file names, and that no record of `entries` was sent, is one to tell of.

    :raises ServiceError: the site cannot be read, or does not show the types to this user.
    """
    schema = settings.site_schema
    if schema is None or not kinds:
        return []
    contradicting = [
        difference
        for difference in differences(of_types(schema, kinds), read(kinds))
        if difference.contradicts
    ]
    # The type and the name of each field that a changed file names, or that a record was sent.
    holders: tuple[Desired | Entry, ...] = (*desired_of(plan.changes), *entries)
    used = frozenset((str(holder.kind), name) for holder in holders for name in holder.fingerprints)
    wrong = [difference for difference in contradicting if _is_used(difference.facts, used)]
    if harmless := [difference for difference in contradicting if difference not in wrong]:
        path = schema_path(settings.site.name)
        fields = listed(["`{field}` of “{of}”".format_map(difference.facts) for difference in harmless])
        todo = "No file has them: `pressync schema site` reads the schema again"
        say(f"warning: the site no longer takes what {path} says of {fields}. {todo}")
    return wrong


def refused(plan: Plan, wrong: Sequence[SchemaDifference], settings: Settings) -> Plan:
    """Refuse the plan, if its site contradicts the committed schema."""
    if not wrong:
        return plan
    refusal = Refusal(
        _CONTRADICTED,
        f"{_contradicted(wrong, settings)}, and `pressync check` then names the files that are concerned",
    )
    return replace(plan, refusals=(*plan.refusals, refusal))


def unreadable(
    wrong: Sequence[SchemaDifference], kinds: Collection[Kind], settings: Settings
) -> dict[Kind, Reason]:
    """Say of each kind whose schema is contradicted why its records cannot be compared."""
    of_kind = {
        kind: [
            difference for difference in wrong if difference.facts["of"] in _parts(kind, settings.site_schema)
        ]
        for kind in kinds
    }
    return {
        kind: Reason(ReasonCode.OTHER_SCHEMA, {"kind": str(kind)}, _contradicted(some, settings))
        for kind, some in of_kind.items()
        if some
    }


def _parts(kind: Kind, schema: SiteSchema | None) -> frozenset[str]:
    """Name the type of a kind and its taxonomies."""
    of = schema.types.get(kind) if schema else None
    return frozenset({str(kind), *(of.taxonomies if of else ())})


def _contradicted(wrong: Sequence[SchemaDifference], settings: Settings) -> str:
    more = f"; and {len(wrong) - _NAMED} more" if len(wrong) > _NAMED else ""
    said = "; ".join(map(str, wrong[:_NAMED]))
    path = schema_path(settings.site.name)
    return f"the site is not as {path} says: {said}{more}; `pressync schema site` reads the schema again"


def _is_used(facts: Mapping[str, str], used: Collection[tuple[str, str]]) -> bool:
    """Tell whether a difference is about a used field, or a part of one, or about more than one field."""
    field = facts.get("field", "")
    field = CORE_TAXONOMIES.get(field, field)
    names = [name for of, name in used if of == facts.get("of")]
    parts = tuple(f"{name}{sign}" for name in names for sign in ".[")
    return not field or field in names or field.startswith(parts)


def of_types(schema: SiteSchema, names: Collection[str]) -> SiteSchema:
    """Give the part of a schema with these types and their taxonomies."""
    types = {name: row for name, row in schema.types.items() if name in names}
    used = {name for row in types.values() for name in row.taxonomies}
    taxonomies = {name: row for name, row in schema.taxonomies.items() if name in used}
    return structs.replace(schema, types=types, taxonomies=taxonomies)


def _is_own(change: Change) -> bool:
    """Tell whether a page or post is sent with a field that only this site has."""
    if not isinstance(change, Create | Update):
        return False
    fields = change.kind.row.fields
    names = (*change.fields, *(change.resets if isinstance(change, Update) else ()))
    own = {name for name, field in fields.items() if field.inside or field.taxonomy}
    own -= {*CORE_TAXONOMIES.values()}
    return not own.isdisjoint(names)
