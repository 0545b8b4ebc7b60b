"""The text at a terminal: exact lines and columns, numbers last, and nothing that moves the cursor."""

from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec import structs
from tests.support.builders import TARGET, blocked, create, entry, manifest, plan, prints, update, why
from tests.support.plan_samples import (
    BLOCKED,
    CREATE,
    DELETE,
    IN_STEP,
    PLAN,
    PROBLEMS,
    REFUSED,
    RUN,
    STANDINGS,
    UPDATE,
)

from pressync.cli.report import text
from pressync.cli.report.layout import fitted, table, width, wrapped
from pressync.model.changes import Block, Outcome, Result
from pressync.model.interface import Kind
from pressync.model.outcomes import RunResult, Standing
from pressync.model.records import Medium, Name, UnconfirmedCreate
from pressync.plan import reasons

HEADLINE = "Plan for site production at commit c0ffee0000 (https://site.test/wp-json)\n\n"


def test_a_plan_line_by_line() -> None:
    assert text.plan(PLAN) == HEADLINE + (
        "  + content/pages/new.md    page        publish  new document\n"
        "  ~ content/pages/about.md  page 7      publish  content, title changed\n"
        "  - content/pages/old.md    page 8      publish  its file was removed\n"
        "  ! content/posts/hello.md  page                 the service cannot create a post\n"
        "  = content/pages/team.md   page 9      publish  moved from content/pages/us.md\n"
        "\n"
        "Plan: 1 to create, 1 to update, 1 to delete, 1 blocked, 2 up to date.\n"
    )


def test_refusals_and_notes_stand_before_the_summary_and_a_diff_under_its_change() -> None:
    shown = text.plan(replace(REFUSED, remarks=(why("3 files are not included."),)))
    assert shown.splitlines()[-3:] == [
        "Sync would refuse: it would delete 1 of 1 records",
        "3 files are not included.",
        "Plan: 1 to delete, 0 up to date.",
    ]
    shown = text.plan(plan(UPDATE), diffs={UPDATE.path: "@@ -1 +1 @@\n-old\n+new\n ::warning::x"})
    bar = ["      | @@ -1 +1 @@", "      | -old", "      | +new", "      |  ::warning::x"]
    assert shown.splitlines()[3:7] == bar
    shown = text.plan(plan(CREATE), colour=True)
    assert "  \x1b[32m+\x1b[0m content/pages/new.md" in shown
    assert "\x1b[1mPlan: 1 to create, 0 up to date.\x1b[0m" in shown
    assert shown.count("\x1b[0m") * 2 == shown.count("\x1b[")


@pytest.mark.parametrize(("again", "pages"), [(1, "1 page links"), (2, "2 pages link")])
def test_second_writes_are_announced_with_their_reason(again: int, pages: str) -> None:
    twice = (replace(CREATE, completed_later=True), replace(UPDATE, completed_later=True))
    assert text.plan_summary(plan(*twice[:again])).endswith(
        f". {pages} to new pages: if the site gives those other addresses than expected, "
        f"the sync sends {'it' if again == 1 else 'them'} twice."
    )


def test_a_run_line_by_line() -> None:
    assert text.run(RUN) == (
        "warning: content/pages/new.md: slug: sent 'new', the service made it 'new-2'\n"
        "failed: content/pages/old.md: the service refused with 403\n"
        "blocked: content/posts/hello.md: the service cannot create a post\n"
        "Sync of production at c0ffee0000: 2 done, 1 failed, 1 blocked, 2 up to date.\n"
    )
    silent = RunResult(plan(DELETE), (Outcome(DELETE, Result.SKIPPED),))
    end = "skipped: content/pages/old.md\nSync of production at c0ffee0000: 1 skipped, 0 up to date.\n"
    assert text.run(silent) == end
    after_all = RunResult(plan(UPDATE), (Outcome(UPDATE, Result.KEPT, "nothing to send after all"),))
    for ended in (after_all, RunResult(IN_STEP, ())):
        assert text.run(ended) == (
            "Nothing to do: 1 record is up to date with production, as of the last sync.\n"
        )


@pytest.mark.parametrize(
    ("names", "pulled"),
    [
        (["a"], " content/pages/a.md"),
        (["a", "b c", "d"], " content/pages/a.md 'content/pages/b c.md' content/pages/d.md"),
        (["a", "b", "docs/c", "d"], " content/pages"),
    ],
)
def test_edits_that_only_a_look_finds_are_pulled_with_paths(names: list[str], pulled: str) -> None:
    conflicts = [
        replace(
            BLOCKED,
            path=path,
            block=Block.CONFLICT,
            fields=("title",),
            why=reasons.conflict(("title",), path, read=True),
        )
        for path in (f"content/pages/{name}.md" for name in names)
    ]
    looked = replace(plan(*conflicts), compared=True)
    assert f"; `pressync pull{pulled}` takes the site's text into the files." in text.plan(looked)
    assert "; `pressync pull` takes the site's text into the files." in text.plan(plan(*conflicts))


