"""Both sides of a change, as source and as a reader sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.app import comparisons, last_synced, rendered_diff
from pressync.app.comparisons import Comparisons
from pressync.app.diffs import Sides
from pressync.app.drift_plan import plan_with_drift
from pressync.app.revision import Revision
from pressync.content.former import FormerTexts
from pressync.plan.build import PlanOptions

if TYPE_CHECKING:
    from tests.support.desk import Desk
    from tests.support.repository import SampleRepository

    from pressync.app.comparisons import Comparison

A, B = "content/pages/a.md", "content/pages/b.md"
TEXT = "# A\n\nOne *word*.\n\nThe end.\n"


@pytest.fixture
def synced(desk: Desk, repository: SampleRepository) -> Desk:
    """Sync one page."""
    repository.commit({A: TEXT})
    desk.sync()
    return desk


def compared(desk: Desk, revision: Revision | None = None, *, drift: bool = False) -> dict[str, Comparison]:
    """Compare the sides of every change, by path."""
    at = revision or Revision()
    with desk.workspace() as workspace:
        draw = plan_with_drift if drift else type(workspace).plan
        planned = draw(workspace, at, PlanOptions())
        with comparisons.opened(workspace, at, planned) as opened:
            return {each.path: each for each in opened.of(planned.plan.changes)}


def test_an_edit_is_shown_beside_what_was_last_sent(synced: Desk) -> None:
    (synced.root / A).write_text(TEXT.replace("word", "sentence"))
    found = compared(synced, Revision(worktree=True))[A]
    assert "+One *sentence*." in found.source
    assert found.rendered is not None
    assert "<del>word</del>" in found.rendered
    assert "<ins>sentence</ins>" in found.rendered
    assert compared(synced) == {}


def test_a_new_page_has_one_side_and_a_removed_one_the_other(
    synced: Desk, repository: SampleRepository
) -> None:
    repository.remove(A)
    repository.commit({B: "# B\n\nNew.\n"})
    found = compared(synced)
    assert found[B].rendered == '<div class="row only new"><div><p>New.</p>\n</div></div>\n'
    assert (found[A].rendered or "").startswith('<div class="row only gone"><div><p>One <em>word')


def test_a_template_is_shown_where_only_it_has_changed(synced: Desk, repository: SampleRepository) -> None:
    repository.commit({"templates/page.html": "<main>\n{{ content }}<p>Foot</p>\n</main>\n"})
    rendered = compared(synced)[A].rendered or ""
    assert '<div class="row new"><div></div><div><p>Foot</p></div></div>' in rendered


def test_a_renamed_file_is_compared_with_the_file_that_it_was(
    synced: Desk, repository: SampleRepository
) -> None:
    repository.move(A, B)
    repository.commit({B: TEXT.replace("end", "END")})
    assert "<del>end</del>" in (compared(synced)[B].rendered or "")


def test_with_a_look_at_the_site_its_text_is_the_other_side(synced: Desk) -> None:
    synced.edit(A, content=("word", "text"))
    found = compared(synced, drift=True)[A]
    assert "<del>text</del>" in (found.rendered or "")
    assert "<ins>word</ins>" in (found.rendered or "")
    assert "+One *text*." in found.source


def test_a_file_with_problems_has_no_rendered_side(synced: Desk, repository: SampleRepository) -> None:
    repository.commit({A: "---\ntitle: [\n---\nx\n"})
    assert compared(synced) == {}


def test_a_side_that_this_clone_lacks_is_named_and_not_invented(
    synced: Desk, repository: SampleRepository
) -> None:
    blob, last = repository.git("rev-parse", f"HEAD:{A}"), repository.head()
    repository.commit({A: "# A\n\nOther.\n"})
    (repository.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    found = compared(synced)[A]
    assert (found.rendered, found.why) == (None, "the text on the site is not in this clone")
    assert last[:10] in found.source


@pytest.mark.parametrize(
    "now",
    [
        {"pressync.toml": '[sites.main]\nblocks = true\n[sites.main.defaults]\nlayout = "one"\n'},
        {"pressync.toml": '[sites.main]\n[sites.main.defaults]\nlayout = "two"\n'},
        {"templates/one.html": "<b>anew</b>\n{{ content }}"},
        {
            "templates/one.html": "<b>anew</b>\n{{ content }}",
            "pressync.toml": "[sites.main]\nblocks = true\n",
        },
    ],
    ids=["blocks", "defaults", "template", "all"],
)
def test_each_command_shows_the_same_text_as_that_which_was_sent(
    desk: Desk, repository: SampleRepository, now: dict[str, str]
) -> None:
    before = '[sites.main]\n[sites.main.defaults]\nlayout = "one"\n'
    templates = {f"templates/{name}.html": f"<i>{name}</i>\n{{{{ content }}}}" for name in ("one", "two")}
    repository.commit({A: TEXT, "pressync.toml": before, **templates})
    desk.sync()
    sent = str(desk.record(A).fields["content"])
    repository.commit({**now, "templates/page.html": "<b>another</b>\n{{ content }}"})

    with desk.workspace() as workspace, workspace.reading() as state:
        planned = workspace.plan(Revision(), PlanOptions())
        content = workspace.content(Revision(), manifest=state.manifest)
        (change,) = planned.plan.pending
        diff = Sides(content, state.manifest, planned).of(change) or ""
        (page,) = Comparisons(workspace, content, state.manifest, planned).of([change])
        (staged,) = last_synced.records(workspace, state.manifest, repository.head())
        texts = FormerTexts(
            workspace.repository,
            workspace.settings,
            planned.entries,
            planned.entries.values(),
            state.manifest,
        )
        rolled_back = texts.read(planned.entries[A])
        there = str(content.prepare(A, planned.entries).fields["content"])

    assert rolled_back is not None
    assert rolled_back.fields["content"] == sent
    assert staged.fields["content"] == sent
    assert not staged.entry.changed_by_service
    assert page.rendered == rendered_diff.rows(sent, there)
    if not diff.startswith("(its file is the same; from now on"):
        old = [line[1:] for line in diff.splitlines()[3:] if line[0] in " -"]
        assert old == sent.splitlines()
