"""What a documented service and this side of the wire promise each other, over real sockets.

The same contract runs against the strict service of the tests and against the embedded one.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest
from tests.strict_service import serving

from pressync.errors import Gone
from pressync.interface import Kind
from pressync.local.server import running
from pressync.model import CreateCall, DeleteCall, UpdateCall
from pressync.service import open_service

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pressync.model import Fields, Record
    from pressync.service.port import Service

# Both services hold one post from the start, because there is no way to create one.
POST_ID = 1


class Contract:
    """Every documented service keeps these."""

    @pytest.fixture
    def service(self, url: str) -> Iterator[Service]:
        with contextlib.closing(open_service(url)) as service:
            yield service

    def page(self, service: Service, **fields: str) -> Record:
        return service.carry_out(CreateCall(Kind.PAGE, {"title": "About", "content": "<p>x</p>"} | fields))

    def test_a_created_page_is_echoed_with_an_id_and_an_address(self, service: Service) -> None:
        made = self.page(service, slug="about")

        assert made.kind is Kind.PAGE
        assert made.id > 0
        assert made.slug == "about"
        assert made.link.startswith("http")
        assert made.modified
        assert made.modified_gmt
        assert (made.fields["title"], made.fields["content"]) == ("About", "<p>x</p>")

    def test_two_pages_have_two_ids(self, service: Service) -> None:
        assert self.page(service, slug="a").id != self.page(service, slug="b").id

    def test_an_update_of_one_field_leaves_the_others(self, service: Service) -> None:
        made = self.page(service, excerpt="short")

        changed = service.carry_out(UpdateCall(Kind.PAGE, made.id, {"title": "Renamed"}))

        assert changed.id == made.id
        assert changed.fields["title"] == "Renamed"
        assert changed.fields["content"] == "<p>x</p>"
        assert changed.fields["excerpt"] == "short"
        assert changed.modified != made.modified

    def test_a_child_names_its_parent(self, service: Service) -> None:
        parent = self.page(service, slug="docs")

        child = service.carry_out(CreateCall(Kind.PAGE, {"title": "Child", "parent": parent.id}))

        assert child.fields["parent"] == parent.id

    def test_every_field_of_a_page_arrives(self, service: Service) -> None:
        fields: Fields = {
            "date": "2024-03-01T10:00:00",
            "slug": "everything",
            "status": "publish",
            "password": "geheim",
            "parent": 0,
            "title": "Everything",
            "content": "<p>all</p>",
            "author": 1,
            "excerpt": "<p>short</p>",
            "featured_media": 0,
            "comment_status": "open",
            "ping_status": "open",
            "menu_order": -2,
            "meta": {"footnotes": "[]"},
            "template": "",
        }

        made = service.carry_out(CreateCall(Kind.PAGE, fields))

        assert {name: made.fields[name] for name in fields} == fields

    def test_every_field_of_a_post_arrives(self, service: Service) -> None:
        fields: Fields = {
            "date_gmt": "2024-03-01T10:00:00",
            "slug": "a-post",
            "title": "A post",
            "content": "<p>news</p>",
            "excerpt": "",
            "format": "standard",
            "sticky": True,
            "categories": (3, 5),
            "tags": (),
        }

        made = service.carry_out(UpdateCall(Kind.POST, POST_ID, fields))

        assert made.id == POST_ID
        assert {name: made.fields[name] for name in fields} == fields

    @pytest.mark.parametrize(
        "text",
        [
            "Grüße, Ἑλλάς, 日本語, עברית",
            "👩‍👩‍👧 🎉 \U0010ffff",
            '"double" \'single\' \\back\\ \\u0041 \\" ',
            "a&b=c+d%20e;f?g#h",
            "\0\x01\x08\x0b\x1b\x7f\x85\u2028\ufeff\r\n\t lone\rreturn",
            '{"raw": "JSON"}',
            "{{ template }} {% raw %}",
            "e\u0301 is not \u00e9",
            "\n\nblank lines\n\n",
            "",
        ],
        ids=["scripts", "emoji", "quotes", "form", "control", "json", "jinja", "accents", "lines", "empty"],
    )
    def test_content_comes_back_as_it_was_sent(self, service: Service, text: str) -> None:
        made = self.page(service, content=text)

        assert made.fields["content"] == text

    def test_a_title_in_many_scripts_comes_back_as_it_was_sent(self, service: Service) -> None:
        title = "R&D <Grüße> \"日本\" '🎉'"

        assert self.page(service, title=title).fields["title"] == title

    def test_five_megabytes_come_back_as_they_were_sent(self, service: Service) -> None:
        text = f"<p>%& ü {'plain ' * 100}</p>\n" * 8_500

        assert self.page(service, content=text).fields["content"] == text

    @pytest.mark.parametrize("permanent", [False, True])
    def test_a_delete_answers_the_record_and_a_second_finds_it_gone(
        self, service: Service, permanent: bool
    ) -> None:
        made = self.page(service)
        delete = DeleteCall(Kind.PAGE, made.id, permanent=permanent)

        assert service.carry_out(delete).id == made.id
        with pytest.raises(Gone):
            service.carry_out(delete)

    def test_a_post_can_be_deleted(self, service: Service) -> None:
        assert service.carry_out(DeleteCall(Kind.POST, POST_ID)).id == POST_ID

    def test_an_update_of_what_never_was_finds_it_gone(self, service: Service) -> None:
        with pytest.raises(Gone) as caught:
            service.carry_out(UpdateCall(Kind.PAGE, 999_999, {"title": "x"}))

        assert caught.value.status == 404

    def test_a_page_is_no_post(self, service: Service) -> None:
        made = self.page(service)

        with pytest.raises(Gone):
            service.carry_out(DeleteCall(Kind.POST, made.id))


class TestStrict(Contract):
    """Against the service that forgives nothing."""

    @pytest.fixture
    def url(self) -> Iterator[str]:
        with serving() as service:
            yield service.url
            assert service.violations == []


class TestEmbedded(Contract):
    """Against the service that pressync brings."""

    @pytest.fixture
    def url(self, tmp_path: Path) -> Iterator[str]:
        with running(tmp_path / "site.db") as site:
            yield site.url
