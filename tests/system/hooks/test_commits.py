"""The hooks in a clone, called by real commits, merges, pulls and pushes: what is sent and said."""

from __future__ import annotations

import os
from base64 import b64encode
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from tests.support.hooked import ABOUT
from tests.support.repository import SampleRepository
from tests.support.strict_service import Fault, serving

from pressync.cli.main import pressync

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooked import Hooked
    from tests.support.strict_service import StrictService


WRONG = "---\ntitle: [\n---\n"


def _texts(strict: StrictService) -> dict[str, str]:
    return {page["slug"]: page["content"]["raw"].strip() for page in strict.pages}


def test_a_commit_puts_its_page_on_the_site_and_says_so_in_three_lines(
    hooked: Hooked, strict: StrictService
) -> None:
    hooked.pressync("hook", "install")
    said = hooked.commit().splitlines()
    assert sorted(_texts(strict)) == ["about", "index"]
    assert [line.partition(": ")[0] for line in said] == ["pressync"] * 3
    assert "default: 2 done, 0 up to date at" in said[0]
    assert strict.pages[0]["link"] in said[1]
    assert "commit .pressync/default.json" in said[2]
    # What is wrong with the content does not undo the commit, and does not reach the site.
    before = len(strict.received)
    said = hooked.commit(ABOUT, WRONG).splitlines()
    assert "nothing was sent" in said[0]
    assert f"{ABOUT}:" in said[1]
    assert len(said) == 3
    assert len(strict.received) == before
    assert not strict.violations


def test_after_a_rollback_the_same_files_are_refused_and_the_way_on_is_named(
    hooked: Hooked, strict: StrictService
) -> None:
    hooked.pressync("sync", "--yes")
    hooked.pressync("rollback", "--yes")
    hooked.pressync("hook", "install")
    sent = len(strict.received)
    first, second, third = hooked.commit("notes.txt", "1").splitlines()
    assert first.endswith("default: nothing was sent")
    assert second.endswith("was rolled back, and the files still say what it sent")
    assert "next: change or revert the files, and commit, or `pressync sync --again`" in third
    assert len(strict.received) == sent


@pytest.mark.sweep
def test_where_nothing_changed_nothing_is_said_and_no_python_is_started(
    hooked: Hooked, strict: StrictService
) -> None:
    hooked.pressync("hook", "install")
    hooked.commit()
    assert hooked.started() == 1
    assert hooked.commit("notes.txt", "1") == ""
    hooked.git("add", ".pressync")
    assert hooked.git("commit", "--quiet", "-m", "The manifest") == ""
    assert hooked.started() == 0
    # The same bytes in another file: that is looked into.
    manifest = hooked.root / ".pressync/default.json"
    manifest.write_bytes(manifest.read_bytes())
    assert hooked.commit("notes.txt", "2") == ""
    assert hooked.started() == 1
    assert len(strict.received) == 2


def test_a_commit_on_another_branch_reaches_no_site_and_starts_no_python_twice(
    hooked: Hooked, strict: StrictService
) -> None:
    hooked.pressync("hook", "install")
    hooked.repository.git("switch", "--quiet", "--create", "draft/one")
    assert hooked.commit() == ""
    assert hooked.started() == 1
    assert hooked.commit(ABOUT, "# More\n") == ""
    assert hooked.started() == 0
    hooked.repository.git("checkout", "--quiet", "--detach")
    assert hooked.commit(ABOUT, "# Nowhere\n") == ""
    assert not strict.received
    # A branch whose name is that of a comparison hides no work.
    hooked.git("switch", "--quiet", "--create", "main.seen/topic")
    assert hooked.commit("notes.txt", "1") == ""
    # The settings have the last word, and are read anew.
    hooked.repository.git("switch", "--quiet", "draft/one")
    hooked.commit("pressync.toml", f'[sites.live]\nurl = "{strict.url}"\nbranch = "draft/one"\n')
    assert sorted(_texts(strict)) == ["about", "index"]


