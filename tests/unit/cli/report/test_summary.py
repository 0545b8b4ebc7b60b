"""`plan --summary`: numbers by kind, reason and folder, in a few lines for any tree."""

from __future__ import annotations

from tests.support.builders import blocked, create, plan, prints, update
from tests.support.plan_samples import HOSTILE, PROBLEMS, hostile_plan

from pressync.cli.report import summary

HEADLINE = "Plan for site production at commit c0ffee0000 (https://site.test/wp-json)\n\n"


def test_a_plan_in_numbers() -> None:
    hidden = "content/pages/docs/draft.md"
    drawn = plan(
        *(create(f"content/pages/docs/{number}.md") for number in range(1200)),
        create(hidden, fingerprints=prints(hidden, status="draft")),
        update("content/pages/a.md"),
        *(blocked(f"content/posts/{name}.md", f"adopt content/posts/{name}.md first") for name in "xyz"),
        problems=PROBLEMS,
    )
    assert summary.plan(drawn) == HEADLINE + (
        "  + 1201 pages to create\n"
        "       1,200  new document, publish\n"
        "           1  new document, draft\n"
        "  ~ 1 page to update\n"
        "           1  content changed\n"
        "  ! 3 pages blocked\n"
        "           3  adopt PATH first\n"
        "\n"
        "  content/pages/docs  + 1,201\n"
        "  content/posts       ! 3\n"
        "  content/pages       ~ 1\n"
        "\n"
        "1 problem: 1 value; `pressync check` lists them.\n"
        "1 warning: 1 value; `pressync check` lists them.\n"
        "Visitors do not see 1 new record (draft); after the sync, `pressync status` has their addresses.\n"
        "Plan: 1201 to create, 1 to update, 3 blocked, 0 up to date.\n"
    )


def test_nothing_to_do_is_one_sentence() -> None:
    assert summary.plan(plan()) == f"{HEADLINE}Nothing to do: 0 records are up to date.\n"


def test_many_reasons_and_many_folders_are_counted() -> None:
    drawn = plan(*(blocked(f"content/pages/{name}/a.md", f"reason {name}") for name in "abcdefghijklmnop"))
    shown = summary.plan(drawn).splitlines()
    assert "           6  for 6 other reasons" in shown
    assert "  6 other folders  ! 6" in shown


def test_whatever_comes_from_outside_stays_on_its_line() -> None:
    shown = summary.plan(hostile_plan())
    assert HOSTILE not in shown
    assert not any(ord(sign) < 32 and sign != "\n" for sign in shown)
    assert "::" not in [line.strip()[:2] for line in shown.splitlines()]
