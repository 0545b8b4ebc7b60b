"""`pressync lsp`, and the schemas in real language servers: completion, hover and a red line.

Taplo checks pressync.toml, and yaml-language-server reads front matter. Their tests are skipped without them.
"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.support.language_server import LanguageServer, found
from tests.support.repository import SampleRepository

from pressync.app import editors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# They are looked for now: while a test runs, no PRESSYNC_ variable of anybody is there.
TAPLO, YAML = found("taplo"), found("yaml-language-server")
NAMES = {"tags": ("Bread", "News"), "author": ("jane",), "layout": ("wide",)}

WRONG_SETTINGS = """\
#:schema .pressync/schemas/config.json
content = "../x"
colour = "red"

[sites.live]
url = "ftp:x"
dialect = "wordpres"
password = "x"

[defaults."pages/x"]
status = "drafty"
slug = "x"
"""
RIGHT_SETTINGS = """\
#:schema .pressync/schemas/config.json
content = "docs"
exclude = ["_includes/**"]

[authors]
"Jane Doe" = 3

[sites.live]
url = "https://example.org/wp-json"
dialect = "wordpress"
password_command = ["pass", "x"]

[sites.live.defaults.tags]
status = "draft"

[defaults]
tags = ["bread"]
date = 2024-01-31
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make a repository with the schemas, as `init` and `schema --site` write them."""
    for document in (editors.CONFIG, editors.FRONT_MATTER):
        file = tmp_path / editors.schema_path(document)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(editors.schema_text(document, names=NAMES), encoding="utf-8")
    return tmp_path


def checked(root: Path, settings: str) -> list[str]:
    """Let Taplo check settings, and give its marks: each line with its message."""
    assert TAPLO
    (root / "pressync.toml").write_text(settings, encoding="utf-8")
    done = subprocess.run(
        [TAPLO, "check", "--colors", "never", "pressync.toml"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    marks = [line for line in done.stderr.splitlines() if "^" in line and "│" in line]
    assert bool(marks) == bool(done.returncode), done.stderr
    return marks


@pytest.mark.sweep
@pytest.mark.skipif(TAPLO is None, reason="Taplo is not here: npm install @taplo/cli")
def test_taplo_marks_what_pressync_refuses_in_its_settings(root: Path) -> None:
    marks = checked(root, WRONG_SETTINGS)
    refused = sorted(mark.rpartition("^ ")[2].partition(" ")[0] for mark in marks)
    assert refused == ['"../x"', '"drafty"', '"ftp:x"', '"red"', '"wordpres"', '"x"', '"x"']
    assert any('["documented","wordpress"]' in mark for mark in marks)
    assert any("pressync does not have this key" in mark for mark in marks)
    assert checked(root, RIGHT_SETTINGS) == []


@pytest.fixture
def editor(root: Path) -> Iterator[LanguageServer]:
    schemas = {f"./{editors.schema_path(editors.FRONT_MATTER)}": ["*.yaml"]}
    parts = dict.fromkeys(("validate", "hover", "completion"), True)
    settings = {"yaml": {**parts, "schemas": schemas, "schemaStore": {"enable": False}}}
    if YAML is None:
        pytest.skip("yaml-language-server is not here: npm install yaml-language-server")
    with LanguageServer(YAML, "--stdio", root=root, settings=settings) as server:
        yield server


WRONG = """\
title: [a]
status: bogus
date: 31.1.2024
draft: yes
parent: -1
categories: [a//b]
date_gmt: 2024-01-01
"""
RIGHT = """\
title: 2024
slug: 010
sticky: no
extra: {a: [1]}
"""
# The places at which somebody asks for completion: after each line's last character.
BEGUN = f"{RIGHT}status: \ntags: \n  - \nauthor: \nlayout: \n\n"


@pytest.mark.sweep
def test_yaml_language_server_marks_completes_and_explains_front_matter(editor: LanguageServer) -> None:
    found = editor.open("wrong.yaml", WRONG, "yaml")
    marks = {mark["range"]["start"]["line"]: mark["message"] for mark in found}
    assert marks.keys() == {0, 1, 2, 4, 5, 6}
    assert marks[1].startswith('Value is not accepted. Valid values: "publish", "future", "draft"')
    assert marks[2].startswith("Write it like 2024-01-31")
    assert marks[6] == "Keep either date or date_gmt"
    assert editor.open("right.yaml", RIGHT, "yaml") == []
    assert editor.open("begun.yaml", BEGUN, "yaml") == []
    offered = {
        text: {item["label"] for item in editor.complete("begun.yaml", line, len(text))}
        for line, text in enumerate(BEGUN.split("\n")[:-1])
        if line > RIGHT.count("\n") - 1
    }
    assert {"publish", "draft"} <= offered["status: "]
    assert {"Bread", "News"} <= offered["  - "]
    assert "jane" in offered["author: "]
    assert "wide" in offered["layout: "]
    assert {"date", "featured_media", "protect"} <= offered[""]
    assert "Who can see it" in editor.hover("begun.yaml", BEGUN.split("\n").index("status: "), 1)


PAGE, TEAM = "content/pages/about/index.md", "content/pages/about/team.md"
FILES = {
    "pressync.toml": """[sites.live]
url = "https://site.test/wp-json"
[authors]
jane = 3
[markdown]
dialect = "obsidian"
vault = "pages/notes"
""",
    PAGE: "# About\n\nWe bake.\n",
    TEAM: "# Team\n\n## The bakers\n\nTwo.\n",
    "content/pages/notes/Rye bread.md": "Dark.\n",
    "content/pages/oven.png": "\x89PNG",
    # `pressync.toml` is that of a stranger, and so is this.
    ".gitattributes": "*.md filter=lfs\n",
}
TYPED = """---
title: 😀 About
status:{}
tags: [bread, {}
author:{}
{}
---

[😀](team.md#the-bakers) and [x](../o{}) and [[Rye{}
"""


@pytest.fixture
def lsp(tmp_path: Path) -> Iterator[LanguageServer]:
    repository = SampleRepository.create(tmp_path / "garden")
    repository.commit(FILES)
    command = (sys.executable, "-m", "pressync", "lsp")
    with LanguageServer(*command, root=repository.root, settings={}) as server:
        yield server


def at(text: str, before: str) -> tuple[int, int]:
    """Give the place behind a part of a text, as editors count: a character beyond U+FFFF is two units."""
    lead = text[: text.index(before) + len(before)].split("\n")
    return len(lead) - 1, len(lead[-1].encode("utf-16-le")) // 2


def test_lsp_marks_a_text_that_is_not_saved_and_renews_the_tree_when_one_is(lsp: LanguageServer) -> None:
    assert lsp.open(PAGE, FILES[PAGE], "markdown") == []
    wrong = "---\nstatus: bogus\n---\n[😀](new.md)\n"
    (status,) = lsp.change(PAGE, wrong, 2)
    assert (status["range"]["start"]["line"], status["severity"], status["source"]) == (1, 1, "pressync")
    (link,) = lsp.change(PAGE, wrong.replace("bogus", "draft"), 3)
    assert (link["range"]["start"]["line"], "new.md" in link["message"]) == (3, True)
    (lsp.root / "content/pages/about/new.md").write_text("New.\n", encoding="utf-8")
    assert lsp.save(PAGE) == []
    # What is wrong with the settings is said, and the tree of before stays.
    (lsp.root / "pressync.toml").write_text("content = 3\n", encoding="utf-8")
    assert lsp.save(PAGE) == []
    assert "content" in lsp.said[-1]


@pytest.mark.sweep
def test_lsp_completes_explains_and_follows_what_stands_in_a_text(lsp: LanguageServer) -> None:
    def offered(text: str, before: str) -> set[str]:
        return {item["label"] for item in lsp.complete(PAGE, *at(text, before))}

    text = TYPED.format(" p", "br", " j", "wei", "ve", "")
    lsp.open(PAGE, text, "markdown")
    assert {"publish", "private"} <= offered(text, "status: p")
    assert offered(text, "author: j") == {"jane"}
    assert offered(text, "\nwei") == {"weight"}
    assert offered(text, "(../ov") >= {"../oven.png"}
    assert offered(text, "[[Rye") == {"Rye bread"}
    assert "Who can see it" in lsp.hover(PAGE, *at(text, "\nsta"))
    assert f"`{TEAM}`\n\nNot on the site yet." in lsp.hover(PAGE, *at(text, "](te"))
    assert lsp.definition(PAGE, *at(text, "](te")) == (TEAM, 2)
    assert lsp.definition(PAGE, *at(text, "title")) is None


def test_lsp_ends_as_the_protocol_has_it(lsp: LanguageServer) -> None:
    lsp.open(PAGE, FILES[PAGE], "markdown")
    # An editor tells of a server that ends with another code as of one that has crashed.
    assert lsp.end() == 0


@pytest.mark.sweep
def test_lsp_outlives_what_it_cannot_answer(lsp: LanguageServer) -> None:
    lsp.open(PAGE, FILES[PAGE], "markdown")
    assert lsp.refused("textDocument/nothing", {})
    assert lsp.open("../outside.md", "---\nstatus: bogus\n---\n", "markdown") == []
    assert lsp.open(PAGE, "---\nstatus: bogus\n---\n", "markdown")
    assert lsp.complete(PAGE, 900, 900) == []
    deep = "[" * 100_000 + "\n" + "---\n" * 10_000
    lsp.change(PAGE, deep, 2)
    assert "Not on the site yet" in lsp.hover(PAGE, 0, 50_000)
