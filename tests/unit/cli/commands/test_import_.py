"""`pressync import`: files, an account of bounded text, and a code that says whether work is left."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest
from tests.support import embedded_wordpress
from tests.support.embedded_wordpress import ENVIRON, PASSWORD, USER
from tests.support.exports import export, record
from tests.support.wire import PREFIX

from pressync.cli.commands.import_ import Wish
from pressync.cli.options import Globals
from pressync.model.bounds import names_git

if TYPE_CHECKING:
    from tests.support.terminal import Terminal


@pytest.fixture
def exported(terminal: Terminal) -> Terminal:
    """Put an export beside the repository: a page, and a draft."""
    records = (record(1, "moved", "Text", post_type="page"), record(2, "later", status="draft"))
    (terminal.repository.root.parent / "export.xml").write_text(export(*records))
    return terminal


@pytest.mark.parametrize(
    ("settings", "to", "step"),
    [
        (None, "site", "`pressync init --content site`, for nothing is synced from there yet; "),
        (
            "",
            "site",
            '`content = "site"` at the top of pressync.toml, for nothing is synced from there yet; ',
        ),
        ('content = "site"\n', "site/", "`git status`, "),
        ('content = "."\n', ".", "`git status`, "),
        (
            'content = "."\n',
            "site",
            '`content = "site"` at the top of pressync.toml, for nothing is synced from there yet; ',
        ),
    ],
)
def test_the_next_step_after_an_import_into_a_folder_is_the_setting_that_names_it(
    exported: Terminal, settings: str | None, to: str, step: str
) -> None:
    if settings is not None:
        exported.repository.commit({"pressync.toml": settings})
    said = exported.run("import", "../export.xml", "--all-statuses", "--to", to).stdout
    assert said.endswith(f"Next: {step}`pressync check`, then commit.\n")
    # The steps lead to a check of these files.
    if settings is None:
        exported.run("init", "--content", "site")
    elif "`content" in step:
        exported.repository.write("pressync.toml", 'content = "site"\n')
    assert "pages/moved.md  page" in exported.run("plan", "--worktree").stdout


def test_people_see_the_sum_and_the_next_step(exported: Terminal) -> None:
    result = exported.run("import", "../export.xml", exits=1)
    assert result.stderr == "Read export.xml as wxr; `--as` says otherwise.\n"
    assert result.stdout.splitlines() == [
        "2 items = 1 carried + 0 with parts as HTML + 0 with parts left verbatim or out + 1 left out",
        "  left out: draft, 1 of them, first at export.xml:34",
        (
            "Authors: 1. Choose users of the new site for them below `[authors]` in pressync.toml. "
            'One row settles all: `"*" = "LOGIN"`. '
            "To get their rows, run `pressync init`, and import again."
        ),
        "1 file written below content/; the account is .pressync/import/report.md.",
        "Next: `git status`, `pressync check`, then commit.",
    ]
    assert (exported.repository.root / "content/pages/moved.md").is_file()


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ('anna = "jane"\n', "Authors: 2. Choose users of the new site for 1 of them below `[authors]` in "),
        ('anna = "jane"\nzoe = "mary"\n', ""),
        ('anna = "jane"\n"*" = "editor"\n', ""),
    ],
    ids=["one is left", "all", "one for all others"],
)
def test_authors_are_told_until_all_have_a_user(terminal: Terminal, rows: str, told: str) -> None:
    other = record(2, "b").replace("anna", "zoe")
    (terminal.repository.root.parent / "export.xml").write_text(export(record(1, "a"), other))
    terminal.repository.write("pressync.toml", f"[authors]\n{rows}")
    terminal.run("import", "../export.xml", "--dry-run")
    assert (terminal.repository.root / "pressync.toml").read_text() == f"[authors]\n{rows}"
    printed = terminal.run("import", "../export.xml").stdout
    assert told in printed
    assert ("Authors:" in printed) is bool(told)
    asked = '# "zoe" = "…"\n' if told else ""
    assert (terminal.repository.root / "pressync.toml").read_text() == f"[authors]\n{rows}{asked}"


def test_settings_that_cannot_be_edited_are_told_and_the_files_are_there(exported: Terminal) -> None:
    exported.repository.write("pressync.toml", 'authors = { zoe = "zoe" }\n')
    done = exported.run("import", "../export.xml", exits=1)
    assert done.stderr.splitlines()[-1] == (
        "pressync.toml: the table [authors] is written in an unusual way, so pressync cannot add rows to it; "
        "begin it with a line `[authors]`"
    )
    assert (exported.repository.root / "content/pages/moved.md").is_file()


def test_everything_carried_ends_with_0_and_the_account_is_what_its_schema_says(exported: Terminal) -> None:
    schema = json.loads(exported.run("schema", "import-report").stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    printed = exported.run(
        "import", "../export.xml", "--all-statuses", "--to", "site", "--format", "json"
    ).stdout
    report = (exported.repository.root / ".pressync/import/report.json").read_text()
    for text in (printed, report):
        jsonschema.validate(json.loads(text), schema)
    assert json.loads(printed)["items"] == json.loads(printed)["carried"] == 2
    assert (exported.repository.root / "site/posts/later.md").is_file()
    printed = exported.run("import", "../export.xml", "--format", "json", exits=1).stdout
    for part in (schema["required"], schema["properties"]["kinds"]["items"]["required"]):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(json.loads(printed.replace(f'"{part[-1]}"', '"x"')), schema)


@pytest.mark.parametrize("tool", ["hugo", "jekyll", "docusaurus", "mkdocs", "jsonl", "wxr", "wordpress"])
def test_a_folder_that_is_not_of_the_named_tool_is_refused(exported: Terminal, tool: str) -> None:
    exported.run("import", "../export.xml", exits=1)
    folder = exported.repository.root / ".pressync/import"
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    notes = exported.repository.root.parent / "notes"
    (notes / "content").mkdir(parents=True)
    (notes / "content/a.md").write_text("# A\n")
    refused = exported.run("import", "../notes", "--as", tool, exits=2)
    assert refused.stdout == ""
    assert "../notes: " in refused.stderr
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


def test_many_kinds_are_counted_in_lines_that_fit(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pressync.cli.console.columns", lambda **_: 80)
    file = terminal.repository.root.parent / "export.xml"
    file.write_text(
        export(*(record(number, "x", post_type=f"t{number}\u009b31m") for number in range(1, 31)))
    )
    shown = terminal.run("import", str(file), exits=1).stdout
    assert "  … and 18 more kinds" in shown.splitlines()
    assert "0 files written below content/; the account is .pressync/import/report.md." in shown.splitlines()
    assert "with parts left verbatim or out\n    + 30 left out\n" in shown
    assert [line for line in shown.splitlines() if len(line) > 80] == []
    assert "\u009b" not in shown


def test_the_own_site_says_that_its_files_are_in_step_and_asks_for_no_other_users(terminal: Terminal) -> None:
    with embedded_wordpress.serving() as site:
        made = {"title": "About", "slug": "about", "content": "We", "status": "publish"}
        site.client.post(f"{PREFIX}/wp/v2/pages", json=made, auth=(USER, PASSWORD))
        terminal.repository.commit({"README.md": "# Read me\n"})
        terminal.environ |= {**ENVIRON, "PRESSYNC_URL": site.url}
        done = terminal.run("import", site.url)
        assert "1 file has its record in the manifest" in done.stderr
        assert "Authors:" not in done.stdout

        terminal.repository.git("add", "-A")
        terminal.repository.git("commit", "-qm", "Import the site")
        assert "1 file has its record in the manifest" in terminal.run("import", site.url).stderr
        file = terminal.repository.root / "content/pages/about.md"
        file.write_text(f"{file.read_text()}\nAn edit.\n")
        site.client.post(
            f"{PREFIX}/wp/v2/pages/{next(iter(site.shown))}", json={"content": "They"}, auth=(USER, PASSWORD)
        )
        done = terminal.run("import", site.url, exits=1)
        assert "Edited here and on the site: 1, such as content/pages/about.md." in done.stdout


def test_choices_in_old_tables_move_into_the_settings_with_the_next_import(terminal: Terminal) -> None:
    file = terminal.repository.root.parent / "export.xml"
    file.write_text(export(record(1, "a")))
    old = ".pressync/import/authors.csv"
    with embedded_wordpress.serving() as site:
        terminal.environ |= {**ENVIRON, "PRESSYNC_URL": site.url}
        page = {"content/posts/a.md": "---\nauthor: anna\n---\nText.\n"}
        table = "author,items,user\nanna,1,admin\nzoe,1,\n"
        terminal.repository.commit({"pressync.toml": "# Ours.\n", **page, old: table})
        terminal.run("import", str(file), "--to", "imported")
        terminal.repository.git("add", "-A", "pressync.toml", ".pressync")
        terminal.repository.git("commit", "-qm", "Import again")
        settings = (terminal.repository.root / "pressync.toml").read_text()
        assert settings == '# Ours.\n\n[authors]\n"anna" = "admin"\n'
        assert not (terminal.repository.root / old).exists()
        terminal.run("sync", "--yes")


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ((), "Read as a visitor: no site is configured."),
        (("PRESSYNC_URL",), ""),
        (("PRESSYNC_URL", "PRESSYNC_USER"), "no password for"),
    ],
    ids=["no site", "no user", "a user without a password"],
)
def test_a_site_without_a_user_is_read_as_visitor(
    terminal: Terminal, kept: tuple[str, ...], said: str
) -> None:
    with embedded_wordpress.serving() as site:
        made = {"title": "Imprint", "slug": "imprint", "content": "We", "status": "publish"}
        site.client.post(f"{PREFIX}/wp/v2/pages", json=made, auth=(USER, PASSWORD))
        all_ = {**ENVIRON, "PRESSYNC_URL": site.url}
        terminal.environ.pop("PRESSYNC_URL")
        terminal.environ |= {
            name: value
            for name, value in all_.items()
            if name in kept or (kept and name not in {"PRESSYNC_USER", "PRESSYNC_PASSWORD"})
        }
        done = terminal.run("import", site.url, exits=2 if "PRESSYNC_USER" in kept else 0)
    assert (terminal.repository.root / "content/pages/imprint.md").exists() is ("PRESSYNC_USER" not in kept)
    assert "in the manifest" not in done.stderr
    assert said in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nothing.xml",), "nothing.xml: there is no such file or folder"),
        (("content",), "content: pressync does not recognise this source"),
        (("../export.xml", "--to", ".."), "--to: the folder is outside of the repository"),
        (("https://site.invalid/",), "check the address"),
    ],
)
def test_a_source_that_cannot_be_read_ends_with_2(
    exported: Terminal, arguments: tuple[str, ...], message: str
) -> None:
    said = exported.run("import", *arguments, exits=2).stderr
    assert message in said
    assert "`url`" not in said, "no setting is at fault"


def test_a_place_in_a_folder_begins_with_the_folder_that_was_typed(terminal: Terminal) -> None:
    jekyll = terminal.repository.root.parent / "jekyll"
    jekyll.mkdir()
    (jekyll / "_config.yml").write_text("title: T\n")
    (jekyll / "docs.md").write_text("---\ntitle: Docs\n---\n{% box %}\n")
    assert "first at ../jekyll/docs.md:4" in terminal.run("import", "../jekyll", exits=1).stdout


def test_an_edit_that_is_not_committed_stays_and_the_next_step_is_a_commit(terminal: Terminal) -> None:
    source = terminal.repository.root.parent / "pages.jsonl"
    file = terminal.repository.root / "content/pages/a.md"
    for body, exits in (("first", 0), ("mended", 0), ("second", 1)):
        source.write_text(f'{{"address": "/a/", "title": "A", "body": "{body}"}}\n')
        if exits:
            assert file.read_text().endswith("mended")
            file.write_text("edited")
        told = terminal.run("import", str(source), exits=exits).stdout.splitlines()
    assert told[-2:] == [
        "1 file here is not committed, and stayed as before.",
        "Next: `git status`, then commit, and import again: `git diff` shows the difference.",
    ]
    terminal.repository.commit()
    terminal.run("import", str(source))
    assert file.read_text().endswith("second")


def test_a_part_is_all_that_somebody_wants_and_a_dry_run_writes_nothing(terminal: Terminal) -> None:
    file = terminal.repository.root.parent / "export.xml"
    file.write_text(export(record(1, "docs", post_type="page"), record(2, "about", post_type="page")))
    words = ("import", str(file), "--under", "/docs/")
    tried = terminal.run(*words, "--dry-run").stdout.splitlines()
    assert tried[0].startswith("2 items = 1 carried + ")
    assert tried[1].startswith("  left out: outside of --under, 1 of them, first at export.xml:")
    assert tried[-1] == "1 file would be written below content/. Nothing was written."
    assert not (terminal.repository.root / ".pressync/import").exists()
    terminal.run(*words)
    assert (terminal.repository.root / "content/pages/docs.md").is_file()
    assert "about" not in (terminal.repository.root / ".pressync/import/addresses.csv").read_text()
    nothing = terminal.run("import", str(file), "--under", "/doc/", exits=2).stderr
    assert "--under: no page or post has an address below /doc/; name one of those that there" in nothing


def test_the_command_of_an_import_means_the_same_in_every_folder() -> None:
    wish = Wish(
        "-my site.xml",
        "a b",
        "wxr",
        Path("/srv/m"),
        ("/docs/",),
        ("/docs/$x/",),
        False,
        True,
        False,
        False,
        False,
    )
    assert wish.command(Globals(Path("/srv/my blog"), "staging", Path("/srv/p.toml"))) == (
        "pressync -C '/srv/my blog' import '--to=a b' --as=wxr --media=/srv/m --config=/srv/p.toml "
        "--site=staging --under=/docs/ '--without=/docs/$x/' --all-statuses -- '-my site.xml'"
    )


ODD: tuple[object, ...] = (
    *("//[", "http://[::1", "a\0b", "../../x", "/.git/x", "git~1", "/" + "d/" * 3000),
    *(2**65, -1, 1e308, True, [], {}, [[1]]),
)
MEMBERS = (
    *("kind", "key", "source", "path", "address", "slug"),
    *("date", "parent", "tags", "order", "front_matter"),
)


def account_of(terminal: Terminal) -> str:
    """Read the account that people read."""
    return (terminal.repository.root / ".pressync/import/report.md").read_text()


@pytest.mark.parametrize("member", MEMBERS)
def test_an_odd_value_in_a_line_is_a_row_of_the_account(terminal: Terminal, member: str) -> None:
    lines = [
        {"title": "ok", "key": "ok"},
        *({"title": "x", "key": f"k{n}", member: odd} for n, odd in enumerate(ODD)),
    ]
    file = terminal.repository.root.parent / "pages.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    account = json.loads(terminal.run("import", str(file), "--format", "json", exits=1).stdout)
    assert account["items"] == len(lines)
    assert account["items"] == sum(account[way] for way in ("carried", "html", "verbatim", "left_out"))
    assert account["carried"] > 0
    named = [path.relative_to(terminal.repository.root) for path in terminal.repository.root.rglob("*")]
    own = [path for path in named if path.parts[0] != ".git"]
    assert not any(names_git(path.as_posix()) for path in own)


@pytest.mark.parametrize(
    ("lines", "kind", "why"),
    [
        (
            ({"title": "b", "order": 2**65},),
            "unreadable item",
            "unreadable item, once: a number in it is too",
        ),
        (
            ({"path": "pages/a.md/b.md"},),
            "file that the disk does not take",
            "a.md/b.md: the disk takes no file here (Not a directory)",
        ),
    ],
)
def test_an_item_that_cannot_be_a_file_is_left_out_with_its_line(
    terminal: Terminal, lines: tuple[dict[str, object], ...], kind: str, why: str
) -> None:
    file = terminal.repository.root.parent / "pages.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in ({"path": "pages/a.md"}, *lines)))
    account = json.loads(terminal.run("import", str(file), "--format", "json", exits=1).stdout)
    assert account["kinds"] == [
        {"kind": kind, "outcome": "left_out", "count": 1, "places": ["pages.jsonl:2"]}
    ]
    assert why in account_of(terminal)


@pytest.mark.parametrize("flag", ["--to", "--media"])
def test_no_flag_names_a_folder_of_git_and_a_pipe_is_refused(terminal: Terminal, flag: str) -> None:
    source = terminal.repository.root.parent / "pages.jsonl"
    source.write_text('{"title": "a"}\n')
    (terminal.repository.root / "a").mkdir()
    for folder in (".git", ".GIT/x", "a/.git./b", "git~1", ".git ", "a/../.git/hooks"):
        (terminal.repository.root / folder).mkdir(parents=True, exist_ok=True)
        said = terminal.run("import", str(source), f"{flag}={folder}", exits=2).stderr
        assert f"{flag}: the folder belongs to Git; name another folder" in said
    source.unlink()
    os.mkfifo(source)
    for tool in ([], ["--as=jsonl"], ["--as=wxr"], ["--as=hugo"]):
        said = terminal.run("import", str(source), *tool, exits=2).stderr
        assert "this is neither a file nor a folder, but a pipe, a socket or a device" in said
