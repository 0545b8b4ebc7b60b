"""`pressync check` needs neither network nor manifest; its formats, and the findings of `doctor`."""

from __future__ import annotations

import json
import re
import subprocess
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest
from tests.support.plan_samples import PROBLEMS, hostile_plan
from tests.support.repository import SampleRepository
from tests.support.terminal import Terminal
from tests.support.wordpress_lookalike import Lookalike, serving

from pressync.app import check
from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.cli.commands import check as command
from pressync.cli.report import github
from pressync.model.errors import Code, Problem

if TYPE_CHECKING:
    from pathlib import Path


A, B = "content/pages/a.md", "content/pages/b.md"
NO_FILTER = "take the file out of that line in `.gitattributes`, and commit it again"
LONG = "".join(f"Line {number} of a page that is long enough.\n\n" for number in range(20))


def said(
    repository: SampleRepository, revision: Revision | None = None, *, strict: bool = False
) -> list[str]:
    """Check a repository and give its problems as text."""
    with Workspace.open(repository.root, environ={}) as workspace:
        return [str(each) for each in check.check(workspace, revision or Revision(), strict=strict).problems]


def test_files_that_are_not_here_are_one_line_for_each_folder(repository: SampleRepository) -> None:
    repository.commit(
        {
            A: "# A\n\n![](/img/a.png) ![](/img/b.png) ![](/certs/c.pem) ![](/d.png)\n",
            "static/certs/c.pem": "x",
        }
    )
    with Workspace.open(repository.root, environ={}) as workspace:
        found = check.check(workspace, Revision(), strict=False).problems
    assert [each.alike for each in found] == [
        *["links to files in `/img/` that are not here"] * 2,
        "",
        "links to files in `/` that are not here",
    ]
    assert str(found[2]).endswith("the site does not have static/certs/c.pem there; upload it to the site")


def test_a_link_to_a_file_that_git_renamed_says_its_name(repository: SampleRepository) -> None:
    repository.commit({A: "# A\n\n[x](old) [y](never.md)\n", "content/pages/old.md": LONG})
    dead = f"{A}:3: links to `never.md`, which does not exist; fix the link"
    repository.git("mv", "content/pages/old.md", "content/pages/between.md")
    assert said(repository, Revision(staged=True)) == [
        f"{A}:3: links to `old`, which is now content/pages/between.md; link to `between.md`",
        dead,
    ]
    repository.commit()
    repository.move("content/pages/between.md", "content/posts/new.md")
    repository.commit()
    assert said(repository) == [
        f"{A}:3: links to `old`, which is now content/posts/new.md; link to `../posts/new.md`",
        dead,
    ]


def test_each_form_of_a_link_in_a_vault_names_the_new_path_of_its_file(repository: SampleRepository) -> None:
    forms = [
        "[[guide/old]]",
        "[[OLD|x]]",
        "[[/guide/old#x]]",
        "![[old]]",
        "[x](../guide/old.md)",
        "[[never]]",
    ]
    note, fresh = "content/pages/deep/a.md", "[[guide/fresh]]"
    repository.commit(
        {
            note: "# A\n\n" + "\n".join((*forms, fresh)),
            "content/pages/guide/old.md": LONG,
            "pressync.toml": '[markdown]\ndialect = "obsidian"\nvault = "pages"\n',
        }
    )
    repository.move("content/pages/guide/old.md", "content/pages/deep/new.md")
    repository.commit()
    repository.write("content/pages/guide/fresh.md", "# Fresh\n")
    found = [each.partition(" links to ")[2] for each in said(repository) if each.startswith(note)]
    assert [each.partition(", which ")[2].partition(";")[0] for each in found] == [
        *["is now content/pages/deep/new.md"] * 5,
        "does not exist",
        "is not committed",
    ]


