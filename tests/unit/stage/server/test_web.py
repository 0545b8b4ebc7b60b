"""The web site, as a browser asks for it."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit
from xml.etree import ElementTree as ET

import pytest
from tests.support.kinds import TYPES
from tests.support.site_settings import change_permalinks
from tests.unit.stage.server.wire import get, request, write

from pressync.model.interface import Kind
from pressync.stage.server import web
from pressync.stage.server.server import RunningService, running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.unit.stage.server.conftest import Clock

    from pressync.stage.server.wire import FormFields

ATOM = "{http://www.w3.org/2005/Atom}"
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def add(pages: str, title: str, **fields: object) -> str:
    answer = write(pages, title={"raw": title}, **fields)
    assert answer.status == 200, answer.text
    return urlsplit(str(answer.json["link"])).path


def links(text: str) -> list[str]:
    return re.findall(r'<a [^>]*href="([^"]*)"', text)


# Records of the site's own types


def test_a_record_of_an_own_type_shows_its_place_its_terms_and_its_fields(tmp_path: Path) -> None:
    def make(route: str, **fields: object) -> dict[str, Any]:
        body = json.dumps({"status": "publish", **fields}).encode()
        answer = request("POST", f"{service.url}{route}", body, {"Content-Type": "application/json"})
        assert answer.status == 201, answer.text
        return answer.json

    database = tmp_path / "site.db"
    with running(database, dialect="both", structure="/%postname%/", types=TYPES) as service:
        sea = make("/wp/v2/genres", name="Sea & wind")["id"]
        one = make("/wp/v2/chapters", title="One")["id"]
        make("/wp/v2/chapters", title="Two", parent=one)
        make("/wp/v2/books", title="Hidden", status="draft")
        make("/wp/v2/books", title="Moby", genres=[sea], meta={"copies": 3, "isbn": "<1>"})
        text = get(f"{service.site}/book/moby/").text
        assert "<dt>genre</dt><dd>Sea &amp; wind</dd>" in text
        assert "<dt>meta.copies</dt><dd>3</dd>" in text
        assert "<dt>meta.isbn</dt><dd>&lt;1&gt;</dd>" in text
        own = ["/book/moby/", "/chapter/one/", "/chapter/one/two/"]
        assert [each for each in links(text) if each in own] == own
        trail = get(f"{service.site}/chapter/one/two/").text.partition("<h1>")[0]
        assert "<li>chapter</li>" in trail
        assert "/chapter/one/" in links(trail)
        assert [each for each in links(get(service.site).text) if each in own] == own
        assert all(each in get(f"{service.site}/sitemap.xml").text for each in own)
        with service.store.writing() as db:
            db.execute("UPDATE settings SET bases = ?", ('{"chapter": "/read/on"}',))
        assert "<h1>Two</h1>" in get(f"{service.site}/read/on/one/two/").text
        assert get(f"{service.site}/chapter/one/").status == 404


# Pages


@pytest.mark.sweep
def test_a_hostile_record_costs_a_bounded_part(service: RunningService, pages: str, hello: str) -> None:
    path = add(pages, "A" * 300_000, content={"raw": "<div>" * 110_000}, slug="long")
    write(hello, content={"raw": "<div>" * 110_000})
    for address in (path, "/feed.xml"):
        assert len(get(service.site + address).body) < 3_000_000


def test_a_page_leads_to_its_children_and_its_neighbours(service: RunningService, pages: str) -> None:
    for title in ("a", "b", "c"):
        add(pages, title)
    add(pages, "child", parent=3)
    text = get(f"{service.site}/b/").text
    assert '<a rel="prev" href="/a/">' in text
    assert '<a rel="next" href="/b/child/">' in text
    assert links(text[text.index('id="section"') :])[0] == "/b/child/"
    text = get(f"{service.site}/c/").text
    assert '<a rel="prev" href="/b/child/">' in text


@pytest.mark.parametrize("sheet", ["0", "3", "-1", "x", "1.5", "٢", "9" * 30])
def test_a_sheet_that_is_not_there_is_not_found(service: RunningService, pages: str, sheet: str) -> None:
    add(pages, "Docs")
    assert get(f"{service.site}/docs/?page={quote(sheet)}").status == 404


@pytest.mark.parametrize("asked", ["/docs/setup", "/Docs/Setup/", "/docs/setup//"])
def test_a_page_has_one_address(service: RunningService, pages: str, asked: str) -> None:
    add(pages, "Docs")
    add(pages, "Setup", parent=2)
    answer = get(service.site + asked)
    assert (answer.status, answer.headers["location"]) == (301, "/docs/setup/")


def test_what_is_scheduled_appears_at_its_moment(service: RunningService, pages: str, clock: Clock) -> None:
    path = add(pages, "日本語", date="2024-03-01T12:01:00")
    assert path == "/%e6%97%a5%e6%9c%ac%e8%aa%9e/"
    assert get(service.site + path).status == 404
    clock.now += 60
    assert get(service.site + path).status == 200


def test_protected_text_is_shown_nowhere(service: RunningService, pages: str, hello: str) -> None:
    path = add(pages, "Members", content={"raw": "<p>treasure</p>"}, password="open sesame")
    write(hello, content={"raw": "<p>treasure</p>"}, excerpt={"raw": "treasure"}, password="open sesame")
    for each in (path, "/", "/blog/", "/blog/hello/", "/feed.xml"):
        text = get(service.site + each).text
        assert "treasure" not in text
        assert "sesame" not in text
    assert "protected by a password" in get(service.site + path).text


def test_everything_but_content_is_escaped(service: RunningService, pages: str, hello: str) -> None:
    path = add(pages, "<script>alert(1)</script>")
    write(hello, title={"raw": "<b>&"}, excerpt={"raw": "a < b"})
    for each in (path, "/", "/blog/", "/blog/hello/"):
        text = get(service.site + each).text
        assert "<script" not in text
        assert "<b>" not in text
    assert "a &lt; b" in get(f"{service.site}/blog/").text


def test_a_search_finds_what_readers_see(service: RunningService, pages: str) -> None:
    body = '<p class="hidden">Der <b>Ü</b>berblick &amp; &lt;mehr&gt;: ' + "wort " * 60 + "zuletzt</p>"
    there = add(pages, "Seite & mehr", content={"raw": body}, status="publish")
    add(pages, "Entwurf zuletzt", content={"raw": body}, status="draft")
    add(pages, "Zu zuletzt", content={"raw": body}, status="publish", password="x")

    def found(asked: str) -> list[str]:
        shown = get(f"{service.site}/?s={quote(asked)}").text.partition("<h1>Search</h1>")[2]
        return links(shown.partition("<footer")[0])

    assert found("ZULETZT überblick") == [there]
    assert found("& <mehr>") == [there]
    assert found("hidden") == found("zuletzt nirgends") == found(" ") == []
    text = get(f"{service.site}/?s=zuletzt").text
    assert "wort <mark>zuletzt</mark>" in text
    assert "<script>" not in get(f"{service.site}/?s={quote('<script>')}").text
    for number in range(10):
        add(pages, f"Zuletzt {number}", content={"raw": "<p>x</p>"}, status="publish")
    assert there not in found("zuletzt")
    assert found("zuletzt")[-1] == "?s=zuletzt&amp;page=2#section"
    assert there in links(get(f"{service.site}/?s=zuletzt&page=2").text)


@pytest.mark.parametrize("path", ["/", "/blog/hello/", "/nowhere", "/-/style.css", "/feed.xml"])
def test_scripts_are_forbidden_everywhere(service: RunningService, path: str) -> None:
    headers = get(service.site + path).headers
    assert "script-src 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"]
    assert "style-src 'self'; style-src-attr 'unsafe-inline';" in headers["content-security-policy"]
    assert "default-src 'none'" in headers["content-security-policy"]
    style = get(f"{service.site}/-/style.css").text
    box = re.search(r"^\.content \{(.*?)\}", style, re.MULTILINE)
    assert box
    assert "contain: layout paint;" in box[1]


# The front page


# Posts


def test_posts_are_listed_ten_at_a_time(service: RunningService) -> None:
    for n in range(10):
        service.store.create(Kind.POST, {"title": {"raw": f"Post {n}"}})
    first, second = get(f"{service.site}/blog/").text, get(f"{service.site}/blog/page/2/").text
    assert '<a rel="next" href="/blog/page/2/">' in first
    assert '<a rel="prev" href="/blog/">' in second
    assert [text.count('class="entry"') for text in (first, second)] == [10, 1]
    assert "Hello" in second
    assert get(f"{service.site}/blog/page/3/").status == 404
    assert get(f"{service.site}/page/3/").status == 404
    assert get(f"{service.site}/page/2/").headers["location"] == "/blog/page/2/"


# What machines read


def test_the_feed_is_atom(service: RunningService, hello: str) -> None:
    write(hello, title={"raw": "Bell \x07 & <b>"}, content={"raw": "<p>\x00 &nbsp; ]]></p>"})
    answer = get(f"{service.site}/feed.xml")
    assert answer.headers["content-type"].startswith("application/atom+xml")
    feed = ET.fromstring(answer.text)  # noqa: S314 - our own
    for required in ("id", "title", "updated", "author"):
        assert feed.find(ATOM + required) is not None
    entry = feed.find(f"{ATOM}entry")
    assert entry is not None
    assert entry.findtext(f"{ATOM}id") == "http://127.0.0.1:8127/?p=1"
    assert entry.findtext(f"{ATOM}title") == "Bell  & <b>"
    assert entry.findtext(f"{ATOM}content") == "<p> &nbsp; ]]></p>"
    assert entry.findtext(f"{ATOM}updated") == "2024-03-01T12:00:01Z"
    link = entry.find(f"{ATOM}link")
    assert link is not None
    assert link.get("href") == "http://127.0.0.1:8127/blog/hello/"


def test_a_large_sitemap_is_split(
    service: RunningService, pages: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web, "ADDRESSES_A_FILE", 2)
    add(pages, "a")
    add(pages, "b")
    add(pages, "Secret", status="draft")
    index = ET.fromstring(get(f"{service.site}/sitemap.xml").text)  # noqa: S314 - our own
    files = [str(loc.text) for loc in index.iter(f"{SITEMAP}loc")]
    assert files == [f"http://127.0.0.1:8127/sitemap.xml?page={n}" for n in (1, 2)]
    texts = [get(each.replace("http://127.0.0.1:8127", service.site)).text for each in files]
    assert [text.count("<loc>") for text in texts] == [2, 1]


# As on WordPress


@pytest.fixture
def blog(tmp_path: Path, clock: Clock) -> Iterator[RunningService]:
    """Serve both dialects; that of WordPress can make terms and drafts without a slug."""
    with running(tmp_path / "both.db", title="Field Notes", dialect="both", clock=clock) as up:
        up.store.create(
            Kind.POST,
            {
                "title": {"raw": "Bread &amp; butter"},
                "content": {"raw": "One.\n\nTwo [gallery ids=9]."},
                "categories": (1,),
            },
        )
        yield up


def test_a_post_shows_what_wordpress_would_show(blog: RunningService) -> None:
    text = get(f"{blog.site}/blog/bread-butter/").text
    assert "<h1>Bread &amp; butter</h1>" in text
    assert '<p>One.</p>\n<p>Two <div class="gallery' in text
    assert '<a class="term" href="/category/uncategorized/">Uncategorized</a>' in text
    assert '<li aria-current="page">Bread &amp; butter</li>' in text


@pytest.mark.parametrize(
    "path", ["/category/uncategorized/", "/author/admin/", "/2024/", "/2024/03/01/", "/blog/"]
)
def test_a_list_of_posts_is_at_its_address_with_a_feed(blog: RunningService, path: str) -> None:
    text = get(blog.site + path).text
    assert '<a href="/blog/bread-butter/">Bread &amp; butter</a>' in text
    assert get(blog.site + path.rstrip("/")).headers["location"] == path
    feed = get(f"{blog.site}{path}feed/")
    assert feed.headers["content-type"].startswith("application/rss+xml")
    items = ET.fromstring(feed.text).findall("channel/item")  # noqa: S314 - our own
    assert [item.findtext("title") for item in items] == ["Bread & butter"]


def test_with_plain_permalinks_a_number_is_the_address(blog: RunningService) -> None:
    about = blog.store.create(Kind.PAGE, {"title": {"raw": "About"}})["id"]
    assert get(f"{blog.site}/?page_id={about}").headers["location"] == "/about/"
    assert get(f"{blog.site}/?cat=1").headers["location"] == "/category/uncategorized/"
    change_permalinks(blog.store, "")
    assert get(f"{blog.site}/about/").headers["location"] == f"/?page_id={about}"
    assert "<h1>About</h1>" in get(f"{blog.site}/?page_id={about}").text
    assert '<a href="/?p=1">' in get(f"{blog.site}/?cat=1").text


@pytest.mark.parametrize("status", ["draft", "pending", "private", "future"])
def test_a_hidden_record_has_a_preview_for_people_who_may_write(blog: RunningService, status: str) -> None:
    number = blog.store.create(
        Kind.PAGE,
        {
            "title": {"raw": "Secret"},
            "content": {"raw": "treasure"},
            "status": status,
            "date": datetime(2030, 1, 1, tzinfo=UTC),
        },
    )["id"]
    missing = get(f"{blog.site}/?page_id={number}")
    assert missing.status == 404
    assert "Secret" not in missing.text
    assert f'<a href="/?page_id={number}&amp;preview=true">' in missing.text
    preview = get(f"{blog.site}/?page_id={number}&preview=true")
    assert preview.status == 200
    assert "treasure" in preview.text
    assert f"<strong>{status}</strong>" in preview.text


def test_if_the_service_has_a_token_there_are_no_previews(tmp_path: Path, clock: Clock) -> None:
    with running(tmp_path / "t.db", dialect="both", token="t", clock=clock) as up:
        number = up.store.create(Kind.PAGE, {"title": {"raw": "Secret"}, "status": "draft"})["id"]
        answer = get(f"{up.site}/?page_id={number}&preview=true")
    assert answer.status == 404
    assert "preview" not in answer.text


def test_a_protected_text_asks_for_its_password(blog: RunningService) -> None:
    fields: FormFields = {"title": {"raw": "Members"}, "content": {"raw": "treasure"}, "password": "sesame"}
    blog.store.create(Kind.PAGE, fields)
    page = f"{blog.site}/members/"
    text = get(page).text
    assert "treasure" not in text
    assert '<label for="post_password">' in text
    answer = write(
        f"{blog.site}/wp-login.php?action=postpass", post_password="sesame", redirect_to="/members/"
    )
    assert (answer.status, answer.headers["location"]) == (303, "/members/")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "treasure" in request("GET", page, headers={"Cookie": cookie.partition(";")[0]}).text
    wrong = write(f"{blog.site}/wp-login.php", post_password="x").headers["set-cookie"].partition(";")[0]
    assert "treasure" not in request("GET", page, headers={"Cookie": wrong}).text
    for back in ("https://evil.example/", "//evil.example", "/\\evil.example", "x", "/\n/evil"):
        answer = write(f"{blog.site}/wp-login.php", post_password="x", redirect_to=back)
        assert answer.headers["location"] == "/"


def test_a_body_cannot_change_the_frame(service: RunningService, pages: str) -> None:
    hostile = "</div></article></main><style>.masthead {display: none}</style><script>alert(1)</script><!-- "
    path = add(pages, "Hostile", content={"raw": f"<p>a</p>{hostile}"})
    text = get(service.site + path).text
    assert text.count("</main>") == text.count("</article>") == 1
    assert "display: none" not in text
    assert "alert(1)" not in text
    assert '<footer class="colophon">' in text


def test_a_picture_is_served_and_shown_above_its_post(blog: RunningService) -> None:
    file = blog.store.database.uploads / "2024/03/a.png"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"\x89PNG\r\n\x1a\n")
    with blog.store.writing() as db:
        db.execute("INSERT INTO media VALUES (9, 'a', 'A', 'An owl', '2024/03/a.png', 'image/png', 0, 0, 1)")
        db.execute("UPDATE records SET featured_media = 9")
    text = get(f"{blog.site}/blog/bread-butter/").text
    assert (
        '<figure class="featured"><img src="/wp-content/uploads/2024/03/a.png" alt="An owl"></figure>' in text
    )
    picture = get(f"{blog.site}/wp-content/uploads/2024/03/a.png")
    assert (picture.status, picture.headers["content-type"]) == (200, "image/png")
