"""A tool of an agent sends what its own account may do, whatever is committed."""

from __future__ import annotations

import json
import random
import re
from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from tests.support import clones
from tests.support.embedded_wordpress import PASSWORD
from tests.support.gallery import picture
from tests.support.share import part
from tests.support.syncing import Bound

from pressync.app import check
from pressync.app.revision import Revision
from pressync.client.wordpress import account
from pressync.model.errors import PressyncError, SafetyRefusal
from pressync.plan.build import PlanOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository

AS_AGENT = PlanOptions(as_agent=True)
ABOUT, IDEA = "content/posts/about.md", "content/posts/idea.md"
MANIFEST = ".pressync/default.json"
START = {ABOUT: "# About\n"}
DRAFT = "---\nstatus: draft\n---\n# New\n\nText.\n"
AGENT = {"PRESSYNC_AGENT_USER": "agent", "PRESSYNC_AGENT_PASSWORD": PASSWORD, "PRESSYNC_DIALECT": "wordpress"}


@pytest.fixture
def bound(repository: SampleRepository, site: EmbeddedWordPress) -> Bound:
    """Bind the repository to the site as a person, who has published a post."""
    repository.commit(START)
    bound = clones.bound(repository, site)
    bound.sync()
    repository.commit()
    return bound


@pytest.fixture
def agent(bound: Bound, site: EmbeddedWordPress) -> Bound:
    """Bind the same repository as a tool of an agent, whose account is a contributor's."""
    site.add_person("agent", "An agent", role="contributor")
    return Bound(bound.root, bound.url, environ=AGENT, as_agent=True)


def titles(site: EmbeddedWordPress) -> dict[str, str]:
    """Give the status of each record by its title."""
    return {row["title"]["raw"]: row["status"] for row in site.shown.values()}


def test_an_agent_writes_a_draft_and_edits_it(
    repository: SampleRepository, site: EmbeddedWordPress, agent: Bound
) -> None:
    repository.commit({IDEA: DRAFT})
    agent.sync(AS_AGENT)
    repository.commit({IDEA: DRAFT.replace("Text", "A better text")})

    agent.sync(AS_AGENT)

    (new,) = (each for each in site.shown.values() if each["title"]["raw"] == "New")
    assert (new["status"], "A better text" in new["content"]["raw"]) == ("draft", True)


def test_an_account_without_a_draft_makes_one_without_text_to_show_its_rights(
    repository: SampleRepository, site: EmbeddedWordPress, agent: Bound
) -> None:
    for number in range(2):
        repository.commit({f"content/posts/{number}.md": DRAFT.replace("New", f"Number {number}")})
        agent.sync(AS_AGENT)

    shown = [row for row in site.shown.values() if row["title"]["raw"].startswith("pressync: ")]
    assert [(row["status"], row["content"]["raw"]) for row in shown] == [("draft", "")]


def grant(right: str) -> Callable[[EmbeddedWordPress], None]:
    """Give contributors a right by their role, which the raw list shows."""

    def granted(site: EmbeddedWordPress) -> None:
        site.transformed = lambda path, shown: _with_right(path, shown, right)

    return granted


def _with_right(path: str, shown: Any, right: str) -> Any:  # noqa: ANN401 - any JSON
    return {**shown, "capabilities": {**shown["capabilities"], right: True}} if "/users/me" in path else shown


RIGHTS = (
    *("publish_posts", "edit_others_posts", "edit_published_posts", "edit_private_posts", "upload_files"),
    *("unfiltered_html", "manage_options", "edit_users", "edit_plugins", "delete_users", "moderate_comments"),
    *("manage_categories", "edit_theme_options", "a_right_of_a_plugin", "delete_published_posts", "level_11"),
)


@pytest.mark.parametrize("right", part(RIGHTS, 5))
def test_an_account_with_any_further_right_sends_nothing(
    repository: SampleRepository, site: EmbeddedWordPress, agent: Bound, right: str
) -> None:
    grant(right)(site)
    repository.commit({IDEA: DRAFT})

    with pytest.raises(SafetyRefusal, match=f"the account has the right `{right}`"):
        agent.sync(AS_AGENT)

    assert titles(site) == {"About": "publish"}


@pytest.mark.parametrize("shown", [["edit_posts", "read"], {}, "edit_posts"], ids=str)
def test_an_account_whose_rights_the_site_does_not_list_sends_nothing(
    repository: SampleRepository, site: EmbeddedWordPress, agent: Bound, shown: object
) -> None:
    site.transformed = lambda path, row: {**row, "capabilities": shown} if "/users/me" in path else row
    repository.commit({IDEA: DRAFT})

    with pytest.raises(SafetyRefusal, match="the site shows no list of the account's rights"):
        agent.sync(AS_AGENT)

    assert titles(site) == {"About": "publish"}