def test_a_dead_address_is_told_with_the_file_that_is_meant(repository: SampleRepository) -> None:
    links = "/guide/set-up/ /guide/setup/ /lang/guide/ /old-guide/ /nowhere/ /img/a.png /img/b.png /moved/"
    repository.commit(
        {
            A: "# A\n\n" + "".join(f"[x]({link})\n" for link in links.split()),
            "content/pages/guide/index.md": "---\ntitle: G\naliases: [/old-guide/]\n---\n",
            "content/pages/guide/setup.md": "---\nslug: set-up\n---\n",
            "content/pages/en/index.md": "# E\n",
            "content/pages/en/lang/index.md": "# L\n",
            "content/pages/en/lang/guide.md": "# Other\n",
            "content/pages/moved.md": LONG,
            "pressync.toml": '[sites.s]\nurl = "https://example.org/wp-json"\ndialect = "wordpress"\n',
            "static/img/a.png": "png",
        }
    )
    repository.move("content/pages/moved.md", "content/pages/here.md")
    repository.commit()
    dead = [
        (
            "4: links to `/guide/setup/`, and content/pages/guide/setup.md is at `/guide/set-up/`; "
            "link to `guide/setup.md`"
        ),
        (
            "5: links to `/lang/guide/`, and content/pages/en/lang/guide.md is at `/en/lang/guide/`; "
            "link to `en/lang/guide.md`"
        ),
        (
            "7: links to `/nowhere/`, and no document has this address; "
            "link to the file of a page, or make sure that the site has this address"
        ),
        (
            "8: links to `/img/a.png`, and the site does not have static/img/a.png there; "
            "link to `../../static/img/a.png`"
        ),
        "9: links to `/img/b.png`, which is not a file here; add the file, or make sure that the site has it",
        "10: links to `/moved/`, which is now content/pages/here.md; link to `here.md`",
    ]
    assert said(repository) == [f"{A}:{line}" for line in dead]


@pytest.mark.parametrize(
    ("chosen", "codes"),
    [
        ([], {Code.DEAD_ADDRESS, Code.PASSED_OVER, Code.TEMPLATE}),
        ([A], {Code.DEAD_ADDRESS, Code.TEMPLATE}),
        (["content/pages/sub"], {Code.PASSED_OVER, Code.TEMPLATE}),
    ],
)
def test_paths_narrow_what_is_told_but_for_what_concerns_every_document(
    repository: SampleRepository, chosen: list[str], codes: set[Code]
) -> None:
    repository.commit(
        {A: "# A\n\n[y](/no/)\n", "content/pages/sub/c.mdx": "x", "templates/page.html": "{{ content }"}
    )
    repository.commit({"templates/post.html": "{{ content }", "content/posts/b.md": "# B\n"})
    with Workspace.open(repository.root, environ={}) as workspace:
        found = check.check(workspace, Revision(), strict=False).at(chosen, workspace.settings)
    assert {each.code for each in found.problems} == codes


def test_a_pattern_of_exclude_that_fits_nothing_is_told_where_it_stands(repository: SampleRepository) -> None:
    repository.commit(
        {"pressync.toml": 'exclude = ["_parts/**", "REDME.md"]\n', "content/_parts/a.md": "A\n"}
    )
    (problem,) = said(repository)
    assert problem == (
        "pressync.toml: `exclude` has 'REDME.md', and no file below the content folder fits it; correct the "
        "pattern, or remove it; it is a path from the content folder"
    )


