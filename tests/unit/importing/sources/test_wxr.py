"""The records of an export become items, and everything else of it is left out by name."""

from __future__ import annotations

import gzip
import tracemalloc
import zipfile
from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest
from tests.support.exports import cdata, export, meta, record
from tests.support.kinds import BOOK, TYPES
from tests.support.source_trees import left_out

from pressync.config.settings import load
from pressync.importing.sources import wxr
from pressync.importing.sources.item import ImportSource, Item, LeftOut, Note, Origin, OwnFacts, OwnSite
from pressync.importing.sources.wxr import address_of
from pressync.importing.sources.wxr_file import ExportFile, WxrFile
from pressync.model.errors import ConfigError
from pressync.model.interface import DOCUMENTED_TYPES, SiteTypes

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.importing.sources.item import Imported


def test_addresses_and_slugs_are_readable_and_old_slugs_are_old_addresses(tmp_path: Path) -> None:
    assert address_of("https://blog.test/2024/%d0%bc%d0%b8%d1%80/") == "/2024/мир/"
    assert [address_of(text) for text in ("https://blog.test/?p=12", "", "http://[")] == ["", "", ""]
    slug = "%d0%bc%d0%b8%d1%80"
    item = only(tmp_path, record(1, slug, more=meta("_wp_old_slug", "frieden")))
    assert (item.slug, item.address, item.aliases) == ("мир", "/мир/", ("/frieden/",))


NEWS = (
    "<wp:category><wp:category_nicename>news</wp:category_nicename><wp:category_parent></wp:category_parent>"
    f"<wp:cat_name>{cdata('News &amp; more')}</wp:cat_name></wp:category>"
    "<wp:category><wp:category_nicename>local</wp:category_nicename>"
    f"<wp:category_parent>news</wp:category_parent><wp:cat_name>{cdata('Local')}</wp:cat_name></wp:category>"
)


def imported(
    tmp_path: Path, *inside: str, all_statuses: bool = False, types: SiteTypes = DOCUMENTED_TYPES
) -> list[Imported]:
    """Give everything that an export with these elements has."""
    file = tmp_path / "export.xml"
    file.write_text(export(*inside))
    settings = load(None, where="", environ={})._replace(types=types)
    source = ImportSource("export.xml", file, all_statuses=all_statuses, settings=settings)
    return list(wxr.items(source))


def only(
    tmp_path: Path, *inside: str, all_statuses: bool = False, types: SiteTypes = DOCUMENTED_TYPES
) -> Item:
    found = imported(tmp_path, *inside, all_statuses=all_statuses, types=types)
    (item,) = (each for each in found if isinstance(each, Item))
    return item


def test_a_post_has_its_texts_its_moment_and_its_author(tmp_path: Path) -> None:
    found = imported(tmp_path, record(7, "hello", "Bo\x00dy", excerpt=" Short "))
    assert found[0] == Origin("https://blog.test")
    (item,) = (each for each in found if isinstance(each, Item))
    notes = [each.text for each in found if isinstance(each, Note)]
    assert any(note.endswith("1 character that XML forbids were removed") for note in notes)
    assert (item.key, item.id, item.kind, item.slug, item.address) == ("7", 7, "post", "hello", "/hello/")
    assert (item.body, item.excerpt, item.author) == ("Body", "Short", "anna")
    assert item.date == "2024-03-01T11:00:00+01:00"


def test_further_authors_are_a_line_of_the_account(tmp_path: Path) -> None:
    terms = (
        f'<category domain="author" nicename="cap-{each}">{cdata(each)}</category>'
        for each in ("anna", "bob")
    )
    (item,) = (
        each for each in imported(tmp_path, record(7, "a", more="".join(terms))) if isinstance(each, Item)
    )
    assert [(each.kind, each.text) for each in item.remainders] == [("further author", "bob")]