@pytest.mark.parametrize(
    ("allowed", "why"),
    part(
        [
            ({"posts/1": "GET, PUT, DELETE"}, "allows it DELETE, PUT at /wp/v2/posts/1, which is published"),
            ({"posts/1": ""}, "does not answer OPTIONS /wp/v2/posts/1 with the methods that it allows"),
            ({"categories/1": "GET, PUT"}, "allows it PUT at /wp/v2/categories/1"),
            *(
                ({one: "GET, POST"}, f"it POST at /wp/v2/{one}")
                for one in ("media", "settings", "users", "plugins")
            ),
        ],
        3,
    ),
)
def test_a_right_that_a_filter_adds_shows_in_the_methods_that_the_site_allows(
    repository: SampleRepository, site: EmbeddedWordPress, agent: Bound, allowed: dict[str, str], why: str
) -> None:
    site.allowed |= allowed
    repository.commit({IDEA: DRAFT})

    with pytest.raises(SafetyRefusal, match=re.escape(why)):
        agent.sync(AS_AGENT)

    assert titles(site) == {"About": "publish"}


def test_a_record_of_which_the_site_says_nothing_is_passed_over_if_it_speaks_of_another(
    repository: SampleRepository, site: EmbeddedWordPress, agent: Bound
) -> None:
    """WordPress says nothing of a comment whose post is gone."""
    site.post("categories", name="News")
    site.allowed["categories/1"] = ""
    repository.commit({IDEA: DRAFT})

    agent.sync(AS_AGENT)

    assert titles(site)["New"] == "draft"


def _published_by_a_person(repository: SampleRepository, site: EmbeddedWordPress, agent: Bound) -> int:
    """Let an agent write a draft, and a person publish it; give its number."""
    repository.commit({IDEA: DRAFT})
    agent.sync(AS_AGENT)
    (number,) = (number for number, row in site.shown.items() if row["title"]["raw"] == "New")
    site.post(f"posts/{number}", status="publish")
    return number


def test_a_right_to_change_what_was_published_of_its_own_shows_there(
    repository: SampleRepository, site: EmbeddedWordPress, agent: Bound
) -> None:
    number = _published_by_a_person(repository, site, agent)
    site.allowed[f"posts/{number}"] = "GET, PUT"
    repository.commit({IDEA: DRAFT.replace("Text", "More")})

    with pytest.raises(SafetyRefusal, match=f"the site allows it PUT at /wp/v2/posts/{number}"):
        agent.sync(AS_AGENT)


@pytest.mark.parametrize(
    ("has_draft", "action"),
    part(product((True, False), ("publish", "unfiltered-html", "assign-author", "of-a-plug-in")), 3),
)
def test_a_right_that_a_filter_adds_shows_in_the_links_of_an_own_draft(
    repository: SampleRepository, site: EmbeddedWordPress, agent: Bound, action: str, *, has_draft: bool
) -> None:
    if has_draft:
        repository.commit({"content/posts/first.md": DRAFT.replace("New", "First")})
        agent.sync(AS_AGENT)
    before = titles(site)

    def with_action(_path: str, shown: Any) -> Any:  # noqa: ANN401 - any JSON
        for row in shown if isinstance(shown, list) else [shown]:
            if isinstance(row, dict) and "_links" in row:
                row["_links"][f"wp:action-{action}"] = [{"href": "x"}]
        return shown

    site.transformed = with_action
    repository.commit({IDEA: DRAFT.replace("Text", "<script>alert(1)</script>")})

    with pytest.raises(SafetyRefusal, match="the site says of its draft at /wp/v2/posts"):
        agent.sync(AS_AGENT)

    # Without a draft of its own, one without text was made to see it.
    assert {*titles(site)} - {*before} == (set() if has_draft else {account.FIRST_DRAFT})


def test_the_account_is_judged_again_right_before_the_first_write(
    repository: SampleRepository, site: EmbeddedWordPress, agent: Bound
) -> None:
    repository.commit({IDEA: DRAFT})
    asked = []

    def promoted(path: str, shown: Any) -> Any:  # noqa: ANN401 - any JSON
        asked.append(path)
        is_later = len([each for each in asked if "/users/me" in each and "capabilities" in each]) > 1
        return _with_right(path, shown, "publish_posts") if is_later and "capabilities" in path else shown

    site.transformed = promoted

    with pytest.raises(SafetyRefusal, match="publish_posts"):
        agent.sync(AS_AGENT)

    assert titles(site) == {"About": "publish"}


