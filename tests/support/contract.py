"""What every service and this side of the wire promise each other, whichever dialect they speak.

A test module inherits the class and gives it a service: the strict one of the tests, the embedded one, or a
real WordPress. What a service says that it cannot do is skipped, with a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.model.changes import CreateCall, DeleteCall, UpdateCall
from pressync.model.errors import Gone
from pressync.model.fingerprint import with_line_feeds
from pressync.model.interface import Kind
from pressync.model.records import Record

if TYPE_CHECKING:
    from pressync.client.port import ReadableService, Service
    from pressync.model.changes import Call
    from pressync.model.records import Fields

# Both services hold one post from the start, because there is no way to create one.
POST_ID = 1


class Contract:
    """Every service keeps these, as far as it says that it can; a class below gives the `service`."""

    # Whether two writes within a second have two modified times.
    has_a_fine_clock = True

    def page(self, service: Service, **fields: str) -> Record:
        text: Fields = {"title": "About", "content": "<p>x</p>", "status": "publish"}
        return service.carry_out(CreateCall(Kind.PAGE, {**text, **fields}))

    def post(self, service: Service) -> int:
        """Give the id of a post: a new one, if the service can make one."""
        if not service.capabilities.creates(Kind.POST):
            return POST_ID
        return service.carry_out(CreateCall(Kind.POST, {"title": "Post", "status": "publish"})).id

    def reading(self, service: Service) -> ReadableService:
        """Give the service as one with reads; skip where it has none."""
        found = service.readable
        if found is None:
            pytest.skip("this service shows no reads")
        return found

    def test_a_created_page_is_echoed_with_an_id_and_an_address(self, service: Service) -> None:
        made = self.page(service, slug="about")

        assert made.kind == Kind.PAGE
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
        assert changed.modified != made.modified or not self.has_a_fine_clock

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

        # WordPress has footnotes since 6.3; before, they are dropped, and the echo shows it.
        old = {"meta"} if made.fields.get("meta") == {} else set()
        assert {name: made.fields[name] for name in fields.keys() - old} == {
            name: value for name, value in fields.items() if name not in old
        }

    def test_every_field_of_a_post_arrives(self, service: Service) -> None:
        fields: Fields = {
            "date_gmt": "2024-03-01T10:00:00",
            "slug": "a-post",
            "title": "A post",
            "content": "<p>news</p>",
            "excerpt": "",
            "format": "standard",
            "sticky": True,
            "categories": (1,),
            "tags": (),
        }

        number = self.post(service)

        made = service.carry_out(UpdateCall(Kind.POST, number, fields))

        assert made.id == number
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
    def test_content_comes_back_as_it_was_sent_but_for_its_line_ends(
        self, service: Service, text: str
    ) -> None:
        made = self.page(service, content=text)

        assert made.fields["content"] == with_line_feeds(text)

    def test_a_title_in_many_scripts_comes_back_as_it_was_sent(self, service: Service) -> None:
        title = "R&D <Grüße> \"日本\" '🎉'"

        assert self.page(service, title=title).fields["title"] == title

    @pytest.mark.sweep
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
        number = self.post(service)

        assert service.carry_out(DeleteCall(Kind.POST, number)).id == number

    def test_an_update_of_what_never_was_finds_it_gone(self, service: Service) -> None:
        with pytest.raises(Gone) as caught:
            service.carry_out(UpdateCall(Kind.PAGE, 999_999, {"title": "x"}))

        assert caught.value.status == 404

    def test_a_page_is_not_a_post(self, service: Service) -> None:
        made = self.page(service)

        with pytest.raises(Gone):
            service.carry_out(DeleteCall(Kind.POST, made.id))

    def test_a_post_is_made_like_a_page_where_that_is_shown(self, service: Service) -> None:
        if not service.capabilities.creates(Kind.POST):
            with pytest.raises(ValueError, match="post"):
                service.carry_out(CreateCall(Kind.POST, {"title": "Post"}))
            return
        assert self.post(service) != self.post(service)

    def test_records_are_read_as_they_were_echoed(self, service: Service) -> None:
        reading = self.reading(service)
        one, two = self.page(service, slug="one"), self.page(service, slug="two")

        found = reading.records(Kind.PAGE, [one.id, two.id, 999_999])

        assert found == {one.id: one, two.id: two}

    def test_a_record_is_found_by_its_slug_also_in_the_trash(self, service: Service) -> None:
        reading = self.reading(service)
        slug = "lost-and-found"
        made = self.page(service, slug=slug)

        assert [r.id for r in reading.find(Kind.PAGE, [slug])[slug]] == [made.id]
        service.carry_out(DeleteCall(Kind.PAGE, made.id))
        assert [r.id for r in reading.find(Kind.PAGE, [slug])[slug]] == [made.id]
        service.carry_out(DeleteCall(Kind.PAGE, made.id, permanent=True))
        assert reading.find(Kind.PAGE, [slug]) == {slug: []}

    def test_new_records_are_read_also_from_the_trash_and_without_those_that_are_known(
        self, service: Service
    ) -> None:
        reading = self.reading(service)
        known, new, trashed = (self.page(service) for _ in range(3))
        service.carry_out(DeleteCall(Kind.PAGE, trashed.id))

        found = {record.id: record for record in reading.newest(Kind.PAGE, besides=[known.id])}

        assert known.id not in found
        assert found[new.id] == new
        assert found[trashed.id].is_trashed

    def test_each_call_of_a_batch_has_its_own_end(self, service: Service) -> None:
        reading = self.reading(service)
        if service.capabilities.batch == 1:
            pytest.skip("this service takes no batches")
        made = self.page(service)
        calls: list[Call] = [
            CreateCall(Kind.PAGE, {"title": "In a batch", "status": "publish"}),
            UpdateCall(Kind.PAGE, 999_999, {"title": "x"}),
            UpdateCall(Kind.PAGE, made.id, {"title": "Renamed"}),
            DeleteCall(Kind.PAGE, made.id, permanent=True),
        ]

        created, missing, renamed, deleted = reading.carry_out_many(calls)

        assert isinstance(created, Record)
        assert created.fields["title"] == "In a batch"
        assert isinstance(missing, Gone)
        assert isinstance(renamed, Record)
        assert renamed.fields["title"] == "Renamed"
        assert isinstance(deleted, Record)

    def test_an_administrator_lacks_no_right(self, service: Service) -> None:
        reading = self.reading(service)

        assert not reading.rights().lacking
