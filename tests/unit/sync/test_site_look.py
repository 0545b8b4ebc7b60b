"""The look at a site finds a wrong dialect and missing rights before the first write."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support import embedded_wordpress
from tests.support.embedded_wordpress import ENVIRON
from tests.support.strict_service import Fault, answer
from tests.support.strict_service import serving as documented
from tests.support.syncing import Bound
from tests.support.terminal import Terminal
from tests.support.wire import PREFIX
from tests.support.wordpress_lookalike import serving as lookalike

from pressync.app.revision import Revision
from pressync.cli import console
from pressync.cli.report import text
from pressync.model.changes import Blocked
from pressync.model.errors import ConfigError
from pressync.plan import reasons
from pressync.plan.build import PlanOptions
from pressync.sync import site_look

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository

    from pressync.model.outcomes import RunResult

LOOK = ("GET", "/wp-json/", False)
WORDPRESS = {"PRESSYNC_DIALECT": "wordpress", "PRESSYNC_USER": "editor", "PRESSYNC_PASSWORD": "right"}


@pytest.fixture
def terminal(repository: SampleRepository) -> Terminal:
    """One page, and no settings."""
    repository.commit({"content/pages/index.md": "# Home\n"})
    return Terminal(repository, {})


def test_a_forgotten_dialect_is_found_before_wordpress_publishes_anything(terminal: Terminal) -> None:
    with lookalike() as site:
        terminal.repository.commit({"pressync.toml": f'[sites.production]\nurl = "{site.base}"\n'})
        said = terminal.run("sync", "--yes", exits=2).stderr
        assert site.asked == [LOOK], "one request without credentials, and no write"
    assert "the site is stock WordPress" in said
    assert "nothing was sent" in said
    assert 'write `dialect = "wordpress"` below [sites.production] in pressync.toml' in said
    assert not (terminal.repository.root / ".pressync/production.json").exists()


def test_other_machines_hear_nothing_of_a_sync_with_a_wrong_dialect(terminal: Terminal) -> None:
    with lookalike() as site:
        settings = f'[sites.live]\nurl = "{site.base}"\nmanifest = "ref"\nremote = ""\n'
        terminal.repository.commit({"pressync.toml": settings})
        terminal.run("sync", "--yes", exits=2)
    assert "refs/pressync" not in terminal.repository.git("for-each-ref")


@pytest.mark.parametrize("command", [("sync", "--yes"), ("rollback", "--yes")])
@pytest.mark.parametrize(
    ("account", "said"),
    [
        ({"PRESSYNC_USER": "admin"}, "no password for admin on site 'live'"),
        ({"PRESSYNC_USER": "admin", "PRESSYNC_PASSWORD": "not this one"}, "401"),
        ({"PRESSYNC_PASSWORD": embedded_wordpress.PASSWORD}, "a password is set, but not a user"),
        ({}, "401"),
    ],
)
def test_other_machines_hear_nothing_of_a_run_whose_account_the_site_does_not_take(
    terminal: Terminal, command: tuple[str, ...], account: dict[str, str], said: str
) -> None:
    with embedded_wordpress.serving() as site:
        settings = f'[sites.live]\nurl = "{site.url}"\ndialect = "wordpress"\nmanifest = "ref"\nremote = ""\n'
        terminal.repository.commit({"pressync.toml": settings})
        terminal.environ = {**embedded_wordpress.ENVIRON}
        terminal.run("sync", "--yes")
        terminal.repository.commit({"content/pages/new.md": "# New\n"})
        before = terminal.repository.git("for-each-ref", "refs/pressync")
        terminal.environ = account
        assert said in terminal.attempt(*command)
    assert terminal.repository.git("for-each-ref", "refs/pressync") == before


def test_nothing_is_asked_where_no_secret_may_go(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("pressync.client.probe.probe", lambda base, *_: asked.append(base))
    terminal.environ |= {"PRESSYNC_URL": "http://elsewhere.test/wp-json", "PRESSYNC_TOKEN": "0123456789"}
    said = terminal.run("sync", "--yes", exits=2).stderr
    assert "credentials would be sent unencrypted" in said
    assert not asked


def test_a_documented_service_is_looked_at_once(terminal: Terminal) -> None:
    with documented() as service:
        terminal.environ["PRESSYNC_URL"] = service.url
        terminal.run("sync", "--yes")
        terminal.repository.commit({"content/pages/index.md": "# Welcome\n"})
        terminal.run("sync", "--yes")
        assert (len(service.looks), [one.method for one in service.received]) == (1, ["POST", "POST"])
        assert not service.violations


@pytest.mark.parametrize(
    "shows",
    [
        Fault(sends=answer(500, b"<h1>Oops</h1>", content_type="text/html")),
        Fault(sends=answer(405)),
        Fault(sends=answer(301, headers=(("Location", "https://elsewhere.test/wp-json/"),))),
        Fault(sends=answer(200, b"[" * 5000)),
        Fault(sends=b"not HTTP"),
        Fault(end="reset"),
        Fault(end="hang"),
    ],
)
def test_a_look_without_a_sign_stops_none(
    terminal: Terminal, shows: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site_look, "_LONGEST", 0.3)
    with documented() as service:
        service.shows = shows
        terminal.environ["PRESSYNC_URL"] = service.url
        terminal.run("sync", "--yes")
        assert [page["title"]["raw"] for page in service.pages] == ["Home"]


def test_a_documented_service_is_no_wordpress_and_the_message_says_so(terminal: Terminal) -> None:
    with documented() as service:
        service.authorization = "Basic ZWRpdG9yOnJpZ2h0"
        terminal.environ |= {"PRESSYNC_URL": service.url} | WORDPRESS
        said = terminal.run("sync", "--yes", exits=2).stderr
        assert not service.pages
    assert "no sign of stock WordPress" in said
    assert "set PRESSYNC_DIALECT=documented" in said


@pytest.mark.parametrize("written", [False, True], ids=["one response", "all, of a site that took a write"])
def test_a_broken_response_of_wordpress_without_index_is_no_wrong_dialect(
    terminal: Terminal, *, written: bool
) -> None:
    with embedded_wordpress.serving() as site:
        terminal.environ |= embedded_wordpress.ENVIRON | {"PRESSYNC_URL": site.url}
        if written:
            terminal.run("sync", "--yes", "--commit")
            terminal.repository.commit({"content/pages/new.md": "# New\n"})
            # A fresh clone has no note of this user's rights, so they are its first read.
            (terminal.repository.root / ".git/pressync").rename(terminal.repository.root / ".git/left")
            site.shows = Fault(sends=answer(200, b"<html>"))
        site.faults.append(Fault(acts=False, sends=answer(200, b"<html>"), end="close"))
        said = terminal.run("sync", "--yes", exits=1).stderr
    assert "no sign of stock WordPress" not in said
    assert "the response is not JSON" in said


PAGE = "content/pages/a.md"
MINE, THEIRS, NEW = "content/posts/mine.md", "content/posts/theirs.md", "content/posts/new.md"
JANE = 2
NEXT = "sync it as a user who has it: an editor has all those of pages and posts"


@pytest.fixture
def wordpress() -> Iterator[EmbeddedWordPress]:
    with embedded_wordpress.serving() as site:
        yield site


@pytest.fixture
def site(repository: SampleRepository, wordpress: EmbeddedWordPress) -> Bound:
    """Make a page and two posts, synced by an administrator who becomes an author; one post is given away."""
    assert wordpress.add_person("jane", "Jane") == JANE
    repository.commit({path: f"# {path[14:-3]}\n\nText.\n" for path in (PAGE, MINE, THEIRS)})
    site = Bound(repository.root, wordpress.url, environ=ENVIRON)
    site.sync()
    wordpress.post(f"posts/{site.entries()[THEIRS].id}", author=JANE)
    demote(site, wordpress, "author")
    return site


def demote(site: Bound, wordpress: EmbeddedWordPress, role: str) -> None:
    """Give the user another role, in a clone that has not seen the rights of the last one."""
    wordpress.demote(role)
    with site.workspace() as workspace, workspace.reading() as state:
        state.log.note_rights()
    wordpress.exchanges.clear()


def results(run: RunResult) -> dict[str, tuple[str, str]]:
    return {outcome.change.path: (str(outcome.result), outcome.message) for outcome in run.outcomes}


def asked(wordpress: EmbeddedWordPress, part: str) -> int:
    return sum(part in received.path for received, _, _ in wordpress.exchanges)


def edit(repository: SampleRepository, *paths: str, text: str = "Edited.") -> None:
    repository.commit({path: f"# {path[14:-3]}\n\n{text}\n" for path in paths})


def test_an_author_syncs_the_own_posts_and_is_told_of_each_other_record(
    repository: SampleRepository, site: Bound, wordpress: EmbeddedWordPress
) -> None:
    edit(repository, PAGE, MINE, THEIRS, NEW)
    number = site.entries()[THEIRS].id
    expected = {
        PAGE: ("blocked", f"this user lacks the right edit_pages; {NEXT}"),
        THEIRS: (
            "blocked",
            f"post {number} is another user's, and this user lacks the right edit_others_posts; {NEXT}",
        ),
    }
    with site.workspace() as workspace:
        planned = workspace.plan(Revision(), PlanOptions(), drift=True).plan
    assert {c.path: ("blocked", c.reason) for c in planned.changes if isinstance(c, Blocked)} == expected
    wordpress.exchanges.clear()
    assert results(site.sync()) == {MINE: ("done", ""), NEW: ("done", ""), **expected}
    assert asked(wordpress, "/wp/v2/pages") == 0
    # The posts that are synced are removed again: an author may delete them too.
    repository.git("rm", "--quiet", MINE, THEIRS)
    repository.commit()
    ended = results(site.sync())
    assert {path: end for path, (end, _) in ended.items()} == {
        MINE: "done",
        PAGE: "blocked",
        THEIRS: "blocked",
    }
    assert "delete_others_posts" in ended[THEIRS][1]


@pytest.mark.parametrize(
    ("role", "paths", "missing"),
    [
        ("author", (PAGE,), "edit_pages is missing"),
        ("author", (PAGE, THEIRS), "edit_others_posts is missing"),
        ("subscriber", (PAGE, MINE, NEW), "edit_pages, edit_posts are missing"),
    ],
)
def test_a_user_who_may_make_no_change_at_all_is_told_at_once(  # noqa: PLR0917 - three of them are a row
    repository: SampleRepository,
    site: Bound,
    wordpress: EmbeddedWordPress,
    role: str,
    paths: tuple[str, ...],
    missing: str,
) -> None:
    demote(site, wordpress, role)
    edit(repository, *paths)
    with pytest.raises(ConfigError, match=f"admin may make none of the changes of this run: {missing}"):
        site.sync()
    assert {received.method for received, _, _ in wordpress.exchanges} == {"GET"}


def test_a_post_that_is_given_to_another_user_is_blocked(repository: SampleRepository, site: Bound) -> None:
    given = {MINE: JANE, NEW: "jane", "content/posts/own.md": "admin"}
    repository.commit(
        {path: f"---\nauthor: {name}\n---\n\n# {path[14:-3]}\n\nText.\n" for path, name in given.items()}
    )
    lacking = ("blocked", f"this user lacks the right edit_others_posts; {NEXT}")
    assert results(site.sync()) == {MINE: lacking, NEW: lacking, "content/posts/own.md": ("done", "")}


def test_a_term_that_somebody_deleted_does_not_stop_an_author(
    repository: SampleRepository, site: Bound, wordpress: EmbeddedWordPress
) -> None:
    demote(site, wordpress, "administrator")
    tagged = "---\ntags: [News]\n---\n\n# A\n\n{}\n"
    repository.commit({path: tagged.format("Text.") for path in (MINE, THEIRS)})
    site.sync()
    with site.workspace() as workspace, workspace.reading() as state:
        (news,) = state.manifest.names.values()
    gone = f"{PREFIX}/wp/v2/tags/{news}?force=true"
    assert wordpress.client.delete(gone, auth=wordpress.auth).status_code == 200
    demote(site, wordpress, "author")
    repository.commit({MINE: tagged.format("Edited.")})
    assert results(site.sync()) == {MINE: ("done", "")}


@pytest.mark.parametrize("role", ["administrator", "editor", "author", "contributor", "subscriber"])
def test_a_record_that_this_account_may_not_read_is_not_compared_and_not_up_to_date(
    site: Bound, wordpress: EmbeddedWordPress, role: str
) -> None:
    wordpress.demote("administrator")
    wordpress.post(f"pages/{site.entries()[PAGE].id}", title="By hand")
    demote(site, wordpress, role)
    hidden = {
        "author": {PAGE, THEIRS},
        # The own post is public, which these roles may not edit.
        "contributor": {PAGE, MINE, THEIRS},
        "subscriber": {PAGE, MINE, THEIRS},
    }.get(role, set())
    with site.workspace() as workspace:
        plan = workspace.plan(Revision(), PlanOptions(), drift=True).plan
    assert {change.path for change in plan.not_compared} == hidden
    assert {change.path for change in plan.changes if isinstance(change, Blocked)} == {PAGE} - hidden
    assert {change.reason for change in plan.not_compared} <= {str(reasons.NOT_READABLE)}
    assert console.plan_exit_code(plan) == console.FAILED
    counts = f"{2 - len(hidden - {PAGE})} up to date"
    assert text.plan_summary(plan) == (
        f"Plan: {counts}, {len(hidden)} not compared." if hidden else f"Plan: 1 blocked, {counts}."
    )


@pytest.mark.parametrize(
    ("role", "post"), [("author", ""), ("contributor", "publish_posts"), ("subscriber", "edit_posts")]
)
def test_a_look_at_the_site_blocks_the_new_page_of_a_user_without_the_right_and_compares_the_rest(
    repository: SampleRepository, site: Bound, wordpress: EmbeddedWordPress, role: str, post: str
) -> None:
    demote(site, wordpress, role)
    repository.commit({"content/pages/new.md": "# New\n", NEW: "# New\n"})
    with site.workspace() as workspace:
        plan = workspace.plan(Revision(), PlanOptions(), drift=True).plan
    blocked = {change.path: change.reason for change in plan.changes if isinstance(change, Blocked)}
    needed = {"content/pages/new.md": "edit_pages"} | ({NEW: post} if post else {})
    assert blocked == {path: f"this user lacks the right {right}; {NEXT}" for path, right in needed.items()}
    assert PAGE in {change.path for change in plan.not_compared}
    assert console.plan_exit_code(plan) == (console.FAILED if post else console.PENDING)
