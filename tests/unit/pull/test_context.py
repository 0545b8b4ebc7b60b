"""Words for ids and paths for addresses, as one document would write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.builders import entry

from pressync.app.revision import Revision
from pressync.content.front_matter.edit import Setting
from pressync.model.records import Manifest, Medium, Name
from pressync.pull.context import IdNames, PullContexts, link_writer, setting

if TYPE_CHECKING:
    from tests.support.desk import Desk
    from tests.support.repository import SampleRepository

    from pressync.model.records import Value
    from pressync.pull.context import PullContext

ABOUT, GONE, PICTURE = "content/pages/about.md", "content/pages/gone.md", "content/a.png"
PLACES = {
    "https://site.test/about/": "content/pages/about.md",
    "https://site.test/team/anna/": "content/pages/team/anna.md",
    "https://site.test/?page_id=12": "content/pages/a b (1).md",
    "https://site.test/files/x.png": "content/pages/team/x.png",
}
WORDS = IdNames(
    pages={7: "content/pages/team.md"},
    names={("categories", 3): "News", ("author", 2): "anna"},
    files={40: "a.png"},
)


def of(desk: Desk, path: str) -> PullContext:
    """Give the surroundings of a document on a site of two pages and two pictures."""
    with desk.workspace() as workspace:
        content = workspace.content(Revision())
        blob = content.tree.files[PICTURE]
        site = Manifest(
            "https://site.test",
            names={Name("categories", "News"): 3},
            media={
                blob: Medium(blob, PICTURE, 40, "https://site.test/a.png"),
                "old": Medium("old", "content/old.png", 41, "https://site.test/old.png"),
            },
        )
        return PullContexts(content, {ABOUT: entry(ABOUT, 7), GONE: entry(GONE, 8)}, site).for_document(path)


def test_what_is_in_the_tree_has_words_and_what_is_not_has_none(
    desk: Desk, repository: SampleRepository
) -> None:
    repository.commit({ABOUT: "x\n", PICTURE: b"a"})
    around = of(desk, ABOUT)
    assert around.names.pages == {7: ABOUT}
    assert around.names.names == {("categories", 3): "News"}
    assert around.names.files == {40: "../a.png"}
    assert around.link("https://site.test/a.png") == "../a.png"
    assert around.link("https://site.test/old.png") == "https://site.test/old.png"


@pytest.mark.parametrize(
    ("address", "link"),
    [
        ("https://site.test/about/", "../about.md"),
        ("https://site.test/about/#team", "../about.md#team"),
        ("https://site.test/about/?a=1#team", "../about.md?a=1#team"),
        ("https://site.test/?page_id=12", "../a%20b%20%281%29.md"),
        ("https://site.test/?page_id=12&a=1", "../a%20b%20%281%29.md?a=1"),
        ("https://site.test/files/x.png", "x.png"),
        ("https://site.test/team/anna/", "anna.md"),
    ],
)
def test_an_address_that_the_service_gave_becomes_a_path(address: str, link: str) -> None:
    assert link_writer("content/pages/team/anna.md", PLACES)(address) == link


@pytest.mark.parametrize(
    "address",
    [
        "https://site.test/about",
        "https://other.test/about/",
        "/about/",
        "#team",
        "https://site.test/team/anna/#a",
        "",
    ],
)
def test_any_other_address_stays(address: str) -> None:
    assert link_writer("content/pages/team/anna.md", PLACES)(address) == address


@pytest.mark.parametrize(
    ("field", "value", "keys", "expected"),
    [
        ("title", "A", (), Setting("title", "A")),
        ("menu_order", 3, ("weight",), Setting("weight", 3)),
        ("menu_order", 3, (), Setting("menu_order", 3)),
        ("excerpt", "x", ("description",), Setting("description", "x")),
        ("excerpt", "x", ("description", "summary"), Setting("summary", "x")),
        ("status", "publish", ("draft",), Setting("status", "publish", instead_of="draft")),
        ("status", "draft", ("draft",), Setting("draft", True)),
        ("status", "draft", ("published",), Setting("published", False)),
        ("status", "private", ("draft", "status"), Setting("status", "private")),
        ("date", "2024-01-31T10:00:00", (), Setting("date", "2024-01-31T10:00:00", bare=True)),
        ("date_gmt", "2024-01-31T10:00:00", ("date",), Setting("date", "2024-01-31T10:00:00Z", bare=True)),
        ("parent", 7, (), Setting("parent", "content/pages/team.md")),
        ("parent", 8, (), Setting("parent", 8)),
        ("categories", (3, 9), (), Setting("categories", ("News", 9))),
        ("author", 2, (), Setting("author", "anna")),
        ("featured_media", 40, (), Setting("featured_media", "a.png")),
        ("sticky", True, (), Setting("sticky", True)),
        ("password", "secret", ("password",), None),
        ("meta", {"footnotes": "x"}, ("meta",), None),
    ],
)
def test_each_field_is_said_in_the_files_own_words(
    field: str, value: Value, keys: tuple[str, ...], expected: Setting | None
) -> None:
    assert setting(field, value, keys, WORDS) == expected
