"""Links by address become links by file, in Markdown and in HTML, and nothing else changes."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

import pytest

from pressync.importing.sources.item import Form, Item, Place
from pressync.importing.sources.links import LinkTargets, Uploads, rewritten
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from pathlib import Path


GUIDE = Item("g", Kind.PAGE, Place("docs/guide.md"), address="/docs/guide/", aliases=("/old-guide",), id=7)
INTRO = Item("i", Kind.PAGE, Place("docs/intro.md"), address="/docs/intro/")
PATHS = {"g": "content/pages/docs/guide.md", "i": "content/pages/docs/intro.md"}


def targets() -> LinkTargets:
    """Give the targets of two pages of `https://example.org`, and one picture."""
    pictures = {"/img/a b.png": "content/media/a b.png"}
    found = LinkTargets("https://example.org", PATHS, file_of=pictures.get)
    found.learn([GUIDE, INTRO])
    return found


@pytest.mark.parametrize(
    ("written", "link"),
    [
        ("/docs/guide/", "guide.md"),
        ("/docs/guide/index.html#top", "guide.md#top"),
        ("http://www.example.org/docs/guide/", "guide.md"),
        ("/old-guide/", "guide.md"),
        ("https://example.org/?p=7", "guide.md"),
        ("import:g#end", "guide.md#end"),
        ("import:g/#end", "guide.md#end"),
        ("import:g?a=1", "guide.md?a=1"),
        ("/docs/intro/#here", "#here"),
        ("/img/a%20b.png", "../../media/a%20b.png"),
    ],
)
def test_an_address_of_the_source_becomes_a_path(written: str, link: str) -> None:
    assert targets().link(INTRO, written) == link


@pytest.mark.parametrize(
    "written",
    [
        "https://other.org/docs/guide/",
        "/unknown/",
        "import:nothing",
        "http://[",
    ],
)
def test_another_link_stays(written: str) -> None:
    assert targets().link(INTRO, written) is None


@pytest.mark.parametrize(
    ("written", "link"),
    [
        ("../gone/#x", "/docs/gone/#x"),
        ("../gone.html", "/docs/gone.html"),
        ("../guide/#x", "guide.md#x"),
        ("../led/", "guide.md"),
        ("../unknown/", None),
        ("/docs/gone/", None),
        ("https://example.org/docs/gone/", None),
        ("#x", None),
    ],
)
def test_a_relative_link_to_what_is_left_out_keeps_its_old_address(written: str, link: str | None) -> None:
    found = targets()
    found.learn([], ["/docs/gone/"])
    found.redirect({PATHS["g"]: ["/docs/led/"]})
    assert found.link_from_root(INTRO, written) == link


def test_a_key_outside_of_a_link_becomes_the_address_that_the_tool_writes_there() -> None:
    body = "See import:g. `import:g` <import:g> <!-- import:g/#x --> import:nothing\n"
    new = "See /docs/guide/. `/docs/guide/` </docs/guide/> <!-- /docs/guide//#x --> import:nothing\n"
    assert targets().without_keys(INTRO, body) == new


def test_code_scripts_comments_and_other_links_stay() -> None:
    body = "[a](/x/ \"T\") `[a](/x/)` <img src='/x/'> [b](<x y>)\n\n```\n[a](/x/)\n```\n\n[n]: /x/\n"
    new = '[a](X "T") `[a](/x/)` <img src="X"> [b](<x y>)\n\n```\n[a](/x/)\n```\n\n[n]: X\n'
    assert rewritten(body, Form.MARKDOWN, {"/x/": "X"}.get) == new
    assert rewritten("[^n]: [a](/x/)\n", Form.MARKDOWN, {"/x/": "X"}.get) == "[^n]: [a](X)\n"
    body = (
        '<a class="q" href="/x/?a=1&amp;b=2">a</a><!-- <a href="/x/"> --><script>"<a href=\'/x/\'>"</script>'
    )
    found: list[str] = []
    rewritten(body, Form.HTML, found.append)
    assert found == ["/x/?a=1&b=2"]


SITE = "https://example.org"
AT = "/wp-content/uploads/2024/01/"


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    folder = tmp_path / "2024/01"
    folder.mkdir(parents=True)
    (folder / "cat.jpg").write_bytes(b"cat")
    (folder / "cat-300x200.jpg").write_bytes(b"small cat")
    (folder / "cat-1.jpg").write_bytes(b"cat")
    (folder / "dog-scaled.jpg").write_bytes(b"big dog")
    (folder / "dog-150x150.jpg").write_bytes(b"small dog")
    (folder / "flag-800x600.png").write_bytes(b"flag")
    (folder / "blue whale.jpg").write_bytes(b"whale")
    (folder / "logo.svg").write_bytes(b"<svg/>")
    return tmp_path


@pytest.mark.parametrize(
    ("address", "path"),
    [
        (f"{AT}cat.jpg", "media/2024/01/cat.jpg"),
        (f"{SITE}{AT}cat-300x200.jpg", "media/2024/01/cat.jpg"),
        (f"{AT}dog-150x150.jpg", "media/2024/01/dog-scaled.jpg"),
        (f"/blog{AT}blue%20whale.jpg", "media/2024/01/blue whale.jpg"),
        (f"https://elsewhere.org{AT}cat.jpg", None),
        (f"{AT}../../../../etc/passwd.jpg", None),
        (f"{AT}logo.svg", None),
    ],
)
def test_the_address_of_a_size_leads_to_its_original(copied: Path, address: str, path: str | None) -> None:
    uploads = Uploads(copied, SITE)
    assert uploads.file_of(address) == path
    assert [name for name, _ in uploads.copies()] == ([path] if path else [])
    assert uploads.missing() == []


FILES = "https://me.files.wordpress.com"
HOSTS = (f"https://cdn.test{AT}cat.jpg", f"{FILES}/2024/01/x.jpg")


@pytest.mark.parametrize(
    ("address", "path", "missing"),
    [
        (f"http://www.cdn.test{AT}cat-300x200.jpg?w=3", "media/2024/01/cat.jpg", []),
        (f"{FILES}/2024/01/cat.jpg?w=300", "media/2024/01/cat.jpg", []),
        (f"{FILES}/2024/02/no.jpg", None, [f"{FILES}/2024/02/no.jpg"]),
        (
            f"https://i0.wp.com/{SITE.removeprefix('https://')}{AT}cat.jpg?resize=3",
            "media/2024/01/cat.jpg",
            [],
        ),
        (f"//i2.wp.com/cdn.test{AT}no.jpg", None, [f"https://cdn.test{AT}no.jpg"]),
        ("https://i0.wp.com/elsewhere.org/cat.jpg", None, []),
        ("https://you.files.wordpress.com/2024/01/cat.jpg", None, []),
    ],
)
def test_pictures_are_on_every_host_that_the_export_names(
    copied: Path, address: str, path: str | None, missing: list[str]
) -> None:
    uploads = Uploads(copied, SITE, HOSTS)
    assert (uploads.file_of(address), uploads.missing()) == (path, missing)


def test_every_attribute_that_names_a_file_is_replaced_and_a_file_without_a_copy_is_listed(
    copied: Path,
) -> None:
    uploads = Uploads(copied, SITE)
    item = Item("1", Kind.PAGE, Place("x"), address="/a/")
    targets = LinkTargets(SITE, {"1": "pages/a.md"}, file_of=uploads.file_of)
    written = (
        f'<video width="3" poster="{AT}cat.jpg" src="{AT}film.mp4"></video>\n'
        f"<div style=\"background: url('{AT}dog.jpg') no-repeat\">x</div>\n"
        f'<p style="background:url(&quot;{SITE}{AT}bird.jpg&quot;)">x</p>\n'
        f'<iframe src="{AT}a.pdf"></iframe><img style="width:3px" src="{AT}cat.jpg">'
        '<img src="https://elsewhere.org/x.jpg" /><b style="background:url(https://elsewhere.org/x.jpg)">y</b>\n'
    )
    for form in (Form.HTML, Form.MARKDOWN):
        made = rewritten(written, form, partial(targets.link, item))
        there = written.replace(f"{AT}cat.jpg", "../media/2024/01/cat.jpg")
        assert made == there.replace(f"{AT}dog.jpg", "../media/2024/01/dog-scaled.jpg")
    names = ("a.pdf", "bird.jpg", "film.mp4")
    assert uploads.missing() == [f"{SITE}{AT}{name}" for name in names]


@pytest.mark.parametrize(
    ("written", "new"),
    [
        (
            '<img srcset="AT-300x300.jpg 300w, AT 900w" sizes=\'9px\' src="AT" alt="">',
            '<img src="FILE" alt="">',
        ),
        ('<source srcset="AT">', '<source srcset="FILE">'),
        ('<source srcset="AT 1x,AT 2x">', '<source srcset="FILE 1x,FILE 2x">'),
        ('<object data="AT"></object>', '<object data="FILE"></object>'),
        ('<embed src="AT">', '<embed src="FILE">'),
    ],
)
def test_a_file_is_linked_in_each_element_whose_file_a_sync_uploads(
    copied: Path, written: str, new: str
) -> None:
    uploads = Uploads(copied, SITE)
    item = Item("1", Kind.PAGE, Place("x"), address="/a/")
    targets = LinkTargets(SITE, {"1": "pages/a.md"}, file_of=uploads.file_of, stay=uploads.stay)
    text = written.replace("AT", f"{AT}cat.jpg")
    for form in (Form.HTML, Form.MARKDOWN):
        made = rewritten(text, form, partial(targets.link, item), partial(targets.stays, item))
        assert made == new.replace("FILE", "../media/2024/01/cat.jpg")
    assert uploads.missing() == []


@pytest.mark.parametrize(
    "written",
    [
        '<!-- wp:group {"style":{"background":{"backgroundImage":{"url":"URL"}}}} -->',
        '<!-- wp:cover {"url":"URL","id":3} -->',
        "[pdf-embedder url='URL' width=3]",
    ],
)
def test_an_address_that_only_wordpress_reads_is_listed(copied: Path, written: str) -> None:
    uploads = Uploads(copied, SITE)
    item = Item("1", Kind.PAGE, Place("x"), address="/a/")
    targets = LinkTargets(SITE, {"1": "pages/a.md"}, file_of=uploads.file_of, stay=uploads.stay)
    for address in (f"{SITE}{AT}cat.jpg", f"{AT}cat.jpg", f"{SITE}{AT}cat.jpg".replace("/", "\\/")):
        text = written.replace("URL", address)
        assert rewritten(text, Form.HTML, partial(targets.link, item), partial(targets.stays, item)) == text
    assert uploads.missing() == [f"{SITE}{AT}cat.jpg"]


def test_a_picture_that_was_uploaded_twice_is_one_file(copied: Path) -> None:
    uploads = Uploads(copied, SITE)
    paths = [uploads.file_of(f"{AT}{name}") for name in ("cat.jpg", "cat-1.jpg", "cat-300x200.jpg")]
    assert paths == ["media/2024/01/cat.jpg"] * 3
    assert list(uploads.copies()) == [("media/2024/01/cat.jpg", copied / "2024/01/cat.jpg")]
    assert uploads.path_of(f"{SITE}{AT}cat-scaled.jpg") == "media/2024/01/cat.jpg"
    assert uploads.path_of(f"{SITE}{AT}dog-scaled.jpg") is None
    assert uploads.file_of(f"http://[{AT}cat.jpg") is None


def test_files_that_are_not_in_the_copy_are_listed_for_a_download_with_their_originals(copied: Path) -> None:
    for folder in (None, copied):
        uploads = Uploads(folder, SITE)
        assert uploads.file_of(f"{AT}r%C3%A9d-300x200.jpg") is None
        assert uploads.missing() == [f"{SITE}{AT}r%C3%A9d-300x200.jpg", f"{SITE}{AT}r%C3%A9d.jpg"]


def test_links_out_of_the_copy_and_pipes_are_not_read(
    copied: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    secret = tmp_path_factory.mktemp("other") / "secret.jpg"
    secret.write_bytes(b"secret")
    (copied / "2024/01/own.jpg").symlink_to(secret)
    uploads = Uploads(copied, SITE)
    (copied / "2024/01/circle.jpg").symlink_to("circle.jpg")
    os.mkfifo(copied / "2024/01/pipe.jpg")
    assert [uploads.file_of(f"{AT}{name}.jpg") for name in ("own", "circle", "pipe")] == [None] * 3
    assert list(uploads.copies()) == []
    copied.rename(copied.with_name("uploads"))
    assert Uploads(copied.parent, SITE).file_of(f"{AT}cat.jpg") == "media/2024/01/cat.jpg"
