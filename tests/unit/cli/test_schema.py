"""`pressync schema` for the files that people write: generic without a site, and with the names of one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from click.testing import CliRunner
from tests.support import embedded_wordpress
from tests.support.embedded_wordpress import ENVIRON
from tests.support.terminal import Terminal

from pressync.app.editors import schema_files
from pressync.cli.main import pressync

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from tests.support.repository import SampleRepository


def test_without_a_site_no_repository_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for document in ("config", "front-matter"):
        result = CliRunner().invoke(pressync, ["schema", document])
        assert (result.exit_code, result.stdout) == (0, schema_files.text(document))


def test_a_named_site_writes_its_names_in(repository: SampleRepository) -> None:
    repository.commit({"content/pages/a.md": "# A\n", "templates/wide.html": "{{ content }}"})
    with embedded_wordpress.serving() as site:
        terminal = Terminal(repository, {**ENVIRON, "PRESSYNC_URL": site.url})
        generic = terminal.run("schema", "front-matter", "--kind", "post").stdout
        own = terminal.run("schema", "front-matter", "--kind", "post", "--site", "default").stdout
        config = terminal.run("schema", "config", "--site", "default").stdout
    assert "wide" not in generic
    keys = json.loads(own)["properties"]
    assert keys["layout"]["anyOf"][0] == {"enum": ["wide"]}
    assert keys["author"]["anyOf"][0] == {"enum": ["admin"]}
    assert "parent" not in keys
    assert json.loads(config)["definitions"]["folder"]["properties"]["layout"]["anyOf"][0] == {
        "enum": ["wide"]
    }


def test_a_kind_belongs_to_front_matter_alone(repository: SampleRepository) -> None:
    said = Terminal(repository, {}).run("schema", "config", "--kind", "page", exits=2).stderr
    assert "--kind is an option of `pressync schema front-matter`" in said
