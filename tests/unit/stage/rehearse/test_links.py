"""Links, anchors and pictures of a rendered site, and their places in the files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository
    from tests.unit.stage.rehearse.conftest import Embedded

HELLO = "---\ntitle: Hello\n---\n## Intro\n"
DRAFT = "---\ntitle: Draft\ndraft: true\n---\n"
# A link, its target as the file has it, and what is dead; "" for a good link.
LINKS = (
    ("[good](../posts/hello.md#intro)", "", ""),
    ("[the title](../posts/hello.md#hello)", "", ""),
    ("[without a slash at the end](/blog/hello)", "", ""),
    ("[x](../posts/gone.md)", "../posts/gone.md", "page"),
    ("[x](/nowhere/)", "/nowhere/", "page"),
    ('<a href="/nowhere/?a=1&amp;b=2">x</a>', "/nowhere/?a=1&b=2", "page"),
    ("[x](http://127.0.0.1:8127/none/)", "http://127.0.0.1:8127/none/", "page"),
    ("[x](/manual.pdf)", "/manual.pdf", "file"),
    ("![x](../img/gone.png)", "../img/gone.png", "picture"),
    ('<video src="/film.mp4"></video>', "/film.mp4", "media"),
    ("[x](../posts/hello.md#nope)", "../posts/hello.md#nope", "anchor"),
    ("[x](/日本/)", "/日本/", "page"),
    ("[x](#nope)", "#nope", "anchor"),
    ("[x](../posts/draft.md)", "../posts/draft.md", "hidden"),
)


def test_a_dead_link_has_its_file_its_line_and_its_target_as_written(
    repository: SampleRepository, embedded: Embedded
) -> None:
    path = "content/pages/about.md"
    text = "---\ntitle: About\n---\n" + "".join(f"- {link}\n" for link, _, _ in LINKS)
    repository.commit({path: text, "content/posts/hello.md": HELLO, "content/posts/draft.md": DRAFT})
    links = embedded.rehearse().links
    assert [(d.path, d.line, d.target, d.kind) for d in links.dead] == [
        (path, line, target, kind) for line, (_, target, kind) in enumerate(LINKS, 4) if kind
    ]
    assert links.checked == len(LINKS)


def test_a_link_of_a_template_is_named_with_the_template(
    repository: SampleRepository, embedded: Embedded
) -> None:
    repository.commit(
        {
            "content/pages/about.md": "# About\n",
            "content/pages/team.md": "# Team\n",
            "templates/page.html": '{{ content }}\n<a href="/imprint/">Imprint</a>\n',
        }
    )
    dead = embedded.rehearse().links.dead
    assert [(d.path, d.line, d.target) for d in dead] == [("templates/page.html", 2, "/imprint/")]


def test_links_that_lead_away_are_not_counted(repository: SampleRepository, embedded: Embedded) -> None:
    away = "[a](https://example.org/x) [b](mailto:a@example.org) [c](//example.org/) <https://[broken>"
    repository.commit({"content/pages/about.md": f"# About\n\n{away}\n"})
    links = embedded.rehearse().links
    assert (links.checked, links.dead) == (0, ())


def test_pages_that_visitors_do_not_see_are_not_checked(
    repository: SampleRepository, embedded: Embedded
) -> None:
    repository.commit({"content/pages/a.md": "---\ntitle: A\ndraft: true\n---\n[x](/nowhere/)\n"})
    assert embedded.rehearse().links.checked == 0