@pytest.mark.sweep
def test_a_rebase_starts_no_python(hooked: Hooked, strict: StrictService) -> None:
    hooked.pressync("hook", "install")
    hooked.git("switch", "--quiet", "--create", "topic")
    hooked.commit()
    hooked.commit("content/pages/team.md")
    hooked.git("switch", "--quiet", "main")
    hooked.commit("notes.txt", "1")
    hooked.git("switch", "--quiet", "topic")
    before = len(strict.received)
    hooked.started()
    # Git makes both commits anew, and calls post-commit after each, while HEAD is detached.
    hooked.git("rebase", "--quiet", "main")
    assert hooked.started() == 0
    assert len(strict.received) == before


def test_the_manifest_is_committed_once_and_that_commit_calls_nobody(
    hooked: Hooked, strict: StrictService
) -> None:
    hooked.pressync("hook", "install", "--commit")
    hooked.repository.write("off.txt", "The hook is off for one command.")
    hooked.git("add", "off.txt")
    assert hooked.git("commit", "-qm", "Quietly", environ={"PRESSYNC_HOOK": "0"}) == ""
    assert (hooked.started(), strict.received) == (0, [])
    hooked.repository.write("half-done.txt", "not staged with the rest")
    hooked.commit()
    assert hooked.started() == 1
    assert hooked.repository.git("log", "--format=%s").splitlines()[0].endswith("[skip ci]")
    assert hooked.repository.git("rev-list", "--count", "HEAD") == "4"
    assert hooked.repository.git("show", "--name-only", "--format=", "HEAD") == ".pressync/default.json"
    assert hooked.commit("notes.txt") == ""
    assert hooked.started() == 0
    assert len(strict.pages) == 2


def test_the_manifest_is_committed_after_a_true_merge_which_git_has_not_ended_yet(
    hooked: Hooked, strict: StrictService
) -> None:
    hooked.pressync("hook", "install", "--commit", "--type", "post-merge")
    hooked.git("switch", "--quiet", "--create", "topic")
    hooked.commit()
    hooked.git("switch", "--quiet", "main")
    # Git calls post-merge before it takes MERGE_HEAD away, and with that refuses to commit one file alone.
    said = hooked.git("merge", "--quiet", "--no-ff", "--no-edit", "topic")
    assert "2 done" in said
    assert "next:" not in said
    assert len(strict.pages) == 2
    assert hooked.repository.git("log", "-1", "--format=%s").endswith("[skip ci]")
    assert hooked.repository.git("show", "--name-only", "--format=", "HEAD") == ".pressync/default.json"
    assert hooked.repository.git("log", "--first-parent", "--format=%s").count("Merge branch") == 1
    assert hooked.repository.git("status", "--porcelain") == ""


@pytest.mark.sweep
def test_picks_and_reverts_of_several_commits_are_not_broken_by_a_commit_in_between(
    hooked: Hooked, strict: StrictService
) -> None:
    hooked.pressync("hook", "install", "--commit")
    hooked.git("switch", "--quiet", "--create", "topic")
    hooked.commit()
    hooked.commit("content/pages/team.md", "# Team\n")
    hooked.git("switch", "--quiet", "main")
    for command in ("cherry-pick", "main..topic"), ("revert", "--no-edit", "HEAD~1", "HEAD~2"):
        said = hooked.git(*command)
        assert "next: commit .pressync/default.json" in said
        assert hooked.repository.git("status", "--porcelain").strip(" ?") in {
            ".pressync/",
            "M .pressync/default.json",
        }
        hooked.git("add", ".pressync")
        hooked.git("commit", "--quiet", "-m", "The manifest")
    assert [page["slug"] for page in strict.pages if page["status"] != "trash"] == ["index"]
    # After one alone it is committed, as after any other commit.
    hooked.git("cherry-pick", "topic~1")
    assert hooked.repository.git("log", "-1", "--format=%s").endswith("[skip ci]")
    assert hooked.repository.git("status", "--porcelain") == ""


@pytest.mark.sweep
def test_a_commit_that_was_amended_is_no_rewind(hooked: Hooked, strict: StrictService) -> None:
    hooked.pressync("hook", "install")
    hooked.commit()
    # The words of the commit alone: nothing to send, and yet the commit that was synced is no more.
    assert hooked.git("commit", "--quiet", "--amend", "-m", "Better said") == ""
    said = hooked.commit(ABOUT, "# About\n\nMore.\n", "--amend")
    assert "1 done" in said
    assert "More." in _texts(strict)["about"]
    hooked.repository.git("reset", "--quiet", "--hard", "HEAD~1")
    assert "--allow-rewind" in hooked.commit(ABOUT, "# Another history\n")


