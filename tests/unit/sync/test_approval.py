"""A plan is checked before it runs, and each time that it was built again."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.builders import create, delete, plan, update

from pressync.cli.report.documents import plan_document
from pressync.model.changes import Refusal
from pressync.model.errors import Code, ContentError, Problem, SafetyRefusal
from pressync.plan.reviewed import parse
from pressync.sync.control import Approval, new_paths

A, B = "content/pages/a.md", "content/pages/b.md"
PLAN = plan(update(A))
APPROVAL = Approval(lambda _plan: True)
REVIEWED = Approval(lambda _plan: True, parse(plan_document(PLAN)))


def test_a_problem_of_the_content_refuses_a_plan_unless_somebody_chose_to_keep_going() -> None:
    broken = replace(PLAN, problems=(Problem(A, 1, "the date is not a date", code=Code.VALUE),))
    with pytest.raises(ContentError):
        APPROVAL.check(broken)
    replace(APPROVAL, keep_going=True).check(broken)


def test_a_warning_refuses_nothing() -> None:
    APPROVAL.check(replace(PLAN, problems=(Problem(A, 1, "two headings", warning=True, code=Code.VALUE),)))


def test_a_limit_refuses_every_plan() -> None:
    over = replace(PLAN, refusals=(Refusal("too_many_deletes", "it would delete 8 of 13 records"),))
    with pytest.raises(SafetyRefusal, match="8 of 13"):
        replace(APPROVAL, keep_going=True).check(over)
    with pytest.raises(SafetyRefusal, match="8 of 13"):
        APPROVAL.check_again(over, PLAN)


def test_a_first_plan_must_be_the_reviewed_one() -> None:
    REVIEWED.check(PLAN)
    with pytest.raises(SafetyRefusal, match="content, configuration or manifest changed since"):
        REVIEWED.check(plan(update(A), update(B)))


def test_a_plan_that_was_built_again_may_have_fewer_changes_than_the_reviewed_one_and_not_more() -> None:
    REVIEWED.check_again(plan(), PLAN)
    with pytest.raises(SafetyRefusal, match=f"{B} would change as well"):
        REVIEWED.check_again(plan(update(A), create(B)), PLAN)
    APPROVAL.check_again(plan(update(A), create(B)), PLAN)


def test_a_create_of_what_the_site_has_is_refused_only_in_a_reviewed_plan() -> None:
    with pytest.raises(SafetyRefusal, match=f"{A} is not to be created: it is on the site already"):
        REVIEWED.check_occupied(PLAN, A)
    APPROVAL.check_occupied(PLAN, A)


def test_a_path_is_new_if_the_plan_before_did_not_have_the_same_change_of_it() -> None:
    assert new_paths(plan(create(B)), plan(create(A))) == [B]
    assert new_paths(plan(delete(A)), plan(update(A))) == [A]
    assert new_paths(plan(create(A)), plan(create(A), create(B))) == []
