"""The schemas in real language servers, which are those of editors: completion, hover and a red line.

Taplo checks pressync.toml, and yaml-language-server reads front matter. The tests are skipped without them.
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.support.language_server import LanguageServer, found

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
