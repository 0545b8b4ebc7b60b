"""Decides whether a plan may run: its problems, its limits, and the plan that a person has reviewed.

A run builds its plan again each time the site tells it something new. So each further plan is checked as the
first one was, and compared with what was approved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.model.changes import Blocked
from pressync.model.errors import ContentError, SafetyRefusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.model.changes import Plan
    from pressync.plan.reviewed import ReviewedPlan


@dataclass(frozen=True, slots=True)
class Approval:
    """How a sync is approved: `agree` asks a person, `reviewed` is the plan that was reviewed before."""

    agree: Callable[[Plan], bool]
    reviewed: ReviewedPlan | None = None
    keep_going: bool = False

    def check(self, plan: Plan) -> None:
        """Refuse a first plan that must not run.

        :raises ContentError: content has problems, and nobody chose to keep going.
        :raises SafetyRefusal: a limit, or the plan is not the reviewed one.
        """
        self._check_limits(plan)
        if self.reviewed is not None and not self.reviewed.matches(plan):
            sides = "manifest or site" if self.reviewed.drift else "or manifest"
            comma = "," * self.reviewed.drift
            what = f"content, configuration{comma} {sides} changed since"
            raise _not_reviewed(f"{what}, or somebody edited the file of the plan")

    def check_again(self, plan: Plan, before: Plan) -> None:
        """Refuse a plan that was built again, also if it has more changes than the reviewed one.

        :raises ContentError: as for `check`.
        :raises SafetyRefusal: as for `check`.
        """
        self._check_limits(plan)
        more = new_paths(plan, before)
        if self.reviewed is not None and more:
            raise _not_reviewed(f"the site was read, and {more[0]} would change as well")

    def check_occupied(self, plan: Plan, path: str) -> None:
        """Refuse a reviewed plan that would create the document at `path`: the site has it already.

        :raises SafetyRefusal: the plan was reviewed.
        """
        if self.reviewed is not None:
            why = next((c.why for c in plan.changes if c.path == path and isinstance(c, Blocked)), None)
            about = why or "it is on the site already, and is bound now"
            raise _not_reviewed(f"the site was read, and {path} is not to be created: {about}")

    def _check_limits(self, plan: Plan) -> None:
        errors = tuple(problem for problem in plan.problems if not problem.warning)
        if errors and not self.keep_going:
            raise ContentError(errors)
        if plan.refusals:
            raise SafetyRefusal("; ".join(map(str, plan.refusals)), code=plan.refusals[0].code)


def new_paths(plan: Plan, before: Plan) -> list[str]:
    """List the paths of the changes that the plan before did not have."""
    approved = {(type(change), change.path) for change in before.pending}
    return [change.path for change in plan.pending if (type(change), change.path) not in approved]


def _not_reviewed(why: str) -> SafetyRefusal:
    return SafetyRefusal(
        f"this is not the plan that was reviewed: {why}",
        todo="review a new one with `pressync plan --out FILE`",
    )
