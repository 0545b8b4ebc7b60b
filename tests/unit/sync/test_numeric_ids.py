"""A number of a term or an author that the site does not have is named with its line, before it is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.library_repository import Shelf

from pressync.client.terms import Term
from pressync.model.errors import BadAnswer, Code, Refused, ServiceError
from pressync.model.reason import ReasonCode

if TYPE_CHECKING:
    from collections.abc import Collection

    from tests.support.repository import SampleRepository

POST, OTHER = "content/posts/post.md", "content/posts/other.md"
NAME = "write the name, which a sync looks up, or another id"
USER = "write the user's id or another login, or map the name below `[authors]`"


@pytest.fixture
def shelf(repository: SampleRepository) -> Shelf:
    """Make a site with one category, one tag and one user."""
    shelf = Shelf(repository.root, "https://site.test/wp-json")
    shelf.service.has = {"categories": [Term(1, "News", "news", 0)], "tags": [Term(4, "a", "a", 0)]}
    shelf.service.people = {"anna": 2}
    return shelf


def post(*front: str) -> str:
    return "\n".join(("---", *front, "---", "Text.\n"))


@pytest.mark.parametrize(
    ("front", "said"),
    [
        ("categories: [7]", f"{POST}:2: categories 7: the site has no term of this id; {NAME}"),
        ("tags: [4, 3]", f"{POST}:2: tags 3: the site has no term of this id; {NAME}"),
        ("tags:\n- 4\n- 3", f"{POST}:4: tags 3: the site has no term of this id; {NAME}"),
        ("tags: [a, 3]", f"{POST}:2: tags 3: the site has no term of this id; {NAME}"),
        ("author: 99", f"{POST}:2: author 99: the site has no user of this id; {USER}"),
        ("categories: [1]\ntags: [4]\nauthor: 2", ""),
    ],
)
def test_a_plan_beside_the_site_and_a_sync_name_it(
    shelf: Shelf, repository: SampleRepository, front: str, said: str
) -> None:
    repository.commit({POST: post(front)})
    expected = [said] if said else []
    assert list(map(str, shelf.drift().problems)) == expected
    assert list(map(str, shelf.sync().plan.problems)) == expected


def test_a_user_in_the_table_of_authors_is_named_there_and_once(
    shelf: Shelf, repository: SampleRepository
) -> None:
    repository.commit({"pressync.toml": "[authors]\njane = 99\n"})
    repository.commit({path: post("author: jane") for path in (POST, OTHER)})
    (problem,) = shelf.drift().problems
    what = "[authors]: the site has no user 99; correct the user below `[authors]`"
    assert str(problem) == f"pressync.toml: {what}"


def test_a_number_from_the_defaults_is_named_with_the_document(
    shelf: Shelf, repository: SampleRepository
) -> None:
    repository.commit({"pressync.toml": "[defaults]\ntags = [3]\n", POST: "Text.\n"})
    (problem,) = shelf.drift().problems
    assert (problem.path, problem.line, problem.warning, problem.code) == (POST, 0, True, Code.UNKNOWN_ID)


def test_a_term_that_somebody_deleted_is_named_beside_the_conflict(
    shelf: Shelf, repository: SampleRepository
) -> None:
    repository.commit({POST: post("tags: [4]")})
    shelf.sync()
    shelf.service.lose("tags", 4)
    assert [str(problem) for problem in shelf.drift().problems] == [
        f"{POST}:2: tags 4: the site has no term of this id; {NAME}"
    ]


def test_each_field_is_asked_for_once(
    shelf: Shelf, repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, int]] = []
    present = shelf.service.present

    def counted(field: str, ids: Collection[int]) -> frozenset[int]:
        asked.append((field, len(ids)))
        return present(field, ids)

    monkeypatch.setattr(shelf.service, "present", counted)
    numbers = ", ".join(map(str, range(10, 160)))
    repository.commit({POST: post(f"tags: [{numbers}]", "categories: [7]"), OTHER: post("tags: [3, 10]")})
    plan = shelf.drift()
    assert asked == [("categories", 1), ("tags", 100)]
    (left,) = (remark for remark in plan.remarks if remark.code is ReasonCode.IDS_NOT_COMPARED)
    ids = left.facts["ids"]
    assert isinstance(ids, tuple)
    assert (left.facts["field"], len(ids)) == ("tags", 51)


@pytest.mark.parametrize("error", [Refused("not allowed", status=403), BadAnswer("no JSON")])
def test_a_number_that_this_account_may_not_read_is_not_compared(
    shelf: Shelf, repository: SampleRepository, monkeypatch: pytest.MonkeyPatch, error: ServiceError
) -> None:
    def closed(_field: str, _ids: Collection[int]) -> frozenset[int]:
        raise error

    monkeypatch.setattr(shelf.service, "present", closed)
    repository.commit({POST: post("tags: [3]")})
    said = "Not compared with the site: tags 3, because the site does not show them to this account."
    for plan in (shelf.drift(), shelf.sync().plan):
        assert plan.problems == ()
        assert said in plan.notes