def test_a_draft_that_a_person_has_published_is_not_another_users(
    repository: SampleRepository, site: EmbeddedWordPress, agent: Bound
) -> None:
    number = _published_by_a_person(repository, site, agent)
    repository.commit({IDEA: DRAFT.replace("Text", "More")})

    (outcome,) = (each for each in agent.sync(AS_AGENT).outcomes if each.change.path == IDEA)

    assert outcome.message.startswith("published by a person since it was sent")
    assert "Text" in site.shown[number]["content"]["raw"]


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({ABOUT: None, IDEA: DRAFT}, "the record of content/posts/about.md would be deleted"),
        ({IDEA: DRAFT.replace("status", "tags: [new]\nstatus")}, "names tags 'new', which the site"),
        (
            {IDEA: DRAFT.replace("Text", "![a](a.png)"), "content/posts/a.png": "x"},
            "needs content/posts/a.png",
        ),
    ],
)
def test_what_no_tool_sends_is_refused_before_anything_is_sent(
    repository: SampleRepository,
    site: EmbeddedWordPress,
    agent: Bound,
    files: dict[str, str | None],
    why: str,
) -> None:
    for path in (path for path, text in files.items() if text is None):
        (repository.root / path).unlink()
    repository.commit({path: text for path, text in files.items() if text is not None})
    before = site.shown

    with pytest.raises(SafetyRefusal, match=re.escape(why)):
        agent.sync(AS_AGENT)

    assert site.shown == before


def test_what_the_account_of_the_agent_may_not_write_names_it_and_not_the_person_of_the_settings(
    repository: SampleRepository, site: EmbeddedWordPress, agent: Bound
) -> None:
    repository.commit({"content/pages/idea.md": DRAFT})
    named = replace(agent, environ={**AGENT, "PRESSYNC_USER": "admin"})
    with pytest.raises(PressyncError) as raised:
        named.sync(AS_AGENT)

    assert "the account of the agent may make none of the changes of this run: edit_pages" in str(
        raised.value
    )
    assert "a role that writes pages" in str(raised.value)
    assert titles(site) == {"About": "publish"}


NEW_TAG, NEW_PICTURE = "names tags 'new', which the site", "needs content/posts/a.png"


@pytest.mark.parametrize(
    ("keys", "body", "expected"),
    [
        ("tags: [new]\n", "", [(3, NEW_TAG)]),
        ("", "Text.\n\n![a](a.png)\n", [(8, NEW_PICTURE)]),
        ("featured_media: a.png\n", "", [(3, NEW_PICTURE)]),
        # A person has sent these, and an id needs no name.
        ("tags: [old, 7]\n", "![a](sent.png)\n", []),
    ],
)
def test_check_names_the_line_of_what_no_tool_makes(
    repository: SampleRepository, bound: Bound, keys: str, body: str, expected: list[tuple[int, str]]
) -> None:
    theirs = "---\ntags: [old]\n---\n# Theirs\n\n![a](sent.png)\n"
    pictures = {f"content/posts/{name}.png": picture(size, 2) for name, size in (("sent", 2), ("a", 3))}
    repository.commit({"content/posts/theirs.md": theirs, **pictures})
    bound.sync()
    repository.commit({IDEA: f"---\nstatus: draft\n{keys}---\n# New\n\n{body}"})

    with bound.workspace() as workspace:
        of_people, found = (
            check.check(workspace, Revision(), strict=False, as_agent=each).problems for each in (False, True)
        )

    told = [each for each in found if each not in of_people]
    assert all((each.path, each.severity) == (IDEA, "error") for each in told)
    assert [
        (each.line, each.what[: len(what)]) for each, (_, what) in zip(told, expected, strict=True)
    ] == expected


def test_a_tag_that_the_site_has_may_be_named(
    repository: SampleRepository, site: EmbeddedWordPress, agent: Bound
) -> None:
    number = site.post("tags", name="old")
    repository.commit({IDEA: DRAFT.replace("status", "tags: [old]\nstatus")})

    agent.sync(AS_AGENT)

    assert [row["tags"] for row in site.shown.values() if row["title"]["raw"] == "New"] == [[number]]


