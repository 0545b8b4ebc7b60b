"""A site of Hexo has the addresses that Hexo 8 gave it, and its tags become Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.source_trees import by_file, left_out, origin, tree

from pressync.importing.sources import hexo
from pressync.importing.sources.item import ImportSource, Item, Note

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pressync.importing.sources.item import Imported

CONFIG = "url: https://x.org/b\nroot: /b/\npermalink: :year/:month/:day/:title/\n"
POST = "---\ntitle: Hello\ndate: 2024-01-31 23:30:00\n{}---\n"


def imported(folder: Path, files: Mapping[str, str], config: str = CONFIG) -> list[Imported]:
    tree(folder, {"_config.yml": config, "scaffolds/post.md": "", "source/_posts/.keep": "", **files})
    return list(hexo.TOOL.items(ImportSource("site", folder)))


def post(folder: Path, text: str) -> Item:
    files = {"source/_posts/hello.md": POST.format("") + text, "source/_posts/second.md": POST.format("")}
    return by_file(imported(folder, files))["source/_posts/hello.md"]


# The addresses are those of a build with Hexo 8.
def test_each_file_is_an_item_or_left_out(tmp_path: Path) -> None:
    files = {
        "source/_posts/hello.md": POST.format("categories:\n- Sports\n- Ball Games\ntags: [a, b]\n"),
        "source/_posts/cat/third.md": POST.format("categories:\n- [A, B]\n- C\n"),
        "source/_posts/fourth.md": POST.format("permalink: own/way\n"),
        "source/_posts/undated.md": "---\ntitle: Undated\n---\n",
        "source/_posts/hidden.md": POST.format("published: false\n"),
        "source/_drafts/d.md": "---\ntitle: Draft\n---\n",
        "source/_data/x.md": "part",
        "source/about/index.md": "---\ntitle: About\n---\n",
        "source/page.md": "---\ntitle: Page\n---\n",
    }
    found = imported(tmp_path, files)
    assert origin(found) == "https://x.org/b/"
    assert {each.path: (each.address, each.status) for each in by_file(found).values()} == {
        "posts/hello.md": ("/b/2024/01/31/hello/", ""),
        "posts/cat/third.md": ("/b/2024/01/31/cat/third/", ""),
        "posts/fourth.md": ("/b/own/way/", ""),
        "posts/undated.md": ("", ""),
        "posts/hidden.md": ("", "draft"),
        "posts/d.md": ("", "draft"),
        "pages/about.md": ("/b/about/", ""),
        "pages/page.md": ("/b/page.html", ""),
    }
    assert left_out(found) == {"source/_data/x.md": "part of the site"}
    items = by_file(found)
    assert items["source/_posts/hello.md"].categories == ("Sports/Ball Games",)
    assert items["source/_posts/hello.md"].tags == ("a", "b")
    assert items["source/_posts/cat/third.md"].categories == ("A/B", "C")


@pytest.mark.parametrize(
    ("pattern", "address"),
    [
        (":category/:name.html", "/uncategorized/hello.html"),
        (":year-:i_month-:i_day/:hour/:title/", "/2024-1-31/23/hello/"),
        (":post_title/", "/Hello/"),
        (":lang/:title/", "/:lang/hello/"),
    ],
)
def test_the_permalink_decides_the_address(tmp_path: Path, pattern: str, address: str) -> None:
    found = imported(tmp_path, {"source/_posts/hello.md": POST.format("")}, f"permalink: {pattern}\n")
    assert by_file(found)["source/_posts/hello.md"].address == address


@pytest.mark.parametrize(
    "head",
    [
        "title: A\ndate: 2015-01-15 17:32:51\ntags:\n- a\n- b\n---\n",
        "---\ntitle: A\ndate: 2015-01-15 17:32:51\ntags:\n\t- a\n\t- b\n---\n",
        ';;;\n"title": "A",\n"date": "2015-01-15 17:32:51",\n"tags": ["a",\n"b"]\n;;;\n',
    ],
)
def test_front_matter_has_the_fences_of_hexo(tmp_path: Path, head: str) -> None:
    found = by_file(imported(tmp_path, {"source/_posts/a.md": f"{head}{{% x y %}}\n"}))["source/_posts/a.md"]
    assert (found.title, found.date, found.tags) == ("A", "2015-01-15T17:32:51", ("a", "b"))
    assert (found.body, found.address) == ("{% x y %}\n", "/b/2015/01/15/a/")
    assert [each.place.line for each in found.remainders] == [head.count("\n") + 1]


def test_a_text_above_a_rule_stays_a_text(tmp_path: Path) -> None:
    files = {"source/_posts/a.md": "One.\n\n---\nTwo.\n", "source/_posts/b.md": "title: [A\n---\nTwo.\n"}
    found = imported(tmp_path, files)
    assert by_file(found)["source/_posts/a.md"].body == "One.\n\n---\nTwo.\n"
    assert left_out(found) == {"source/_posts/b.md": "unreadable front matter"}


def test_a_key_that_the_settings_give_twice_is_named(tmp_path: Path) -> None:
    found = imported(tmp_path, {"source/_posts/a.md": POST.format("")}, f"{CONFIG}root: /c/\n")
    assert [each.text for each in found if isinstance(each, Note)] == [
        "_config.yml:4: the key 'root' is given twice, and the last one counts. Remove the other."
    ]
    assert by_file(found)["source/_posts/a.md"].address == "/c/2024/01/31/a/"


@pytest.mark.parametrize(
    ("name", "date", "expected"),
    [
        ("a.md", "2013/7/13 20:46:25", ("2013-07-13T20:46:25", "/b/2013/07/13/a/", [])),
        # Hexo takes the day of the build.
        ("a.md", "someday", ("", "", ["someday"])),
        ("2015-01-15-a.md", "someday", ("2015-01-15T00:00:00", "/b/2015/01/15/a/", ["someday"])),
    ],
)
def test_a_date_is_read_as_javascript_does(
    tmp_path: Path, name: str, date: str, expected: tuple[str, str, list[str]]
) -> None:
    config = f"{CONFIG}new_post_name: :year-:month-:day-:title.md\n"
    text = f"---\ntitle: A\ndate: {date}\n---\nText\n"
    found = by_file(imported(tmp_path, {f"source/_posts/{name}": text}, config))[f"source/_posts/{name}"]
    assert (found.date, found.address, [each.text for each in found.remainders]) == expected


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ("{% asset_img pic.png A pic %}", "![A pic](/source/_posts/hello/pic.png)"),
        ("{% post_link second The second %}", "[The second](import:source/_posts/second.md)"),
        ("{% youtube AbC %}", "https://www.youtube.com/watch?v=AbC"),
        ("{% codeblock lang:js %}\n{% x %}\n{% endcodeblock %}", "```js\n{% x %}\n```"),
        ("{% blockquote Ann %}\nSaid\n{% endblockquote %}", "> Said\n>\n> — Ann"),
        ("{% pullquote right %}\nSaid\n{% endpullquote %}", "> Said"),
        ("{% link A & b https://e.test/ true Title %}", "[A & b](https://e.test/)"),
        (
            "{% iframe https://e.test/f 10 20 %}",
            '<iframe src="https://e.test/f" width="10" height="20"></iframe>',
        ),
        ("{% img /a.png %}", '<img src="/a.png" alt="">'),
        ("{% img left round /a.png 9 An 'a' %}", '<img src="/a.png" width="9" title="An" alt="a">'),
        ('{% img /a.png "The text" %}', '<img src="/a.png" alt="The text">'),
        ("{% raw %}\n{{ x }}\n{% endraw %}", "{{ x }}"),
        ("`{% raw %}{% x %}{% endraw %}` and {% raw %}{{ y }}{% endraw %}", "`{% x %}` and {{ y }}"),
        ("<!-- more -->", "<!--more-->"),
        ("`{% unknown x %}`", "`{% unknown x %}`"),
    ],
)
def test_the_tags_of_hexo_become_markdown(tmp_path: Path, written: str, made: str) -> None:
    item = post(tmp_path, f"{written}\n")
    assert (item.body, item.remainders) == (f"{made}\n", ())


@pytest.mark.parametrize("written", ["{% unknown x %}", "{% post_link gone %}", "{% note %}\nopen"])
def test_a_tag_of_a_theme_stays_and_is_named(tmp_path: Path, written: str) -> None:
    item = post(tmp_path, f"a\n{written}\n")
    assert item.body.split() == f"a\n{written}\n".split()
    assert [str(each.place) for each in item.remainders] == ["source/_posts/hello.md:6"]


@pytest.mark.parametrize("tag", ["{% post_link big-news %}", "{% post_link 2024-01-02-big-news Hello %}"])
def test_a_post_is_linked_by_its_slug(tmp_path: Path, tag: str) -> None:
    config = f"{CONFIG}new_post_name: :year-:month-:day-:title.md\n"
    files = {
        "source/_posts/2024-01-02-big-news.md": POST.format(""),
        "source/a.md": f"---\ntitle: A\n---\n{tag}\n",
    }
    page = by_file(imported(tmp_path, files, config))["source/a.md"]
    assert page.body == "[Hello](import:source/_posts/2024-01-02-big-news.md)\n"


def test_a_time_of_day_is_one_of_the_zone_of_the_settings(tmp_path: Path) -> None:
    config = f"{CONFIG}timezone: Europe/Brussels\n"
    item = by_file(imported(tmp_path, {"source/_posts/hello.md": POST.format("")}, config))
    assert item["source/_posts/hello.md"].date == "2024-01-31T22:30:00+00:00"


@pytest.mark.parametrize(("config", "notes"), [(CONFIG, 1), (f"{CONFIG}timezone: UTC\n", 0)])
def test_a_zone_that_nobody_names_is_said_where_it_decides_a_day(
    tmp_path: Path, config: str, notes: int
) -> None:
    files = {"source/_posts/a.md": "---\ntitle: A\ndate: 2024-01-31T23:30:00Z\n---\n"}
    said = [each.text for each in imported(tmp_path, files, config) if isinstance(each, Note)]
    assert ["timezone" in text for text in said] == [True] * notes


@pytest.mark.parametrize(
    ("date", "aliases"),
    [
        ("2024-06-01", ["/b/2024/05/31/a/"]),
        ("2024-06-01 01:30:00", ["/b/2024/05/31/a/"]),
        ("2024-06-01 02:30:00", []),
        ("2024-05-31T23:30:00Z", []),
        ("2024-01-01 00:59:59", ["/b/2023/12/31/a/"]),
    ],
)
def test_a_post_keeps_the_address_of_a_machine_in_utc_too(
    tmp_path: Path, date: str, aliases: list[str]
) -> None:
    files = {"source/_posts/a.md": f"---\ntitle: A\ndate: {date}\n---\n"}
    found = imported(tmp_path, files, f"{CONFIG}timezone: Europe/Brussels\n")
    item = by_file(found)["source/_posts/a.md"]
    assert (item.address[:6], list(item.aliases)) == ("/b/202", aliases)


def test_a_quotation_leads_to_its_source(tmp_path: Path) -> None:
    text = "{% blockquote Jane Doe https://e.test/a/ The book %}\nSaid\n{% endblockquote %}\n"
    assert "> — Jane Doe [The book](https://e.test/a/)" in post(tmp_path, text).body
