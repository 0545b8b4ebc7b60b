"""The front page of a real WordPress: who may set it, what it does to addresses, and who sees it drift."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import requests
from tests.live.live import Eyes, live, messages, results, visit

from pressync.app.revision import Revision
from pressync.model.changes import Blocked, Keep, NotCompared
from pressync.plan.build import PlanOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.live.live import Live
    from tests.live.proxy import Line
    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

    from pressync.model.changes import Change

START, BELOW, ABOUT = "content/pages/start.md", "content/pages/start/below.md", "content/pages/about.md"
SAYS = "---\nfront_page: true\n---\n"
PAGES = {
    START: f"{SAYS}# Start\n\nThe text of the front.\n\n[about](about.md)\n",
    BELOW: "# Below\n\n[up](../start.md)\n",
    ABOUT: "# About\n\n[home](start.md)\n",
}


def choose(site: Site, number: int) -> dict[str, object]:
    """Choose the front page as a person does in wp-admin, 0 for the posts; give the settings."""
    answer = requests.post(
        f"{site.url}/wp-json/wp/v2/settings",
        params={"_fields": "show_on_front,page_on_front"},
        json={"show_on_front": "page" if number else "posts", "page_on_front": number},
        auth=("admin", site.passwords["admin"]),
        timeout=30,
    )
    answer.raise_for_status()
    return dict(answer.json())


def front(site: Site) -> int:
    """Read the front page past the client; 0 for the posts."""
    answer = requests.get(
        f"{site.url}/wp-json/wp/v2/settings", auth=("admin", site.passwords["admin"]), timeout=30
    ).json()
    return int(answer["page_on_front"]) if answer["show_on_front"] == "page" else 0


@pytest.fixture
def posts_at_the_front(wordpress: Site) -> Iterator[None]:
    """Leave the site as it was: its posts are at its front."""
    choose(wordpress, 0)
    yield
    choose(wordpress, 0)


def drift(bound: Live) -> dict[str, Change]:
    with bound.workspace() as workspace:
        planned = workspace.plan(Revision(), PlanOptions(), drift=True)
    return {change.path: change for change in planned.plan.changes}


@pytest.mark.usefixtures("posts_at_the_front")
def test_an_account_that_does_not_see_the_front_page_has_not_compared_it(
    repository: SampleRepository, line: Line, wordpress: Site
) -> None:
    repository.commit(PAGES)
    live(repository, line, wordpress).sync()
    choose(wordpress, 0)
    change = drift(live(repository, line, wordpress, "editor"))[START]
    settings = wordpress.service("editor").front_page()
    assert type(change) is (NotCompared if settings is None else Blocked)
    assert "front_page" in change.reason


@pytest.mark.usefixtures("posts_at_the_front")
def test_the_front_page_is_set_moved_and_taken_back(
    repository: SampleRepository, line: Line, wordpress: Site
) -> None:
    repository.commit(PAGES)
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    assert set(results(site.sync()).values()) == {"done"}
    ids, home = site.ids(), f"{wordpress.url}/"
    assert front(wordpress) == ids[START]
    assert "The text of the front." in visit(home)
    rows = eyes.rows()
    assert (rows[ids[START]]["link"], rows[ids[BELOW]]["link"]) == (home, f"{home}start/below/")
    assert all(f'href="{home}"' in rows[ids[path]]["content"]["raw"] for path in (BELOW, ABOUT))
    assert site.sync().outcomes == ()
    assert all(isinstance(change, Keep) for change in drift(site).values())

    repository.commit({START: PAGES[START].removeprefix(SAYS), ABOUT: f"{SAYS}{PAGES[ABOUT]}"})
    assert set(results(site.sync()).values()) <= {"done", "kept"}
    assert front(wordpress) == ids[ABOUT]
    rows = eyes.rows()
    assert (rows[ids[START]]["link"], rows[ids[ABOUT]]["link"]) == (f"{home}start/", home)
    assert site.sync().outcomes == ()

    choose(wordpress, ids[START])
    seen = drift(site)[ABOUT]
    assert isinstance(seen, Blocked)
    assert seen.fields == ("front_page",)
    choose(wordpress, ids[ABOUT])

    repository.commit({ABOUT: PAGES[ABOUT]})
    assert set(results(site.sync()).values()) <= {"done", "kept"}
    assert front(wordpress) == 0
    assert site.sync().outcomes == ()
    assert all(isinstance(change, Keep) for change in drift(site).values())


@pytest.mark.usefixtures("posts_at_the_front")
def test_an_editor_is_told_and_an_administrator_completes_it(
    repository: SampleRepository, line: Line, wordpress: Site
) -> None:
    repository.commit(PAGES)
    site = live(repository, line, wordpress, "editor")
    run = site.sync()
    assert set(results(run).values()) == {"done"}
    assert "only an administrator may change" in messages(run)[START]
    assert front(wordpress) == 0
    assert site.sync().outcomes == ()
    choose(wordpress, site.ids()[START])
    assert all(isinstance(change, Keep) for change in drift(site).values())
