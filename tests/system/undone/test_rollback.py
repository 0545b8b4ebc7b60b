"""A rollback on a service: calls, manifest, refusals, and a rollback that is killed."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

import pytest
from tests.durability.walk import death
from tests.support import embedded_wordpress
from tests.support.library_repository import Shelf
from tests.support.repository import SampleRepository, copied
from tests.support.strict_service import serving
from tests.support.syncing import Bound, Site
from tests.support.undoing import rolled_back, seen

from pressync.app.pull import PullOptions, pull
from pressync.model.changes import DeleteCall, Result, UpdateCall
from pressync.model.errors import Gone, SafetyRefusal
from pressync.state.clone_facts import RunRecords

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pressync.model.changes import Call
    from pressync.model.records import Record
    from pressync.state.clone_facts import RecordAfter, RunRecord

A, B, C = "content/pages/a.md", "content/pages/b.md", "content/pages/c.md"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """Make a site with two pages, one of which links to the other; each test gets a copy."""
    repository = SampleRepository.create(tmp_path_factory.mktemp("original") / "repository")
    repository.commit({A: "# A\n\n[b](b.md)\n", B: "# B\n"})
    made = Shelf(repository.root, "https://site.test/wp-json")
    made.sync()
    return made


@pytest.fixture
def shelf(original: Shelf, repository: SampleRepository) -> Shelf:
    copied(original.root.parent, repository.root.parent)
    return Shelf(repository.root, original.url, service=deepcopy(original.service))


def test_a_rollback_sends_only_what_the_run_changed(shelf: Shelf, repository: SampleRepository) -> None:
    before, manifest = dict(shelf.service.held), shelf.entries()
    repository.commit({A: "# A\n\nOther\n", C: "# C\n"})
    shelf.sync()
    sent = len(shelf.service.calls)
    result = rolled_back(shelf)
    calls = shelf.service.calls[sent:]
    assert [type(call) for call in calls] == [UpdateCall, DeleteCall]
    assert [dict(call.fields) for call in calls if isinstance(call, UpdateCall)] == [
        {"content": before[manifest[A].id].fields["content"]}
    ]
    assert {outcome.result for outcome in result.outcomes} == {Result.DONE}
    now = shelf.entries()
    assert {path: entry.fingerprints for path, entry in now.items()} == {
        path: entry.fingerprints for path, entry in manifest.items()
    }
    assert now[A].commit == manifest[A].commit


@pytest.mark.parametrize(("stays", "at"), [(True, "c"), (False, "b")])
def test_a_page_that_a_run_has_moved_is_linked_where_the_rollback_leaves_it(
    repository: SampleRepository, *, stays: bool, at: str
) -> None:
    text = "---\ntitle: B\n---\n" + "A long text.\n" * 9
    repository.commit({A: "# A\n\n[b](b.md)\n", B: text})
    shelf = Shelf(repository.root, "https://site.test/wp-json")
    shelf.sync()
    repository.move(B, C)
    repository.commit({A: "# Anew\n\n[c](c.md)\n", C: text.replace("B", "C")})
    shelf.sync()
    now = shelf.entries()
    assert now[C].link == "https://site.test/c/"
    if stays:
        shelf.service.held[now[C].id].fields["title"] = "Somebody's"  # type: ignore[index]
    result = rolled_back(shelf)
    ended = {C: Result.BLOCKED} if stays else {B: Result.DONE}
    assert {o.change.path: o.result for o in result.outcomes} == {A: Result.DONE, **ended}
    content = str(shelf.service.held[now[A].id].fields["content"])
    assert f'<a href="https://site.test/{at}/">b</a>' in content


def test_a_renamed_file_has_its_record_under_the_old_path_without_a_call(
    repository: SampleRepository,
) -> None:
    repository.commit({A: "---\nslug: a\ntitle: A\n---\n" + "A long text.\n" * 9, B: "# B\n"})
    shelf = Shelf(repository.root, "https://site.test/wp-json")
    shelf.sync()
    before, sent = shelf.entries(), len(shelf.service.calls)
    repository.move(A, C)
    repository.commit()
    shelf.sync()
    assert shelf.entries().keys() == {B, C}
    rolled_back(shelf)
    assert shelf.entries() == before
    assert len(shelf.service.calls) == sent


def test_a_record_that_is_gone_counts_as_trashed(shelf: Shelf, repository: SampleRepository) -> None:
    repository.commit({C: "# C\n"})
    shelf.sync()
    del shelf.service.held[shelf.entries()[C].id]
    result = rolled_back(shelf)
    assert [(o.result, o.message) for o in result.outcomes] == [(Result.DONE, "it was gone already")]
    assert C not in shelf.entries()


def test_a_failed_call_leaves_the_record_and_a_second_rollback_undoes_it(
    shelf: Shelf, repository: SampleRepository
) -> None:
    repository.commit({A: "# Anew\n"})
    shelf.sync()
    with pytest.raises(AssertionError):
        rolled_back(shelf, agree=lambda _plan: False)
    assert shelf.service.held[shelf.entries()[A].id].fields["title"] == "Anew", "nobody agreed"
    assert not shelf.plan().refusals
    shelf.service.ends.append(Gone("not now", status=404))
    assert [o.result for o in rolled_back(shelf).outcomes] == [Result.FAILED]
    assert [o.result for o in rolled_back(shelf).outcomes] == [Result.DONE]
    assert shelf.service.held[shelf.entries()[A].id].fields["title"] == "A"


def test_a_revert_before_the_rollback_needs_no_refusal(shelf: Shelf, repository: SampleRepository) -> None:
    repository.write(".gitignore", ".pressync/\n")
    repository.commit({A: "# Anew\n"})
    shelf.sync()
    repository.commit({A: "# A\n\n[b](b.md)\n"})
    rolled_back(shelf)
    assert shelf.plan().settled
    assert not shelf.plan().refusals


@pytest.mark.parametrize(
    "steps",
    [20, 36, *(pytest.param(n, marks=pytest.mark.sweep) for n in range(0, 60, 4) if n not in {20, 36})],
)
def test_a_rollback_that_is_killed_ends_right_when_it_is_run_again(
    shelf: Shelf, repository: SampleRepository, steps: int
) -> None:
    before = {number: record.fields for number, record in shelf.service.held.items()}
    repository.commit({A: "# Anew\n", C: "# C\n"})
    shelf.sync()
    with pytest.raises(death.Killed) if steps < 20 else _perhaps(), death.after(steps):
        rolled_back(shelf)
    rolled_back(shelf)
    assert {number: shelf.service.held[number].fields for number in before} == before
    assert shelf.entries().keys() == {A, B}
    assert shelf.plan().refusals


@pytest.mark.parametrize(
    ("sent", "since", "results"),
    [(True, "", [Result.DONE]), (True, "Somebody's", [Result.BLOCKED]), (False, "", [])],
    ids=["carried out", "edited since", "not carried out"],
)
def test_a_record_that_a_killed_run_had_bound_gets_back_what_its_owner_wrote(
    shelf: Shelf,
    repository: SampleRepository,
    monkeypatch: pytest.MonkeyPatch,
    *,
    sent: bool,
    since: str,
    results: list[Result],
) -> None:
    theirs = shelf.service.hold(70, title="Theirs", slug="c", content="<p>Theirs</p>", status="publish")
    repository.commit({C: "---\nid: 70\n---\n# Ours\n\nText.\n"})
    carry_out = shelf.service.carry_out

    def killed(call: Call) -> Record:
        if sent:
            carry_out(call)
        raise death.Killed

    with monkeypatch.context() as patch:
        patch.setattr(shelf.service, "carry_out", killed)
        with pytest.raises(death.Killed):
            shelf.sync()
    if since:
        shelf.service.held[70].fields["title"] = since  # type: ignore[index]
    assert [outcome.result for outcome in rolled_back(shelf).outcomes] == results
    assert (shelf.service.held[70].fields == theirs.fields) is not bool(since)
    assert C not in shelf.entries()


def test_the_way_back_is_known_before_a_rollback_counts_as_finished(
    shelf: Shelf, repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({A: "# Anew\n"})
    shelf.sync()
    end = RunRecords.end

    def killed(self: RunRecords, record: RunRecord, after: Iterable[tuple[str, RecordAfter]]) -> None:
        end(self, record, after)
        raise death.Killed

    monkeypatch.setattr(RunRecords, "end", killed)
    with pytest.raises(death.Killed):
        rolled_back(shelf)
    (refusal,) = shelf.plan().refusals
    assert (
        "was rolled back, and the files still say what it sent; `pressync rollback --files`"
        in refusal.message
    )


class _perhaps:  # noqa: N801 - a context manager
    """Let the block be killed, or not."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        return kind is death.Killed


