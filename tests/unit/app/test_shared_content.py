"""What no site decides is read and rendered once for many sites, and each site gets what it gets alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pressync.app.shared_content import SharedContent
from pressync.config.settings import load
from pressync.content.content import Content
from pressync.content.render import markdown
from pressync.model.interface import Kind
from pressync.model.records import Entry, Manifest
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.support.repository import SampleRepository

    from pressync.config.settings import MarkdownForms, Settings
    from pressync.model.bounds import FileBound

FILES: dict[str, str | bytes] = {
    "content/pages/about.md": "# About\n\nSee [the team](team.md#who) and [the news](../posts/news.md).\n",
    "content/pages/team.md": "---\naliases: [https://a.example/old-team]\n---\n# Team\n\n## Who\n\n`x`\n",
    "content/pages/plain.md": "# Plain\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n![A cat](cat.png)\n",
    "content/pages/wrong.md": "---\nmenu_order: first\n---\n",
    "content/pages/out.md": "---\ntype: none\n---\n# Out\n",
    "content/pages/cat.png": b"\x89PNG\r\n\x1a\n",
    "content/posts/news.md": "---\ndate: 2024-05-01\ntags: [Roses]\n---\n# News\n\n[out](../pages/out.md)\n",
    "templates/page.html": "<main>{{ content }}</main>{{ page.title }}",
}
PLAIN = '[sites.{0}]\nurl = "https://{0}.example/wp-json"\ndialect = "wordpress"\nuser = "anna"\n'
# Each may make another page of the same file.
MORE = [
    "",
    "blocks = true\n",
    "front_page = true\n",
    'exclude = ["posts/**"]\n',
    '[sites.{0}.defaults]\nstatus = "draft"\n',
    '[sites.{0}.seo]\ntitle = "meta.my_title"\n',
    "[sites.{0}.authors]\nanna = 3\n",
]


@pytest.fixture
def repository_(repository: SampleRepository) -> Iterator[Repository]:
    repository.commit(FILES)
    with Repository(repository.root) as opened:
        yield opened


def sites(*more: str) -> list[Settings]:
    text = "".join(
        PLAIN.format(name) + each.format(name) for name, each in zip("abcdefgh", more, strict=False)
    )
    return [load(text, where="x", environ={}, site=name) for name, _ in zip("abcdefgh", more, strict=False)]


def entries(settings: Settings, number: int) -> dict[str, Entry]:
    home = f"https://{settings.site.name}.example"
    paths = ["content/pages/team.md", "content/posts/news.md"]
    return {
        path: Entry(path, Kind.PAGE, number + n, "x", f"{home}/{number + n}/", "", "", "b", "c", {})
        for n, path in enumerate(paths)
    }


def read(content: Content, known: Mapping[str, Entry]) -> dict[str, Any]:
    found = {path: content.read_for_plan(path, known, {}) for path in content.sources}
    sent = {path: content.read(path, known, check=False).prepared for path in found}
    return {
        path: (each.prepared and each.prepared.desired, each.problems, each.left_out, sent[path])
        for path, each in found.items()
    }


@pytest.mark.parametrize("second", MORE)
def test_each_site_gets_what_it_gets_alone(repository_: Repository, second: str) -> None:
    tree, shared = repository_.tree(repository_.commit()), SharedContent()
    for number, settings in enumerate(sites("", second, "", second)):
        known, manifest = entries(settings, 10 * number), Manifest(settings.site.target)
        together = shared.open(repository_, tree, settings, manifest=manifest)
        alone = Content(repository_, tree, settings, manifest=manifest)
        assert read(together, known) == read(alone, known)


def test_a_body_is_rendered_once_for_all_sites_whose_settings_are_alike(
    repository_: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    bodies, reads = list[str](), list[str]()
    render, read_file = markdown.to_html, repository_.read_file

    def rendering(body: str, *forms: MarkdownForms, placed: bool = False) -> str:
        bodies.append(body)
        return render(body, *forms, placed=placed)

    def reading(path: str, blob: str, *bound: FileBound) -> bytes:
        reads.append(path)
        return read_file(path, blob, *bound)

    monkeypatch.setattr(markdown, "to_html", rendering)
    monkeypatch.setattr(repository_, "read_file", reading)
    tree, shared = repository_.tree(repository_.commit()), SharedContent()
    counts = list[int]()
    for number, settings in enumerate(sites("", "", "")):
        read(shared.open(repository_, tree, settings), entries(settings, 10 * number))
        counts.append(len(bodies))
        again = set(reads)
        reads.clear()
    assert counts[0] == counts[1] == counts[2] > 0
    # An address in front matter may be of the site, and the other two are not documents.
    assert again == {f"content/pages/{name}.md" for name in ("team", "wrong", "out")}


def test_another_commit_is_read_anew(repository: SampleRepository, repository_: Repository) -> None:
    shared, settings = SharedContent(), sites("")[0]
    path, titles = "content/pages/plain.md", []
    for text in ("# First\n", "# Second\n"):
        repository.commit({path: text})
        content = shared.open(repository_, repository_.tree(repository_.commit()), settings)
        desired = content.read(path, {}).prepared
        titles.append(desired and desired.desired.title)
    assert titles == ["First", "Second"]
