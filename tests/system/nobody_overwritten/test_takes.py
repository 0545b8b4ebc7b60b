"""An edit of the site that `pull` or `propose` took is never overwritten: any history of people and nights.

After each step, each edit is on the site or in HEAD, or a person has put it back.
"""

from __future__ import annotations

from itertools import count, product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from tests.support import embedded_wordpress
from tests.support.repository import SampleRepository
from tests.support.share import part, share
from tests.support.site_edits import LINES, POST, SiteEdits

from pressync.app.propose import BRANCH, proposal
from pressync.app.pull import PullOptions, pull
from pressync.model.changes import Result

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COMMITS = ("none", "other page", "same page", "same line")
_ONE = st.sampled_from([0, 1])
ENDS = ("pulled", "proposed", "pushed", "merged", "thrown away", "amended", "squashed")


@pytest.fixture(scope="module", params=["file", "ref"])
def original(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[SiteEdits, Any]]:
    with embedded_wordpress.serving() as wordpress:
        folder = tmp_path_factory.mktemp("original")
        yield SiteEdits.begin(folder, wordpress, in_file=request.param == "file"), wordpress.memory()


@pytest.fixture
def world(original: tuple[SiteEdits, Any], tmp_path: Path) -> SiteEdits:
    made, memory = original
    made.wordpress.recall(memory)
    return made.again(tmp_path)


def _night(world: SiteEdits, night: int, commit: str, end: str, kind: str, *, in_two: bool) -> None:
    """One day and its night: an edit, a commit that no sync has sent, and what people do with both."""
    here = world.clones[0]
    there = world.clones[1] if in_two else here
    world.update(here)
    if commit != "none" and night != 1:
        world.commit(here, commit, kind)
    world.edit(kind)
    if end == "pulled":
        if world.pull(here):
            world.saved(here, {})
    else:
        world.propose(here, pushed=end != "proposed")
    if end in {"merged", "thrown away", "amended", "squashed"} and world.branch(there):
        world.update(there)
        if end == "thrown away":
            world.throw_away(there)
        elif end == "amended":
            world.amend(there)
        else:
            world.merge(there, squash=end == "squashed")
    if commit != "none" and night == 1:
        # After the branch was made.
        world.commit(there, commit, kind)
    world.update(there)
    world.sync(there)
    assert world.lost() == []


# With this step each habit occurs, and no two cases have a pair of them in common.
_STEP = 75
PRODUCT = list(product(COMMITS, ENDS, LINES, [False, True]))
CASES = [
    *PRODUCT[::_STEP],
    # The step is a prime, so the cases of a share differ in each of the four.
    *(pytest.param(*case, marks=pytest.mark.sweep) for case in share(PRODUCT, every=53)),
]


@pytest.mark.parametrize(("commit", "end", "kind", "in_two"), CASES)
def test_three_nights_of_one_habit_lose_no_edit(
    world: SiteEdits, commit: str, end: str, kind: str, in_two: bool
) -> None:
    for night in range(3):
        _night(world, night, commit, end, kind, in_two=in_two)


@pytest.mark.parametrize(("squash", "kind"), part(product((False, True), ("text", "title")), 4))
def test_a_clone_that_did_not_take_the_edit_sends_what_was_merged(
    world: SiteEdits, squash: bool, kind: str
) -> None:
    """A squash has neither text of the take if HEAD has gone on; the record shows that it has the edit."""
    here, there = world.clones
    world.commit(here, "same page")
    word = world.edit(kind)
    assert world.propose(here, pushed=True)
    world.update(there)
    world.commit(there, "same page")
    world.branch(there)
    assert world.merge(there, squash=squash)
    # This clone has fetched the branch. A job has not.
    there.git("fetch", "--quiet", "--prune", "origin")

    assert world.sync(there) == {POST: Result.DONE}

    assert world.is_on_site(word)
    assert world.in_some_head(word)


@pytest.mark.parametrize("kind", part(LINES, 4))
def test_a_commit_of_another_clone_has_not_merged_a_pull_that_nobody_has_committed(
    world: SiteEdits, kind: str
) -> None:
    """Both clones are of one person, who did not know of the pull."""
    here, there = world.clones
    word = world.edit(kind)
    assert world.pull(here)
    if world.in_file:
        here.git("commit", "--quiet", "--message", "The manifest alone", "--", ".pressync")
        here.git("push", "--quiet", "origin", "main")
    world.update(there)
    world.commit(there, "same line", kind)

    assert world.sync(there) == {POST: Result.BLOCKED}

    assert world.is_on_site(word)


@pytest.mark.parametrize("original", ["ref"], indirect=True)
@pytest.mark.parametrize("where", part(["same page", "none"], 2))
def test_a_take_that_the_former_version_kept_waits_for_its_merge(world: SiteEdits, where: str) -> None:
    """That version kept the merged text alone, for a manifest in a reference, which did not name it."""
    here = world.clones[0]
    if where != "none":
        world.commit(here, where)
    word = world.edit("text")
    world.propose(here, pushed=True)
    world.branch(here)
    here.git("checkout", "--quiet", "--detach")
    here.git("checkout", f"origin/{BRANCH}", "--", POST)
    here.git("commit", "--quiet", "--message", f"{POST} as on the site")
    here.git("update-ref", "refs/pressync-kept/live", "HEAD")
    here.git("checkout", "--quiet", "main")
    world.forget_takes(here)

    assert world.sync(here).get(POST) is Result.BLOCKED
    world.propose(here, pushed=True)
    assert world.branch(here)
    assert world.merge(here)
    assert world.sync(here).get(POST) in ({Result.DONE} if where != "none" else {None})
    assert world.is_on_site(word)
    assert world.in_some_head(word)


