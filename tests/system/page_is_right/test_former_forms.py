"""A better form sends nobody's pages: they gain it when their file changes, or when a person says so."""

from __future__ import annotations

import json
import re
from functools import partial, partialmethod
from itertools import product
from typing import TYPE_CHECKING

import pytest
from tests.live.pictures import png
from tests.support.embedded_wordpress import ENVIRON, serving
from tests.support.terminal import Terminal

from pressync.app import up_to_date
from pressync.content import basis
from pressync.content.references import References
from pressync.content.render import page_forms
from pressync.content.render.renderer import Renderer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.support.repository import SampleRepository

GAINS = {
    "content/pages/picture.md": "Text ![red](red.png) text.\n",
    "content/pages/notes.md": "Text.[^1]\n\n[^1]: A note.\n",
    "content/pages/title.md": "> [!TIP] A **title**\n> Text.\n",
    "content/pages/table.md": "| a |\n|---|\n| b |\n",
}
BLOCKS = "[sites.production]\nblocks = true\n"
FORMS = "[markdown]\nmath = true\nembeds = true\nhighlight = 'default'\n"
SAME = {"content/pages/plain.md": "Text.\n"}


@pytest.fixture
def terminal(repository: SampleRepository) -> Iterator[Terminal]:
    """Give the terminal of a clone whose pages were sent in the former form."""
    with serving() as service, pytest.MonkeyPatch.context() as former:
        repository.commit({**GAINS, **SAME, "content/pages/red.png": png(255, 0, 0)})
        opened = Terminal(repository, {**ENVIRON, "PRESSYNC_URL": service.url})
        former.setattr(up_to_date, "__version__", "0.0.9")
        former.setattr(basis, "_RECIPE", 2)
        former.setattr(Renderer, "render", partialmethod(Renderer.render, former=True))
        former.setattr(References, "in_page_form", _as_before)
        opened.run("sync", "--yes")
        former.undo()
        yield opened


def _as_before(self: References, content: str, targets: Mapping[str, str]) -> str:
    return [*self.former_forms("", lambda: content, targets)][2]


def test_a_page_keeps_its_form_until_its_file_changes(
    terminal: Terminal, repository: SampleRepository
) -> None:
    assert "4 pages keep the form of a former version" in terminal.run("plan").stdout
    assert plan(terminal) == {}
    terminal.run("sync", "--yes")
    assert "4 pages keep the form of a former version" in terminal.run("plan", "--strict").stdout
    terminal.run("plan", "--exit-code")

    repository.commit({"content/pages/picture.md": "Text ![red](red.png) words.\n"})
    assert plan(terminal) == {"content/pages/picture.md": ["content"]}
    terminal.run("sync", "--yes")
    assert "3 pages keep the form of a former version" in terminal.run("plan", "--strict").stdout


def test_renew_sends_each_of_them_once(terminal: Terminal) -> None:
    assert plan(terminal, "--renew") == {path: ["content"] for path in GAINS}
    terminal.run("sync", "--yes", "--renew")
    terminal.run("plan", "--exit-code", "--renew")
    assert "former version" not in terminal.run("plan", "--strict").stdout


@pytest.mark.parametrize(
    "text",
    [
        *("- [ ] A\n\n- [x] B\n", "## ALongWordInHere\n", "`aLongWord`/`andAnotherOne`\n"),
        "A **path/of/a/file.of/many/letters**.\n\n<table border=1><tr><td>B</td></tr></table>\n",
        "A\n\n<!--more-->\n\nB\n\n<!--nextpage-->\n\nC\n",
    ],
)
def test_the_form_of_the_version_before_stays_until_the_file_changes(
    repository: SampleRepository, text: str
) -> None:
    as_then = partial(page_forms.in_page_form, former=True)
    with serving() as service, pytest.MonkeyPatch.context() as former:
        repository.commit({"content/pages/a.md": text, "pressync.toml": BLOCKS, **SAME})
        opened = Terminal(repository, {**ENVIRON, "PRESSYNC_URL": service.url})
        former.setattr(up_to_date, "__version__", "0.0.9")
        former.setattr(basis, "_RECIPE", 3)
        former.setattr(basis, "BLOCKS", 3)
        former.setattr(page_forms, "in_page_form", lambda page, ids, **_: as_then(page, ids))
        opened.run("sync", "--yes")
        former.undo()
        assert "1 page keeps the form of a former version" in opened.run("plan").stdout
        assert plan(opened) == {}
        assert plan(opened, "--renew") == {"content/pages/a.md": ["content"]}


def test_a_page_keeps_the_addresses_of_files_that_the_version_before_did_not_read(
    repository: SampleRepository,
) -> None:
    names = {name: png(*colour) for name, colour in zip("abcdef", product((0, 255), repeat=3), strict=False)}
    text = (
        "> [!NOTE] A $b$\n> A\n\n```sh\nls\n```\n\n<div>\nhttps://vimeo.com/7\n</div>\n\n"
        '<picture><source srcset="a.png 1x, b.png 2x"><img src="c.png" srcset="d.png 2x"></picture>\n\n'
        '<video poster="e.png"></video>\n\n<div style="background-image:url(\'f.png\')">A</div>\n'
    )
    files = {f"content/pages/{name}.png": data for name, data in names.items()}
    with serving() as service, pytest.MonkeyPatch.context() as former:
        repository.commit({"content/pages/g.md": text, "pressync.toml": FORMS, **SAME, **files})
        opened = Terminal(repository, {**ENVIRON, "PRESSYNC_URL": service.url})
        former.setattr(up_to_date, "__version__", "0.0.9")
        former.setattr(basis, "_RECIPE", 4)
        former.setattr(Renderer, "render", partialmethod(Renderer.render, previous=True))
        opened.run("sync", "--yes")
        former.undo()
        assert "1 page keeps the form of a former version" in opened.run("plan").stdout
        assert plan(opened) == {}
        opened.run("sync", "--yes", "--renew")
        sent = "".join(str(page["content"]["raw"]) for page in service.pages)
        assert not re.search(r"['\" ][a-f]\.png|\$b|#f8f8f8\"|div>\n?http", sent)
        assert len(set(re.findall(r"/uploads/[\w/]+\.png", sent))) == len(names)


@pytest.mark.parametrize(
    "text",
    ["![](late.png)\n", '<img srcset="late.png 2x">\n', '<p style="background:url(late.png)">A</p>\n'],
)
def test_a_page_gets_the_address_of_a_file_that_is_added_later(
    repository: SampleRepository, text: str
) -> None:
    with serving() as service:
        repository.commit({"content/pages/a.md": f"{text}\n![](never.png)\n", **SAME})
        opened = Terminal(repository, {**ENVIRON, "PRESSYNC_URL": service.url})
        opened.run("sync", "--yes")
        opened.run("plan", "--exit-code")

        repository.commit({"content/pages/late.png": png(255, 0, 0)})
        assert plan(opened) == {"content/pages/a.md": ["content"]}
        opened.run("sync", "--yes")
        opened.run("plan", "--exit-code")
        (page,) = (page for page in service.pages if "never" in page["content"]["raw"])
        assert re.search(r"/uploads/[\w/]+\.png", page["content"]["raw"])


def plan(terminal: Terminal, *options: str) -> dict[str, list[str]]:
    """Give the fields that a plan sends, by path."""
    rows = json.loads(terminal.run("plan", "--format", "json", *options).stdout)["changes"]
    return {row["path"]: row["fields"] for row in rows}
