"""The edits of a site become one branch and one pull request, and their merge leaves file and site equal."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from tests.support.embedded_wordpress import ENVIRON, serving
from tests.support.forge_lookalikes import play_gitlab, serving_forgejo
from tests.support.github_lookalike import serving as github_serving
from tests.support.repository import SampleRepository, copied
from tests.support.share import part, share

from pressync.app.propose import BRANCH, _git_name
from pressync.cli.main import pressync

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.github_lookalike import GitHub

ABOUT, TEAM, POST = "content/pages/about.md", "content/pages/team.md", "content/posts/hello.md"
FILES = {
    "pressync.toml": '[sites.live]\nurl = "{url}"\ndialect = "wordpress"\nuser = "admin"\nbranch = "main"\n',
    ABOUT: "# About\n\nFirst paragraph.\n\nSecond paragraph.\n\nThird paragraph.\n",
    TEAM: "# Team\n\nFirst paragraph.\n\nSecond paragraph.\n\nThird paragraph.\n",
    POST: "---\ndate: 2024-01-02T03:04:05\n---\n# Hello\n\nFirst paragraph.\n\nSecond paragraph.\n",
}
ROUTES = {ABOUT: "pages", TEAM: "pages", POST: "posts"}
TOKEN, NAME = "ghs_secret", "garden/site"
_PROPOSE = "import sys; sys.argv = ['pressync', 'propose']\nfrom pressync.__main__ import main\nmain()\n"


@dataclass
class Garden:
    """A clone with a remote, a site and a GitHub."""

    clone: SampleRepository
    remote: Path
    site: EmbeddedWordPress
    github: GitHub

    def run(self, *words: str, code: int | None = 0, program: str = "", **more: str) -> str:
        """Run a command, or a `program` as a process, and give what it prints; `code` None takes any code."""
        environ: dict[str, str | None] = {
            **dict.fromkeys(name for name in os.environ if name.startswith("PRESSYNC_")),
            "PRESSYNC_PASSWORD": ENVIRON["PRESSYNC_PASSWORD"],
            "GITHUB_TOKEN": TOKEN,
            "GITHUB_REPOSITORY": NAME,
            "GITHUB_API_URL": self.github.url,
            **more,
        }
        root = self.clone.root
        if program:
            whole = {name: value for name, value in {**os.environ, **environ}.items() if value is not None}
            asked = [sys.executable, "-c", program]
            done = subprocess.run(asked, cwd=root, env=whole, capture_output=True, text=True, check=False)
            ended, said = done.returncode, done.stdout + done.stderr
        else:
            with contextlib.chdir(root):
                result = CliRunner().invoke(pressync, words, env=environ)
            assert result.exception is None or isinstance(result.exception, SystemExit), result.output
            ended, said = result.exit_code, result.output
        assert code is None or ended == code, said
        return said

    def sync(self) -> None:
        self.run("sync", "--yes")
        self.clone.commit(message="Sync")
        self.clone.git("push", "--quiet", "origin", "main")

    def row(self, path: str) -> dict[str, object]:
        slug = path.rpartition("/")[2].removesuffix(".md")
        asked = {"slug": slug, "context": "edit", "status": "any"}
        found = self.site.client.get(
            f"/wp-json/wp/v2/{ROUTES[path]}", query_string=asked, auth=self.site.auth
        ).json
        assert found
        return dict(found[0])

    def content(self, path: str) -> str:
        found = self.row(path)["content"]
        assert isinstance(found, dict)
        return str(found["raw"])

    def edit(self, path: str, old: str, new: str) -> None:
        text = self.content(path)
        assert old in text
        self.site.post(f"{ROUTES[path]}/{self.row(path)['id']}", content=text.replace(old, new))

    def branch(self) -> list[str]:
        """Give the subjects of the branch's own commits on the remote, the first one first."""
        there = subprocess.run(
            ["git", "-C", str(self.remote), "log", "--reverse", "--format=%s", f"main..{BRANCH}"],
            capture_output=True,
            text=True,
            check=False,
        )
        return there.stdout.splitlines() if not there.returncode else []

    def tip(self) -> str:
        asked = ["git", "-C", str(self.remote), "rev-parse", "--verify", "--quiet", BRANCH]
        return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()

    def merge(self) -> None:
        """Merge the pull request, as a person does on GitHub, and take it into the clone."""
        self.clone.git("fetch", "--quiet", "origin")
        self.clone.git("pull", "--quiet", "--no-edit", "--no-rebase", "origin", BRANCH)
        self.clone.git("push", "--quiet", "origin", "main", f":{BRANCH}")


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, EmbeddedWordPress, Any]]:
    """Sync a clone with a remote once; give the folder of both, the site, and what it has then."""
    folder = tmp_path_factory.mktemp("planted")
    remote = SampleRepository.create(folder / "remote").root
    subprocess.run(["git", "-C", str(remote), "config", "core.bare", "true"], check=True)
    clone = SampleRepository.create(folder / "clone")
    clone.git("remote", "add", "origin", str(remote / ".git"))
    with serving() as site, github_serving(NAME, TOKEN) as github:
        clone.commit({path: text.replace("{url}", site.url) for path, text in FILES.items()})
        Garden(clone, remote / ".git", site, github).sync()
        yield folder, site, site.memory()