@pytest.mark.parametrize(
    "environ",
    [
        {"PRESSYNC_USER": "admin", "PRESSYNC_PASSWORD": PASSWORD},
        {"PRESSYNC_TOKEN": PASSWORD},
        {"PRESSYNC_AGENT_USER": "agent"},
    ],
)
def test_a_persons_credentials_are_never_the_agents(
    repository: SampleRepository, agent: Bound, environ: dict[str, str]
) -> None:
    repository.commit({IDEA: DRAFT})
    with pytest.raises(PressyncError, match="there is no account of an agent for site 'default'"):
        replace(agent, environ={"PRESSYNC_DIALECT": "wordpress", **environ}).sync(AS_AGENT)


class Intruder:
    """An agent that commits whatever it likes, and the people who work on the same site."""

    def __init__(self, seed: int, repository: SampleRepository, site: EmbeddedWordPress) -> None:
        self.random = random.Random(seed)  # noqa: S311 - it draws what an agent does
        self.repository = repository
        self.site = site
        self.theirs: dict[int, str] = {}

    def step(self) -> None:
        """Do one thing, and commit it."""
        self.random.choice(
            [
                *(self.write, self.write, self.remove, self.rename, self.forge, self.claim),
                *(self.person_publishes, self.person_edits),
            ]
        )()

    def write(self) -> None:
        status = self.random.choice(["draft", "draft", "draft", "publish", "pending", "private", "future"])
        number = self.random.choice(["", "", "", f"id: {self.random.randint(1, 6)}\n"])
        name = self.random.choice([ABOUT, IDEA, *(f"content/posts/{each}.md" for each in "abc")])
        text = f"---\nstatus: {status}\n{number}---\n# {name}\n\nWords {self.random.random()}.\n"
        self.repository.commit({name: text})

    def remove(self) -> None:
        files = [*self._files()]
        if files:
            (self.repository.root / self.random.choice(files)).unlink()
            self.repository.commit()

    def rename(self) -> None:
        files = self._files()
        if files:
            path = self.random.choice([*files])
            new = f"content/posts/r{self.random.randint(0, 3)}.md"
            (self.repository.root / path).unlink()
            self.repository.commit({new: files[path]})

    def forge(self) -> None:
        file = self.repository.root / MANIFEST
        texts = json.dumps(json.loads(file.read_text()))
        known = sorted({*re.findall(r'"status": ?"([^"]+)"', texts)})
        if known:
            self.repository.commit({MANIFEST: texts.replace(known[0], known[-1])})

    def claim(self) -> None:
        """Commit a row by which any record is a draft that pressync sent."""
        file = self.repository.root / MANIFEST
        manifest = json.loads(file.read_text())
        path = self.random.choice([*self._files(), "content/posts/taken.md"])
        number = self.random.choice([*self.site.shown])
        row = {**manifest["records"][0], "path": path, "id": number, "blob": "0" * 40, "fingerprints": {}}
        manifest["records"] = [each for each in manifest["records"] if each["path"] != path] + [row]
        text = f"---\nstatus: draft\n---\n# Taken {self.random.random()}\n"
        self.repository.commit({MANIFEST: json.dumps(manifest), path: text})

    def person_publishes(self) -> None:
        if drafts := [number for number, each in self.site.shown.items() if each["status"] == "draft"]:
            self.site.post(f"posts/{self.random.choice(drafts)}", status="publish")

    def person_edits(self) -> None:
        number = self.random.choice([*self.site.shown])
        text = f"<p>A person wrote {self.random.random()}.</p>"
        self.site.post(f"posts/{number}", content=text)
        self.theirs[number] = text

    def _files(self) -> dict[str, str]:
        root = self.repository.root
        return {str(file.relative_to(root)): file.read_text() for file in (root / "content").rglob("*.md")}


def visible(site: EmbeddedWordPress) -> dict[int, Any]:
    """Give what readers can see, or could see before, of each record that is not a draft."""
    wanted = ("status", "title", "content", "slug", "parent")
    hidden = {"draft", "pending"}
    shown = site.shown.items()
    return {
        number: [row.get(name) for name in wanted] for number, row in shown if row["status"] not in hidden
    }


@pytest.mark.parametrize("seed", part(range(24), 24, turns=3))
def test_no_sequence_of_commits_publishes_deletes_or_overwrites(
    repository: SampleRepository, site: EmbeddedWordPress, agent: Bound, seed: int
) -> None:
    intruder = Intruder(seed, repository, site)
    for _ in range(10):
        intruder.step()
        before, numbers = visible(site), {*site.shown}

        with suppress(PressyncError):
            agent.sync(AS_AGENT, keep_going=True)

        assert visible(site) == before
        assert {*site.shown} >= numbers
        for number, text in intruder.theirs.items():
            assert text in site.shown[number]["content"]["raw"]
        repository.commit()
