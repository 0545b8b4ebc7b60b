"""Records as WordPress shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.client.wordpress.record import MEMBERS
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from tests.unit.server.wordpress.conftest import Stage


@pytest.mark.parametrize("kind", Kind)
def test_a_record_has_every_member_that_the_client_asks_for(stage: Stage, kind: Kind) -> None:
    number = stage.make(f"{kind}s", title="x")["id"]

    shown = stage.ask("GET", f"/wp/v2/{kind}s/{number}?context=edit&_fields={MEMBERS[kind]}").value

    assert set(shown) == {name.partition(".")[0] for name in MEMBERS[kind].split(",")}


def test_the_address_of_a_child_has_its_parents_and_a_draft_has_its_number(stage: Stage) -> None:
    top = stage.make(title="Top", status="draft")
    child = stage.make(title="Child", parent=top["id"])

    assert top["link"] == f"http://127.0.0.1:8127/?page_id={top['id']}"
    # WordPress leaves out the ancestors that have no slug.
    assert child["link"] == "http://127.0.0.1:8127/child/"


def test_terms_are_listed_by_name(stage: Stage) -> None:
    two, one = (stage.make("tags", name=name)["id"] for name in ("b", "A"))

    assert stage.make("posts", title="x", tags=[two, one])["tags"] == [one, two]


def test_the_sample_slug_is_readable_and_free(stage: Stage) -> None:
    stage.make("posts", title="日本")

    assert stage.make("posts", title="日本", status="draft")["generated_slug"] == "日本-2"