@pytest.fixture
def garden(planted: tuple[Path, EmbeddedWordPress, Any], tmp_path: Path) -> Iterator[Garden]:
    """Give a copy of the clone and its remote, and the site as it was then."""
    folder, site, memory = planted
    site.recall(memory)
    here = copied(folder, tmp_path)
    with github_serving(NAME, TOKEN) as github:
        github.branches = here / "remote/.git"
        yield Garden(SampleRepository(here / "clone"), here / "remote/.git", site, github)


def test_an_edit_opens_one_pull_request_that_the_merge_empties(garden: Garden) -> None:
    garden.edit(ABOUT, "Second paragraph.", "A <strong>better</strong> one, @everyone: fixes #1 | x.")
    garden.edit(POST, "First paragraph.", "The first.")

    printed = garden.run("propose")
    tip = garden.tip()
    again = garden.run("propose")

    assert garden.branch() == [
        f"Take the edits of {ABOUT} from the site",
        f"Take the edits of {POST} from the site",
        "The manifest knows the edits of the site live",
    ]
    (pull,) = garden.github.open
    assert pull["html_url"] in printed
    assert pull["html_url"] in again
    assert garden.tip() == tip
    assert "+A **better** one" in pull["body"]
    assert garden.clone.git("status", "--porcelain") == ""
    assert "A **better**" not in (garden.clone.root / ABOUT).read_text(encoding="utf-8")
    garden.merge()
    assert "A **better** one" in (garden.clone.root / ABOUT).read_text(encoding="utf-8")
    assert "Nothing to do" in garden.run("plan", "--drift")
    assert "Nothing to propose" in garden.run("propose")


def test_an_edit_that_is_taken_back_closes_the_pull_request_and_removes_the_branch(garden: Garden) -> None:
    garden.edit(ABOUT, "Second", "Another")
    garden.run("propose")
    assert len(garden.github.open) == 1

    garden.edit(ABOUT, "Another", "Second")
    garden.run("propose")

    assert (garden.github.open, garden.tip()) == ([], "")


def test_a_conflict_is_named_and_left_and_other_edits_are_proposed(garden: Garden) -> None:
    garden.clone.commit({ABOUT: FILES[ABOUT].replace("Second paragraph", "Our paragraph")})
    garden.clone.git("push", "--quiet", "origin", "main")
    garden.edit(ABOUT, "Second paragraph", "Their paragraph")
    garden.edit(TEAM, "Third", "Last")

    printed = garden.run("propose", code=1)

    assert f"{ABOUT}: left: both sides changed the same place" in printed
    assert garden.branch()[0] == f"Take the edits of {TEAM} from the site"
    assert ABOUT not in "".join(garden.branch())
    assert "both sides changed" in garden.github.open[0]["body"]
    assert "Their paragraph" not in garden.github.open[0]["body"]


