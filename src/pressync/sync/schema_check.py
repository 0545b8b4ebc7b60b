"""Compares the committed schema of a site with the site, for the kinds of records that a run uses.

Everybody who may push can change the committed schema, and types change on a site. So before anything is
sent, the site itself has to name the route of each kind, and the fields that the run believes in. A site
without a committed schema is asked nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from msgspec import structs

from pressync.config.settings import schema_path
from pressync.model.changes import Create, Refusal, Update
from pressync.model.interface import DOCUMENTED_KINDS, TAXONOMIES
from pressync.plan.schema_changes import contradictions

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from pressync.config.settings import Settings
    from pressync.model.changes import Change, Plan
    from pressync.model.interface import Kind
    from pressync.model.site_schema import SiteSchema

CONTRADICTED = "schema_contradicted"
# A message names this many differences, and counts the others.
_NAMED = 10
_CORE = frozenset({"categories", "tags"})


def kinds_used(settings: Settings, changes: Iterable[Change]) -> frozenset[Kind]:
    """Give the kinds of these changes that need the schema; pages and posts need it for its own fields."""
    schema = settings.site_schema
    return frozenset(
        change.kind
        for change in changes
        if schema and change.kind in schema.types and (change.kind not in DOCUMENTED_KINDS or _is_own(change))
    )


def checked(
    plan: Plan, kinds: Collection[Kind], settings: Settings, read: Callable[[Collection[Kind]], SiteSchema]
) -> Plan:
    """Refuse the plan if the site contradicts the committed schema of these kinds; `read` asks the site.

    :raises ServiceError: the site cannot be read, or does not show the types to this user.
    """
    schema = settings.site_schema
    if schema is None or not kinds:
        return plan
    found = contradictions(of_types(schema, kinds), read(kinds))
    if not found:
        return plan
    more = f"; and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    said = "; ".join(map(str, found[:_NAMED]))
    refusal = Refusal(
        CONTRADICTED,
        f"the site is not as {schema_path(settings.site.name)} says: {said}{more}; "
        "`pressync schema site` reads it again, and `pressync check` then names the files that are concerned",
    )
    return replace(plan, refusals=(*plan.refusals, refusal))


def of_types(schema: SiteSchema, names: Collection[str]) -> SiteSchema:
    """Give the part of a schema with these types and their taxonomies."""
    types = {name: each for name, each in schema.types.items() if name in names}
    used = {name for each in types.values() for name in each.taxonomies}
    taxonomies = {name: each for name, each in schema.taxonomies.items() if name in used}
    return structs.replace(schema, types=types, taxonomies=taxonomies)


def _is_own(change: Change) -> bool:
    """Tell whether a page or post is sent with a field that only this site has."""
    if not isinstance(change, Create | Update):
        return False
    fields = change.kind.row.fields
    names = (*change.fields, *(change.resets if isinstance(change, Update) else ()))
    own = (TAXONOMIES.keys() - _CORE) | {name for name, each in fields.items() if each.inside}
    return not own.isdisjoint(names)