@pytest.mark.parametrize(
    "users",
    ['[authors]\n"Ada Doe" = "ada"\n"John Doe" = "john"\n', '[authors]\n# "Mary Doe" = "…"\n'],
    ids=["some are named", "an import has written the table"],
)
def test_authors_without_a_user_are_told_offline(repository: SampleRepository, users: str) -> None:
    repository.commit(
        {
            "pressync.toml": users,
            A: "---\nauthor: Jane Doe\n---\nText.\n",
            B: "---\nauthor: Jane Doe\n---\nText.\n",
            "content/pages/c.md": "---\nauthor: John Doe\n---\nText.\n",
            "content/pages/d.md": "---\nauthor: Mary Doe\n---\nText.\n",
            "content/pages/e.md": "---\nauthor: Ada Doe\n---\nText.\n",
            "content/pages/f.md": "---\nauthor: login\n---\nText.\n",
            "content/pages/g.md": "---\nauthor: 5\n---\nText.\n",
        }
    )
    stops = "so a sync stops unless the site has a user of this name"
    todo = "write the user's id or another login, or map the name below `[authors]`"
    todo += '; the row `"*" = "LOGIN"` there is for all others'
    people = {"a": "Jane Doe", "b": "Jane Doe", "c": "John Doe", "d": "Mary Doe", "e": "Ada Doe"}
    assert said(repository) == [
        f"content/pages/{name}.md:2: author '{person}': `[authors]` does not name it, {stops}; {todo}"
        for name, person in people.items()
        if f'\n"{person}"' not in users
    ]
    repository.commit({"pressync.toml": '[authors]\n"*" = "ada"\n'})
    assert said(repository) == []


def test_a_post_that_the_dialect_cannot_create_may_be_on_the_site(repository: SampleRepository) -> None:
    toml = '[sites.main]\nurl = "https://site.test/wp-json"\ndialect = "documented"\n'
    post = "content/posts/a.md"
    repository.commit(
        {"pressync.toml": toml, post: "Text.\n", "content/posts/b.md": "---\nid: 3\n---\nText.\n"}
    )
    with Workspace.open(repository.root, environ={}) as workspace:
        (problem,) = check.check(workspace, Revision(), strict=False).problems
    assert (problem.path, problem.code, problem.warning) == (post, Code.NOT_SUPPORTED, True)
    assert "pressync adopt" in problem.todo


def test_pictures_that_no_site_takes_are_problems(repository: SampleRepository) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
    repository.commit(
        {
            A: "![a](a.png) ![b](b.png) ![c](c.png)\n",
            "content/pages/a.png": b"",
            "content/pages/b.png": pointer,
            "content/pages/c.png": b"\x89PNG\r\n\x1a\n",
        }
    )
    todo = "commit the file itself, or link to it elsewhere"
    assert said(repository) == [
        f"content/pages/a.png: it is an empty file; {todo}",
        f"content/pages/b.png: it is a pointer of Git LFS here; {todo}",
    ]


@pytest.mark.parametrize("revision", [Revision(), Revision(worktree=True)])
def test_a_document_that_a_filter_of_git_changes_is_told(
    repository: SampleRepository, revision: Revision
) -> None:
    """The filter writes an `X` for each `a`; a file that people see as Git stores it is not told."""
    repository.git("config", "filter.upper.clean", "tr a X")
    attributes = "content/pages/*.md filter=upper\ncontent/pages/free.md -filter\n"
    text = "# Title\n\nA page\n"
    repository.commit({".gitattributes": attributes, A: text, B: "# Odd\n", "content/pages/free.md": text})
    told = "Git stores another text than this file has (filter 'upper'), and the site gets that"
    assert said(repository, revision) == [f"{A}: {told}; {NO_FILTER}"]


@pytest.mark.parametrize("revision", [Revision(), Revision(worktree=True)])
def test_a_document_into_which_git_writes_its_id_is_told(
    repository: SampleRepository, revision: Revision
) -> None:
    repository.commit({".gitattributes": "*.md ident\n", A: "# A\n\n$Id$\n", B: "# Without\n"})
    (repository.root / A).unlink()
    repository.git("checkout", "--", A)
    told = "Git stores another text than this file has (attribute 'ident'), and the site gets that"
    assert said(repository, revision) == [f"{A}: {told}; {NO_FILTER}"]
    assert said(repository, revision) == [f"{A}: {told}; {NO_FILTER}"], "the second check has a cache"


