"""An item becomes a file, and a body that an interrupted import has converted is not converted again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.app.import_site.conversion import Conversion
from pressync.importers import bodies
from pressync.importers.item import Form, Item, Place
from pressync.importers.kept_lines import KeptLines
from pressync.importers.links import LinkTargets
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from pressync.app.import_site.conversion import FinishedFile

ITEM = Item(
    "1",
    Kind.PAGE,
    Place("https://e.org/a/"),
    address="/a/",
    title="A",
    body="<p>See <a href='/a/#b'>b</a></p><iframe src='x'></iframe>",
    form=Form.HTML,
    fields={"featured_media": "https://e.org/a.png"},
)


def converted(file: Path) -> FinishedFile:
    targets = LinkTargets("https://e.org", {"1": "content/pages/a.md"})
    targets.learn([ITEM])
    with KeptLines(file) as kept:
        return Conversion("content", targets, {"1": 12}, None, captions=False, kept=kept).file(ITEM)


def test_a_file_has_front_matter_links_and_what_is_not_markdown(tmp_path: Path) -> None:
    file = converted(tmp_path / "bodies")
    assert file.data.decode() == (
        "---\ntitle: A\nparent: 12\n---\n\nSee [b](#b)\n\n<iframe src='x'></iframe>\n"
    )
    assert (file.path, file.kept, file.media) == ("content/pages/a.md", ("iframe",), ("https://e.org/a.png",))
    assert [each.kind for each in file.item.remainders] == ["featured picture without a file"]


def test_a_body_is_converted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = converted(tmp_path / "bodies")
    monkeypatch.delattr(bodies, "as_markdown")
    assert converted(tmp_path / "bodies") == file
