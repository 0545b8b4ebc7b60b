"""The edits behind a plan: the Markdown as last synced beside the Markdown as it is now."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.support import builders

from pressync.model.changes import Block
from pressync.plan.build import PlannedRun
from pressync.plan.diffs import diffs
from pressync.plan.order import Schedule
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

    from pressync.model.changes import Change
    from pressync.model.records import Entry

PATH = "content/pages/a.md"


def blob(repository: SampleRepository, text: str | bytes) -> str:
    """Commit a text and give its blob's id."""
    repository.commit({PATH: text})
    return repository.git("rev-parse", f"HEAD:{PATH}")


def shown(repository: SampleRepository, change: Change, entry: Entry | None = None) -> str | None:
    """Give what is shown of the plan that holds one change."""
    drawn = PlannedRun(builders.plan(change), Schedule((), (), ()), {entry.path: entry} if entry else {})
    with Repository(repository.root) as opened:
        found = diffs(opened, drawn)
    assert set(found) <= {PATH}
    return found.get(PATH)


def test_an_edited_file_shows_its_lines_before_and_after(repository: SampleRepository) -> None:
    before = blob(repository, "# A\n\nOne.\nTwo.\n")
    after = blob(repository, "# A\n\nOne.\nThree.\n")
    change = builders.update(PATH, old=builders.entry(PATH, blob=before), blob=after)
    assert shown(repository, change) == (
        "--- as last synced\n+++ as it is now\n@@ -2,3 +2,3 @@\n \n One.\n-Two.\n+Three."
    )


def test_a_new_file_is_all_new(repository: SampleRepository) -> None:
    change = builders.create(PATH, blob=blob(repository, "# A\n"))
    assert shown(repository, change) == "--- as last synced\n+++ as it is now\n@@ -0,0 +1 @@\n+# A"


def test_a_removed_file_is_all_gone(repository: SampleRepository) -> None:
    change = builders.delete(PATH, blob=blob(repository, "# A\n"))
    assert shown(repository, change) == "--- as last synced\n+++ as it is now\n@@ -1 +0,0 @@\n-# A"


def test_an_update_that_comes_from_a_template_has_no_edit_to_show(repository: SampleRepository) -> None:
    same = blob(repository, "# A\n")
    change = builders.update(PATH, old=builders.entry(PATH, blob=same), blob=same)
    assert shown(repository, change) == ""


def test_a_side_that_this_clone_lacks_is_not_invented(repository: SampleRepository) -> None:
    here = blob(repository, "# A\n")
    assert (
        shown(repository, builders.update(PATH, old=builders.entry(PATH, blob="1" * 40), blob=here)) is None
    )
    assert shown(repository, builders.delete(PATH, blob="1" * 40)) is None


def test_a_record_that_was_only_adopted_has_no_side_before(repository: SampleRepository) -> None:
    adopted = builders.entry(PATH, blob="", commit="")
    assert shown(repository, builders.update(PATH, old=adopted, blob=blob(repository, "# A\n"))) is None


def test_bytes_that_are_no_text_are_shown_all_the_same(repository: SampleRepository) -> None:
    change = builders.create(PATH, blob=blob(repository, b"caf\xe9\n"))
    assert (shown(repository, change) or "").endswith("+caf\N{REPLACEMENT CHARACTER}")


def test_a_conflict_shows_what_stands_on_the_site(repository: SampleRepository) -> None:
    blob(repository, "# A\n")
    entry = builders.entry(PATH, conflict={"title": "Theirs", "content": "<p>1</p>\n<p>2</p>", "excerpt": ""})
    change = replace(builders.blocked(PATH, number=7), block=Block.CONFLICT)
    assert shown(repository, change, entry) == (
        "title on the site:\n+Theirs\ncontent on the site:\n+<p>1</p>\n+<p>2</p>\nexcerpt on the site:\n+"
    )


def test_what_is_kept_or_blocked_has_nothing_to_show(repository: SampleRepository) -> None:
    blob(repository, "# A\n")
    assert shown(repository, builders.keep(PATH), builders.entry(PATH)) is None
    assert shown(repository, builders.blocked(PATH), builders.entry(PATH)) is None