def test_an_encrypted_document_is_an_error_with_a_true_sentence(repository: SampleRepository) -> None:
    repository.commit({A: b"\0GITCRYPT\0\xff\xfe"})
    assert said(repository) == [f"{A}:1: the file is encrypted by git-crypt here; commit the text itself"]


def test_a_document_that_every_sync_blocks_is_a_problem(repository: SampleRepository) -> None:
    post = "content/posts/a.md"
    repository.commit(
        {
            A: "---\nid: 7\n---\nText.\n",
            B: "---\nid: 7\n---\nText.\n",
            "content/pages/b/below.md": "---\nparent: ../b.md\n---\nText.\n",
            post: "---\nsticky: true\npassword: secret\n---\nText.\n",
        }
    )
    assert said(repository) == [
        f"{B}: its front matter says id 7, which belongs to {A}; remove one of the two",
        f"{post}: a post cannot be sticky and have a password; leave one of the two out",
    ]


@pytest.mark.parametrize(
    ("files", "words", "place"),
    [
        (
            {"content/pages/bad.md": "---\ntitle: x\nmenu_order: first\n---\n"},
            (".",),
            "content/pages/bad.md:3: ",
        ),
        ({"content/pages/bad.md": "# Bad\n\n[x](nowhere.md)\n"}, ("--strict",), "content/pages/bad.md:3: "),
        # A broken template is told whatever the path.
        ({"templates/page.html": "{{ content }"}, ("content/pages/about.md",), "templates/page.html:1: "),
    ],
)
def test_problems_have_places_and_end_with_two(
    terminal: Terminal, files: dict[str, str], words: tuple[str, ...], place: str
) -> None:
    assert terminal.run("check").stdout == "3 documents: 0 problems, 0 warnings.\n"
    terminal.repository.commit(files)
    told = terminal.run("check", *words, exits=2)
    assert place in told.stderr
    assert " 1 problem, 0 warnings." in told.stdout


def test_a_layout_of_another_tool_is_a_warning_and_a_typo_is_a_problem(terminal: Terminal) -> None:
    terminal.repository.commit({"content/pages/a.md": "---\ntitle: A\nlayout: wide\n---\n"})
    assert "content/pages/a.md:3: its layout belongs to another tool" in terminal.run("check").stderr
    terminal.repository.commit({"templates/wider.html": "{{ content }}"})
    assert "content/pages/a.md:3: its layout is `wide`" in terminal.run("check", exits=2).stderr


@pytest.mark.parametrize(("form", "sign"), [("json", '"version": 1'), ("sarif", '"2.1.0"')])
def test_a_program_gets_every_place_as_one_document(terminal: Terminal, form: str, sign: str) -> None:
    assert sign in terminal.run("check", "--format", form).stdout
    terminal.repository.commit(
        {"content/pages/bad.md": "---\nmenu_order: first\n---\n", "content/pages/c.md": "[x](no.md)\n" * 2}
    )
    told = terminal.run("check", "--format", form, exits=2)
    assert told.stderr == ""
    document = json.loads(told.stdout)
    assert len(document["problems"] if form == "json" else document["runs"][0]["results"]) == 3


def test_an_import_is_checked_before_the_first_commit(terminal: Terminal, tmp_path: Path) -> None:
    new = SampleRepository.create(tmp_path / "new")
    new.write("content/pages/bad.md", "# Bad\n\n[x](nowhere.md)\n")
    terminal.repository = new
    for words in ((), ("--worktree",), ("content/pages",)):
        told = terminal.run("check", *words)
        assert "warning: content/pages/bad.md:3: " in told.stderr
        assert told.stdout == "1 document: 0 problems, 1 warning; 1 of these is not committed.\n"
    assert "there is no commit yet" in terminal.run("sync", "--worktree", exits=2).stderr