def test_a_deleted_page_comes_back_with_its_id_and_the_pages_below_it(repository: SampleRepository) -> None:
    below = "content/pages/a/below.md"
    with embedded_wordpress.serving() as service:
        repository.commit({A: "# A\n", B: "# B\n", below: "# Below\n"})
        site = Bound(repository.root, service.url, environ=embedded_wordpress.ENVIRON)
        site.sync()
        before, entries = {n: seen(r) for n, r in service.shown.items()}, site.entries()
        repository.remove(A, below)
        repository.commit()
        site.sync()
        assert {record["status"] for record in service.shown.values()} == {"publish", "trash"}
        rolled_back(site)
        assert {n: seen(r) for n, r in service.shown.items()} == before
        assert {p: (e.id, e.link) for p, e in site.entries().items()} == {
            p: (e.id, e.link) for p, e in entries.items()
        }


def test_a_service_without_reads_is_rolled_back_by_its_responses(repository: SampleRepository) -> None:
    with serving() as service:
        repository.commit({A: "# A\n", B: "# B\n"})
        site = Site(repository.root, service.url)
        site.sync()
        repository.commit({A: "# Anew\n", C: "# C\n"})
        repository.remove(B)
        repository.commit()
        site.sync()
        result = rolled_back(site)
        titles = {str(page["slug"]): page["status"] for page in service.pages}
        assert {o.change.path: o.result for o in result.outcomes}[A] is Result.DONE
        assert titles["a"] == "publish"


