"""Both sides of a change, as source and as a reader sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.app import comparisons
from pressync.app.drift_plan import plan_with_drift
from pressync.app.revision import Revision
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
