"""Problems that only several documents together have: cycles of parents, and one address wanted twice."""

from __future__ import annotations

from tests.support.builders import desired, entry

from pressync.plan.cross_checks import parent_cycles, same_address

A, B, CHILD = "content/pages/a.md", "content/pages/b.md", "content/pages/a/child.md"


def test_each_document_of_a_cycle_of_parents_has_a_problem() -> None:
    found = {A: desired(A, parent_path=B), B: desired(B, parent_path=A), CHILD: desired(CHILD, parent_path=A)}
    assert [problem.path for problem in parent_cycles(found, {})] == [A, B]


def test_a_cycle_may_lead_over_a_record_whose_file_was_not_read() -> None:
    found = {A: desired(A, parent_path=B)}
    assert [problem.path for problem in parent_cycles(found, {B: entry(B, parent_path=A)})] == [A]
    assert parent_cycles(found, {B: entry(B)}) == []


def test_documents_that_want_one_address_are_told_together() -> None:
    wanted = [desired(A, slug="same"), desired(B, slug="same"), desired(CHILD, slug="same", parent_path=A)]
    (problem,) = same_address(wanted, {})
    assert problem.warning
    assert str(problem).startswith(f"{A}: it wants the same address as {B}")


def test_two_files_that_other_systems_take_for_one_are_told_so() -> None:
    """An umlaut is one sign, or a letter and its dots; the service makes one slug of both."""
    one, two = (
        desired("content/pages/\xe4.md", slug="\xe4"),
        desired("content/pages/a\u0308.md", slug="a\u0308"),
    )
    (problem,) = same_address([one, two], {})
    assert problem.what.endswith(f"address as {two.path} (and on macOS and Windows both are one file)")
    lower, upper = desired("content/pages/a.md", slug="a"), desired("content/pages/A.md", slug="a")
    assert "one file" in same_address([lower, upper], {})[0].what


def test_a_document_that_wants_a_records_address_is_told() -> None:
    (problem,) = same_address([desired(A, slug="b")], {B: entry(B)})
    assert B in str(problem)
