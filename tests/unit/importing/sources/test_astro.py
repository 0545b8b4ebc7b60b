"""A site of Astro has the addresses that Astro 5 gave it, and the components of Starlight become Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.source_trees import by_file, left_out, origin, tree

from pressync.importing.sources import astro
from pressync.importing.sources.item import ImportSource, Item, Note

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pressync.importing.sources.item import Imported

CONFIG = """\
// site: 'https://wrong.org'
export default defineConfig({
  site: 'https://x.org', base: '/b',
  integrations: [starlight({ locales: { root: {}, de: {} } })],
});
"""
COLLECTIONS = """\
const blog = defineCollection({ loader: glob({ base: './src/data/blog', pattern: '**/*.md' }) });
export const collections = { docs: defineCollection({ loader: docsLoader() }), blog };
"""
ROUTE = "---\nconst posts = await getCollection('blog');\n---\n"
PAGE = "---\ntitle: T\n{}---\n"


def imported(folder: Path, files: Mapping[str, str], config: str = CONFIG) -> list[Imported]:
    tree(folder, {"astro.config.mjs": config, "src/content.config.ts": COLLECTIONS, **files})
    return list(astro.TOOL.items(ImportSource("site", folder)))


def doc(folder: Path, text: str) -> Item:
    path = "src/content/docs/a.mdx"
    return by_file(imported(folder, {path: PAGE.format("") + text}))[path]


# The addresses are those of a build with Astro 5 and Starlight.
def test_each_file_is_an_item_or_left_out(tmp_path: Path) -> None:
    files = {
        "src/content/docs/index.md": PAGE.format(""),
        "src/content/docs/guides/First Steps.mdx": PAGE.format("sidebar: {order: 3}\ndescription: D\n"),
        "src/content/docs/guides/other.md": PAGE.format("slug: own/slug\n"),
        "src/content/docs/de/index.md": PAGE.format(""),
        "src/content/docs/_part.md": "part",
        "src/data/blog/My Post, 1.md": PAGE.format("pubDate: 2024-01-31\nheroImage: ../../assets/p.png\n"),
        "src/pages/blog/[...slug].astro": ROUTE,
        "src/pages/about.md": PAGE.format("draft: true\n"),
        "src/pages/hi.astro": "<p>x</p>",
    }
    found = imported(tmp_path, files)
    assert origin(found) == "https://x.org/b/"
    assert {each.path: each.address for each in by_file(found).values()} == {
        "pages/index.md": "/b/",
        "pages/guides/first-steps.md": "/b/guides/first-steps/",
        "pages/own/slug.md": "/b/own/slug/",
        "pages/de.md": "/b/de/",
        "posts/my-post-1.md": "/b/blog/my-post-1/",
        "pages/about.md": "/b/about/",
    }
    assert left_out(found) == dict.fromkeys(
        ("src/pages/blog/[...slug].astro", "src/pages/hi.astro"), "page in Astro"
    )
    items = by_file(found)
    post, page = items["src/data/blog/My Post, 1.md"], items["src/content/docs/guides/First Steps.mdx"]
    assert (post.date, post.fields) == ("2024-01-31T00:00:00", {"featured_media": "/src/assets/p.png"})
    assert (page.order, page.excerpt) == (3, "D")
    assert items["src/pages/about.md"].status == "draft"
    notes = [each.text for each in found if isinstance(each, Note)]
    assert [note.partition(":")[0] for note in notes] == [
        "Starlight shows the original where nobody has translated a page"
    ]


@pytest.mark.parametrize(
    ("config", "address"),
    [
        ("trailingSlash: 'never'", "/about"),
        ("build: { format: 'file' }", "/about.html"),
        ("base: '/x/'", "/x/about/"),
    ],
)
def test_settings_decide_the_end_of_an_address(tmp_path: Path, config: str, address: str) -> None:
    found = imported(tmp_path, {"src/pages/about.md": PAGE.format("")}, f"export default {{ {config} }}")
    assert by_file(found)["src/pages/about.md"].address == address


def test_a_collection_without_a_route_has_no_addresses_and_is_told(tmp_path: Path) -> None:
    files = {"src/data/blog/a.md": PAGE.format("")}
    found = imported(tmp_path, files, "export default {}")
    assert by_file(found)["src/data/blog/a.md"].address == ""
    assert any("src/data/blog: no route" in each.text for each in found if isinstance(each, Note))


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ('<Aside type="tip" title="T">\nx\n</Aside>', "> [!TIP] T\n> x\n"),
        (":::note\nx\n:::", "> [!NOTE]\n> x\n"),
        ("<Steps>\n\n1. One\n\n</Steps>", "\n\n1. One\n\n"),
        ('<Card title="C" icon="star">\nx\n</Card>', "\n**C**\n\nx\n"),
        ('<LinkCard title="L" href="/l/" description="D" />', "\n[L](/l/): D\n"),
        ('<Tabs>\n<TabItem label="npm">\nx\n</TabItem>\n</Tabs>', "\n\n**npm**\n\nx\n\n"),
        ("import { A } from 'x';\ntext", "\ntext"),
        ("```\n<Steps> {x}\n```\n`{x}`", "```\n<Steps> {x}\n```\n`{x}`"),
    ],
)
def test_components_of_starlight_become_markdown(tmp_path: Path, written: str, made: str) -> None:
    item = doc(tmp_path, f"a\n\n{written}\n")
    assert (item.body, item.remainders) == (f"a\n\n{made}\n", ())


def test_other_components_and_expressions_stay_and_are_named(tmp_path: Path) -> None:
    item = doc(tmp_path, "a {1 + 1}\n<Own x={2} />\nexport const x = 1;\n")
    assert [(each.kind, each.place.line) for each in item.remainders] == [
        ("expression", 4),
        ("component Own", 5),
        ("export", 6),
    ]
