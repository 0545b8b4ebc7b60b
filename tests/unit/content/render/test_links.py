"""Links in HTML: which are resolved, what they are asked as, and what is said of broken ones."""

from __future__ import annotations

import pytest

from pressync.content.render.links import Linked, Pointer, Unresolved, lines, rewrite, safe

SITE = {
    "content/pages/about.md": "https://site.test/about/",
    "content/pages/a b.md": "https://site.test/a-b/",
    "content/pages/é.md": "https://site.test/e/",
    "content/pages/docs/index.md": "https://site.test/docs/",
    "content/pages/docs/setup.md": "https://site.test/docs/setup/",
    "content/pages/guide/_index.md": "https://site.test/guide/",
    "content/pages/v1.2.md": "https://site.test/v1-2/",
    "content/pages/plain.md": "https://site.test/?page_id=3",
    "content/index.md": "https://site.test/",
    "notes/change.markdown": "https://site.test/change/",
}
FILES = {"content/pages/photo.png", "LICENSE"}
WAITING = {"content/pages/later.md"}


def resolve(path: str) -> str | Unresolved:
    """Answer for a small site: ten pages, two files, and a page that is not made yet."""
    if path in WAITING:
        return Unresolved.UNKNOWN
    if path in FILES:
        return Unresolved.NOT_A_DOCUMENT
    return SITE.get(path, Unresolved.MISSING)


def linked(html: str, *, path: str = "content/pages/docs/setup.md", content: str = "content") -> Linked:
    return rewrite(html, path=path, content=content, resolve=resolve)


def link(url: str) -> str:
    return f'<p><a href="{url}">x</a></p>'


@pytest.mark.parametrize(
    ("url", "address"),
    [
        # A relative link to a document.
        ("../about.md", "https://site.test/about/"),
        ("../about.md?x=1&amp;y=2#z", "https://site.test/about/?x=1&amp;y=2#z"),
        ("../plain.md?x=1#z", "https://site.test/?page_id=3&amp;x=1#z"),
        ("../a%20b.md", "https://site.test/a-b/"),
        ("../%C3%A9.md", "https://site.test/e/"),
        ("index.md", "https://site.test/docs/"),
        ("../../../notes/change.markdown", "https://site.test/change/"),
        # A folder, or a name without an ending.
        ("../about/", "https://site.test/about/"),
        ("../guide/", "https://site.test/guide/"),
        ("../v1.2", "https://site.test/v1-2/"),
        ("./", "https://site.test/docs/"),
        # A path from the content folder, or from the root.
        ("/notes/change.markdown", "https://site.test/change/"),
    ],
)
def test_a_link_to_a_document_becomes_its_address(url: str, address: str) -> None:
    assert linked(link(url)).html == link(address)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/x.md",
        "javascript:void(0)",
        "#top",
        "",
        "/about/",
    ],
)
def test_an_address_is_left_as_it_is(url: str) -> None:
    result = linked(link(url))
    assert (result.html, result.targets, result.broken) == (link(url), (), ())


@pytest.mark.parametrize(
    ("url", "written", "targets"),
    [
        ("setup.md#install", "#install", ()),
        ("setup.md", "https://site.test/docs/setup/", ("content/pages/docs/setup.md",)),
        ("../later.md#x", "../later.md#x", ("content/pages/later.md",)),
        (
            "../guide/",
            "https://site.test/guide/",
            ("content/pages/guide.md", "content/pages/guide/_index.md", "content/pages/guide/index.md"),
        ),
    ],
    ids=["into itself", "to itself", "a page that is not made yet", "another page could come before"],
)
def test_a_page_depends_on_each_document_that_its_link_may_mean(
    url: str, written: str, targets: tuple[str, ...]
) -> None:
    result = linked(link(url))
    assert (result.html, result.targets, result.broken) == (link(written), targets, ())


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("../gone.md#x", "links to `../gone.md#x`, which does not exist"),
        ("/gone.md", "links to `/gone.md`, which does not exist"),
        ("../../../../x.md", "links to `../../../../x.md`, which is outside the repository"),
        ("%1B[31m.md", "links to `%1B%5B31m.md`, which does not exist"),
        ("../photo.png", "links to `../photo.png`, a file of the repository that the site does not have"),
    ],
)
def test_a_link_that_leads_nowhere_stays_and_is_told(url: str, what: str) -> None:
    result = linked(link(url))
    assert result.html == link(url)
    assert [broken.what for broken in result.broken] == [what]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<a class=b href='../about.md'>", '<a class=b href="https://site.test/about/">'),
        ("<A HREF = ../about.md target=_top>", '<A HREF = "https://site.test/about/" target=_top>'),
        ('<object data="../about.md">', '<object data="https://site.test/about/">'),
        ('<source srcset="../about.md">', '<source srcset="https://site.test/about/">'),
        ('<source srcset="../about.md 2x">', '<source srcset="https://site.test/about/ 2x">'),
        (
            "<img alt='src=x' srcset='../about.md 48w,\n ../a%20b.md, https:a,b 2x'>",
            "<img alt='src=x' srcset='https://site.test/about/ 48w,\n https://site.test/a-b/, https:a,b 2x'>",
        ),
        ("<img srcset=../about.md>", '<img srcset="https://site.test/about/">'),
        ('<video poster="../about.md" src=x:>', '<video poster="https://site.test/about/" src=x:>'),
        ('<iframe title="A" src="../about.md">', '<iframe title="A" src="https://site.test/about/">'),
        (
            "<p style=\"color:red;background:url( '../about.md' ), url(&quot;../a%20b.md&quot;)\">",
            "<p style=\"color:red;background:url( 'https://site.test/about/' ), url(&quot;https://site.test/a-b/&quot;)\">",
        ),
        ('<a\n  href="../about.md">', '<a\n  href="https://site.test/about/">'),
        *(
            (
                f'<{element} alt="" src="../about.md" />',
                f'<{element} alt="" src="https://site.test/about/" />',
            )
            for element in ("img", "video", "audio", "source", "track", "embed")
        ),
    ],
)
def test_raw_html_is_resolved_however_it_is_written(html: str, expected: str) -> None:
    assert linked(html).html == expected