def test_conflicts_name_the_command_that_shows_both_sides() -> None:
    conflict = replace(BLOCKED, block=Block.CONFLICT, fields=("title",))
    hint = "1 conflict: `pressync plan --diff` shows what was last sent and what the site has now."
    assert hint in text.plan(plan(conflict)).splitlines()
    assert hint not in text.plan(plan(conflict), diffs={}).splitlines()
    assert hint not in text.plan(plan(BLOCKED)).splitlines()
    shown = Outcome(UPDATE, Result.DONE, "x", structs.replace(UPDATE.entry, conflict={"title": "Theirs"}))
    assert hint in text.run(RunResult(plan(UPDATE), (shown,))).splitlines()


def test_a_plan_in_numbers() -> None:
    hidden = "content/pages/docs/draft.md"
    forgotten = str(reasons.forgotten(entry("PATH")))
    drawn = plan(
        *(create(f"content/pages/docs/{number}.md") for number in range(1200)),
        create(hidden, fingerprints=prints(hidden, status="draft")),
        update("content/pages/a.md"),
        *(blocked(path, reasons.forgotten(entry(path))) for path in map("content/posts/{}.md".format, "xyz")),
        problems=PROBLEMS,
    )
    assert text.numbers(drawn) == HEADLINE + (
        "  + 1201 pages to create\n"
        "       1,200  new document, publish\n"
        "           1  new document, draft\n"
        "  ~ 1 page to update\n"
        "           1  content changed\n"
        "  ! 3 pages blocked\n"
        f"           3  {forgotten}\n"
        "\n"
        "  content/pages/docs  + 1,201\n"
        "  content/posts       ! 3\n"
        "  content/pages       ~ 1\n"
        "\n"
        "1 problem: 1 value; `pressync check` lists them.\n"
        "1 warning: 1 value; `pressync check` lists them.\n"
        "Visitors do not see 1 new record (draft); after the sync, `pressync status` has its address.\n"
        "Plan: 1201 to create, 1 to update, 3 blocked, 0 up to date.\n"
    )
    many = plan(*(blocked(f"content/pages/{name}/a.md", f"reason {name}") for name in "abcdefghijklmnop"))
    shown = text.numbers(many).splitlines()
    assert "           6  for 6 other reasons" in shown
    assert "  6 other folders  ! 6" in shown


def test_a_status_line_by_line() -> None:
    assert text.status(STANDINGS) == (
        "State       Record  File                    Modified, site time  Address\n"
        "up to date  page 7  content/pages/about.md  2024-01-31T12:00:00  https://site.test/about/\n"
        "conflict    page 9  content/pages/team.md   2024-01-31T12:00:00  https://site.test/team/\n"
        "blocked     post    content/posts/hello.md\n"
        "\n"
        "content/pages/team.md: title changed on the site\n"
        "content/posts/hello.md: the service cannot create a post\n"
        "1 blocked, 1 in conflict, 1 up to date.\n"
    )


def test_notes_and_a_reason_of_many_records_are_counted() -> None:
    first, second = (replace(each, notes=count) for each, count in zip(STANDINGS[:2], (2, 1), strict=True))
    rows = text.status([first, second]).splitlines()
    assert [row.split("  ")[-1].strip() for row in rows[:3]] == ["Notes", "2 notes", "1 note"]
    assert rows[-1] == "1 in conflict, 1 up to date; 3 notes of editors."
    paths = [f"p{number}.md" for number in range(558)]
    posts = [
        Standing(path, Kind.POST, None, "blocked", reasons.cannot_create(Kind.POST, path)) for path in paths
    ]
    _head, *rows, blank, reason, counts = text.status(posts).splitlines()
    assert (len(rows), blank) == (558, "")
    assert reason.startswith("p0.md and 557 more: the service cannot create a post; ")
    assert counts == "558 blocked."
    conflicts = [
        Standing(path, Kind.PAGE, None, "conflict", reasons.conflict(("content",), path, read=True))
        for path in paths
    ]
    *_, reason, _counts = text.status(conflicts).splitlines()
    assert reason.startswith("p0.md and 557 more: content changed on the site since the last sync; ")
    assert f"`pressync pull {' '.join(paths)}`" in reason
    owned = [
        Standing(path, Kind.PAGE, entry(path, n), "blocked", reasons.forgotten(entry(path, n)))
        for n, path in enumerate(paths, 1)
    ]
    shown = text.status(owned)
    assert all(f"pressync adopt {each.path} {each.entry.id}" in shown for each in owned if each.entry)
    nothing = "No documents and no records; `pressync plan` says where documents have to be.\n"
    assert text.status([]) == nothing
    states = ["in_step"] * 2 + ["new", "new", "changed", "deleted", "in_doubt"]
    standings = [Standing(f"{number}.md", Kind.PAGE, None, state) for number, state in enumerate(states)]
    assert text.status(standings).endswith(
        "\n2 to create, 1 changed, 1 to delete, 1 unconfirmed, 2 up to date.\n"
    )


