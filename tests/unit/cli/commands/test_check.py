"""`pressync check`: the content's problems, without manifest or network."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.terminal import Terminal


def test_good_content_passes(terminal: Terminal) -> None:
    assert terminal.run("check").stdout == "3 documents: 0 problems, 0 warnings.\n"


def test_problems_have_places_and_end_with_two(terminal: Terminal) -> None:
    terminal.repository.commit({"content/pages/bad.md": "---\ntitle: x\nmenu_order: first\n---\n"})
    told = terminal.run("check", exits=2)
    assert "content/pages/bad.md:3: " in told.stderr
    assert "4 documents: 1 problem, 0 warnings." in told.stdout


def test_a_broken_link_is_a_warning_with_its_line_and_an_error_if_strict(terminal: Terminal) -> None:
    terminal.repository.commit({"content/pages/bad.md": "# Bad\n\n[x](nowhere.md)\n"})
    assert "warning: content/pages/bad.md:3: " in terminal.run("check").stderr
    terminal.run("check", "--strict", exits=2)


def test_a_path_narrows_what_is_told(terminal: Terminal) -> None:
    terminal.repository.commit({"content/pages/bad.md": "---\nmenu_order: first\n---\n"})
    told = terminal.run("check", "content/pages/about.md")
    assert told.stdout == "1 document: 0 problems, 0 warnings.\n"


def test_a_layout_of_another_tool_is_a_warning_and_a_typo_is_a_problem(terminal: Terminal) -> None:
    terminal.repository.commit({"content/pages/a.md": "---\ntitle: A\nlayout: wide\n---\n"})
    assert "content/pages/a.md:3: its layout belongs to another tool" in terminal.run("check").stderr
    terminal.repository.commit({"templates/wider.html": "{{ content }}"})
    assert "content/pages/a.md:3: its layout is `wide`" in terminal.run("check", exits=2).stderr


def test_a_broken_template_is_told_whatever_the_path(terminal: Terminal) -> None:
    terminal.repository.commit({"templates/page.html": "{{ content }"})
    assert "templates/page.html:1: " in terminal.run("check", "content/pages/about.md", exits=2).stderr


def test_templates_are_checked_too(terminal: Terminal) -> None:
    terminal.repository.commit({"templates/page.html": "<p>\n{% if %}\n{{ content }}\n"})
    assert "templates/page.html:2: " in terminal.run("check", exits=2).stderr


def test_a_dot_is_the_current_folder(terminal: Terminal) -> None:
    terminal.repository.commit({"content/pages/bad.md": "---\ntitle: [\n---\n"})
    assert "bad.md:3: " in terminal.run("check", ".", exits=2).stderr
    assert "bad.md" not in terminal.run("check", "content/pages/about").stderr
