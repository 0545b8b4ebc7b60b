"""A rehearsal does on a stage what the sync will do, and tells what it does not know."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.request import urlopen

import pytest
import requests
from msgspec import structs
from tests.support import embedded_wordpress
from tests.support.builders import create, entry, prints, record, update
from tests.support.embedded_wordpress import ENVIRON, PASSWORD, USER
from tests.support.kinds import SCHEMA_TEXT
from tests.support.wire import PREFIX
from tests.unit.stage.rehearse.conftest import Embedded, Stages

from pressync.cli.commands import rehearse
from pressync.client.wordpress import reads
from pressync.importing.own_site import bind, own_site
from pressync.importing.run import ImportRequest, import_source
from pressync.importing.sources.item import ImportSource
from pressync.model.changes import Keep, Result
from pressync.model.errors import ContentError, SafetyRefusal
from pressync.model.interface import Kind
from pressync.stage.rehearse.live_site import LiveSite, SiteReader, Unread, reader_of
from pressync.stage.rehearse.rehearse import unread_templates
from pressync.stage.rehearse.stage import SiteDifference, stages_folder
from pressync.stage.server.wordpress.session import User

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from tests.support.repository import SampleRepository

    from pressync.model.outcomes import RunResult
    from pressync.plan.build import PlannedRun
    from pressync.stage.server.server import RunningService
    from pressync.state.state import State


PICTURE = b"\x89PNG\r\n\x1a\n" + b"\0" * 40
FIRST: Mapping[str, str | bytes] = {
    "content/pages/about.md": "---\ntitle: About\n---\nSee [the post](../posts/2024-01-02-hello.md#intro).\n",
    "content/pages/team.md": "# Team\n\n![us](../img/us.png)\n",
    "content/posts/2024-01-02-hello.md": "---\ntitle: Hello\ncategories: [News]\n---\n## Intro\n",
    "content/img/us.png": PICTURE,
}


def ends(result: RunResult) -> list[tuple[str, str, str, int | None]]:
    """Give how each change of a run ended: path, result, message and id."""
    return sorted(
        (o.change.path, o.result.value, o.message, o.entry.id if o.entry else None) for o in result.outcomes
    )


def files(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Read the bytes and the time of every file, those of Git too."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in found}


@dataclass(frozen=True)
class Reader(SiteReader):
    """A reader to which a site has told something; it counts what it is asked."""

    workspace: Any = None
    retry: Any = None
    live: LiveSite = field(default_factory=LiveSite)
    there: Collection[str] = ()
    asked: list[str] = field(default_factory=list)

    def read(self, planned: PlannedRun, state: State) -> LiveSite:  # noqa: ARG002 - as the real one
        return self.live

    def answering(self, addresses: Collection[str], home: str = "") -> frozenset[str]:  # noqa: ARG002 - as above
        self.asked.extend(sorted(addresses))
        return frozenset(self.there).intersection(addresses)


def test_a_first_sync_ends_as_its_rehearsal(repository: SampleRepository, bound: Stages) -> None:
    repository.commit(FIRST)
    account = bound.rehearse()
    assert account.counts == {"made": 3, "changed": 0, "deleted": 0, "blocked": 0, "failed": 0}
    assert (account.links.checked, account.links.dead) == (2, ())
    real = bound.sync()
    assert [row[:3] for row in ends(account.result)] == [row[:3] for row in ends(real)]
    again = bound.rehearse()
    assert (again.result.outcomes, again.result.counts["kept"], again.links.checked) == ((), 3, 2)


TYPED = {
    ".pressync/default.schema.json": SCHEMA_TEXT,
    "content/books/moby.md": "---\ngenre: [Fiction/Sea]\nmood: [dark]\nmeta: {isbn: '1', keywords: [a, b], "
    "size: {width: 2}}\nacf: {subtitle: x}\nseo: {title: y}\n---\nSee [Nantucket](../places/sea.md).\n",
    "content/books/other.md": "---\nmeta: {copies: 1, price: 2}\n---\nText.\n",
    "content/chapters/one.md": "# One\n",
    "content/chapters/one/two.md": "# Two\n",
    "content/places/sea.md": "# Sea\n",
    "content/posts/news.md": "---\nmood: [light]\n---\n# News\n",
}


@pytest.mark.parametrize("is_read", [True, False])
def test_a_sync_of_own_types_ends_as_its_rehearsal(
    repository: SampleRepository, bound: Stages, *, is_read: bool
) -> None:
    repository.commit(TYPED)
    bound.environ = ENVIRON
    with bound.workspace() as workspace:
        bound.reader = reader_of(workspace) if is_read else None
    account = bound.rehearse()
    assert (account.counts["made"], account.links.checked, account.links.dead) == (6, 1, ())
    real = bound.sync()
    assert [row[:3] for row in ends(account.result)] == [row[:3] for row in ends(real)]
    number = next(o.entry.id for o in real.outcomes if o.entry and o.entry.path == "content/books/other.md")
    if is_read:
        edited = {"meta": {"copies": 9}}
        requests.post(f"{bound.url}/wp/v2/books/{number}", json=edited, timeout=30).raise_for_status()
    repository.remove("content/places/sea.md")
    repository.commit(
        {
            "content/books/moby.md": "---\ngenre: [Fiction]\nmeta: {keywords: [b, c]}\n---\nOther.\n",
            "content/books/other.md": "---\nmeta: {copies: 2}\n---\nText.\n",
            "content/chapters/three/four.md": "---\nparent: ../one.md\n---\n# Four\n",
        }
    )
    account = bound.rehearse()
    assert account.counts["blocked"] == int(is_read)
    assert ends(account.result) == ends(bound.sync())


def test_a_later_sync_ends_as_its_rehearsal_with_the_ids_and_addresses_of_the_site(
    repository: SampleRepository, bound: Stages, site_service: RunningService
) -> None:
    repository.commit(FIRST)
    bound.sync()
    repository.commit(
        {
            "content/pages/team.md": "# The team\n\n![us](../img/us.png)\n",
            "content/pages/jobs.md": "# Jobs\n",
            "content/posts/2024-01-02-hello.md": "---\ntitle: Hello\ntags: [Old]\n---\n## Intro\n",
        }
    )
    repository.remove("content/pages/about.md")
    repository.commit({})
    before = files(repository.root)
    with site_service.store.database.reading() as db:
        rows = db.execute("SELECT * FROM records").fetchall()
    account = bound.rehearse()
    with site_service.store.database.reading() as db:
        assert db.execute("SELECT * FROM records").fetchall() == rows
    assert files(repository.root) == before
    assert account.counts == {"made": 1, "changed": 2, "deleted": 1, "blocked": 0, "failed": 0}
    links = {o.change.path: o.entry.link for o in account.result.outcomes if o.entry}
    assert links["content/pages/jobs.md"] == f"{site_service.site}/jobs/"
    assert account.address != f"{site_service.site}/"
    real = bound.sync()
    assert ends(account.result) == ends(real)
    assert links == {o.change.path: o.entry.link for o in real.outcomes if o.entry}


def test_nothing_but_the_reader_asks_the_site(repository: SampleRepository, bound: Stages) -> None:
    repository.commit(FIRST)
    # Nobody answers there, so any request would fail.
    bound.url = "http://127.0.0.1:9/wp-json"
    account = bound.rehearse()
    assert account.counts["made"] == 3
    assert not account.site_read
    assert [row.what for row in account.differs] == ["site"]


def test_the_embedded_service_as_the_site_is_copied(repository: SampleRepository, embedded: Embedded) -> None:
    repository.commit(FIRST)
    embedded.sync()
    repository.commit({"content/pages/team.md": "# Changed\n\n![us](../img/us.png)\n"})
    account = embedded.rehearse()
    assert account.site_read
    assert account.counts == {"made": 0, "changed": 1, "deleted": 0, "blocked": 0, "failed": 0}
    assert account.links.dead == ()
    assert ends(account.result) == ends(embedded.sync())


def test_a_record_that_has_the_address_blocks_as_it_will_on_the_site(
    repository: SampleRepository, bound: Stages, site_service: RunningService
) -> None:
    repository.commit({"content/pages/team.md": "# Team\n"})
    made = site_service.store.create(Kind.PAGE, {"title": {"raw": "Another"}, "slug": "team"})
    with bound.workspace() as workspace, workspace.service(1) as service:
        records = service.records(Kind.PAGE, [made["id"]])  # type: ignore[attr-defined]  # it has reads
    bound.reader = Reader(live=LiveSite(home=site_service.site, records=tuple(records.values())))
    account = bound.rehearse()
    assert account.counts["blocked"] == 1
    assert ends(account.result) == ends(bound.sync())


@pytest.mark.parametrize(
    ("edit", "result"),
    [
        ({"title": {"raw": "By hand"}}, Result.BLOCKED),
        # A note of an editor is not an edit.
        (
            {
                "content": {
                    "raw": '<!-- wp:html {"metadata":{"noteId":[7]}} -->\n<p>One.</p>\n<!-- /wp:html -->'
                }
            },
            Result.DONE,
        ),
    ],
    ids=["an edit", "a note"],
)
def test_an_edit_on_the_site_that_was_read_is_a_conflict_in_the_rehearsal(
    repository: SampleRepository,
    bound: Stages,
    site_service: RunningService,
    edit: dict[str, Any],
    result: Result,
) -> None:
    repository.commit({"content/pages/team.md": "# Team\n\nOne.\n"})
    number = bound.sync().outcomes[0].entry.id  # type: ignore[union-attr]  # it was made
    site_service.store.update("page", number, edit)  # type: ignore[arg-type]
    repository.commit({"content/pages/team.md": "# Team\n\nTwo.\n"})
    with bound.workspace() as workspace, workspace.service(1) as service:
        send = service.transport.send  # type: ignore[attr-defined]  # it is WordPress's
        records = reads.records(send, Kind.PAGE, [number])
    bound.reader = Reader(live=LiveSite(home=site_service.site, records=tuple(records.values())))
    account = bound.rehearse()
    assert [o.result for o in account.result.outcomes] == [result]
    assert ends(account.result) == ends(bound.sync())


def test_what_was_not_read_of_the_site_is_told(repository: SampleRepository, bound: Stages) -> None:
    repository.commit(FIRST)
    bound.sync()
    repository.commit({"content/pages/wide.md": "---\ntitle: Wide\ntemplate: wide.php\nauthor: jane\n---\n"})
    users = Unread("users", "this user may not list users")
    bound.reader = Reader(live=LiveSite(home="https://example.org", unread=(users,)))
    account = bound.rehearse()
    said = rehearse.account_text(account)
    assert account.counts["made"] == 1
    assert ("users", "not read: this user may not list users") in [(r.what, r.site) for r in account.differs]
    assert "records that are up to date (`pressync plan --drift` compares them)" in said
    assert "the templates of its theme (a sync fails unless the theme has what is named in " in said
    assert "content/pages/wide.md)." in said
    known = (User(7, "ed", "ed@localhost", "An editor", "ed", "editor", visible=True),)
    bound.reader = Reader(live=LiveSite(home="https://example.org", users=known, user=7))
    with pytest.raises(ContentError) as raised:
        bound.rehearse()
    assert ["'jane'" in problem.what for problem in raised.value.problems] == [True]


def test_problems_and_limits_end_it_as_they_end_a_sync(repository: SampleRepository, bound: Stages) -> None:
    repository.commit({f"content/pages/{n}.md": f"# {n}\n" for n in range(20)})
    bound.sync()
    for number in range(12):
        repository.remove(f"content/pages/{number}.md")
    repository.commit({})
    with pytest.raises(SafetyRefusal, match="12"):
        bound.rehearse()
    repository.commit({"content/pages/bad.md": "---\ntitle: [\n---\n"})
    with pytest.raises(ContentError):
        bound.rehearse()
    assert not stages_folder(repository.root / ".git").exists()


def test_another_branch_is_rehearsed_with_its_refusal(
    repository: SampleRepository, embedded: Embedded
) -> None:
    repository.commit(
        {
            "pressync.toml": '[sites.x]\ndialect = "documented"\nbranch = "main"\n',
            "content/pages/a.md": "# A\n",
        }
    )
    repository.git("checkout", "-q", "-b", "draft")
    account = embedded.rehearse()
    assert account.counts["made"] == 1
    assert [refusal.code for refusal in account.refusals] == ["other_branch"]


def test_the_refusal_of_posts_that_tell_people_is_told(repository: SampleRepository, bound: Stages) -> None:
    repository.commit({"content/posts/2019-01-31-old.md": "# Old\n"})
    for fields, codes in (
        ({"_jetpack_newsletter_access": "string"}, ["would_tell"]),
        ({"_jetpack_dont_email_post_to_subs": "boolean"}, []),
    ):
        bound.reader = Reader(live=LiveSite(home="https://example.org", post_fields=fields))
        account = bound.rehearse()
        assert account.counts["made"] == 1
        assert [refusal.code for refusal in account.refusals] == codes


def test_after_an_import_the_stage_has_the_texts_of_the_site(repository: SampleRepository) -> None:
    repository.commit({"README.md": "# Read me\n"})
    with embedded_wordpress.serving() as site:
        above = 0
        for slug in ("docs", "install"):
            wanted = {"slug": slug, "title": slug, "content": f"How to {slug}", "parent": above}
            answer: Any = site.client.post(
                f"{PREFIX}/wp/v2/pages", json={**wanted, "status": "publish"}, auth=(USER, PASSWORD)
            )
            above = answer.json["id"]
        bound = Stages(repository.root, site.url, environ=ENVIRON)
        with bound.workspace() as workspace:
            source = ImportSource(site.url, settings=workspace.settings, own=own_site(workspace))
            request = ImportRequest(source)
            bind(workspace, source.own, import_source(workspace.repository, workspace.settings, request))
        repository.git("add", "-A")
        repository.git("commit", "-qm", "Import the site")
        with bound.rehearsed() as account:
            with urlopen(f"{account.address}docs/install/", timeout=60) as answer:  # noqa: S310 - loopback
                page = answer.read().decode()
            assert account.result.counts["kept"] == 2
            assert [row.what for row in account.differs] == ["site"]
        assert "How to install" in page
        with bound.workspace() as workspace, workspace.state(writable=True) as state:
            state.put(*(structs.replace(entry, blob="0" * 40) for entry in state.manifest.entries.values()))
            state.save()
        lost = next(row for row in bound.rehearse().differs if row.what != "site")
        assert lost == SiteDifference("the text of content/pages/docs/index.md and 1 more", "empty", "")


NEW = create("new.md", fingerprints=prints("new.md", template="wide.php"))
READ = LiveSite(home="https://example.org")


@pytest.mark.parametrize(
    "changes",
    [
        [create("new.md")],
        [create("new.md", fingerprints=prints("new.md", template=""))],
        [update("old.md", "content", fingerprints=prints("old.md", template="wide.php"))],
        [NEW, Keep("k.md", Kind.PAGE, 7, entry("k.md", fingerprints=prints("k.md", template="wide.php")))],
    ],
    ids=["no template", "the theme's own", "it stays", "synced before"],
)
def test_a_template_of_which_a_sync_asks_nothing_new_is_not_named(changes: list[Keep]) -> None:
    assert list(unread_templates(changes, READ)) == []
    live = replace(READ, records=(record("other.md", template="wide.php"),))
    assert list(unread_templates([NEW], live)) == []


HELLO = "---\ntitle: Hello\n---\n## Intro\n"
DRAFT = "---\ntitle: Draft\ndraft: true\n---\n"
# A link, its target as the file has it, and what is dead; "" for a good link.
LINKS = (
    ("[good](../posts/hello.md#intro)", "", ""),
    ("[the title](../posts/hello.md#hello)", "", ""),
    ("[without a slash at the end](/blog/hello)", "", ""),
    ("[x](../posts/gone.md)", "../posts/gone.md", "page"),
    ("[x](/nowhere/)", "/nowhere/", "page"),
    ('<a href="/nowhere/?a=1&amp;b=2">x</a>', "/nowhere/?a=1&b=2", "page"),
    ("[x](http://127.0.0.1:8127/none/)", "http://127.0.0.1:8127/none/", "page"),
    ("[x](/manual.pdf)", "/manual.pdf", "file"),
    ("![x](../img/gone.png)", "../img/gone.png", "picture"),
    ('<video src="/film.mp4"></video>', "/film.mp4", "media"),
    ("[x](../posts/hello.md#nope)", "../posts/hello.md#nope", "anchor"),
    ("[x](/日本/)", "/日本/", "page"),
    ("[x](#nope)", "#nope", "anchor"),
    ("[x](../posts/draft.md)", "../posts/draft.md", "hidden"),
)


def test_a_dead_link_has_its_line_and_its_target(repository: SampleRepository, embedded: Embedded) -> None:
    path = "content/pages/about.md"
    text = "---\ntitle: About\n---\n" + "".join(f"- {link}\n" for link, _, _ in LINKS)
    away = "[a](https://example.org/x) [b](mailto:a@example.org) [c](//example.org/) <https://[broken>"
    draft = "content/posts/draft.md"
    uncounted = {"content/pages/away.md": f"# Away\n\n{away}\n"}
    repository.commit(
        {path: text, "content/posts/hello.md": HELLO, draft: f"{DRAFT}[x](/no/)\n", **uncounted}
    )
    links = embedded.rehearse().links
    assert [(d.path, d.line, d.target, d.kind) for d in links.dead] == [
        *((path, line, target, kind) for line, (_, target, kind) in enumerate(LINKS, 4) if kind),
        (draft, 5, "/no/", "page"),
    ]
    assert links.checked == len(LINKS) + 1


def test_a_link_of_a_template_is_named_with_it(repository: SampleRepository, embedded: Embedded) -> None:
    repository.commit(
        {
            "content/pages/about.md": "# About\n",
            "content/pages/team.md": "# Team\n",
            "templates/page.html": '{{ content }}\n<a href="/imprint/">Imprint</a>\n',
        }
    )
    dead = embedded.rehearse().links.dead
    assert [(d.path, d.line, d.target) for d in dead] == [("templates/page.html", 2, "/imprint/")]