@pytest.mark.parametrize(
    ("merged", "chosen"), [(False, False), pytest.param(True, False, marks=pytest.mark.sweep), (True, True)]
)
def test_a_run_after_a_pull_is_rolled_back_to_the_text_that_was_pulled(
    repository: SampleRepository, *, merged: bool, chosen: bool
) -> None:
    with embedded_wordpress.serving() as service:
        repository.write(".gitignore", ".pressync/\n")
        repository.commit({A: "# A\n\nOne\n\nTwo\n", B: "# B\n"})
        site = Bound(repository.root, service.url, environ=embedded_wordpress.ENVIRON)
        site.sync()
        if merged:
            repository.commit({A: "# A\n\nOne\n\nTwo\n\nOurs\n"})
        edited = "<!-- wp:html -->\n<p>Theirs</p>\n<p>Two</p>\n<!-- /wp:html -->"
        service.bend(site.entries()[A].id, lambda page: page["content"].update(raw=edited))
        with site.workspace() as workspace:
            assert [each.settled for each in pull(workspace, PullOptions((A,)))] == [True]
        # No commit has the text that was pulled if somebody chooses another one.
        repository.commit({A: "# A\n\nChosen\n\nTwo\n\nOurs\n"} if chosen else None)
        if not merged:
            assert not site.sync().outcomes
            repository.commit({A: "# Anew\n"})
        before = {n: seen(r) for n, r in service.shown.items()}
        site.sync()
        assert {n: seen(r) for n, r in service.shown.items()} != before
        assert [(o.result, o.message) for o in rolled_back(site).outcomes] == [(Result.DONE, "")]
        assert {n: seen(r) for n, r in service.shown.items()} == before
        with pytest.raises(SafetyRefusal, match="was rolled back, and the files still say what it sent"):
            site.sync()
        repository.git("revert", "--no-edit", "HEAD")
        assert merged or not site.plan().pending


def test_an_edit_that_was_pulled_since_is_left_and_no_later_run_is_blamed(
    repository: SampleRepository,
) -> None:
    with embedded_wordpress.serving() as service:
        repository.commit({A: "# A\n"})
        site = Bound(repository.root, service.url, environ=embedded_wordpress.ENVIRON)
        site.sync()
        service.bend(site.entries()[A].id, lambda page: page["title"].update(raw="Theirs"))
        with site.workspace() as workspace:
            pull(workspace, PullOptions((A,)))
        (outcome,) = rolled_back(site).outcomes
        assert "`pressync pull` has taken an edit" in outcome.message