@pytest.mark.parametrize(
    ("takes", "commit"), part(product(("pull", "propose"), ("same page", "other page")), 4)
)
def test_a_shallow_clone_takes_no_edit_without_the_text_of_the_last_sync(
    world: SiteEdits, takes: str, commit: str
) -> None:
    """With the file itself as the base, the words that no sync has sent would go."""
    world.commit(world.clones[0], commit)
    word = world.edit("text")
    job = SampleRepository(world.folder / "job")
    origin = f"file://{world.folder / 'origin.git'}"
    world.clones[0].git("clone", "--quiet", "--depth=1", origin, str(job.root))
    before = (job.root / POST).read_text(encoding="utf-8")

    def look() -> tuple[str, str]:
        with world.bound(job).workspace() as workspace:
            if takes == "pull":
                (result,) = pull(workspace, PullOptions((POST,)))
                return (job.root / POST).read_text(encoding="utf-8"), "".join(result.problems)
            made = proposal(workspace, None, world.said.append)
        return job.git("show", f"{made.commit or 'HEAD'}:{POST}"), "".join(dict(made.left).values())

    taken, said = look()
    if commit == "same page":
        assert (taken.strip(), said.partition(";")[0]) == (
            before.strip(),
            "the text of the last sync is not in this shallow clone",
        )
        assert "`git fetch --unshallow`" in said
        job.git("fetch", "--quiet", "--unshallow")
        taken, said = look()

    assert said == ""
    assert taken.strip() == before.strip().replace("Third paragraph", f"Third paragraph {word}")


def test_a_text_that_is_let_go_is_told(world: SiteEdits) -> None:
    here = world.clones[0]
    world.commit(here, "same page")
    world.edit("text")
    assert world.pull(here)
    world.saved(here, {})
    assert world.sync(here) == {POST: Result.DONE}
    word = world.edit("text")
    assert world.pull(here)
    world.put_back(here)

    assert world.sync(here) == {POST: Result.DONE}

    in_head, gone = (said for said in world.said if "does not keep it any longer" in said)
    assert f"{POST}: the text that was taken from the site is in HEAD" in in_head
    shown = gone.partition("`git show ")[2].partition("`")[0]
    assert word not in here.git("show", f"HEAD:{POST}")
    assert word in here.git("show", shown)
    assert here.git("ls-tree", "--name-only", "refs/pressync-kept/live") == "takes.json"


class Histories(RuleBasedStateMachine):
    """People edit on the site and in two clones; jobs pull, propose and sync, in any order."""

    made: tuple[SiteEdits, Any]
    folders: Iterator[Path]

    @initialize()
    def begin(self) -> None:
        made, memory = self.made
        made.wordpress.recall(memory)
        self.world = made.again(next(self.folders))

    @rule(kind=st.sampled_from(list(LINES)))
    def somebody_edits_on_the_site(self, kind: str) -> None:
        self.world.edit(kind)

    @rule(here=_ONE, where=st.sampled_from(COMMITS[1:]), kind=st.sampled_from(list(LINES)))
    def somebody_commits(self, here: int, where: str, kind: str) -> None:
        self.world.commit(self.world.clones[here], where, kind)

    @rule(here=_ONE, then=st.sampled_from(["commits it", "puts it back", "goes home"]))
    def somebody_pulls(self, here: int, then: str) -> None:
        clone = self.world.clones[here]
        changed = self.world.pull(clone)
        if changed and then == "commits it":
            self.world.saved(clone, {})
        elif changed and then == "puts it back":
            self.world.put_back(clone)

    @rule(here=_ONE, pushed=st.booleans())
    def a_job_proposes(self, here: int, pushed: bool) -> None:
        self.world.update(self.world.clones[here])
        self.world.propose(self.world.clones[here], pushed=pushed)

    @rule(here=_ONE, how=st.sampled_from(ENDS[3:]))
    def somebody_reviews(self, here: int, how: str) -> None:
        clone = self.world.clones[here]
        if clone.git("status", "--porcelain") or not self.world.branch(clone):
            return
        self.world.update(clone)
        if how == "thrown away":
            self.world.throw_away(clone)
        elif how == "amended":
            self.world.amend(clone)
        else:
            self.world.merge(clone, squash=how == "squashed")

    @rule(here=_ONE)
    def a_job_syncs(self, here: int) -> None:
        self.world.update(self.world.clones[here])
        self.world.sync(self.world.clones[here])

    @invariant()
    def no_edit_is_lost(self) -> None:
        if hasattr(self, "world"):
            assert self.world.lost() == []


@pytest.mark.parametrize(
    ("examples", "steps"),
    [
        (2, 8),
        pytest.param(len(share(range(100), 16)), 14, marks=[pytest.mark.sweep, pytest.mark.timeout(3000)]),
    ],
)
def test_no_history_loses_an_edit(
    original: tuple[SiteEdits, Any], tmp_path: Path, examples: int, steps: int
) -> None:
    folders = (tmp_path / str(number) for number in count())
    machine = type("Histories", (Histories,), {"made": original, "folders": folders})
    run_state_machine_as_test(
        machine, settings=settings(settings(), max_examples=examples, stateful_step_count=steps)
    )