def test_without_a_chosen_site_the_content_is_checked_for_each(terminal: Terminal) -> None:
    terminal.environ.pop("PRESSYNC_URL")
    terminal.repository.commit(
        {
            "pressync.toml": '[sites.live]\nurl = "https://a.test/wp-json"\ndialect = "wordpress"\n'
            '[sites.staging]\nurl = "https://b.test/wp-json"\n',
            "content/posts/a.md": "---\ntags: [x]\n---\n# A\n\n[x](gone.md)\n",
        }
    )
    told = terminal.run("check", "content/posts")
    assert told.stdout == "1 document for 2 sites (live, staging): 0 problems, 3 warnings.\n"
    lines = told.stderr.splitlines()
    (link,) = (line for line in lines if "gone.md" in line)
    assert sum("tags takes ids here (for site staging); " in line for line in lines) == 1
    assert sum("(for site staging)" in line for line in lines) == 2, "it cannot create posts either"
    assert link == "warning: content/posts/a.md:6: links to `gone.md`, which does not exist; fix the link"
    rows = json.loads(terminal.run("check", "content/posts", "--format", "json").stdout)["problems"]
    assert [row["sites"] for row in rows] == [["staging"], ["staging"], ["live", "staging"]]
    rows = json.loads(terminal.run("--site", "live", "check", "--format", "json").stdout)["problems"]
    assert [sorted(row) for row in rows] == [["code", "line", "message", "path", "severity"]]


def test_a_link_to_a_file_that_nobody_has_committed_says_so(terminal: Terminal) -> None:
    long = "x" * 5000
    terminal.repository.commit({"content/pages/a.md": f"# A\n\n![a](a.png) [b](b.md) [c]({long}.md)\n"})
    terminal.repository.write("content/pages/a.png", "a picture")

    told = terminal.run("check", "--ref", "HEAD", "content/pages/a.md").stderr

    assert "content/pages/a.md:3: links to `a.png`, which is not committed; add it, and commit it" in told
    assert "links to `b.md`, which does not exist; fix the link" in told
    assert "does not exist" in terminal.run("check").stderr.replace("a.png", "")


BAD, GOOD = "---\nmenu_order: first\n---\n", "---\nmenu_order: 1\n---\n"


def read_of(terminal: Terminal, *words: str, exits: int = 0) -> tuple[str, bool, object]:
    """Check, and give where the files were read, whether it was at HEAD, and what is not committed there."""
    document = json.loads(terminal.run("check", "--format", "json", *words, exits=exits).stdout)
    return document["read"], document["commit"] == terminal.repository.head(), document.get("uncommitted")


def test_what_is_saved_is_checked_and_what_is_staged_or_committed_if_it_is_named(terminal: Terminal) -> None:
    saved = "content/pages/new.md"
    terminal.repository.commit({".gitignore": "ignored.md\n"})
    terminal.repository.write(saved, BAD)
    terminal.repository.write("content/pages/ignored.md", BAD)
    told = terminal.run("check", exits=2)
    assert f"{saved}:2: " in told.stderr
    assert told.stdout == "4 documents: 1 problem, 0 warnings; 1 of these is not committed.\n"
    assert read_of(terminal, exits=2) == ("worktree", True, [saved])
    for words in (("--ref", "HEAD"), ("--staged",)):
        assert terminal.run("check", *words).stdout == "3 documents: 0 problems, 0 warnings.\n"
    terminal.repository.git("add", saved)
    terminal.repository.write(saved, GOOD)
    assert read_of(terminal, "--staged", exits=2) == ("index", True, None)
    assert read_of(terminal, "--ref", "HEAD") == ("commit", True, None)
    assert read_of(terminal) == read_of(terminal, "--worktree") == ("worktree", True, [saved])
    assert read_of(terminal, "content/pages/about") == ("worktree", True, [])
    terminal.repository.write("templates/page.html", "{{ content }}")
    counts = "; 1 of these and 1 other file are not committed.\n"
    assert terminal.run("check").stdout.endswith(counts)
    terminal.repository.remove("content/pages/about/history.md")
    assert terminal.run("check").stdout.endswith(counts), "a deleted file is not one of these"


