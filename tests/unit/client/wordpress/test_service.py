"""The responses of three versions of WordPress, scenario by scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.live.sites import LIVE, NAMES, RECORDING, URLS, site
from tests.unit.client.wordpress.recording import CASSETTES, service_on

from pressync.client.discovery import discover
from pressync.model.changes import CreateCall, DeleteCall, UpdateCall
from pressync.model.errors import Gone, Refused
from pressync.model.interface import Kind
from pressync.model.records import Record

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.model.changes import Call
    from pressync.model.records import Fields

PAGE: Fields = {
    "date_gmt": "2024-03-01T10:00:00",
    "slug": "everything-of-a-page",
    "status": "publish",
    "password": "geheim",
    "parent": 0,
    "title": 'R&D "über" 🎉 <b>日本</b>',
    "content": "<p>all & ever</p>\n<p>\\n \x01\x1b \u2028 e\u0301</p>\n",
    "author": 1,
    "excerpt": "<p>short</p>",
    "featured_media": 0,
    "comment_status": "open",
    "ping_status": "closed",
    "menu_order": -2,
    "template": "",
}

POST: Fields = {
    "date": "2024-03-01T10:00:00",
    "slug": "everything-of-a-post",
    "status": "publish",
    "title": "Ein Beitrag",
    "content": "<p>今日</p>\n",
    "author": 1,
    "excerpt": "",
    "comment_status": "closed",
    "ping_status": "open",
    "format": "aside",
    "sticky": True,
    "categories": (1,),
    "tags": (),
}

versions = pytest.mark.parametrize("name", NAMES)


def echoed(record: Record, sent: Fields) -> Fields:
    return {field: record.fields[field] for field in sent}


@versions
def test_the_life_of_a_page(name: str) -> None:
    with service_on(name, "page") as service:
        made = service.carry_out(CreateCall(Kind.PAGE, PAGE))
        changed = service.carry_out(UpdateCall(Kind.PAGE, made.id, {"title": "0", "password": ""}))
        emptied = service.carry_out(UpdateCall(Kind.PAGE, made.id, {"title": ""}))
        trashed = service.carry_out(DeleteCall(Kind.PAGE, made.id))
        with pytest.raises(Gone) as again:
            service.carry_out(DeleteCall(Kind.PAGE, made.id))
        untouched = service.carry_out(UpdateCall(Kind.PAGE, made.id, {"menu_order": 3}))
        restored = service.carry_out(UpdateCall(Kind.PAGE, made.id, {"status": "publish"}))
        deleted = service.carry_out(DeleteCall(Kind.PAGE, made.id, permanent=True))
        with pytest.raises(Gone) as gone:
            service.carry_out(UpdateCall(Kind.PAGE, made.id, {"title": "x"}))

    assert echoed(made, PAGE) == PAGE
    assert made.link == f"{URLS[name]}/everything-of-a-page/"
    assert (changed.id, changed.fields["title"], changed.fields["password"]) == (made.id, "0", "")
    assert emptied.fields["title"] == ""
    assert (trashed.fields["status"], trashed.slug) == ("trash", "everything-of-a-page__trashed")
    assert again.value.status == 410
    assert untouched.fields["status"] == "trash"
    assert (restored.fields["status"], restored.slug) == ("publish", "everything-of-a-page")
    assert deleted.id == made.id
    assert gone.value.status == 404


@versions
def test_the_life_of_a_post(name: str) -> None:
    with service_on(name, "post") as service:
        made = service.carry_out(CreateCall(Kind.POST, POST))
        changed = service.carry_out(UpdateCall(Kind.POST, made.id, {"sticky": False, "categories": ()}))
        with pytest.raises(Gone):
            service.carry_out(UpdateCall(Kind.PAGE, made.id, {"title": "a post is no page"}))
        deleted = service.carry_out(DeleteCall(Kind.POST, made.id, permanent=True))
    assert echoed(made, POST) == POST
    assert made.modified == "2024-03-01T10:00:00"
    assert (changed.fields["sticky"], changed.fields["categories"]) == (False, ())
    assert deleted.id == made.id


@versions
def test_footnotes_are_taken_where_the_version_has_them(name: str) -> None:
    with service_on(name, "footnotes") as service:
        made = service.carry_out(CreateCall(Kind.PAGE, {"title": "F", "meta": {"footnotes": "[]"}}))
        service.carry_out(DeleteCall(Kind.PAGE, made.id, permanent=True))
    assert made.fields["meta"] == ({} if name == "old" else {"footnotes": "[]"})


@versions
def test_a_batch_gives_each_call_what_it_would_have_got_alone(name: str) -> None:
    with service_on(name, "batch") as service:
        first, failed, last = service.carry_out_many(
            [
                CreateCall(Kind.PAGE, {"title": "Erste", "slug": "batch-1", "content": "<p>é</p>"}),
                UpdateCall(Kind.PAGE, 999_999, {"title": "x"}),
                CreateCall(Kind.POST, {"title": "Letzte", "slug": "batch-2", "content": "x"}),
            ]
        )
        assert isinstance(first, Record)
        assert isinstance(last, Record)
        with pytest.raises(Gone) as alone:
            service.carry_out(UpdateCall(Kind.PAGE, 999_999, {"title": "x"}))
        deletes: list[Call] = [
            DeleteCall(Kind.PAGE, first.id),
            DeleteCall(Kind.PAGE, first.id, permanent=True),
            DeleteCall(Kind.POST, last.id, permanent=True),
        ]
        trashed, *deleted = service.carry_out_many(deletes)

    assert (first.slug, first.fields["content"]) == ("batch-1", "<p>é</p>")
    assert isinstance(failed, Gone)
    assert str(failed) == str(alone.value)
    assert isinstance(trashed, Record)
    assert trashed.fields["status"] == "trash"
    assert [one.id for one in deleted if isinstance(one, Record)] == [first.id, last.id]


@versions
def test_what_a_create_may_have_made_is_found_by_its_slug(name: str) -> None:
    with service_on(name, "find") as service:

        def made(**fields: str | int) -> Record:
            return service.carry_out(CreateCall(Kind.PAGE, {"title": "Das Gesuchte", **fields}))

        parent = made(slug="find-parent", status="publish")
        public = made(slug="das gesuchte 日本", status="publish")
        numbered = made(slug="das gesuchte 日本", status="publish")
        child = made(slug="das gesuchte 日本", status="draft", parent=parent.id)
        trashed = made(slug="das gesuchte 日本", status="publish")
        service.carry_out(DeleteCall(Kind.PAGE, trashed.id))
        unnamed = made(title="Find unnamed")
        unnamed_trashed = made(title="Find unnamed")
        service.carry_out(DeleteCall(Kind.PAGE, unnamed_trashed.id))
        found = service.find(Kind.PAGE, ["das gesuchte 日本", "find-unnamed", "never-made"])
        [alone] = service.find(Kind.PAGE, ["find-unnamed"]).values()
        service.carry_out_many(
            [
                DeleteCall(Kind.PAGE, one.id, permanent=True)
                for one in (child, parent, public, numbered, trashed, unnamed, unnamed_trashed)
            ]
        )

    assert {slug: [one.id for one in some] for slug, some in found.items()} == {
        "das gesuchte 日本": [public.id, numbered.id, child.id, trashed.id],
        "find-unnamed": [unnamed.id, unnamed_trashed.id],
        "never-made": [],
    }
    assert (unnamed.slug, alone) == ("", found["find-unnamed"])


@versions
def test_each_role_has_the_rights_that_it_has(name: str) -> None:
    with service_on(name, "identity-editor", user="editor") as service:
        editor = service.identity()
    with service_on(name, "identity-author", user="author") as service:
        author = service.identity()
    with service_on(name, "identity-subscriber", user="subscriber") as service:
        subscriber = service.identity()
    assert (editor.name, editor.slug, editor.roles) == ("editor", "editor", ("editor",))
    assert (editor.missing_rights(Kind.PAGE), editor.missing_rights(Kind.POST)) == ((), ())
    assert not editor.filtered
    assert author.filtered
    assert author.missing_rights(Kind.POST) == ("edit_others_posts", "delete_others_posts")
    assert len(author.missing_rights(Kind.PAGE)) == 7
    assert "publish_posts" in subscriber.missing_rights(Kind.POST)


@versions
def test_a_wrong_password_is_seen_before_anything_is_written(name: str) -> None:
    with (
        service_on(name, "wrong-password", wrong_password=True) as service,
        pytest.raises(Refused, match="application password") as caught,
    ):
        service.identity()
    assert caught.value.status == 401
    assert "never on record" not in str(caught.value)


@versions
def test_a_contributor_is_told_the_right_that_is_missing(name: str) -> None:
    with service_on(name, "contributor", user="contributor") as service:
        with pytest.raises(Refused, match=r"lacks a right \(publish_posts\)"):
            service.carry_out(CreateCall(Kind.POST, {"title": "x", "content": "x", "status": "publish"}))
        with pytest.raises(Refused, match=r"lacks a right \(edit_pages\)"):
            service.carry_out(CreateCall(Kind.PAGE, {"title": "x"}))
        with pytest.raises(Refused, match="edit_others_posts"):
            service.records(Kind.POST, [1])


@versions
def test_a_bad_value_is_refused_with_the_field_that_it_is_in(name: str) -> None:
    with service_on(name, "bad-values") as service:
        with pytest.raises(Refused, match=r"status: status is not one of publish"):
            service.carry_out(CreateCall(Kind.PAGE, {"title": "x", "status": "bogus"}))
        with pytest.raises(Refused, match="too long") as caught:
            service.carry_out(CreateCall(Kind.PAGE, {"title": "x", "password": "x" * 300}))
    assert caught.value.status == 500


@versions
def test_a_site_is_found_and_describes_itself(name: str) -> None:
    told: list[str] = []
    with service_on(name, "description") as service:
        base = discover(URLS[name], tell=told.append)
        seen = service.facts.describe()
    assert base == f"{URLS[name]}/wp-json"
    assert told == []
    assert (seen.root.name, seen.root.home, seen.root.timezone) == ("A test site", URLS[name], "+00:00")
    assert seen.version is not None
    assert seen.version.startswith({"old": "6.1.", "mid": "6.8.", "new": "7."}[name])
    assert seen.user is not None
    assert (seen.user.roles, seen.root.passwords) == (("administrator",), True)
    assert (seen.batch, seen.filtered) == (25, False)


@versions
def test_a_visitor_is_described_as_one(name: str) -> None:
    with service_on(name, "visitor", wrong_password=True) as service:
        seen = service.facts.describe()
    assert (seen.user, seen.trash, seen.filtered, seen.batch) == (None, None, None, 25)


@pytest.mark.parametrize("cassette", sorted(CASSETTES.glob("*.yaml")), ids=lambda path: path.stem)
def test_no_cassette_holds_a_credential(cassette: Path) -> None:
    text = cassette.read_text(encoding="utf-8").lower()
    assert "interactions:" in text
    for word in ("authorization:", "cookie", "basic ", "bearer ", "never on record", "@example"):
        assert word not in text
    if LIVE or RECORDING:
        assert not any(word.lower() in text for name in NAMES for word in site(name).passwords.values())
