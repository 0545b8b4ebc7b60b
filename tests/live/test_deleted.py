"""What people delete on a real WordPress: terms, files and parents that a sync still needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import requests
from tests.live.live import Eyes, live, messages, results
from tests.live.pictures import png
from tests.live.test_library import POST

if TYPE_CHECKING:
    from tests.live.proxy import Line
    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

FRONT = "---\ncategories: [News]\ntags: [lost, kept]\nfeatured_media: blue.png\n---\n"
NEW, PICTURE = "content/posts/2024-02-02-new.md", "content/pages/picture.md"
DOCS, KID, BY_ID = "content/pages/docs.md", "content/pages/docs/kid.md", "content/pages/by-id.md"


def delete(site: Site, route: str) -> None:
    """Delete a thing for good, as its administrator."""
    auth = ("admin", site.passwords["admin"])
    url = f"{site.url}/wp-json/wp/v2/{route}"
    requests.delete(url, params={"force": "true"}, auth=auth, timeout=30).raise_for_status()


def test_the_first_sync_makes_deleted_terms_and_files_again_and_gives_them_back(
    repository: SampleRepository, line: Line, wordpress: Site
) -> None:
    blue = png(0, 0, 255)
    repository.commit(
        {POST: f"{FRONT}Before.\n", PICTURE: "![b](../posts/blue.png)\n", "content/posts/blue.png": blue}
    )
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    site.sync()
    (before,) = eyes.rows("post").values()
    lost = next(number for number in before["tags"] if eyes.terms("tags")[number] == "lost")
    for route in (
        f"categories/{before['categories'][0]}",
        f"tags/{lost}",
        f"media/{before['featured_media']}",
    ):
        delete(wordpress, route)

    repository.commit({POST: f"{FRONT}After.\n", NEW: f"{FRONT}New.\n"})
    run = site.sync()
    assert {results(run)[path] for path in (POST, NEW)} == {"done"}
    assert not any(messages(run)[path] for path in (POST, NEW))
    posts = eyes.rows("post").values()
    assert len(posts) == 2
    for post in posts:
        assert [eyes.terms("categories")[number] for number in post["categories"]] == ["News"]
        assert sorted(eyes.terms("tags")[number] for number in post["tags"]) == ["kept", "lost"]
        assert post["featured_media"] not in {0, before["featured_media"]}
    (page,) = eyes.rows().values()
    address = page["content"]["raw"].partition('src="')[2].partition('"')[0]
    assert requests.get(address, timeout=30).content == blue
    assert site.sync().outcomes == ()


def test_a_page_is_not_deleted_while_a_page_that_names_it_by_id_stays(
    repository: SampleRepository, line: Line, wordpress: Site
) -> None:
    repository.commit({DOCS: "# Docs\n"})
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    site.sync()
    number = site.ids()[DOCS]
    repository.commit({BY_ID: f"---\nparent: {number}\n---\n# By id\n"})
    site.sync()
    repository.git("rm", "-q", DOCS)
    repository.commit({"README.md": "Without the parent.\n"})
    run = site.sync()
    assert results(run) == {DOCS: "blocked"}
    assert f"{BY_ID} stays below it" in messages(run)[DOCS]
    repository.git("rm", "-q", BY_ID)
    repository.commit({"content/pages/other.md": "Without the child.\n"})
    assert results(site.sync()) == {DOCS: "done", BY_ID: "done", "content/pages/other.md": "done"}
    assert sorted(row["status"] for row in eyes.rows().values()) == ["publish", "trash", "trash"]


def test_a_page_below_a_parent_in_the_trash_waits_and_is_told(
    repository: SampleRepository, line: Line, wordpress: Site
) -> None:
    repository.commit({DOCS: "# Docs\n"})
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    site.sync()
    number = site.ids()[DOCS]
    eyes.remove(number)
    repository.commit({KID: "# Kid\n", BY_ID: f"---\nparent: {number}\n---\n# By id\n"})
    run = site.sync()
    assert results(run) == {KID: "blocked", BY_ID: "blocked"}
    assert all("is in the trash on the site" in message for message in messages(run).values())
    assert len(eyes.rows()) == 1
    eyes.edit(number, status="publish")
    assert results(site.sync()) == {KID: "done", BY_ID: "done"}
    assert all("__trashed" not in row["link"] for row in eyes.rows().values())

    stranger = eyes.make(title="Stranger", slug="stranger", status="publish")
    eyes.remove(stranger)
    repository.commit({"content/pages/told.md": f"---\nparent: {stranger}\n---\n# Told\n"})
    (told,) = messages(site.sync()).values()
    assert told.startswith("parent: a page above it is in the trash, so its address is")