@pytest.mark.parametrize(
    ("local", "gmt", "date"),
    [
        ("2024-03-01 11:00:00", "2024-03-01 10:00:00", "2024-03-01T11:00:00+01:00"),
        ("2024-03-01 04:30:00", "2024-03-01 10:00:00", "2024-03-01T04:30:00-05:30"),
        ("2024-03-01 11:00:00", "0000-00-00 00:00:00", "2024-03-01T11:00:00"),
        ("0000-00-00 00:00:00", "2024-03-01 10:00:00", "2024-03-01T10:00:00Z"),
        ("0000-00-00 00:00:00", "0000-00-00 00:00:00", ""),
    ],
)
def test_a_date_keeps_its_moment_if_it_has_one(tmp_path: Path, local: str, gmt: str, date: str) -> None:
    assert only(tmp_path, record(1, "a", post_date=local, post_date_gmt=gmt)).date == date


def test_categories_are_paths_and_names_are_text(tmp_path: Path) -> None:
    terms = (
        f'<category domain="category" nicename="local">{cdata("Local")}</category>'
        f'<category domain="post_tag" nicename="a">{cdata("A &amp; B")}</category>'
        f'<category domain="post_format" nicename="post-format-aside">{cdata("Aside")}</category>'
        f'<category domain="genre" nicename="jazz">{cdata("Jazz")}</category>'
    )
    item = only(tmp_path, NEWS, record(1, "a", more=terms))
    assert item.categories == ("News & more/Local",)
    assert item.tags == ("A & B",)
    assert item.fields["format"] == "aside"
    assert [(each.kind, each.text) for each in item.remainders] == [("taxonomy genre", "Jazz")]


def test_a_picture_that_stands_later_is_known(tmp_path: Path) -> None:
    picture = record(9, "p", post_type="attachment", status="inherit")
    picture = picture.replace(
        "</item>", "<wp:attachment_url>https://blog.test/p.jpg</wp:attachment_url></item>"
    )
    item = only(tmp_path, record(1, "a", more=meta("_thumbnail_id", "9")), picture)
    assert item.fields["featured_media"] == "https://blog.test/p.jpg"


def test_everything_else_is_left_out_by_name_and_with_its_line(tmp_path: Path) -> None:
    comment = "<wp:comment><wp:comment_id>1</wp:comment_id></wp:comment>"
    found = imported(
        tmp_path,
        record(1, "a", more=comment),
        record(2, "m", post_type="nav_menu_item"),
        record(3, "r", post_type="revision"),
        record(4, "b", post_type="book"),
        record(5, "d", status="draft"),
        record(6, "s", post_password="secret"),
        record(7, "t", status="trash"),
        record(1, "a"),
    )
    left = [each for each in found if isinstance(each, LeftOut)]
    kinds = ["comment", "menu item", "revision", "type book", "draft", "protected", "trash", "second copy"]
    assert [each.kind for each in left] == kinds
    lines = (tmp_path / "export.xml").read_text().splitlines()
    assert "<wp:comment>" in lines[left[0].place.line - 1]
    assert {lines[each.place.line - 1] for each in left[1:]} == {"<item>"}


def test_a_password_and_an_address_of_a_person_are_never_written(tmp_path: Path) -> None:
    author = (
        "<wp:author><wp:author_login>a@b.test</wp:author_login>"
        "<wp:author_display_name>Anna</wp:author_display_name></wp:author>"
    )
    item = only(
        tmp_path, author, record(1, "a", post_password="secret", creator="a@b.test"), all_statuses=True
    )
    assert (item.status, item.author) == ("private", "Anna")
    assert "secret" not in repr(item)
    assert [each.kind for each in item.remainders] == ["password"]