@pytest.mark.parametrize(
    ("environ", "place"),
    [
        ({}, "worktree"),
        ({"CI": "true"}, "commit"),
        ({"CI": "1"}, "commit"),
        ({"CI": "false"}, "worktree"),
        ({"PRESSYNC_PUSHED": "1"}, "commit"),
    ],
)
def test_a_job_and_a_pushed_hook_check_the_commit(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], place: str
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    terminal.repository.write("content/pages/new.md", BAD)
    assert read_of(terminal, exits=2 if place == "worktree" else 0)[0] == place
    # A job may make files before it checks them.
    assert read_of(terminal, "--worktree", exits=2)[0] == "worktree"


def test_a_bare_repository_is_checked_at_head(terminal: Terminal, tmp_path: Path) -> None:
    terminal.repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    terminal.repository = SampleRepository(tmp_path / "bare.git")
    assert read_of(terminal) == ("commit", True, None)


def test_words_that_name_different_files_are_refused(terminal: Terminal) -> None:
    told = terminal.run("check", "--ref", "HEAD", "--staged", exits=2).stderr
    assert "--ref and --staged name different files; leave one of them out" in told


def test_a_merge_that_is_not_finished_is_checked_as_it_is_saved(terminal: Terminal) -> None:
    page = "content/pages/about.md"
    terminal.repository.commit({page: "# A\n\nours\n"})
    terminal.repository.git("switch", "--quiet", "--create", "other", "HEAD~1")
    terminal.repository.commit({page: "# A\n\ntheirs\n"})
    with pytest.raises(subprocess.CalledProcessError):
        terminal.repository.git("merge", "--quiet", "main")
    assert f"{page}:" in (told := terminal.run("check", exits=2).stderr)
    assert "<<<<<<<" in told
    terminal.repository.write(page, "# A\n\nboth\n")
    assert terminal.run("check").stdout.startswith("3 documents: 0 problems, ")


FOLLOWED = (
    "it is a symbolic link, which pressync does not follow; put the text itself in its place, or name it in"
)


@pytest.mark.parametrize("bare", [False, True])
def test_a_symbolic_link_is_told_and_so_is_a_link_through_it(
    repository: SampleRepository, tmp_path: Path, *, bare: bool
) -> None:
    pages = repository.root / "content/pages"
    repository.write(A, "# A\n\n[b](b.md) [x](en/x.md) [p](p.png)\n")
    repository.write("docs/en/x.md", "# X\n")
    repository.write("pictures/p.png", "a picture")
    for name, target in {"b.md": "a.md", "en": "../../docs/en", "p.png": "../../pictures/p.png"}.items():
        (pages / name).symlink_to(target)
    (repository.root / "content/notes.md").symlink_to("pages/a.md")
    repository.commit()
    if bare:
        repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
        repository = SampleRepository(tmp_path / "bare.git")

    assert said(repository) == [
        f"{A}:3: links to `b.md`, which only a symbolic link leads to; link to the file itself",
        f"{A}:3: links to `en/x.md`, which only a symbolic link leads to; link to the file itself",
        f"{A}:3: links to `p.png`, which only a symbolic link leads to; link to the file itself",
        f"{B}: {FOLLOWED} `exclude`",
        f"content/pages/en: {FOLLOWED} `exclude`",
    ]


HOSTILE = hostile_plan().problems
MANY = (*PROBLEMS, Problem("ä b%.md", 2, "no", code=Code.BROKEN_LINK, warning=True), *HOSTILE)


def sarif(problems: tuple[Problem, ...] = MANY) -> dict[str, Any]:
    """Read a SARIF log and give its only run."""
    log = json.loads(command.sarif(problems))
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = log["runs"]
    return dict(run)


