"""The permalink structure, found from the addresses of posts."""

from __future__ import annotations

import pytest

from pressync.model.permalinks import permalink_structure

HOME = "https://example.org/blog"


def post(path: str, number: int = 57, *, slug: str = "hello", author: int = 3) -> dict[str, object]:
    return {
        "id": number,
        "slug": slug,
        "link": f"{HOME}{path}",
        "date": "2024-03-05T09:10:11",
        "author": author,
    }


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/?p=57", ""),
        ("/hello/", "/%postname%/"),
        ("/hello", "/%postname%"),
        ("/2024/03/05/hello/", "/%year%/%monthnum%/%day%/%postname%/"),
        ("/2024/03/hello/", "/%year%/%monthnum%/%postname%/"),
        ("/archives/57", "/archives/%post_id%"),
        ("/index.php/2024/03/05/hello/", "/index.php/%year%/%monthnum%/%day%/%postname%/"),
        ("/ada/hello.html", "/%author%/%postname%.html"),
        ("/news/local/hello/", "/%category%/%postname%/"),
        ("/read/news/hello/", "/read/%category%/%postname%/"),
        ("/elsewhere/", None),
    ],
)
def test_each_part_of_an_address_is_known_by_its_value(path: str, expected: str | None) -> None:
    found = permalink_structure([post(path)], home=HOME, authors={3: "ada"}, categories=("news", "local"))
    assert found == expected


def test_what_most_posts_show_counts() -> None:
    odd = post("/2024/", slug="2024")
    posts = [odd, post("/2024/hello/"), post("/2024/other/", slug="other")]
    assert permalink_structure(posts, home=HOME) == "/%year%/%postname%/"


def test_without_posts_nobody_knows() -> None:
    assert permalink_structure([], home=HOME) is None
    assert permalink_structure([{"id": 1, "slug": "", "link": ""}], home=HOME) is None
    assert permalink_structure([{"id": 1, "slug": "a", "link": "//["}], home="//[") is None
