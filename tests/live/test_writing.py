"""What only a real site can show: sizes, scripts of the world, rights, and a site that is not at its best."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest
from tests.live.sites import ROLES

from pressync.model.changes import CreateCall, DeleteCall, UpdateCall
from pressync.model.errors import Gone, Later, Refused
from pressync.model.fingerprint import with_line_feeds
from pressync.model.interface import DOCUMENTED_TYPES, Kind
from pressync.model.records import Record

if TYPE_CHECKING:
    from tests.live.sites import Site

    from pressync.client.wordpress import WordPressService

FIVE_MEGABYTES = f"<p>%& ü {'plain ' * 100}</p>\n" * 8_500


def kept(service: WordPressService, kind: Kind, text: str) -> str:
    """Give what the site keeps of a text: as the create echoes it, which a read must confirm."""
    made = service.carry_out(CreateCall(kind, {"title": "Text", "content": text, "status": "publish"}))
    read = service.records(kind, [made.id])[made.id]
    service.carry_out(DeleteCall(kind, made.id, permanent=True))
    assert read == made
    return str(made.fields["content"])


@pytest.mark.parametrize(
    "text",
    [
        "Grüße, Ἑλλάς, 日本語, עברית",
        "👩‍👩‍👧 🎉 \U0010ffff",
        '"double" \'single\' \\back\\ \\u0041 \\" ',
        "\0\x01\x08\x0b\x1b\x7f\x85\u2028\ufeff\r\n\t lone\rreturn",
        '{"raw": "JSON"}',
        "<script>let a = 1 && 2</script><form><input type=checkbox></form>",
        "e\u0301 is not \u00e9",
        "\n\nblank lines\n\n",
        FIVE_MEGABYTES,
    ],
    ids=["scripts", "emoji", "quotes", "control", "json", "html", "accents", "lines", "5 MB"],
)
@pytest.mark.parametrize("kind", DOCUMENTED_TYPES.kinds)
def test_content_comes_back_as_it_was_sent_but_for_its_line_ends(
    service: WordPressService, kind: Kind, text: str
) -> None:
    assert kept(service, kind, text) == with_line_feeds(text)


def test_canonical_blocks_come_back_as_they_were_sent(service: WordPressService) -> None:
    text = '<!-- wp:heading {"level":3} -->\n<h3 class="wp-block-heading">A</h3>\n<!-- /wp:heading -->'

    assert kept(service, Kind.PAGE, text) == text


def test_a_batch_of_25_is_carried_out_in_order(service: WordPressService) -> None:
    made = service.carry_out_many(
        [CreateCall(Kind.PAGE, {"title": f"Seite {number}", "content": "ü"}) for number in range(25)]
    )
    ids = [record.id for record in made if isinstance(record, Record)]

    deleted = service.carry_out_many([DeleteCall(Kind.PAGE, number, permanent=True) for number in ids])

    assert len(ids) == 25
    assert ids == sorted(ids)
    assert [record.id for record in deleted if isinstance(record, Record)] == ids


def test_a_page_below_a_page_has_an_address_below_it(service: WordPressService) -> None:
    parent = service.carry_out(CreateCall(Kind.PAGE, {"title": "Docs", "status": "publish"}))
    child = service.carry_out(
        CreateCall(Kind.PAGE, {"title": "Child", "status": "publish", "parent": parent.id})
    )
    found = service.find(Kind.PAGE, ["child"])["child"]
    for record in (child, parent):
        service.carry_out(DeleteCall(Kind.PAGE, record.id, permanent=True))

    assert child.link.startswith(parent.link)
    assert [one.id for one in found] == [child.id]


@pytest.mark.parametrize("role", ROLES)
def test_a_role_without_missing_rights_may_do_all_and_every_other_is_refused(
    wordpress: Site, role: str
) -> None:
    with contextlib.closing(wordpress.service(role)) as service:
        allowed = not service.identity().missing_rights(Kind.PAGE)
        create = CreateCall(Kind.PAGE, {"title": "By role", "status": "publish"})

        if allowed:
            made = service.carry_out(create)
            assert service.carry_out(DeleteCall(Kind.PAGE, made.id, permanent=True)).id == made.id
        else:
            with pytest.raises(Refused, match="edit_pages") as caught:
                service.carry_out(create)
            assert caught.value.status == 403
        assert allowed == (role in {"admin", "editor"})


def test_a_text_of_a_filtered_user_is_returned_as_the_service_changed_it(wordpress: Site) -> None:
    with contextlib.closing(wordpress.service("author")) as service:
        made = service.carry_out(
            CreateCall(Kind.POST, {"title": "A", "content": "<p>a</p><script>b</script>"})
        )
        # An author may delete nothing but the own posts, as this one.
        service.carry_out(DeleteCall(Kind.POST, made.id, permanent=True))

        assert service.identity().filtered
        assert made.fields["content"] == "<p>a</p>b"


@pytest.mark.parametrize(
    ("user", "password"), [("admin", "wrong"), ("nobody", "wrong"), (None, None)], ids=str
)
def test_who_is_not_known_is_refused_and_told_of_application_passwords(
    wordpress: Site, user: str | None, password: str | None
) -> None:
    with contextlib.closing(wordpress.service(user, password=password)) as service:
        for attempt in (
            service.identity,
            lambda: service.carry_out(CreateCall(Kind.PAGE, {"title": "x"})),
            lambda: service.carry_out(UpdateCall(Kind.POST, 1, {"title": "x"})),
            lambda: service.records(Kind.POST, [1]),
        ):
            with pytest.raises(Refused, match="application password"):
                attempt()
        (item,) = service.carry_out_many([CreateCall(Kind.PAGE, {"title": "x"})])

    assert isinstance(item, Refused)
    assert "application password" in str(item)


def test_a_site_without_pretty_links_is_spoken_with_behind_its_query(wordpress: Site) -> None:
    with contextlib.closing(wordpress.service(base="/?rest_route=/")) as service:
        made = service.carry_out(CreateCall(Kind.PAGE, {"title": "Plain", "slug": "plain-links"}))
        found = service.find(Kind.PAGE, ["plain-links"])["plain-links"]
        (deleted,) = service.carry_out_many([DeleteCall(Kind.PAGE, made.id, permanent=True)])

        assert [one.id for one in found] == [made.id]
        assert isinstance(deleted, Record)
        assert service.identity().slug == "admin"


@pytest.mark.usefixtures("without_trash")
def test_a_site_without_a_trash_is_told_from_one_that_refuses(service: WordPressService) -> None:
    made = service.carry_out(CreateCall(Kind.PAGE, {"title": "x"}))

    with pytest.raises(Refused, match="trash is off; `--permanent` deletes for good"):
        service.carry_out(DeleteCall(Kind.PAGE, made.id))

    service.carry_out(DeleteCall(Kind.PAGE, made.id, permanent=True))
    assert service.records(Kind.PAGE, [made.id]) == {}
    with pytest.raises(Gone):
        service.carry_out(DeleteCall(Kind.PAGE, made.id, permanent=True))


@pytest.mark.usefixtures("in_maintenance")
def test_a_site_in_maintenance_says_when_to_come_back(service: WordPressService) -> None:
    call = CreateCall(Kind.PAGE, {"title": "x"})

    with pytest.raises(Later) as caught:
        service.carry_out(call)

    assert caught.value.after == 600
    assert [type(item) for item in service.carry_out_many([call, call])] == [Later, Later]