def test_the_text_of_a_page_that_is_not_public_any_more_is_not_proposed(garden: Garden) -> None:
    garden.edit(ABOUT, "Second", "A secret")
    garden.site.post(f"pages/{garden.row(ABOUT)['id']}", status="draft")

    printed = garden.run("propose", code=1)

    assert "on the site it is not public any more (draft)" in printed
    assert (garden.github.open, garden.tip()) == ([], "")


@pytest.mark.parametrize(
    ("without_github", "is_pushed"),
    part(product([{}, {"GITHUB_TOKEN": "", "GITHUB_REPOSITORY": ""}], [True, False]), 3),
)
def test_a_branch_with_a_commit_of_somebody_else_is_not_touched(
    garden: Garden, without_github: dict[str, str], is_pushed: bool
) -> None:
    garden.clone.git("checkout", "--quiet", "-b", BRANCH)
    mine = garden.clone.commit({"note.txt": "by a person"}, "A note")
    garden.clone.git("checkout", "--quiet", "main")
    if is_pushed:
        garden.clone.git("push", "--quiet", "origin", BRANCH)
        garden.clone.git("branch", "--quiet", "-D", BRANCH)
    tip = garden.tip()
    garden.edit(ABOUT, "Second", "Another")

    # On GitHub the branch of the clone is not touched.
    refused = is_pushed or bool(without_github)
    printed = garden.run("propose", code=4 if refused else 0, **without_github)

    assert ("has a commit of somebody else" in printed) is refused
    assert not refused or (garden.tip(), garden.github.open) == (tip, [])
    assert is_pushed or garden.clone.git("rev-parse", BRANCH) == mine


@pytest.mark.parametrize(
    ("changed", "subject", "line", "said"),
    [
        ({ABOUT: FILES[ABOUT].replace("Second", "A reviewer's")}, "", "", "a commit of somebody else"),
        pytest.param(
            {"note.txt": "by a reviewer"}, "", "", "a commit of somebody else", marks=pytest.mark.sweep
        ),
        pytest.param(
            *({}, "The summer hours, as Jane said", "", "a commit of somebody else"), marks=pytest.mark.sweep
        ),
        ({}, "", "Pressync-Edit: page 1", "a commit of somebody else"),
    ],
    ids=["words", "another file", "words of the message", "a line without the blob"],
)
def test_words_of_a_reviewer_in_our_commit_are_not_pushed_away(
    garden: Garden, changed: dict[str, str], subject: str, line: str, said: str
) -> None:
    """A job of the night is a fresh clone, so it remembers no tip of the branch."""
    garden.edit(ABOUT, "Second", "Another")
    garden.run("propose")
    clone = garden.clone
    clone.git("fetch", "--quiet", "origin", BRANCH)
    clone.git("checkout", "--quiet", "--detach", "FETCH_HEAD~1")
    for path, text in changed.items():
        clone.write(path, text)
    clone.git("add", "--all")
    before, _, ours = clone.git("log", "-1", "--format=%B").partition("\n\n")
    message = f"{subject or before}\n\n{line or ours}\n"
    clone.git("commit", "--quiet", "--amend", "--message", message)
    clone.git("push", "--quiet", "--force", "origin", f"HEAD:{BRANCH}")
    clone.git("checkout", "--quiet", "main")
    tip = garden.tip()

    assert said in garden.run("propose", code=4)
    assert garden.tip() == tip
    clone.git("push", "--quiet", "origin", f":{BRANCH}")
    garden.run("propose")
    assert len(garden.branch()) == 2