def test_an_export_that_a_link_of_the_folder_leads_to_is_named_and_not_read(tmp_path: Path) -> None:
    private = tmp_path / "private.xml"
    private.write_text(export(record(1, "diary")))
    folder = tmp_path / "clone"
    folder.mkdir()
    (folder / "linked.xml").symlink_to(private)
    source = ImportSource("clone", folder)
    assert not wxr.recognises(source)
    (folder / "own.xml").write_text(export(record(2, "own", post_type="page")))
    (folder / "part.xml").write_text(export(record(3, "below", post_parent="2", post_type="page")))
    assert wxr.recognises(source)
    found = list(wxr.items(source))
    items = [(each.slug, each.parent, each.place.path) for each in found if isinstance(each, Item)]
    assert items == [("own", "", "own.xml"), ("below", "2", "part.xml")], "parts of one export"
    assert left_out(found) == {"linked.xml": "symbolic link"}


def test_a_category_below_thousands_of_others_is_named_and_not_carried(tmp_path: Path) -> None:
    slug, parent = (
        "<wp:category_nicename>c{}</wp:category_nicename>",
        "<wp:category_parent>c{}</wp:category_parent>",
    )
    line = "".join(
        f"<wp:category>{slug.format(n)}{parent.format(n - 1)}<wp:cat_name>n{n}</wp:cat_name></wp:category>"
        for n in range(10_000)
    )
    given = "".join(f'<category domain="category" nicename="c{n}">n{n}</category>' for n in range(10_000))
    item = only(tmp_path, line, record(1, "a", more=given))
    assert item.categories[:2] == ("n0", "n0/n1")
    assert len(item.categories) == 101
    (lost,) = item.remainders
    assert lost.kind == "taxonomy category (below more than 100 others)"
    assert lost.text.endswith(", n9999")


@pytest.mark.parametrize("has_media", [True, False])
def test_an_export_of_the_own_site_names_copied_uploads(tmp_path: Path, *, has_media: bool) -> None:
    file = tmp_path / "export.xml"
    file.write_text(export(record(1, "a")))
    own = OwnSite("https://blog.test/wp-json", nullcontext)  # type: ignore[arg-type]  # nobody connects
    source = ImportSource("export.xml", file, media=tmp_path if has_media else None, own=own)
    found = list(wxr.items(source))
    (facts,) = (each for each in found if isinstance(each, OwnFacts))
    assert (facts.copied is not None) is has_media
    other = ImportSource("export.xml", file, own=OwnSite("https://other.test/wp-json", own.connect))
    assert not any(isinstance(each, OwnFacts) for each in wxr.items(other))


def read(tmp_path: Path, data: bytes) -> list[tuple[str, str]]:
    """Give the name of each element of the channel, and its title."""
    file = tmp_path / "export.xml"
    file.write_bytes(data)
    return [(each.name, each.value("title")) for each in WxrFile(ExportFile(file)).elements()]


def refusal(tmp_path: Path, data: bytes) -> str:
    """Give the message with which an export is refused."""
    with pytest.raises(ConfigError) as refused:
        read(tmp_path, data)
    return str(refused.value)


def test_forbidden_characters_are_removed_and_counted_with_their_first_line(tmp_path: Path) -> None:
    file = tmp_path / "export.xml"
    data = export(record(1, "one", title="a\x08b\x1bc")).encode()
    file.write_bytes(data)
    opened = WxrFile(ExportFile(file))
    assert [each.value("title") for each in opened.elements()][-1] == "abc"
    line = data[: data.index(b"\x08")].count(b"\n") + 1
    assert (opened.removed, opened.first_removed) == (2, line)
    # Blank lines before everything count.
    file.write_text("\n\n" + export(record(1, "one", title="a ]]> b")))
    found = {each.name: each for each in WxrFile(ExportFile(file)).elements()}
    assert file.read_text().splitlines()[found["item"].line - 1] == "<item>"
    assert found["item"].value("title") == "a ]]> b"


@pytest.mark.parametrize("part", [0.3, 0.6, 0.9])
def test_an_export_that_was_cut_off_names_its_last_line(tmp_path: Path, part: float) -> None:
    whole = export(*(record(number, f"p{number}", "text\n" * 9) for number in range(9))).encode()
    cut = whole[: int(len(whole) * part)]
    last = cut.count(b"\n") + 1
    assert refusal(tmp_path, cut).startswith(f"export.xml:{last}: the export ends here")


