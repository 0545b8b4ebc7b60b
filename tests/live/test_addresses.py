"""What a real site has at the addresses of new documents: bound by itself, or left to a person."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.live.live import Eyes, change_permalinks, live, results
from tests.live.pictures import png

from pressync.app.bind import adopt_from_site
from pressync.app.revision import Revision
from pressync.model.changes import Blocked, Keep
from pressync.model.errors import ConfigError
from pressync.plan.build import PlanOptions

if TYPE_CHECKING:
    from pathlib import Path

    from tests.live.live import Live
    from tests.live.proxy import Line
    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

    from pressync.model.changes import Plan

ABOUT = "content/pages/about.md"
NEWS = "content/pages/news.md"
TREE: dict[str, str | bytes] = {
    "content/pages/index.md": "# Home\n\nSee [the team](about/team.md) and [news](news.md).\n",
    ABOUT: "# About & “us”\n\n[Back](index.md), or [on](news.md).\n\n```\na < b\n```\n",
    "content/pages/about/team.md": "# Team\n\nWe are [three](../about.md).\n\n- one\n- two\n",
    "content/pages/about/team/ada.md": "# Ada\n\n[Up](../team.md). ![A](a.png)\n",
    "content/pages/about/team/a.png": png(0, 200, 0),
    NEWS: "# News\n\n[First](../posts/2024-01-31-first.md).\n",
    "content/pages/über-日本語.md": "# Über\n\nText.\n",
    "content/pages/later.md": "---\ntitle: Later\nstatus: draft\nmenu_order: 4\n---\nNot yet.\n",
    "content/pages/feed.md": "# A slug that WordPress keeps for itself\n",
    "content/posts/2024-01-31-first.md": (
        "---\ntitle: First\ncategories: [News]\ntags: [one, two]\nfeatured_media: ../pages/about/team/a.png\n"
        "excerpt: In short\n---\nHello from [us](../pages/about.md).\n"
    ),
}


def cloned(site: Live, repository: SampleRepository, folder: Path) -> Live:
    """Clone what is committed, and bind the clone to the same site."""
    repository.git("clone", "--quiet", str(repository.root), str(folder))
    return replace(site, root=folder, heard=[])


def open_changes(plan: Plan) -> dict[str, str]:
    """Give what of a plan is not in step, and why."""
    return {one.path: one.reason for one in plan.changes if not isinstance(one, Keep)}


def drift(site: Live) -> Plan:
    """Draw the plan beside what the site holds."""
    with site.workspace() as workspace:
        return workspace.plan(Revision(), PlanOptions(), drift=True).plan


def everything(wordpress: Site) -> dict[int, dict[str, Any]]:
    """Read all records."""
    eyes = Eyes(wordpress)
    return eyes.rows() | eyes.rows("post")


@pytest.mark.parametrize("blocks", [False, True], ids=["html", "blocks"])
@pytest.mark.parametrize("user", ["admin", "editor"])
def test_a_lost_manifest_is_made_out_of_what_is_there_and_nothing_is_sent(
    wordpress: Site,
    line: Line,
    repository: SampleRepository,
    tmp_path: Path,
    user: str,
    *,
    blocks: bool,
) -> None:
    settings = f"[sites.production]\nblocks = {str(blocks).lower()}\n"
    by = {"content/posts/by.md": "---\ntitle: By somebody\nauthor: editor\n---\nText.\n"}
    repository.commit({**TREE, **(by if user == "admin" else {}), "pressync.toml": settings})
    first = live(repository, line, wordpress, user)
    assert set(results(first.sync()).values()) == {"done"}
    before, ids = everything(wordpress), first.ids()

    second = cloned(first, repository, tmp_path / "second")
    sent = len(line.writes)
    assert open_changes(drift(second)) == {}
    assert results(second.sync()) == {}
    assert len(line.writes) == sent
    assert everything(wordpress) == before
    assert second.ids() == ids
    assert open_changes(second.plan()) == {}
    assert open_changes(drift(second)) == {}


def test_a_manifest_that_was_not_pushed_makes_no_twins_in_another_clone(
    wordpress: Site, line: Line, repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit({ABOUT: "# About\n"})
    first = live(repository, line, wordpress)
    first.sync()
    repository.commit({NEWS: "# News\n\nOf [us](about.md).\n", "content/pages/about/x.md": "# X\n"})
    second = cloned(first, repository, tmp_path / "second")
    first.sync()

    assert results(second.sync()) == {}
    assert second.ids() == first.ids()
    assert sorted(row["slug"] for row in everything(wordpress).values()) == ["about", "news", "x"]


def test_a_page_of_another_author_or_text_blocks_until_a_person_has_said_what_it_is(
    wordpress: Site, line: Line, repository: SampleRepository, tmp_path: Path
) -> None:
    eyes = Eyes(wordpress)
    repository.commit({ABOUT: "# About\n", NEWS: "# News\n", "content/pages/about/team.md": "# Team\n"})
    live(repository, line, wordpress, "editor").sync()
    second = cloned(live(repository, line, wordpress), repository, tmp_path / "second")
    before = eyes.rows()

    run = second.sync()
    assert set(results(run).values()) == {"blocked"}
    assert eyes.rows() == before
    number = next(n for n, row in before.items() if row["slug"] == "news")
    reason = next(c.reason for c in run.plan.changes if isinstance(c, Blocked) and c.path == NEWS)
    assert reason.startswith(f"page {number} has this address already: `pressync adopt {NEWS} {number}`, ")

    with second.workspace() as workspace:
        done = adopt_from_site(workspace, Revision())
    assert (len(done.bound), done.left, done.nothing_there) == (3, {}, 0)
    assert set(results(second.sync()).values()) <= {"done"}
    assert set(eyes.rows()) == set(before)
    assert open_changes(second.plan()) == {}


def test_a_page_that_was_made_by_hand_is_told_wherever_it_is(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    eyes = Eyes(wordpress)
    draft = eyes.make(title="By hand", slug="about", status="draft")
    trashed = eyes.make(title="By hand", slug="news", status="publish")
    eyes.remove(trashed)
    long = "日本語のとても長い題名" * 4
    far = eyes.make(title="By hand", slug=long, status="publish")
    eyes.remove(far)
    repository.commit({ABOUT: "# About\n", NEWS: "# News\n", f"content/pages/{long}.md": "# Long\n"})
    site = live(repository, line, wordpress)

    reasons = open_changes(site.sync().plan)
    assert f"page {draft} has this address already" in reasons[ABOUT]
    assert "draft" in reasons[ABOUT]
    assert "in the trash" in reasons[NEWS]
    assert f"page {far} has this address already" in reasons[f"content/pages/{long}.md"]
    assert line.writes == []
    assert results(site.sync(PlanOptions(create_anyway=(ABOUT,))))[ABOUT] == "done"
    assert len(line.writes) == 1


def test_a_page_that_is_removed_and_comes_back_is_not_taken_for_somebody_elses(
    wordpress: Site, line: Line, repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit({ABOUT: "# About\n", NEWS: "# News\n"})
    site = live(repository, line, wordpress)
    for _ in range(2):
        site.sync()
        repository.remove(NEWS)
        repository.commit()
        assert results(site.sync()) == {NEWS: "done"}
        repository.commit({NEWS: "# News\n"})
        other = cloned(site, repository, tmp_path / repository.head())
        assert [type(c).__name__ for c in drift(other).pending] == ["Create"]
        assert results(site.sync()) == {NEWS: "done"}
    statuses = Counter(row["status"] for row in Eyes(wordpress).rows().values())
    assert statuses == {"publish": 2, "trash": 2}


def test_a_long_question_is_answered_at_a_site_without_pretty_addresses_too(
    wordpress: Site, line: Line, repository: SampleRepository, tmp_path: Path
) -> None:
    pages = {f"content/pages/a-page-with-quite-a-long-name-{n:03}.md": f"# Page {n}\n" for n in range(200)}
    repository.commit(pages)
    plain = replace(live(repository, line, wordpress), url=f"{line.url}/?rest_route=/")
    plain.sync()
    second = cloned(plain, repository, tmp_path / "second")
    asked = len(line.passed)

    assert results(second.sync()) == {}
    assert second.ids() == plain.ids()
    assert len([one for one in line.passed[asked:] if "slug" in str(one.body)]) == 3


def test_an_author_of_pages_alone_is_told_before_anything_is_looked_up(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    repository.commit({NEWS: "# News\n"})
    with pytest.raises(ConfigError, match="may make none of the changes of this run"):
        live(repository, line, wordpress, "author").sync()
    assert line.writes == []


def test_a_new_permalink_structure_is_seen_and_followed_by_the_next_sync_with_work(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    first = "content/posts/2024-01-31-first.md"
    repository.commit({NEWS: TREE[NEWS], ABOUT: "# About\n", first: "# First\n"})
    site = live(repository, line, wordpress)
    site.sync()
    old = site.entries()[first].link
    change_permalinks(wordpress, "/%year%/%postname%/")
    try:
        assert open_changes(drift(site)) == {NEWS: "content changed"}
        repository.commit({ABOUT: "# About\n\nAn edit.\n"})
        assert results(site.sync()) == {ABOUT: "done", NEWS: "done"}
        new = site.entries()[first].link
        assert "/2024/" in new
        news = Eyes(wordpress).rows()[site.entries()[NEWS].id]["content"]["raw"]
        assert new in news
        assert old not in news
        assert open_changes(drift(site)) == {}
    finally:
        change_permalinks(wordpress, "/%postname%/")
