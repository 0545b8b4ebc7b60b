"""Lets a tool of an agent send only what its account may do, as the site itself says.

The site is asked at the begin of the run, and again right before the first write: somebody may give the
account another role meanwhile. The embedded service of this clone, which has no `address`, shows nothing to
the public, so nobody's rights are asked there. Two lines stay in every place: no tool deletes, and no tool
makes a term.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from pressync.client.port import require_readable
from pressync.model.changes import desired_of
from pressync.model.errors import SafetyRefusal
from pressync.plan.limits import lacking, refused_by_tools

if TYPE_CHECKING:
    from pressync.client.port import AccountJudgement, Service
    from pressync.content.content import Content
    from pressync.model.changes import Plan
    from pressync.model.records import Entry
    from pressync.sync.control import RunControl

_TODO = "a person gives the agent an account that can only write drafts: a Contributor's"


def require_harmless(service: Service, control: RunControl) -> AccountJudgement:
    """Ask the site what our account may do.

    :raises SafetyRefusal: it may do more than write own drafts.
    :raises ServiceError: the site does not say it.
    """
    judgement = control.retrying(require_readable(service)).account()
    _check(judgement)
    return judgement


def require_harmless_now(service: Service, plan: Plan, control: RunControl) -> None:
    """Ask again right before the first write; where the account has no draft yet, one without text is made.

    :raises SafetyRefusal: it may do more than write own drafts, and at most an empty draft was made.
    """
    judgement = require_harmless(service, control)
    kinds = {change.kind for change in plan.pending}
    _check(require_readable(service).with_drafts(judgement, kinds))


def _check(judgement: AccountJudgement) -> None:
    if judgement.beyond:
        what = f"a tool sends nothing with this account: {judgement.beyond}"
        raise SafetyRefusal(what, todo=_TODO, code="beyond_agent_policy")


def refuse_unmade(content: Content, plan: Plan, *, may_upload: bool) -> None:
    """Refuse documents that need a term or a file which the site does not have.

    :raises SafetyRefusal: the first of them, before anything is sent.
    """
    for desired in desired_of(plan.pending):
        for _line, needed in content.references.unmade(desired, may_upload=may_upload):
            raise refused_by_tools(f"{desired.path} {lacking(needed)}")


def refuse_binding(entry: Entry) -> NoReturn:
    """Refuse to bind a document to a record that is at its address: the tool did not make that record.

    :raises SafetyRefusal: always.
    """
    raise refused_by_tools(f"the site has {entry.kind} {entry.id} at the address of {entry.path} already")