def test_what_is_not_an_export_is_refused_with_its_line(tmp_path: Path) -> None:
    broken = export(record(1, "one"), "<wp:tag>\n&nbsp;\n</wp:tag>")
    line = broken[: broken.index("&nbsp;")].count("\n") + 1
    assert refusal(tmp_path, broken.encode()) == (
        f"export.xml:{line}:1: undefined entity; repair that line, or export again"
    )
    rows = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(9))
    bomb = (
        f'<?xml version="1.0"?>\n<!DOCTYPE rss [<!ENTITY e0 "x">{rows}]>\n<rss><channel>&e9;</channel></rss>'
    )
    assert refusal(tmp_path, bomb.encode()).startswith("export.xml:2: it has a DOCTYPE")
    assert "its first element is <feed>" in refusal(tmp_path, b"<feed/>")
    assert "elements are open" in refusal(tmp_path, export("<a>" * 50 + "</a>" * 50).encode())


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1", "utf-16"])
@pytest.mark.parametrize("fault", ["&nbsp;", "<wp:meta></wp:mete>", "<![CDATA[", "a & b", "&#65534;"])
@pytest.mark.parametrize("words", [1, 30_000])
def test_a_lenient_reader_leaves_out_an_item_with_a_fault_alone(
    tmp_path: Path, fault: str, encoding: str, words: int
) -> None:
    text = "Grüße " * words
    records = [record(number, f"p{number}", text, title=f"T{number}") for number in range(5)]
    for number in (1, 4):
        records[number] = record(number, "odd", text, title="Odd", more=f"{text}\n{fault} {text}")
    whole = export(f"{fault} {records[0]}".replace(f"{fault} <item>", f"<item> {fault}"), *records[1:])
    lines = [place for place, line in enumerate(whole.splitlines(), 1) if line.startswith("<item>")]
    file = tmp_path / "export.xml"
    file.write_bytes(whole.replace("UTF-8", encoding).encode(encoding))
    with pytest.raises(ConfigError, match="leave out this item with `--lenient`"):
        list(WxrFile(ExportFile(file)).elements())
    opened = WxrFile(ExportFile(file), lenient=True)
    items = [each for each in opened.elements() if each.name == "item"]
    assert [(each.value("title"), each.line) for each in items] == [("T2", lines[2]), ("T3", lines[3])]
    assert [line for line, _ in opened.left_out] == [lines[0], lines[1], lines[4]]
    assert [each.space for each in items[1].all("post_id")] == ["http://wordpress.org/export/1.2/"]


def test_a_large_export_needs_the_memory_of_one_record(tmp_path: Path) -> None:
    file = tmp_path / "export.xml"
    file.write_text(export(*(record(number, "p", "word " * 4000) for number in range(400))))
    tracemalloc.start()
    count = sum(1 for each in WxrFile(ExportFile(file)).elements() if each.name == "item")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 400
    assert peak < file.stat().st_size / 8


def term(taxonomy: str, slug: str, name: str, parent: str = "") -> str:
    """Write a term of a taxonomy as the head of an export has it."""
    return (
        f"<wp:term><wp:term_taxonomy>{taxonomy}</wp:term_taxonomy><wp:term_slug>{slug}</wp:term_slug>"
        f"<wp:term_parent>{parent}</wp:term_parent><wp:term_name>{cdata(name)}</wp:term_name></wp:term>"
    )