@pytest.mark.parametrize("columns", [80, 40])
def test_a_row_that_is_wider_than_the_terminal_goes_on_below(columns: int) -> None:
    lines = text.status(STANDINGS, columns=columns).splitlines()
    assert max(map(width, lines)) <= columns
    assert lines[0].startswith("State       Record")
    first = next(place for place, line in enumerate(lines) if line.startswith("up to date  page 7"))
    assert lines[first + 1].startswith("            ")


def test_every_noun_has_its_lines_and_the_numbers_come_last() -> None:
    known = replace(
        manifest(entry("b.md", 2), entry("a/long.md", 1)),
        names={Name("tags", "News"): 4},
        media={"b1": Medium("b1", "x.jpg", 31, "https://site.test/x.jpg")},
        unconfirmed=(UnconfirmedCreate("c.md", Kind.POST, "c", "2024-01-31T12:00:00+00:00", "c", {}),),
    )
    assert text.manifest(known) == (
        "page 1  a/long.md  2024-01-31T12:00:00  https://site.test/long/\n"
        "page 2  b.md       2024-01-31T12:00:00  https://site.test/b/\n"
        "\n"
        "tags 4  News\n"
        "\n"
        "media 31  x.jpg  https://site.test/x.jpg\n"
        "\n"
        "post  c.md  2024-01-31T12:00:00+00:00\n"
        "\n"
        f"2 records, 1 names, 1 files, 1 unconfirmed on {TARGET}.\n"
    )


SENTENCE = "content/a.md:3: the picture is missing; add it, or run `pressync check --strict a.md` first"


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        *(("about.md", 8), ("日本語.md", 9), ("é", 1), ("e\u0301", 1), ("👍", 2), ("", 0)),
        ("\x1b[32m+\x1b[0m a.md", 6),
    ],
)
def test_a_text_is_as_wide_as_a_terminal_shows_it(text: str, columns: int) -> None:
    assert width(text) == columns


def test_columns_are_aligned_whatever_the_script() -> None:
    assert table([("new", "日本語.md", "x"), ("changed", "about.md"), ("new", "a.md", "y")]) == [
        "new      日本語.md  x",
        "changed  about.md",
        "new      a.md       y",
    ]
    assert table([]) == []
    long = "a" * 200
    first, second = table([(long, "x"), ("b", "y")])
    assert first == f"{long}  x"
    assert len(second) < 70


def test_a_pipe_gets_one_line_and_an_address_stays_whole() -> None:
    assert wrapped(SENTENCE, None, 4) == SENTENCE
    assert wrapped("ok       lock:  free", 20, 4) == "ok       lock:  free"
    assert wrapped("one two three four", 12, 23) == "one two\n    three\n    four"
    address = f"https://site.test/{'a' * 90}/"
    assert wrapped(f"new  {address} end", 40, 4) == f"new\n    {address}\n    end"
    # An open quotation of a stranger costs no time.
    assert wrapped("`a " * 20_000, 80, 4).count("\n") > 100


@pytest.mark.parametrize("columns", [80, 60, 44])
def test_a_long_line_goes_on_below_indented_and_a_command_stays_whole(columns: int) -> None:
    first, *others = wrapped(SENTENCE, columns, 4).split("\n")
    assert others
    assert all(line.startswith("    ") and width(line) <= columns for line in others)
    assert " ".join([first, *map(str.strip, others)]) == SENTENCE
    assert any("`pressync check --strict a.md`" in line for line in others)


def test_a_report_goes_on_below_its_paths_but_a_diff_keeps_its_lines() -> None:
    change = f"  + a.md  page  {'because ' * 12}".rstrip()
    edit = f"      | +{'word ' * 30}"
    report = f"{change}\n{edit}\nPlan.\n"
    assert fitted(report, None) == report
    first, second, *others = fitted(report, 60).split("\n")
    assert (width(first) <= 60, second.startswith("    because")) == (True, True)
    assert others[-3:] == [edit, "Plan.", ""]
