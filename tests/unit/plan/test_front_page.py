"""What a plan says of the front page, and two files that both want to be it."""

from __future__ import annotations

import pytest
from tests.support.builders import desired, entry, prints

from pressync.client.capabilities import WORDPRESS
from pressync.model.changes import Create, Keep, Update
from pressync.model.fingerprint import fingerprint
from pressync.model.reason import NO_REASON
from pressync.model.visibility import FRONT_PAGE
from pressync.plan import front_page
from pressync.plan.decide import decide
from pressync.plan.situations import KnownDocument, NewDocument

A, B = "content/pages/a.md", "content/pages/b.md"
FRONT = desired(A, fingerprints=prints(A, front_page=True))


def test_a_new_front_page_is_announced() -> None:
    change = decide(NewDocument(FRONT), WORDPRESS)
    assert isinstance(change, Create)
    assert change.reason == "new document; it becomes the front page of the site"
    assert FRONT_PAGE in change.fields


@pytest.mark.parametrize("known", [prints(A), {**prints(A), FRONT_PAGE: "?"}])
def test_a_page_that_becomes_the_front_page_is_an_update(known: dict[str, str]) -> None:
    change = decide(KnownDocument(FRONT, entry(A, fingerprints=known)), WORDPRESS)
    assert isinstance(change, Update)
    assert (change.fields, change.reason) == ((FRONT_PAGE,), "it becomes the front page of the site")


def test_a_page_whose_file_no_longer_says_so_is_taken_back() -> None:
    change = decide(KnownDocument(desired(A), entry(A, fingerprints=FRONT.fingerprints)), WORDPRESS)
    assert isinstance(change, Update)
    assert change.resets == (FRONT_PAGE,)
    assert change.reason.startswith("it is no longer the front page; ")


def test_nothing_is_taken_back_that_the_site_did_not_take() -> None:
    kept = {FRONT_PAGE: fingerprint(value=False)}
    held = entry(A, fingerprints=FRONT.fingerprints, changed_by_service=kept)
    change = decide(KnownDocument(desired(A), held), WORDPRESS)
    assert isinstance(change, Keep)
    assert "the site keeps its current value" in change.reason


def test_two_front_pages_are_an_error_of_the_second() -> None:
    kept = Keep(B, entry(B).kind, 7, entry(B, fingerprints=prints(B, front_page=True)))
    other = Create(A, FRONT.kind, (FRONT_PAGE,), NO_REASON, FRONT)
    (problem,) = front_page.problems([kept, other])
    assert (problem.path, problem.warning) == (B, False)
    assert str(problem).startswith(f"{B}: {A} is the front page already, and a site has one; ")


def test_one_front_page_or_none_is_right() -> None:
    assert front_page.among({A: FRONT.fingerprints, B: prints(B)}) == []
    assert front_page.among({}) == []
