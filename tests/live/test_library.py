"""Names and files on a real WordPress: made once, found again, and shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import requests
from tests.live.live import live
from tests.live.pictures import png

from pressync.model.changes import Result

if TYPE_CHECKING:
    from tests.live.proxy import Line
    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

POST, OTHER = "content/posts/2024-01-31-hello.md", "content/posts/2024-02-01-other.md"


def rows(site: Site, route: str) -> list[dict[str, Any]]:
    """Read a list of the site, whole, without the client."""
    found: list[dict[str, Any]] = requests.get(
        f"{site.url}/wp-json/wp/v2/{route}",
        params={"context": "edit", "per_page": "100", "orderby": "id", "order": "asc"},
        auth=("admin", site.passwords["admin"]),
        timeout=30,
    ).json()
    return found


def named(site: Site, route: str) -> dict[int, tuple[str, int]]:
    """Give the name and the parent of each term but the first, by id."""
    return {row["id"]: (row["name"], row.get("parent", 0)) for row in rows(site, route) if row["id"] > 1}


def test_terms_an_author_and_files_are_made_once_and_shown(
    repository: SampleRepository, line: Line, wordpress: Site
) -> None:
    repository.commit(
        {
            POST: (
                "---\ncategories: [News/Local & Near]\ntags: [A & B, CI/CD]\nauthor: editor\n"
                "featured_media: img/blue.png\n---\n![red](<img/Red Dot.png>) [file](img/blue.png)\n"
            ),
            OTHER: "---\ncategories: [news]\ntags: [ci/cd]\n---\n![again](img/blue.png)\n",
            "content/posts/img/Red Dot.png": png(255, 0, 0),
            "content/posts/img/blue.png": png(0, 0, 255),
        }
    )
    site = live(repository, line, wordpress)
    assert [outcome.result for outcome in site.sync().outcomes] == [Result.DONE] * 2
    categories, tags = named(wordpress, "categories"), named(wordpress, "tags")
    (news,) = (number for number, (name, _) in categories.items() if name == "News")
    (local,) = (number for number, (name, _) in categories.items() if name != "News")
    assert categories[local] == ("Local &amp; Near", news)
    assert sorted(name for name, _ in tags.values()) == ["A &amp; B", "CI/CD"]

    by_slug = {row["slug"]: row for row in rows(wordpress, "posts")}
    media = {row["id"]: row for row in rows(wordpress, "media")}
    hello, other = by_slug["hello"], by_slug["other"]
    assert (hello["categories"], sorted(hello["tags"])) == ([local], sorted(tags))
    assert other["categories"] == [news]
    blue = media[hello["featured_media"]]
    assert blue["slug"].startswith("blue-")
    assert blue["source_url"] in hello["content"]["raw"]
    assert blue["source_url"] in other["content"]["raw"]
    assert requests.get(blue["source_url"], timeout=30).content == png(0, 0, 255)
    people = {row["id"]: row["username"] for row in rows(wordpress, "users")}
    assert people[hello["author"]] == "editor"

    asked = len(line.passed)
    assert site.sync().outcomes == ()
    assert len(line.passed) == asked


def test_an_upload_and_a_term_whose_responses_got_lost_are_not_made_again(
    repository: SampleRepository, line: Line, wordpress: Site
) -> None:
    repository.commit(
        {
            POST: "---\ntags: [lost]\nfeatured_media: green.png\n---\n",
            "content/posts/green.png": png(0, 200, 0),
        }
    )
    site = live(repository, line, wordpress)
    site.sync()
    # A clone that never heard the answers.
    repository.git("rm", "-q", "--cached", "--ignore-unmatch", ".pressync")
    for manifest in repository.root.glob(".pressync/*.json"):
        manifest.unlink()
    repository.commit({OTHER: "---\ntags: [LOST]\nfeatured_media: green.png\n---\n"})
    with site.workspace() as workspace, workspace.state(writable=True) as state:
        for path in [*state.manifest.entries, *state.forgotten_by_manifest]:
            state.drop(path)
        state.save()
    site.sync()
    green = [row["id"] for row in rows(wordpress, "media") if row["slug"].startswith("green-")]
    lost = [number for number, (name, _) in named(wordpress, "tags").items() if name.casefold() == "lost"]
    assert (len(green), len(lost)) == (1, 1)


@pytest.mark.parametrize("user", ["editor", "author"])
def test_what_a_user_may_not_make_fails_the_posts_that_need_it(
    repository: SampleRepository, line: Line, wordpress: Site, user: str
) -> None:
    repository.commit({POST: f"---\ncategories: [by {user}]\n---\n", OTHER: "Nothing.\n"})
    site = live(repository, line, wordpress, user=user)
    ended = {outcome.change.path: outcome.result for outcome in site.sync().outcomes}
    if user == "author":
        # An author may write posts, and may not make a category.
        assert ended == {POST: Result.FAILED, OTHER: Result.DONE}
        assert all(name != "by author" for name, _ in named(wordpress, "categories").values())
    else:
        assert ended == {POST: Result.DONE, OTHER: Result.DONE}


def test_an_author_takes_the_file_that_somebody_else_uploaded(
    repository: SampleRepository, line: Line, wordpress: Site
) -> None:
    repository.commit({POST: "![blue](blue.png)\n", "content/posts/blue.png": png(0, 0, 255)})
    live(repository, line, wordpress).sync()
    repository.commit({OTHER: "---\nfeatured_media: blue.png\n---\nOther\n"})
    author = live(repository, line, wordpress, "author")
    assert [outcome.result for outcome in author.sync().outcomes] == [Result.DONE]
    (blue,) = rows(wordpress, "media")
    assert {row["slug"]: row["featured_media"] for row in rows(wordpress, "posts")}["other"] == blue["id"]
    assert not [said for said in author.heard if "deleted" in said]