def test_a_record_of_a_type_of_the_site_has_its_terms_and_its_fields(tmp_path: Path) -> None:
    rows = {
        "isbn": "978",
        "copies": "3",
        "in_print": "1",
        "binding": "paper",
        "size": 'a:2:{s:5:"width";i:10;s:6:"height";s:2:"20";}',
        "reviews": 'a:1:{i:0;s:6:"güt!";}'.replace("6", "5"),
        "subtitle": "The Whale",
        "_subtitle": "field_1",
        "cover": "12",
    }
    fields = "".join(meta(key, text) for key, text in rows.items())
    fields += meta("keywords", "sea") + meta("keywords", "whale")
    terms = f'<category domain="genre" nicename="sea">{cdata("Sea")}</category>'
    picture = record(
        12,
        "cover",
        post_type="attachment",
        more="<wp:attachment_url>https://blog.test/c.png</wp:attachment_url>",
    )
    heads = (term("genre", "fiction", "Fiction"), term("genre", "sea", "Sea", "fiction"))
    book = record(7, "moby", more=fields + terms, post_type="book", comment_status="closed")
    item = only(tmp_path, *heads, picture, book, types=TYPES)
    assert (item.kind, item.remainders) == (BOOK, ())
    assert item.fields == {
        "genre": ["Fiction/Sea"],
        "meta.isbn": "978",
        "meta.copies": 3,
        "meta.in_print": True,
        "meta.size": {"width": 10, "height": 20},
        "meta.reviews": ("güt!",),
        "meta.keywords": ("sea", "whale"),
        "acf.subtitle": "The Whale",
        "acf.cover": "https://blog.test/c.png",
    }


def test_rows_that_no_field_takes_are_told_with_their_keys(tmp_path: Path) -> None:
    rows = (meta("_edit_lock", "1:1"), meta("_edit_last", "1"), meta("views", "3"), meta("copies", "many"))
    found = imported(
        tmp_path,
        *(record(n, f"b{n}", more="".join(rows), post_type="book") for n in (1, 2)),
        types=TYPES,
    )
    assert [each.text for each in found if isinstance(each, Note)] == [
        "Internal fields of WordPress and plug-ins: 4. No file has them: _edit_last (2), _edit_lock (2).",
        "Fields that the schema of the site does not have: 2. No file has them: views (2).",
    ]
    unfit = [each.remainders for each in found if isinstance(each, Item)]
    assert [[(each.kind, each.text) for each in some] for some in unfit] == [
        [("field meta.copies", "many")]
    ] * 2


@pytest.mark.parametrize(
    "text", ['O:8:"stdClass":0:{}', 'a:1:{i:0;s:9:"x";}', "a:1:{", "a:9999999:{", "a:1:{" * 60]
)
def test_what_is_not_a_plain_value_of_php_is_left_out_by_name(tmp_path: Path, text: str) -> None:
    item = only(tmp_path, record(1, "b", more=meta("size", text), post_type="book"), types=TYPES)
    assert [each.kind for each in item.remainders] == ["field meta.size"]
    assert item.fields == {}


@pytest.mark.parametrize(
    ("stored", "title", "is_named"),
    [
        ("A <em>Ulysses</em> review &amp; more", "A Ulysses review & more", True),
        ("H<sub>2</sub>O", "H2O", True),
        ("Line<br />two &lt;code&gt; &#8220;q&#8221;", "Line two <code> “q”", True),
        ("1 < 2 &amp; 3", "1 < 2 & 3", False),
    ],
)
def test_a_title_loses_its_elements_and_they_are_named(
    tmp_path: Path, stored: str, title: str, *, is_named: bool
) -> None:
    item = only(tmp_path, record(1, "a", title=stored))
    assert (item.title, [each.text for each in item.remainders]) == (title, [stored] if is_named else [])


def packed(folder: Path, name: str, text: str) -> Path:
    """Write an export as a file of this name, which says how it is packed."""
    file = folder / name
    if name.endswith(".gz"):
        file.write_bytes(gzip.compress(text.encode()))
    elif name.endswith(".zip"):
        with zipfile.ZipFile(file, "w") as opened:
            opened.writestr("site/export.xml", text)
            opened.writestr("readme.xml", "<x/>")
    else:
        file.write_bytes(text.replace("UTF-8", "UTF-16").encode("utf-16"))
    return file