@pytest.mark.sweep
def test_a_site_that_does_not_answer_holds_nobody_up(hooked: Hooked, strict: StrictService) -> None:
    hooked.pressync("hook", "install", "--time-limit", "1")
    strict.faults.append(Fault(acts=True, end="hang"))
    # On a busy machine the time is up before anything is sent; Git goes on either way.
    assert "1 s" in hooked.commit().splitlines()[0]
    assert hooked.repository.git("rev-list", "--count", "HEAD") == "2"
    assert hooked.repository.git("status", "--porcelain", "--untracked-files=no") == ""


def test_a_merge_is_synced_from_the_work_tree_where_it_happens(
    hooked: Hooked, strict: StrictService, tmp_path: Path
) -> None:
    hooked.pressync(
        "hook", "install", "--type", "post-merge", "--type", "post-commit", "--branch", "published"
    )
    tree = tmp_path / "a tree"
    hooked.repository.git("worktree", "add", "--quiet", "-b", "published", str(tree))
    assert hooked.commit() == ""
    assert not strict.received
    said = hooked.git("-C", str(tree), "merge", "--quiet", "main")
    assert "2 done" in said
    assert (tree / ".pressync/default.json").is_file()
    assert sorted(_texts(strict)) == ["about", "index"]


@pytest.mark.sweep
def test_each_site_follows_its_own_branch(hooked: Hooked, strict: StrictService) -> None:
    settings = "".join(
        f'[sites.{name}]\nurl = "{strict.url}"\nbranch = "{branch}"\n'
        for name, branch in (("live", "live"), ("trial", "main"))
    )
    del os.environ["PRESSYNC_URL"]
    hooked.repository.commit({"pressync.toml": settings})
    assert "Site live follows branch live." in hooked.pressync("hook", "install")
    assert "trial: 2 done" in hooked.commit()
    hooked.repository.git("add", ".")
    hooked.repository.git("switch", "--quiet", "--create", "live")
    assert "live: 2 done" in hooked.commit("notes.txt")


@pytest.mark.sweep
def test_wrong_content_is_not_committed_and_what_is_not_staged_is_not_looked_at(hooked: Hooked) -> None:
    hooked.pressync("hook", "install", "--type", "pre-commit")
    hooked.repository.write(ABOUT, WRONG)
    hooked.git("add", ".")
    said = hooked.git("commit", "-qm", "Wrong", exits=1)
    assert f"{ABOUT}:3" in said
    # Staged is what is committed; the file in the folder is still wrong.
    hooked.repository.write(ABOUT, "# About\n")
    hooked.git("add", ".")
    hooked.repository.write(ABOUT, WRONG)
    assert hooked.git("commit", "-qm", "Right") == ""
    hooked.started()
    hooked.repository.write("notes.txt", "1")
    hooked.git("add", "notes.txt")
    assert hooked.git("commit", "-qm", "Elsewhere") == ""
    assert hooked.started() == 0
    # `git commit FILE` has an index of its own.
    assert f"{ABOUT}:3" in hooked.git("commit", "-qm", "Wrong", "--", ABOUT, exits=1)


def test_the_first_commit_of_all_is_checked(hooked: Hooked) -> None:
    hooked.repository.git("checkout", "--quiet", "--orphan", "fresh")
    hooked.pressync("hook", "install", "--type", "pre-commit")
    hooked.repository.write(ABOUT, WRONG)
    hooked.git("add", ".")
    assert f"{ABOUT}:3" in hooked.git("commit", "-qm", "Wrong", exits=1)


@pytest.mark.sweep
def test_a_push_syncs_what_it_pushes_to_where_the_branch_belongs(
    hooked: Hooked, strict: StrictService, tmp_path: Path
) -> None:
    for name in ("origin", "fork"):
        hooked.repository.git("init", "--quiet", "--bare", str(tmp_path / name))
        hooked.repository.git("remote", "add", name, str(tmp_path / name))
    hooked.pressync("hook", "install", "--type", "pre-push")
    hooked.repository.git("push", "--quiet", "--no-verify", "--set-upstream", "origin", "main")
    pushed = hooked.repository.head()
    hooked.commit()
    hooked.repository.git("push", "--quiet", "fork", "main")
    assert not strict.received
    # A push of main from another branch, and of an older commit of it, are pushes of main.
    hooked.repository.git("switch", "--quiet", "--create", "draft")
    said = hooked.git("push", "--quiet", "origin", "main")
    assert "2 done" in said
    hooked.started()
    assert hooked.git("push", "--quiet", "--force", "origin", f"{pushed}:refs/heads/other") == ""
    hooked.repository.git("switch", "--quiet", "main")
    hooked.commit("content/pages/wrong.md", WRONG)
    assert "content/pages/wrong.md:3" in hooked.git("push", "--quiet", "origin", "main", exits=1)
    assert len(strict.pages) == 2