@pytest.mark.parametrize(
    ("shown", "author"), part([("...", "admin"), ('"Ann" <the editor>.', 'Ann" the editor')], 2, start=1)
)
def test_no_name_of_an_editor_ends_a_proposal(garden: Garden, shown: str, author: str) -> None:
    garden.edit(ABOUT, "Second", "Another")
    facts = "from pressync.client.wordpress.look import LastRevision, WordPressFacts as Facts"
    named = f"{facts}\nFacts.last_revision = lambda *_: LastRevision('', 1, {shown!r}, 'admin')\n"

    assert f"(by {author})" in garden.run(program=f"{named}{_PROPOSE}")
    (first, _manifest) = subprocess.run(
        ["git", "-C", str(garden.remote), "log", "--reverse", "--format=%an", f"main..{BRANCH}"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert first == author


@pytest.mark.parametrize(
    ("shown", "name"), [(",", ""), ('"', ""), ("<>", ""), ("", ""), ("Zoë O'Neill", "Zoë O'Neill")]
)
def test_a_name_is_what_git_leaves_of_it(shown: str, name: str) -> None:
    assert _git_name(shown) == name


@pytest.mark.sweep
def test_an_edit_whose_time_git_does_not_take_is_proposed(garden: Garden) -> None:
    garden.edit(ABOUT, "Second", "Another")
    with garden.site.store.writing() as db:
        db.execute("UPDATE records SET modified = 7000000000")

    garden.run("propose")
    tip = garden.tip()
    garden.run("propose")

    assert garden.branch()[0] == f"Take the edits of {ABOUT} from the site"
    assert garden.tip() == tip


@pytest.mark.sweep
@pytest.mark.parametrize("in_file", [True, pytest.param(False, marks=pytest.mark.sweep)])
def test_an_edit_that_git_refuses_is_left_and_named_and_others_are_proposed(
    request: pytest.FixtureRequest, in_file: bool
) -> None:
    garden: Garden = request.getfixturevalue("garden" if in_file else "with_reference")
    garden.edit(ABOUT, "Second", "Another")
    garden.edit(TEAM, "Second", "Another")
    refusing = (
        "from pressync.repo import push\n"
        "from pressync.model.errors import RepositoryError\n"
        "def refusing(repository, path, *rest, real=push.commit_edit):\n"
        f"    if path == {TEAM!r}: raise RepositoryError('git commit failed: no')\n"
        "    return real(repository, path, *rest)\n"
        "push.commit_edit = refusing\n"
    )

    said = garden.run(program=f"{refusing}{_PROPOSE}", code=1)

    assert f"{TEAM}: left: git commit failed: no" in said
    assert garden.branch()[0] == f"Take the edits of {ABOUT} from the site"
    assert TEAM not in "".join(garden.branch())
    garden.merge()
    garden.run("propose")
    assert garden.branch()[0] == f"Take the edits of {TEAM} from the site"


@pytest.mark.parametrize("address", part(["../remote/.git", "./../remote/.git"], 2))
def test_the_address_of_the_remote_may_be_a_path_from_the_clone(with_reference: Garden, address: str) -> None:
    garden = with_reference
    garden.clone.git("remote", "set-url", "origin", address)
    garden.edit(ABOUT, "Second", "Another")

    garden.run("propose")

    assert garden.branch()[0] == f"Take the edits of {ABOUT} from the site"


@pytest.mark.parametrize(("token", "edited"), part(product([TOKEN, ""], [True, False]), 3))
def test_a_remote_that_is_empty_is_named(garden: Garden, token: str, edited: bool) -> None:
    if edited:
        garden.edit(ABOUT, "Second", "Another")
    subprocess.run(["git", "-C", str(garden.remote), "update-ref", "-d", "refs/heads/main"], check=True)

    said = garden.run("propose", code=4, GITHUB_TOKEN=token)

    assert "origin has no branch main that the edits could be merged into" in said
    assert "git push origin main" in said
    assert (garden.github.received, garden.tip()) == ([], "")


def test_a_refusal_of_github_names_the_field(garden: Garden, monkeypatch: pytest.MonkeyPatch) -> None:
    """GitHub may know a branch later than Git does."""
    garden.edit(ABOUT, "Second", "Another")
    monkeypatch.setattr(garden.github, "branches", garden.clone.root)

    assert "GitHub answered 422: Validation Failed; head: invalid" in garden.run("propose", code=1)


@pytest.fixture
def with_reference(garden: Garden) -> Garden:
    """Move the manifest into a reference: it is that of all branches, so a branch has the texts alone."""
    settings = (garden.clone.root / "pressync.toml").read_text(encoding="utf-8")
    (garden.clone.root / ".pressync/live.json").unlink()
    garden.clone.commit({"pressync.toml": f'{settings}manifest = "ref"\n'})
    garden.clone.git("push", "--quiet", "origin", "main")
    for path in (ABOUT, TEAM, POST):
        garden.run("adopt", path, str(garden.row(path)["id"]))
    garden.run("sync", "--yes")
    return garden


@pytest.mark.sweep
def test_an_edit_without_a_branch_or_whose_branch_was_thrown_away_is_not_overwritten(
    with_reference: Garden,
) -> None:
    garden = with_reference
    garden.clone.commit({"note.txt": "mine"}, "Mine")
    garden.edit(ABOUT, "Second", "Another")
    garden.run("propose", code=4)
    garden.clone.git("push", "--quiet", "origin", "main")
    blocked = garden.run("sync", "--yes", code=1)
    garden.run("propose")
    made = garden.branch()
    garden.clone.git("push", "--quiet", "origin", f":{BRANCH}")
    blocked_again = garden.run("sync", "--yes", code=1)
    garden.run("propose")

    assert "the site has a text of this file that HEAD does not have" in blocked
    assert "the site has a text of this file that HEAD does not have" in blocked_again
    assert made == garden.branch() == [f"Take the edits of {ABOUT} from the site"]
    assert "Another" in garden.content(ABOUT)
    garden.merge()
    assert "Nothing to do" in garden.run("plan", "--drift")


@pytest.mark.sweep
def test_with_the_manifest_in_a_reference_the_merge_leaves_nothing_to_do(with_reference: Garden) -> None:
    garden = with_reference
    garden.edit(ABOUT, "Second", "Another")

    garden.run("propose")
    again = garden.run("propose")

    assert garden.branch() == [f"Take the edits of {ABOUT} from the site"]
    assert len(garden.github.open) == 1
    assert "The pull request:" in again
    garden.merge()
    assert "Another" in (garden.clone.root / ABOUT).read_text(encoding="utf-8")
    assert "Nothing to do" in garden.run("plan", "--drift")


@pytest.mark.parametrize("address", ["../remote/.git", "./../remote/.git"])
def test_a_folder_has_no_page_of_a_forge(garden: Garden, address: str) -> None:
    garden.clone.git("remote", "set-url", "origin", address)
    garden.edit(ABOUT, "Second", "Another")

    printed = garden.run("propose", GITHUB_TOKEN="", GITHUB_REPOSITORY="")

    assert "git push --force-with-lease" in printed
    assert "https://" not in printed


def test_commits_that_are_not_pushed_are_not_proposed(garden: Garden) -> None:
    garden.clone.commit({"note.txt": "mine"}, "Mine")
    garden.edit(ABOUT, "Second", "Another")

    assert "git push origin main" in garden.run("propose", code=4)
    assert garden.tip() == ""


def test_without_github_the_commands_and_the_link_are_printed(garden: Garden) -> None:
    garden.edit(ABOUT, "Second", "Another")
    for remote, expected in (
        ("git@gitlab.example.org:garden/site.git", "-o merge_request.create -o merge_request.target=main"),
        ("https://gitea.example.org/garden/site.git", "/garden/site/compare/main...pressync/site-edits"),
        ("git@github.com:garden/site.git", "/compare/main...pressync/site-edits?expand=1"),
    ):
        garden.clone.git("config", f"url.{garden.remote}.insteadOf", remote)
        garden.clone.git("remote", "set-url", "origin", remote)

        printed = garden.run("propose", GITHUB_TOKEN="", GITHUB_REPOSITORY="")

        assert "git push --force-with-lease" in printed
        assert expected in printed
        assert garden.tip() == ""
        assert "Another" in garden.clone.git("show", f"{BRANCH}:{ABOUT}")
    assert garden.github.received == []


def test_gitlab_opens_changes_and_closes_its_merge_request_by_the_push(garden: Garden) -> None:
    request = play_gitlab(garden.remote)
    job = {"GITHUB_TOKEN": "", "GITHUB_REPOSITORY": "", "GITLAB_CI": "true"}
    garden.edit(ABOUT, "Second", "Another")

    printed = garden.run("propose", code=0, program="", **job)

    assert "The merge request: https://gitlab.test/garden/site/-/merge_requests/1" in printed
    assert request.read_text() == f"{BRANCH}|main|Edits made on the site live\n"
    assert "as it was" in garden.run("propose", code=0, program="", **job)
    garden.edit(ABOUT, "Another", "Second")
    assert "Nothing to propose" in garden.run("propose", code=0, program="", **job)
    assert (request.exists(), garden.tip()) == (False, "")
    assert not (garden.remote / "unknown-options").exists()


@pytest.mark.sweep
def test_gitlab_that_takes_the_branch_and_not_its_options_is_an_error(garden: Garden) -> None:
    play_gitlab(garden.remote)
    hook = garden.remote / "hooks/post-receive"
    hook.write_text(hook.read_text().replace("${given[target]}", "gone"))
    garden.edit(ABOUT, "Second", "Another")

    said = garden.run("propose", code=1, GITHUB_REPOSITORY="", GITLAB_CI="true")

    assert "GitLab did not open the merge request: Target branch garden/site:gone does not exist" in said


@pytest.mark.parametrize("in_job", part([True, False], 2))
def test_forgejo_opens_changes_and_closes_its_pull_request(garden: Garden, in_job: bool) -> None:
    with serving_forgejo(NAME, TOKEN) as forgejo:
        server = forgejo.url.removesuffix("/api/v1")
        remote = f"{server}/{NAME}.git"
        garden.clone.git("config", f"url.{garden.remote}.insteadOf", remote)
        garden.clone.git("remote", "set-url", "origin", remote)
        forgejo.branches = garden.remote
        for number in range(3):
            garden.clone.git("push", "--quiet", "origin", f"main:refs/heads/other{number}")
            forgejo.add_pull(f"other{number}", "main")
        job = {"FORGEJO_ACTIONS": "true", "GITHUB_SERVER_URL": server}
        # GitHub's token goes to a runner of Forgejo, where it is Forgejo's, and to no other place.
        person = {"FORGEJO_SERVER_URL": server, "FORGEJO_TOKEN": TOKEN, "GITHUB_TOKEN": "ghp_of_a_person"}
        environ = job if in_job else {**person, "GITHUB_REPOSITORY": ""}
        garden.edit(ABOUT, "Second", "Another")

        printed = garden.run("propose", code=0, program="", **environ)
        garden.edit(TEAM, "Second", "Another")
        garden.run("propose", code=0, program="", **environ)

        pull = forgejo.open[-1]
        assert (pull["head"]["ref"], len(forgejo.open)) == (BRANCH, 4)
        assert pull["html_url"] in printed
        assert TEAM in pull["body"]
        for path in (ABOUT, TEAM):
            garden.edit(path, "Another", "Second")
        garden.run("propose", code=0, program="", **environ)
        assert (len(forgejo.open), garden.tip()) == (3, "")
    assert garden.github.received == []


@pytest.mark.sweep
@pytest.mark.parametrize(
    "step", [pytest.param(n, marks=() if n == 5 else pytest.mark.sweep) for n in range(8)]
)
def test_a_run_that_is_killed_anywhere_leaves_one_branch_and_one_request_or_none(
    garden: Garden, step: int
) -> None:
    garden.edit(ABOUT, "Second", "Another")
    garden.edit(TEAM, "First", "Another")
    killed = (
        "import os, signal, sys, subprocess\n"
        f"left = [{step}]\n"
        "def dying(real):\n"
        "    def called(*a, **k):\n"
        "        command = [str(each) for each in a[0]] if a and isinstance(a[0], list) else []\n"
        "        counts = {'push', 'commit', 'ls-remote', 'worktree'} & set(command)\n"
        "        if counts or not command:\n"
        "            if not left[0]: os.kill(os.getpid(), signal.SIGKILL)\n"
        "            left[0] -= 1\n"
        "        return real(*a, **k)\n"
        "    return called\n"
        "subprocess.run = dying(subprocess.run)\n"
        "from pressync.app.forge_api import ForgeApi\n"
        "ForgeApi.call = dying(ForgeApi.call)\n"
        "from pressync.__main__ import main\n"
        "sys.argv = ['pressync', 'propose']\n"
        "main()\n"
    )
    garden.run(program=killed, code=-signal.SIGKILL)

    assert len(garden.github.open) <= len(garden.branch())
    assert garden.clone.git("status", "--porcelain") == ""
    garden.run("propose")
    assert len(garden.github.open) == 1
    assert len(garden.branch()) == 3
    garden.merge()
    assert "Nothing to do" in garden.run("plan", "--drift")


@pytest.mark.sweep
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", share(range(20), 10))
def test_random_edits_on_both_sides_end_with_file_and_site_equal(garden: Garden, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a seed makes the history the same each time
    written: dict[str, list[str]] = {}
    for step in range(4):
        # Each side changes other paragraphs, so Git merges both.
        for path in chance.sample(sorted(ROUTES), 2):
            word = f"site{seed}x{step}"
            garden.edit(path, "First paragraph", f"First paragraph {word}")
            written.setdefault(path, []).append(word)
        for path in chance.sample(sorted(ROUTES), chance.randint(0, 2)):
            text, word = (garden.clone.root / path).read_text(encoding="utf-8"), f"file{seed}x{step}"
            garden.clone.commit({path: text.replace("Second paragraph", f"Second paragraph {word}")})
            written.setdefault(path, []).append(word)
        garden.clone.git("push", "--quiet", "origin", "main")
        if chance.random() < 0.3:  # the nightly job did not run
            continue
        garden.run("propose", code=None)
        if garden.tip() and chance.random() < 0.7:  # somebody reviews it
            garden.merge()
            garden.run("sync", "--yes", code=None)
            garden.clone.commit(message="Sync")
            garden.clone.git("push", "--quiet", "origin", "main")
    garden.run("propose")
    if garden.tip():
        garden.merge()
    garden.sync()

    assert "Nothing to do" in garden.run("plan", "--drift")
    for path, words in written.items():
        for word in words:
            assert word in garden.content(path), (path, word)
            assert word in (garden.clone.root / path).read_text(encoding="utf-8")
    assert (garden.github.open, garden.tip()) == ([], "")


def test_the_action_proposes_on_a_timer_and_does_nothing_for_a_pull_request(
    garden: Garden, tmp_path: Path
) -> None:
    garden.edit(ABOUT, "Second", "Another")
    event = tmp_path / "event.json"
    event.write_text('{"pull_request": {"number": 7}, "repository": {"default_branch": "main"}}')

    refused = garden.run(
        *("action", "--mode", "pull"),
        code=2,
        GITHUB_EVENT_NAME="pull_request",
        GITHUB_EVENT_PATH=str(event),
    )
    assert "a pull request is only ever planned" in refused
    assert (garden.github.open, garden.tip(), garden.github.received) == ([], "", [])

    garden.run("action", "--mode", "pull", GITHUB_EVENT_NAME="schedule")
    assert len(garden.github.open) == 1
