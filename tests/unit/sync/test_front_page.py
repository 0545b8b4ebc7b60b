"""The front page of a site from the first sync to the last: set, kept, seen to drift, taken back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support import embedded_wordpress
from tests.support.embedded_wordpress import ENVIRON
from tests.support.strict_service import Fault
from tests.support.syncing import Bound

from pressync.app.pull import PullOptions, pull
from pressync.app.revision import Revision
from pressync.model.changes import Keep, Result
from pressync.plan.build import PlanOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository

    from pressync.model.changes import Change
    from pressync.model.outcomes import RunResult

START, BELOW, ABOUT = "content/pages/start.md", "content/pages/start/below.md", "content/pages/about.md"
SAYS = "---\nfront_page: true\n---\n"
PAGES = {
    START: f"{SAYS}# Start\n\n[about](about.md)\n",
    BELOW: "# Below\n\n[up](../start.md)\n",
    ABOUT: "# About\n\n[home](start.md)\n",
}


@pytest.fixture
def wordpress() -> Iterator[EmbeddedWordPress]:
    with embedded_wordpress.serving() as site:
        yield site


@pytest.fixture
def site(repository: SampleRepository, wordpress: EmbeddedWordPress) -> Bound:
    """Three pages, of which one is the front page."""
    repository.commit(PAGES)
    return Bound(repository.root, wordpress.url, environ=ENVIRON)


def results(run: RunResult) -> dict[str, str]:
    return {outcome.change.path: str(outcome.result) for outcome in run.outcomes}


def message(run: RunResult, path: str) -> str:
    return next(outcome.message for outcome in run.outcomes if outcome.change.path == path)


def links(site: Bound) -> dict[str, str]:
    """Give the path of each address in the manifest."""
    return {path: "/" + entry.link.split("/", 3)[3] for path, entry in site.entries().items()}


def front(wordpress: EmbeddedWordPress) -> int:
    return wordpress.store.settings.front


def drift(site: Bound) -> dict[str, Change]:
    """Give the changes of a plan that has looked at every record."""
    with site.workspace() as workspace:
        planned = workspace.plan(Revision(), PlanOptions(), drift=True)
    return {change.path: change for change in planned.plan.changes}


def choose(wordpress: EmbeddedWordPress, number: int) -> None:
    """Choose the front page as a person does in wp-admin; 0 for the posts."""
    body = {"show_on_front": "page" if number else "posts", "page_on_front": number}
    wordpress.client.post("/wp-json/wp/v2/settings", json=body, auth=wordpress.auth)


def test_the_front_page_is_set_after_its_page_was_made(site: Bound, wordpress: EmbeddedWordPress) -> None:
    run = site.sync()
    assert results(run) == dict.fromkeys(PAGES, "done")
    assert front(wordpress) == site.entries()[START].id
    assert links(site) == {START: "/", BELOW: "/start/below/", ABOUT: "/about/"}
    texts = {row["slug"]: row["content"]["raw"] for row in wordpress.pages}
    home = site.entries()[START].link
    assert f'href="{home}"' in texts["about"]
    assert f'href="{home}"' in texts["below"]
    assert not wordpress.violations
    assert site.plan().settled
    assert all(isinstance(change, Keep) for change in drift(site).values())


def test_another_page_takes_over(
    repository: SampleRepository, site: Bound, wordpress: EmbeddedWordPress
) -> None:
    site.sync()
    repository.commit({START: PAGES[START].removeprefix(SAYS), ABOUT: f"{SAYS}{PAGES[ABOUT]}"})
    assert set(results(site.sync()).values()) <= {"done", "kept"}
    assert links(site) == {START: "/start/", BELOW: "/start/below/", ABOUT: "/"}
    assert front(wordpress) == site.entries()[ABOUT].id
    # Nobody was ever shown the posts in between.
    chosen = [
        json.loads(received.body)["show_on_front"]
        for received, _status, _shown in wordpress.exchanges
        if received.method == "POST" and "/settings" in received.path
    ]
    assert chosen == ["page", "page"]
    assert site.plan().settled
    assert not any("/start/" in former for former in site.entries()[START].former)


def test_the_posts_come_back_if_no_file_names_a_front_page(
    repository: SampleRepository, site: Bound, wordpress: EmbeddedWordPress
) -> None:
    site.sync()
    repository.commit({START: PAGES[START].removeprefix(SAYS)})
    change = next(change for change in site.plan().pending if change.path == START)
    assert change.reason.startswith("it is no longer the front page")
    site.sync()
    assert front(wordpress) == 0
    assert links(site)[START] == "/start/"
    # The address of the site is not an old address of this page.
    assert site.entries()[START].former == ()
    assert site.plan().settled


def test_a_choice_on_the_site_is_pulled_into_the_file(
    repository: SampleRepository, site: Bound, wordpress: EmbeddedWordPress
) -> None:
    site.sync()
    other = wordpress.put("Chosen", "chosen")
    choose(wordpress, other)
    with site.workspace() as workspace:
        (pulled,) = pull(workspace, PullOptions((START,)))
    assert pulled.taken == ("front_page",)
    assert "front_page: false" in (repository.root / START).read_text()
    repository.commit()
    site.sync()
    assert front(wordpress) == other
    assert site.plan().settled


def test_a_user_who_may_not_change_the_settings_is_told_and_the_next_plan_is_empty(
    site: Bound, wordpress: EmbeddedWordPress
) -> None:
    wordpress.demote("editor")
    run = site.sync()
    assert results(run)[START] == "done"
    assert "front_page: the site kept its front page, which only an administrator may change" in message(
        run, START
    )
    assert "Settings > Reading" in message(run, START)
    assert links(site)[START] == "/start/"
    assert site.plan().settled
    # An administrator does what the message says: that is what the file asks for.
    wordpress.demote("administrator")
    choose(wordpress, site.entries()[START].id)
    assert all(isinstance(change, Keep) for change in drift(site).values())


@pytest.mark.parametrize("acts", [True, pytest.param(False, marks=pytest.mark.sweep)])
def test_a_lost_setting_is_sent_again(site: Bound, wordpress: EmbeddedWordPress, *, acts: bool) -> None:
    real = wordpress.take

    def take(received: object) -> object:
        if "/settings" in received.path and received.method == "POST":  # type: ignore[attr-defined]
            wordpress.faults.append(Fault(acts=acts))
        return real(received)  # type: ignore[arg-type]

    wordpress.take = take  # type: ignore[method-assign, assignment]
    run = site.sync()
    assert results(run)[START] == Result.UNCONFIRMED
    wordpress.take = real  # type: ignore[method-assign]
    assert {change.path for change in site.plan().pending} >= {START}
    site.sync()
    assert front(wordpress) == site.entries()[START].id
    assert len(wordpress.pages) == len(PAGES)
    assert site.plan().settled


def test_the_setting_of_the_site_makes_the_root_index_the_front_page(
    repository: SampleRepository, wordpress: EmbeddedWordPress
) -> None:
    settings = f'[sites.a]\nurl = "{wordpress.url}"\ndialect = "wordpress"\nuser = "admin"\n'
    root = "content/pages/root.md"
    repository.commit(
        {
            "pressync.toml": settings,
            "content/pages/index.md": "---\nslug: hello\n---\n# Hello\n",
            root: "# R\n",
        }
    )
    bound = Bound(repository.root, "", environ=ENVIRON)
    bound.sync()
    assert links(bound)["content/pages/index.md"] == "/hello/"
    repository.commit({"pressync.toml": f"{settings}front_page = true\n"})
    assert results(bound.sync()) == {"content/pages/index.md": "done"}
    assert links(bound)["content/pages/index.md"] == "/"
    repository.commit({"pressync.toml": settings})
    assert results(bound.sync()) == {"content/pages/index.md": "done"}
    assert front(wordpress) == 0
    assert bound.plan().settled
