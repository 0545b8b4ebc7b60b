"""Front matter says what pressync would not find out by itself, and nothing else."""

from __future__ import annotations

from pressync.app.import_site.front_matter import written
from pressync.importers.item import Item, Place
from pressync.model.interface import Kind

PLACE = Place("x")


def head(item: Item, inner: str, **more: object) -> list[str]:
    """Give the lines between the fences."""
    given: dict[str, object] = {"parent": None, "now": "/about/", **more}
    return written(item, inner, **given).splitlines()[1:-1]  # type: ignore[arg-type]


def test_a_plain_page_has_its_title_alone() -> None:
    item = Item("1", Kind.PAGE, PLACE, title="About\nus", slug="about", status="publish", address="/about/")
    assert head(item, "pages/about.md") == ["title: About us"]


def test_everything_else_has_a_key() -> None:
    item = Item(
        "1",
        Kind.POST,
        PLACE,
        title="No",
        slug="мир",
        address="/2024/мир/",
        aliases=("/old/", "/2024/мир/"),
        date="2024-01-31T10:00:00+01:00",
        status="draft",
        author="anna",
        excerpt="Short",
        categories=("News/Local",),
        tags=("2024",),
        order=0,
        fields={"sticky": True},
    )
    assert head(item, "posts/mir.md") == [
        "title: 'No'",
        "slug: мир",
        "date: 2024-01-31T10:00:00+01:00",
        "status: draft",
        "author: anna",
        "excerpt: Short",
        "categories: [News/Local]",
        "tags: ['2024']",
        "aliases: [/2024/мир/, /old/]",
        "sticky: true",
    ]


def test_a_file_elsewhere_says_its_type_and_a_wrong_date_is_not_written() -> None:
    item = Item("1", Kind.PAGE, PLACE, title="T", date="soon")
    assert head(item, "docs/a.md", parent=0) == ["title: T", "type: page", "parent: 0"]


def test_a_date_in_the_name_is_not_repeated() -> None:
    item = Item("1", Kind.POST, PLACE, title="T", date="2024-01-31", slug="t")
    assert head(item, "posts/2024-01-31-t.md") == ["title: T"]