@pytest.mark.parametrize(
    "html",
    [
        '<!-- <a href="../gone.md"> -->',
        "<script>x = '<a href=\"../gone.md\">'</script>",
        '<STYLE>a::after { content: "<a href=../gone.md>" }</STYLE>',
        '<code>&lt;a href="../gone.md"&gt;</code>',
        '<a data-href="../gone.md">',
        '<a data-x="y href=../gone.md" name="href">',
        '<img srcset=", ,">',
        '<rect style="fill:url(#gone)">',
        '<p title="url(../gone.md)">',
        '<article href="../gone.md">',
    ],
)
def test_what_is_no_link_is_passed_over(html: str) -> None:
    assert linked(html) == Linked(html, (), ())


def test_places_in_documents_and_addresses_of_the_site_are_collected_with_their_number() -> None:
    urls = ("#own", "../about.md#team", "setup.md#here", "/shop/?a=1#b", "a.md#x")
    html = "".join(map(link, urls))
    result = linked(html)
    assert result.anchors == (
        Pointer(0, "#own", "content/pages/docs/setup.md", "own"),
        Pointer(1, "../about.md#team", "content/pages/about.md", "team"),
        Pointer(2, "setup.md#here", "content/pages/docs/setup.md", "here"),
    )
    assert result.addresses == (Pointer(3, "/shop/?a=1#b", "/shop/"),)
    assert result.missing == ("content/pages/docs/a.md",)


@pytest.mark.parametrize("url", ["../e\u0301.md", "../e%CC%81.md#x"])
def test_a_link_whose_accents_are_not_those_of_the_file_name_says_which_file_is_meant(url: str) -> None:
    (broken,) = linked(link(url)).broken
    assert broken.what.endswith("has accents in another Unicode form than the name of its file")
    assert broken.todo == "rename the file as the link writes it, or link to `../%C3%A9.md`"


def test_a_link_to_a_renamed_document_says_what_it_is_called_now() -> None:
    renamed = {"content/pages/docs/old.md": "content/pages/about.md"}
    result = rewrite(
        link("old.md"),
        path="content/pages/docs/setup.md",
        content="content",
        resolve=resolve,
        renamed=renamed,
    )
    (broken,) = result.broken
    assert broken.what == "links to `old.md`, which is now content/pages/about.md"
    assert broken.todo == "link to `../about.md`"


def test_an_address_is_escaped_and_one_of_a_page_is_told_what_to_write() -> None:
    (broken,) = linked(link("../setup/#install"), path="content/pages/docs/other.md").broken
    assert broken.what == "links to `../setup/#install`, which does not exist"
    assert broken.todo == "link to `setup.md#install`"
    (broken,) = linked(link("../setup/"), path="content/pages/docs/index.md").broken
    assert broken.todo == "fix the link", "the address of an index is its folder"
    result = rewrite(
        link("a.md"), path="b.md", content="", resolve=lambda _path: 'https://x/?a=1&b="><script>'
    )
    assert result.html == link("https://x/?a=1&amp;b=&quot;&gt;&lt;script&gt;")


@pytest.mark.sweep
@pytest.mark.parametrize("piece", ["<!--", "<a ", '<a href="', "<script>", "<a href=' ", "<a href  "])
def test_hostile_html_is_left_alone(piece: str) -> None:
    # Quadratic matching of these 2 MB would outlast the test run's time limit by far.
    html = piece * 300_000
    assert linked(html).html == html
    value = piece.strip("<").replace('"', ",") * 300_000
    for tag in (f'<img srcset="{value}">', f'<img style="{value} url(x:y">', f"<img {value}>"):
        assert linked(tag).html == tag


def test_the_line_of_a_raw_link_is_looked_for_below_the_element_before_it() -> None:
    source = 'see `"x.md"`\n\n<div>\n<a href="x.md">\n</div>'
    placed = (
        '<p data-sourcepos="1:1-1:12">…</p><p data-sourcepos="2:1-2:1"></p><div>\n<a href="x.md">\n</div>'
    )
    assert list(lines(placed, source)) == [4]
    source = '<img\n srcset="a.png 1x,\n b.png 2x"\n style="background:url(c.png)">'
    assert list(lines(source, source)) == [2, 3, 4]
    rows = [f'<a href="{number}.md">' for number in range(20_000)]
    assert list(lines("\n".join(rows), "\n".join(rows))) == list(range(1, 20_001))


@pytest.mark.parametrize(
    "link",
    ["javascript:alert(1)", "data:text/html,x", " https://a.test/", "//a.test/", "/about/", "https:", ""],
)
def test_what_a_strange_manifest_calls_an_address_is_one_that_is_not_known(link: str) -> None:
    assert safe(link) is Unresolved.UNKNOWN
    for address in ("https://example.org/about/", "http://127.0.0.1:8127/?p=1"):
        assert safe(address) == address


def test_a_lost_file_is_looked_for_once_for_all_links_to_it() -> None:
    asked: list[str] = []

    def absent(path: str) -> tuple[str, str] | None:
        asked.append(path)
        return None

    page = link("lost.png") * 50 + link("lost.png#a")
    path = "content/pages/docs/setup.md"
    made = rewrite(page, path=path, content="content", resolve=resolve, absent=absent)
    assert len(made.broken) == 51
    assert asked == ["content/pages/docs/lost.png"] * 2
