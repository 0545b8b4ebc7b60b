"""JSON lines: what any program says of its pages."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import msgspec
import pytest
from tests.support.source_trees import left_out, tree

from pressync.importing.sources.item import Form, ImportSource, Item, LeftOut, Origin, Place, Remainder
from pressync.importing.sources.jsonl import Line, items, recognises
from pressync.importing.sources.links import FolderFiles
from pressync.model.errors import ConfigError
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from pressync.importing.sources.item import Imported

PAGE: dict[str, Any] = {
    "kind": "page",
    "source": "docs/a.md",
    "line": 3,
    "address": "https://example.org/docs/ä/",
    "aliases": ["/old", "https://example.org/older/"],
    "title": "A",
    "date": None,
    "order": 4,
    "front_matter": {"template": "wide", "password": "secret", "id": 7},
    "body": "[B](/docs/b/)",
}
POST = {
    "kind": "post",
    "address": "https://example.org/2024/hello.html",
    "title": "Hello",
    "date": "2024-01-31T10:00:00+02:00",
    "author": "Anna",
    "categories": "News",
    "tags": ["bread"],
    "body": "<p>Hi</p>",
    "form": "html",
}


def read(folder: Path, *lines: object) -> list[Imported]:
    """Import a file with these lines: text as it is, and anything else as JSON."""
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    (folder / "site.jsonl").write_text(text, encoding="utf-8")
    return list(items(ImportSource("site.jsonl", folder / "site.jsonl")))


def test_a_line_is_an_item(tmp_path: Path) -> None:
    origin, page, post = read(tmp_path, PAGE, "", POST)
    assert origin == Origin("https://example.org/")
    assert isinstance(page, Item)
    assert (page.kind, page.place, page.order) == (Kind.PAGE, Place("docs/a.md", 3), 4)
    assert (page.path, page.address, page.slug) == ("pages/docs/ä.md", "/docs/%C3%A4/", "ä")
    assert page.aliases == ("/old", "/older/")
    assert page.fields == {"template": "wide"}
    assert isinstance(post, Item)
    assert (post.path, post.address, post.slug) == ("", "/2024/hello.html", "hello")
    assert (post.author, post.categories, post.tags) == ("Anna", ("News",), ("bread",))
    assert (post.place, post.form, post.date) == (
        Place("site.jsonl", 3),
        Form.HTML,
        "2024-01-31T10:00:00+02:00",
    )


def test_the_schema_and_the_reader_know_the_same_members(tmp_path: Path) -> None:
    schema = json.loads(files("pressync").joinpath("schemas/import.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    for line in (PAGE, POST, {"kind": "comment", "why": "spam"}, {}):
        jsonschema.validate(line, schema)
    nothing = {name: None for name in schema["properties"] if name not in {"kind", "form"}}
    (item,) = read(tmp_path, nothing)
    assert isinstance(item, Item)
    assert item.remainders == ()
    (item,) = read(tmp_path, {**nothing, "nothing": None})
    assert isinstance(item, Item)
    assert [each.kind for each in item.remainders] == ["member nothing"]


def test_the_template_and_the_examples_of_the_guide_have_known_members(tmp_path: Path) -> None:
    guide = (Path(__file__).parents[4] / "content/pages/moving-in.md").read_text()
    template = guide.partition("{{- range .Site.Pages }}")[2].partition("```")[0]
    members = re.findall(r'(?:dict |\n {2}|" |\) |\w )"(\w+)" (?:[.(]|\(cond)', template)
    assert len(members) > 10
    assert set(members) <= {field.name for field in msgspec.structs.fields(Line)}
    examples = re.search(r"```json\n(\{.*?)```", guide.partition("## Anything else")[2], re.DOTALL)
    assert examples
    _, page, post, comment = read(tmp_path, *examples[1].splitlines())
    assert [type(each) for each in (page, post, comment)] == [Item, Item, LeftOut]
    assert [each.remainders for each in (page, post) if isinstance(each, Item)] == [(), ()]


@pytest.mark.parametrize("line", ['{"title": ', "[1]", '"text"', '{"a": "\\ud800"}', "[" * 5000])
def test_a_bad_line_is_left_out_with_its_number_and_the_rest_goes_on(tmp_path: Path, line: str) -> None:
    found = read(tmp_path, {"title": "A"}, line, {"title": "B"})
    assert [type(each) for each in found] == [Item, LeftOut, Item]
    assert found[1].place == Place("site.jsonl", 2)  # type: ignore[union-attr]
    assert read(tmp_path, {"kind": "comment", "address": "/a/#c1", "why": "never carried"}) == [
        LeftOut("comment", Place("site.jsonl", 1), "never carried", "/a/#c1")
    ]
    with pytest.raises(ConfigError, match=r"site\.jsonl:1: the first line is not a JSON object"):
        read(tmp_path, "title,body")


def test_a_member_of_another_type_is_named_and_the_line_is_carried(tmp_path: Path) -> None:
    (item,) = read(tmp_path, {"title": "A", "author": {"name": "Anna"}, "date": "Spring", "titel": "B"})
    assert isinstance(item, Item)
    here = Place("site.jsonl", 1)
    assert [(each.kind, each.place) for each in item.remainders] == [
        ("member author", here),
        ("member titel", here),
        ("date", here),
    ]
    assert item.remainders[2] == Remainder("date", here, "Spring")


def test_a_line_that_is_too_long_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pressync.importing.sources.jsonl._LONGEST", 1024 * 1024)
    found = read(tmp_path, {"title": "A"}, {"body": "x" * 3 * 1024 * 1024}, {"title": "B"})
    assert [type(each) for each in found] == [Item, LeftOut, Item]
    assert found[1] == LeftOut("unreadable line", Place("site.jsonl", 2), "it is longer than 1 MiB")


def test_a_folder_has_all_languages_and_the_pictures_at_their_addresses(tmp_path: Path) -> None:
    public = {
        "import.json": json.dumps(PAGE),
        "de/import.json": json.dumps({"address": "https://example.org/de/"}),
        "img/a.png": "",
        "other.json": "{}",
    }
    found = list(items(ImportSource("public", tree(tmp_path, public).root)))
    assert [each.path for each in found if isinstance(each, Item)] == ["pages/de.md", "pages/docs/ä.md"]
    (pictures,) = (each for each in found if isinstance(each, FolderFiles))
    assert pictures.file_of("/img/a.png") == "media/img/a.png"


def test_a_linked_folder_outside_of_the_source_is_named_and_not_read(tmp_path: Path) -> None:
    private = tree(tmp_path / "private", {"diary.jsonl": json.dumps(POST)}).root
    clone = tree(tmp_path / "clone", {"site.jsonl": json.dumps(PAGE)}).root
    (clone / "sub").symlink_to(private)
    found = list(items(ImportSource("clone", clone)))
    assert [each.title for each in found if isinstance(each, Item)] == ["A"]
    assert left_out(found) == {"sub": "symbolic link"}
    (clone / "site.jsonl").unlink()
    assert not recognises(ImportSource("clone", clone))


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.jsonl", '\ufeff\n{"title": 1}', True),
        ("a.json", '{"title": 1}', True),
        ("a.txt", "{}", False),
        ("public/import.json", "{}", True),
        ("public/b.json", "{}", False),
    ],
)
def test_a_file_is_known_by_its_name_and_start(
    tmp_path: Path, name: str, text: str, *, expected: bool
) -> None:
    tree(tmp_path, {name: text})
    path = tmp_path / name.partition("/")[0]
    assert recognises(ImportSource(name, path)) is expected
