"""A better form sends nobody's pages: they gain it when their file changes, or when a person says so."""

from __future__ import annotations

import json
import re
from functools import partialmethod
from itertools import product
from typing import TYPE_CHECKING

import pytest
from tests.live.pictures import png
from tests.support.embedded_wordpress import ENVIRON, EmbeddedWordPress, serving
from tests.support.terminal import Terminal

from pressync.app import up_to_date
from pressync.content import basis
from pressync.content.references import References
from pressync.content.render.renderer import Renderer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.support.repository import SampleRepository

GAINS = {
    "content/pages/picture.md": "Text ![red](red.png) text.\n",
    "content/pages/notes.md": "Text.[^1]\n\n[^1]: A note.\n",
    "content/pages/title.md": "> [!TIP] A **title**\n> Text.\n",
    "content/pages/table.md": "| a |\n|---|\n| b |\n",
    # A former version read none of these addresses but `c.png`.
    "content/pages/files.md": (
        '<picture><source srcset="a.png 1x, b.png 2x"><img src="c.png" srcset="d.png 2x"></picture>\n\n'
        '<video poster="e.png"></video>\n\n<div style="background-image:url(\'f.png\')">A</div>\n'
    ),
}
NAMES = [*"abcdef", "red"]
COLOURS = zip(NAMES, product((0, 255), repeat=3), strict=False)
FILES = {f"content/pages/{name}.png": png(*colour) for name, colour in COLOURS}
SAME = {"content/pages/plain.md": "Text.\n"}


@pytest.fixture
def service() -> Iterator[EmbeddedWordPress]:
    with serving() as served:
        yield served


@pytest.fixture
def terminal(repository: SampleRepository, service: EmbeddedWordPress) -> Terminal:
    """Give the terminal of a clone whose pages were sent in the former form."""
    with pytest.MonkeyPatch.context() as former:
        repository.commit({**GAINS, **SAME, **FILES})
        opened = Terminal(repository, {**ENVIRON, "PRESSYNC_URL": service.url})
        former.setattr(up_to_date, "__version__", "0.0.9")
        former.setattr(basis, "_RECIPE", 2)
        former.setattr(Renderer, "render", partialmethod(Renderer.render, former=True))
        former.setattr(References, "in_page_form", _as_before)
        opened.run("sync", "--yes")
    return opened


def _as_before(self: References, content: str, targets: Mapping[str, str]) -> str:
    return next(self.former_forms(content, targets))


def test_a_page_keeps_its_form_until_its_file_changes(
    terminal: Terminal, repository: SampleRepository
) -> None:
    assert "5 pages keep the form of a former version" in terminal.run("plan").stdout
    assert plan(terminal) == {}
    terminal.run("sync", "--yes")
    assert "5 pages keep the form of a former version" in terminal.run("plan", "--strict").stdout
    terminal.run("plan", "--exit-code")

    repository.commit({"content/pages/picture.md": "Text ![red](red.png) words.\n"})
    assert plan(terminal) == {"content/pages/picture.md": ["content"]}
    terminal.run("sync", "--yes")
    assert "4 pages keep the form of a former version" in terminal.run("plan", "--strict").stdout


def test_renew_sends_each_of_them_once(terminal: Terminal, service: EmbeddedWordPress) -> None:
    assert plan(terminal, "--renew") == {path: ["content"] for path in GAINS}
    terminal.run("sync", "--yes", "--renew")
    sent = "".join(str(page["content"]["raw"]) for page in service.pages)
    assert not re.search(r"['\" ][a-f]\.png", sent)
    assert len(set(re.findall(r"/uploads/[\w/]+\.png", sent))) == len(NAMES)
    terminal.run("plan", "--exit-code", "--renew")
    assert "former version" not in terminal.run("plan", "--strict").stdout


@pytest.mark.parametrize("text", ["![](late.png)\n", '<img srcset="late.png 2x">\n'])
def test_a_page_gets_the_address_of_a_file_that_is_added_later(
    repository: SampleRepository, service: EmbeddedWordPress, text: str
) -> None:
    repository.commit({"content/pages/a.md": f"{text}\n![](never.png)\n", **SAME})
    opened = Terminal(repository, {**ENVIRON, "PRESSYNC_URL": service.url})
    opened.run("sync", "--yes")
    opened.run("plan", "--exit-code")

    repository.commit({"content/pages/late.png": png(255, 0, 0)})
    assert plan(opened) == {"content/pages/a.md": ["content"]}
    opened.run("sync", "--yes")
    opened.run("plan", "--exit-code")
    (page,) = (page for page in service.pages if "never" in page["content"]["raw"])
    assert re.search(r'src(?:set)?="http', page["content"]["raw"])


def plan(terminal: Terminal, *options: str) -> dict[str, list[str]]:
    """Give the fields that a plan sends, by path."""
    rows = json.loads(terminal.run("plan", "--format", "json", *options).stdout)["changes"]
    return {row["path"]: row["fields"] for row in rows}