def test_workflow_commands_are_one_line_each_whatever_the_text_holds() -> None:
    lines = github.problems(MANY)
    assert lines[:2] == [
        "::error file=content/pages/bad.md,line=3::no number; write one",
        "::warning file=content/pages/odd.md::two of one slug",
    ]
    assert len(lines) == len(MANY)
    assert all(re.match("::(error|warning) file=[^:,]+(,line=[0-9]+)?::", line) for line in lines)


def test_sarif_has_a_rule_for_each_code_and_the_members_that_the_standard_demands() -> None:
    run = sarif()
    driver = run["tool"]["driver"]
    assert driver["name"] == "pressync"
    assert driver["version"]
    assert [rule["id"] for rule in driver["rules"]] == ["broken-link", "value"]
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"] == rule["help"]["text"]
        assert rule["help"]["text"] in {code.help for code in Code if code == rule["id"]}
    for result, problem in zip(run["results"], MANY, strict=True):
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == problem.code
        assert result["level"] == problem.severity
        assert result["message"]["text"]
        (location,) = result["locations"]
        place = location["physicalLocation"]
        assert place["artifactLocation"]["uriBaseId"] == "%SRCROOT%"
        # A URI reference of RFC 3986: relative, and only with characters that need no escape.
        assert re.fullmatch(r"(?:[A-Za-z0-9/_.~-]|%[0-9A-F]{2})+", place["artifactLocation"]["uri"])
        # SARIF counts lines from 1, so an unknown line is left out.
        assert place.get("region", {}) == ({"startLine": problem.line} if problem.line else {})
    uri = run["results"][2]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert unquote(uri) == "ä b%.md"
    assert sarif(())["results"] == []


def test_all_formats_are_printable() -> None:
    odd = check.Checked("a", HOSTILE, uncommitted=frozenset({"\x1b##[a"}), place="worktree")
    for text in (command.document(odd), *github.problems(HOSTILE), command.sarif(HOSTILE)):
        assert all(character.isprintable() or character == "\n" for character in text)
        assert "##[" not in text


def test_a_cause_of_several_findings_is_told_once(repository: SampleRepository) -> None:
    said = Terminal(repository, {}).run("doctor", exits=1).stdout
    assert said.count("there is no commit yet") == said.count("commit your content first") == 1
    assert "unknown  content:      for the reason of repository\n" in said
    assert said.endswith(" ok, 1 wrong, 4 unknown.\n")


def test_each_problem_of_the_settings_has_a_line_in_the_report_of_doctor(
    repository: SampleRepository,
) -> None:
    repository.commit({"pressync.toml": 'url = "x"\ncolour = "red"\n'})
    lines = Terminal(repository, {}).run("doctor", exits=1).stdout.splitlines()
    assert lines[0].startswith("wrong    settings:     pressync.toml:1: unknown key 'url'")
    assert lines[1].startswith("                       pressync.toml:2: unknown key 'colour'")


def test_text_from_the_site_cannot_write_to_the_terminal(terminal: Terminal) -> None:
    with serving(Lookalike(version="6.8\x1b[31m")) as site:
        terminal.environ |= {"PRESSYNC_URL": site.base, "PRESSYNC_DIALECT": "wordpress"}
        assert "\x1b" not in terminal.run("doctor", exits=1).stdout


def test_a_place_of_the_page_beside_is_told_if_the_link_begins_at_an_address(
    repository: SampleRepository,
) -> None:
    repository.commit(
        {
            "content/pages/de/a.md": "# A\n\n[x](../b/#der-titel)\n",
            "content/pages/de/index.md": "# DE\n",
            "content/pages/de/b.md": "# B\n\n## Der Titel\n",
            B: "# B\n\n## The title\n",
        }
    )
    (told,) = said(repository)
    place = f"content/pages/de/a.md:3: links to `../b/#der-titel`, and {B} has no such place"
    assert told == f"{place}; link to `b.md#der-titel`"