@pytest.mark.parametrize("name", ["export.xml.gz", "export.zip", "utf16.xml"])
def test_an_export_is_read_as_people_have_it(tmp_path: Path, name: str) -> None:
    text = export(record(1, "a", "Grün", title="Ä"), record(2, "b"))
    file = packed(tmp_path, name, text)
    for path in (file, tmp_path):
        source = ImportSource(name, path)
        assert wxr.recognises(source)
        items = [each for each in wxr.items(source) if isinstance(each, Item)]
        assert [(each.slug, each.title, each.body) for each in items] == [("a", "Ä", "Grün"), ("b", "B", "")]


@pytest.mark.parametrize("name", ["export.xml.gz", "export.zip"])
def test_a_packed_export_that_was_cut_off_is_refused(tmp_path: Path, name: str) -> None:
    whole = packed(tmp_path, name, export(*(record(number, f"a{number}", "x" * 99) for number in range(999))))
    whole.write_bytes(whole.read_bytes()[:-2000])
    with pytest.raises(ConfigError):
        list(wxr.items(ImportSource(name, whole)))


def test_a_byte_that_is_not_utf_8_is_named_with_its_column(tmp_path: Path) -> None:
    file = tmp_path / "export.xml"
    file.write_bytes(export(record(1, "a", "one BAD")).encode().replace(b"BAD", b"\xff"))
    line = next(n for n, row in enumerate(file.read_bytes().splitlines(), 1) if b"\xff" in row)
    column = file.read_bytes().splitlines()[line - 1].index(b"\xff") + 1
    with pytest.raises(ConfigError, match=f"export.xml:{line}:{column}: not well-formed"):
        list(wxr.items(ImportSource("export.xml", file)))


@pytest.mark.parametrize("number", ["", "0", "5"])
def test_records_without_an_id_or_with_a_shared_one_are_items(tmp_path: Path, number: str) -> None:
    records = [record(1, slug, post_id=number) for slug in ("a", "b")]
    found = imported(tmp_path, *records)
    items = [each for each in found if isinstance(each, Item)]
    assert [each.slug for each in items] == ["a", "b"]
    assert len({each.key for each in items}) == 2
    assert [each.id for each in items] == [int(number or 0) or None, None]
    assert not left_out(found)


def test_the_text_of_a_synced_pattern_stands_where_it_is_shown(tmp_path: Path) -> None:
    shows = '<!-- wp:block {{"ref":{}}} /-->'.format
    found = imported(
        tmp_path,
        record(1, "a", f"{paragraph('Before')}\n\n{shows(2)}\n\n{shows(9)}"),
        record(2, "p", f"{paragraph('Shared')}\n\n{shows(3)}", post_type="wp_block"),
        record(3, "q", paragraph("Inner"), post_type="wp_block"),
        record(4, "itself", shows(4), post_type="wp_block"),
    )
    (item,) = (each for each in found if isinstance(each, Item))
    assert item.body == "\n\n".join([*map(paragraph, ("Before", "Shared", "Inner")), shows(9)])
    assert {each.why for each in found if isinstance(each, LeftOut)} == {
        "each text that shows it has its text now"
    }


def paragraph(words: str) -> str:
    return f"<!-- wp:paragraph -->\n<p>{words}</p>\n<!-- /wp:paragraph -->"


def test_the_own_site_has_its_synced_patterns_so_they_stay(tmp_path: Path) -> None:
    file, shows = tmp_path / "export.xml", '<!-- wp:block {"ref":2} /-->'
    file.write_text(export(record(1, "a", shows), record(2, "p", paragraph("x"), post_type="wp_block")))
    own = OwnSite("https://blog.test/wp-json", nullcontext)  # type: ignore[arg-type]  # nobody connects
    (item,) = (
        each for each in wxr.items(ImportSource("export.xml", file, own=own)) if isinstance(each, Item)
    )
    assert item.body == shows
