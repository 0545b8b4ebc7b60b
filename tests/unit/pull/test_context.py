"""Words for ids and paths for addresses, as one document would write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.builders import entry

from pressync.app.revision import Revision
from pressync.model.records import Manifest, Medium, Name
from pressync.pull.context import PullContexts

if TYPE_CHECKING:
    from tests.support.desk import Desk
    from tests.support.repository import SampleRepository

    from pressync.pull.context import PullContext

ABOUT, GONE, PICTURE = "content/pages/about.md", "content/pages/gone.md", "content/a.png"


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