def test_a_missing_password_stops_no_push(
    hooked: Hooked, strict: StrictService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooked.repository.git("init", "--quiet", "--bare", str(tmp_path / "origin"))
    hooked.repository.git("remote", "add", "origin", str(tmp_path / "origin"))
    hooked.pressync("hook", "install", "--type", "pre-push")
    monkeypatch.setenv("PRESSYNC_USER", "nobody")
    # Wrong content has the same exit code, 2, and is what stops one.
    said = hooked.git("push", "--quiet", "origin", "main").splitlines()
    assert said[0] == "pressync: default: nothing was sent"
    assert "no password for nobody" in said[1]
    assert len(said) == 3
    assert not strict.received


AUTHORIZATION = "Basic " + b64encode(b"anna:hunter2").decode()


def settings(service: StrictService) -> str:
    return f'[sites.live]\nurl = "{service.url}"\nuser = "anna"\nbranch = "main"\n'


@pytest.mark.parametrize("synced", [True, False])
def test_a_pulled_address_gets_no_password(
    hooked: Hooked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, synced: bool
) -> None:
    monkeypatch.setenv("PRESSYNC_PASSWORD", "hunter2")
    with serving() as ours, serving() as theirs:
        ours.authorization = theirs.authorization = AUTHORIZATION
        hooked.repository.commit({"pressync.toml": settings(ours)})
        if synced:
            hooked.pressync("sync", "--yes", "--commit")
        hooked.pressync("hook", "install", "--type", "post-merge")
        eve = SampleRepository(tmp_path / "eve")
        hooked.git("clone", "--quiet", ".", str(eve.root))
        if synced:
            eve.remove(".pressync/live.json")
        eve.commit({"pressync.toml": settings(theirs), ABOUT: "# About\n"})
        seen = len(ours.received)

        said = hooked.git("pull", "--quiet", str(eve.root), "main")
        refusal = f"this clone has not sent its credentials to {theirs.url} before"
        assert refusal in said.replace("\npressync: ", " ")
        assert refusal in hooked.pressync("sync", "--yes", exits=2)
        assert not theirs.received
        assert len(ours.received) == seen

        assert f"sends its credentials to {theirs.url}." in hooked.pressync("config", "--trust")
        hooked.pressync("sync", "--yes")
        assert {page["slug"] for page in theirs.pages} == {"index", "about"}


@pytest.mark.parametrize("answer", ["y", "n"])
def test_a_person_at_a_terminal_is_asked(
    hooked: Hooked, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    monkeypatch.setenv("PRESSYNC_PASSWORD", "hunter2")
    monkeypatch.setattr("pressync.cli.console.is_watched", lambda _given: True)
    with serving() as ours, serving() as theirs:
        ours.authorization = theirs.authorization = AUTHORIZATION
        hooked.repository.commit({"pressync.toml": settings(ours)})
        hooked.pressync("doctor")
        hooked.repository.commit({"pressync.toml": settings(theirs), ABOUT: "# About\n"})
        said = CliRunner().invoke(pressync, ["-C", str(hooked.root), "sync", "--yes"], input=answer)
        assert (
            f"pressync.toml [sites.live]: this clone has not sent its credentials to {theirs.url} before. "
            f"So far it has used {ours.url}. Go on with these settings from now on? [y/N]: "
        ) in said.stderr
        assert said.exit_code == (0 if answer == "y" else 2)
        assert len(theirs.pages) == (2 if answer == "y" else 0)
        again = CliRunner().invoke(pressync, ["-C", str(hooked.root), "sync", "--yes"], input="n")
        assert ("Go on" in again.stderr) == (answer == "n")
