"""The text of an account: bounded, and without control characters of the source."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support import embedded_wordpress
from tests.support.embedded_wordpress import ENVIRON, PASSWORD, USER
from tests.support.exports import export, record
from tests.support.wire import PREFIX

from pressync.app.import_site.part import Part
from pressync.app.import_site.write import FileWriter
from pressync.cli.import_ import Wish
from pressync.cli.main import Globals

if TYPE_CHECKING:
    from tests.support.terminal import Terminal


def test_many_kinds_are_counted_and_not_listed(terminal: Terminal) -> None:
    file = terminal.repository.root.parent / "export.xml"
    file.write_text(export(*(record(number, "x", post_type=f"t{number}") for number in range(1, 31))))
    lines = terminal.run("import", str(file), exits=1).stdout.splitlines()
    assert "  … and 18 more kinds" in lines
    assert "0 files written below content/; the account is .pressync/import/report.md." in lines


def test_the_text_fits_into_a_terminal(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pressync.cli.console.columns", lambda **_: 80)
    file = terminal.repository.root.parent / "export.xml"
    file.write_text(export(record(1, "x", "<!-- wp:paragraph --><p>Hi</p><!-- /wp:paragraph -->")))
    shown = terminal.run("import", str(file)).stdout
    assert "with parts left verbatim or out +\n    0 left out\n" in shown
    assert [line for line in shown.splitlines() if len(line) > 80] == []


def test_a_name_of_the_source_cannot_write_to_the_terminal(terminal: Terminal) -> None:
    file = terminal.repository.root.parent / "export.xml"
    file.write_text(export(record(1, "x", post_type="a\u009b31m")))
    assert "\u009b" not in terminal.run("import", str(file), exits=1).stdout


def test_the_own_site_says_that_its_files_are_in_step_and_asks_for_no_other_users(terminal: Terminal) -> None:
    with embedded_wordpress.serving() as site:
        made = {"title": "About", "slug": "about", "content": "We", "status": "publish"}
        site.client.post(f"{PREFIX}/wp/v2/pages", json=made, auth=(USER, PASSWORD))
        terminal.repository.commit({"README.md": "# Read me\n"})
        terminal.environ |= {**ENVIRON, "PRESSYNC_URL": site.url}
        done = terminal.run("import", site.url)
        assert "1 file has its record in the manifest" in done.stderr
        assert "authors.csv" not in done.stdout

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


@pytest.mark.parametrize("user", ["", USER], ids=["no user", "a user without a password"])
def test_a_site_without_a_user_is_read_as_a_visitor_and_a_user_needs_a_password(
    terminal: Terminal, user: str
) -> None:
    with embedded_wordpress.serving() as site:
        made = {"title": "Imprint", "slug": "imprint", "content": "We", "status": "publish"}
        site.client.post(f"{PREFIX}/wp/v2/pages", json=made, auth=(USER, PASSWORD))
        without = {
            name: value
            for name, value in ENVIRON.items()
            if name not in {"PRESSYNC_USER", "PRESSYNC_PASSWORD"}
        }
        terminal.environ |= {**without, "PRESSYNC_URL": site.url}
        if user:
            terminal.environ["PRESSYNC_USER"] = user
        done = terminal.run("import", site.url, exits=2 if user else 0)
    assert (terminal.repository.root / "content/pages/imprint.md").exists() is not bool(user)
    assert "in the manifest" not in done.stderr
    assert ("no password for" in done.stderr) is bool(user)


def test_without_a_configured_site_the_import_says_how_to_get_the_records(terminal: Terminal) -> None:
    with embedded_wordpress.serving() as site:
        made = {"title": "Imprint", "slug": "imprint", "content": "We", "status": "publish"}
        site.client.post(f"{PREFIX}/wp/v2/pages", json=made, auth=(USER, PASSWORD))
        terminal.environ.pop("PRESSYNC_URL")
        done = terminal.run("import", site.url)
        assert "Read as a visitor: no site is configured." in done.stderr


def test_an_address_that_nobody_has_does_not_point_to_a_setting(terminal: Terminal) -> None:
    done = terminal.run("import", "https://site.invalid/", exits=2)
    assert "check the address" in done.stderr
    assert "`url`" not in done.stderr


def test_a_place_in_a_folder_begins_with_the_folder_that_was_typed(terminal: Terminal) -> None:
    jekyll = terminal.repository.root.parent / "jekyll"
    jekyll.mkdir()
    (jekyll / "_config.yml").write_text("title: T\n")
    (jekyll / "docs.md").write_text("---\ntitle: Docs\n---\n{% box %}\n")
    done = terminal.run("import", "../jekyll", exits=1)
    assert "first at ../jekyll/docs.md:4" in done.stdout


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
    part = Part(("/docs/",), ("/docs/$x/",))
    wish = Wish("-my site.xml", "a b", "wxr", Path("/srv/m"), all_statuses=True, part=part)
    note = wish.note(Globals(Path("/srv/my blog"), "staging", Path("/srv/p.toml")))
    assert note.command == (
        "pressync -C '/srv/my blog' import '--to=a b' --as=wxr --media=/srv/m --config=/srv/p.toml "
        "--site=staging --under=/docs/ '--without=/docs/$x/' --all-statuses -- '-my site.xml'"
    )
    same = Wish("../-my site.xml", "../a b", "", None, part=part)
    assert same.note(Globals(Path("/srv/my blog/sub"))).key == note.key
    assert replace(wish, to=None).note(Globals(Path("/srv/my blog"))).key != note.key


def test_another_import_does_not_end_the_note_of_a_stopped_one(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = terminal.repository.root
    for name in ("one", "other"):
        line = f'{{"address": "/{name}/", "title": "T", "body": "B"}}\n'
        (root.parent / f"{name}.jsonl").write_text(line)

    def interrupt(_writer: FileWriter) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as killed:
        killed.setattr(FileWriter, "close", interrupt)
        terminal.run("import", "../one.jsonl", exits=130)
    told = f"`pressync -C {shlex.quote(str(root))} import ../one.jsonl` goes on."
    assert told in terminal.run("import", "../other.jsonl").stderr
    assert told in terminal.run("check").stderr
    assert "goes on" not in terminal.run("import", "../one.jsonl").stderr
    assert "goes on" not in terminal.run("check").stderr
