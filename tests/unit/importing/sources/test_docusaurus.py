"""A whole Docusaurus site as items. The routes of Docusaurus 3.8 gave the addresses in the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.corpora import unpack
from tests.support.source_trees import by_file, left_out, origin, tree

from pressync.config.settings import load
from pressync.importing.run import ImportRequest, import_source
from pressync.importing.sources.docusaurus import TOOL, DocusaurusSource, Root
from pressync.importing.sources.item import ImportSource, Note
from pressync.importing.sources.links import FolderFiles
from pressync.model.interface import Kind
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository

    from pressync.importing.account import Account
    from pressync.importing.sources.item import Imported


PRESET = """
// url: "https://wrong.example",
import {themes} from 'prism-react-renderer';
const config = {
  url: 'https://example.org',
  baseUrl: '/base/', // comment
  locales: { de: { baseUrl: `/${locale}/` } },
  trailingSlash: true,
  presets: [['classic', {
    docs: { path: './manual', routeBasePath: '/', sidebarPath: require.resolve('./sidebars.js') },
    blog: false,
  }]],
  plugins: [['@docusaurus/plugin-content-docs', { id: 'api', path: 'api', routeBasePath: 'reference' }]],
  themeConfig: { footer: { docs: { label: 'x' } } },
};
"""


GERMAN = "i18n/de/docusaurus-plugin-content"


def test_a_preset_and_further_instances_are_found(tmp_path: Path) -> None:
    pages = ("manual/a.md", "api/a.md", "blog/a.md", "docs/a.md")
    files = {"docusaurus.config.ts": PRESET, **dict.fromkeys(pages, "")}
    config = DocusaurusSource.of(tree(tmp_path, files))
    assert (config.address, config.base, config.has_slash) == ("https://example.org", "/base", True)
    assert config.roots == (Root("manual", ""), Root("api", "reference"))
    files = {"docusaurus.config.js": "module.exports = make();", "docs/a.md": "", "src/pages/a.md": ""}
    config = DocusaurusSource.of(tree(tmp_path / "plain", files | {"blog/a.md": ""}))
    assert (config.address, config.base, config.has_slash) == ("", "", None)
    assert config.roots == (Root("docs", "docs"), Root("blog", "blog", is_blog=True), Root("src/pages", ""))
    for setting, end in (("true", "/"), ("false", "")):
        files["docusaurus.config.js"] = f"module.exports = {{trailingSlash: {setting}}};"
        site = tree(tmp_path / setting, files)
        found = by_file(DocusaurusSource.of(site).items())
        assert [each.address for each in found.values()] == [f"/docs/a{end}", f"/a{end}"]


def test_versions_and_languages_are_folders_of_their_own(tmp_path: Path) -> None:
    files = {
        "docusaurus.config.js": "module.exports = {presets: [['classic', {docs: {sidebarPath: 'x'}}]]};",
        "versions.json": '["2.0", "1.0"]',
    }
    pages = ("docs", "blog", "versioned_docs/version-1.0", "versioned_docs/version-2.0")
    translated = ("docs/version-2.0", "blog")
    files |= dict.fromkeys((f"{page}/a.md" for page in pages), "")
    files |= {f"{GERMAN}-{page}/a.md": "" for page in translated}
    assert DocusaurusSource.of(tree(tmp_path, files)).roots == (
        Root("versioned_docs/version-2.0", "docs/"),
        Root("versioned_docs/version-1.0", "docs/1.0"),
        Root("docs", "docs/next"),
        Root("blog", "blog", is_blog=True),
        Root(f"{GERMAN}-docs/version-2.0", "de/docs/", original="versioned_docs/version-2.0", language="de"),
        Root(f"{GERMAN}-blog", "de/blog", is_blog=True, original="blog", language="de"),
    )


def test_a_page_has_the_address_of_each_language_without_a_translation_of_it(tmp_path: Path) -> None:
    """`loadSite` of Docusaurus 3.10 with each language gave these addresses and these files."""
    inner = "docusaurus-plugin-content-docs/current"
    files = {
        "docusaurus.config.js": "module.exports = {i18n: {locales: ['en', 'de', 'fr']}};",
        **dict.fromkeys(("docs/a.md", "docs/b-C.md", f"i18n/en/{inner}/a.md"), "Text\n"),
        **dict.fromkeys((f"i18n/de/{inner}/a.md", f"i18n/de/{inner}/only.md", f"i18n/es/{inner}/a.md"), ""),
        "blog/x-2024-01-01-y-2024-03-04-z.md": "# Two\n",
        "blog/2024-02-01/index.md": "",
    }
    found = list(DocusaurusSource.of(tree(tmp_path, files)).items())
    pages = {file: (item.title, item.address, item.aliases) for file, item in by_file(found).items()}
    assert pages == {
        f"i18n/en/{inner}/a.md": ("a", "/docs/a", ("/fr/docs/a",)),
        "docs/b-C.md": ("b-C", "/docs/b-C", ("/de/docs/b-C", "/fr/docs/b-C")),
        f"i18n/de/{inner}/a.md": ("a", "/de/docs/a", ()),
        "blog/x-2024-01-01-y-2024-03-04-z.md": _post("Two", "/2024/03/04/x-2024-01-01-y-z"),
        "blog/2024-02-01/index.md": _post("index", "/2024/02/01/index"),
    }
    assert left_out(found) == {
        "docs/a.md": "original of a translation",
        f"i18n/de/{inner}/only.md": "translation without an original",
        f"i18n/es/{inner}/a.md": "page of a language that is off",
    }


def _post(title: str, address: str) -> tuple[str, str, tuple[str, ...]]:
    return title, f"/blog{address}", (f"/de/blog{address}", f"/fr/blog{address}")


PATTERNS = {
    "exclude: ['**/_*.md', '/out/**', \"*.{draft,wip}.md\"]": {"a.md", "deep/e.wip.md", "_f/g.md"},
    "include: [`deep/**/*.{md,mdx}`,]": {"deep/e.wip.md"},
    "exclude: []": {"_p.md", "a.md", "d.wip.md", "deep/e.wip.md", "_f/g.md", "out/c.md"},
    "exclude: [...usual, 'out/**']": {"a.md", "d.wip.md", "deep/e.wip.md", "out/c.md"},
    "exclude: ['!(a).md']": {"a.md", "d.wip.md", "deep/e.wip.md", "out/c.md"},
}


@pytest.mark.parametrize("option", PATTERNS)
def test_the_patterns_of_the_settings_decide_which_files_are_pages(tmp_path: Path, option: str) -> None:
    pages = ("_p.md", "a.md", "d.wip.md", "deep/e.wip.md", "_f/g.md", "out/c.md")
    settings = f"module.exports = {{presets: [['classic', {{docs: {{{option}}}}}]]}};"
    files = {"docusaurus.config.js": settings, **{f"docs/{page}": "" for page in pages}}
    found = list(DocusaurusSource.of(tree(tmp_path, files)).items())
    assert set(by_file(found)) == {f"docs/{page}" for page in PATTERNS[option]}
    notes = [each.text for each in found if isinstance(each, Note)]
    assert len(notes) == any(sign in option for sign in ("...", "!("))
    assert all(note.startswith("docs: ") and "`exclude`" in note for note in notes)


SETTINGS = "module.exports = {url: 'https://example.org', baseUrl: '/b/', plugins: ['plugin-content-docs']};"
ADDRESSES = {
    "docs/intro.md": ("slug: /", "/b/docs/"),
    "docs/01-first.md": ("", "/b/docs/first"),
    "docs/01-index.md": ("", "/b/docs/index"),
    "docs/Upper Case.md": ("", "/b/docs/Upper%20Case"),
    "docs/guides/index.md": ("", "/b/docs/guides/"),
    "docs/guides/02-deep/03.third.md": ("", "/b/docs/guides/deep/third"),
    "docs/guides/04-idx/index.md": ("id: myid", "/b/docs/guides/idx/"),
    "docs/guides/2021-11-notes.md": ("", "/b/docs/guides/2021-11-notes"),
    "docs/guides/abs.md": ("slug: /abs/x", "/b/docs/abs/x"),
    "docs/guides/ided.md": ("id: the-id", "/b/docs/guides/the-id"),
    "docs/guides/readme2/README.mdx": ("", "/b/docs/guides/readme2/"),
    "docs/tut/tut.md": ("", "/b/docs/tut/"),
    "blog/2021-01-02-first.md": ("", "/b/blog/2021/01/02/first"),
    "blog/2021-02-03-slug.md": ("slug: sl", "/b/blog/sl"),
    "blog/2021-02-04-slug.md": ("slug: /a/b", "/b/blog/a/b"),
    "blog/2021/03/04-x.md": ("", "/b/blog/2021/03/04/x"),
    "blog/2022-04-05-bundle/index.md": ("", "/b/blog/2022/04/05/bundle"),
    "blog/sub/2021-02-05-z.md": ("", "/b/blog/2021/02/05/sub/z"),
    "src/pages/about.md": ("", "/b/about"),
}


def imported(folder: Path, files: dict[str, str]) -> list[Imported]:
    site = tree(folder, {"docusaurus.config.js": SETTINGS, **files})
    return list(DocusaurusSource.of(site).items())


def test_addresses_are_those_of_docusaurus(tmp_path: Path) -> None:
    files = {path: f"---\n{head}\n---\n# T\n" for path, (head, _) in ADDRESSES.items()}
    found = imported(tmp_path, files)
    assert origin(found) == "https://example.org/b/"
    assert {path: each.address for path, each in by_file(found).items()} == {
        path: address for path, (_, address) in ADDRESSES.items()
    }


def test_a_post_has_its_date_author_and_tags_and_a_page_its_order(tmp_path: Path) -> None:
    post = """\
        ---
        title: Hello
        authors: [anna, ben]
        tags: [bread, {label: Two, permalink: /two}]
        draft: true
        ---
        <!-- truncate -->
        """
    files = {
        "docs/02-a.md": "---\ntitle: M\nsidebar_label: A\ndescription: D\n---\n# Head\n\n![x](img/x.png)\n",
        "docs/img/x.png": "",
        "docs/_part.md": "",
        "blog/2024-01-31-hello.md": post,
        "blog/authors.yml": "anna:\n  name: Anna Berg\n",
        "src/pages/index.js": "",
        "static/img/y.png": "",
    }
    found = imported(tmp_path, files)
    pages = by_file(found)
    page, hello = pages["docs/02-a.md"], pages["blog/2024-01-31-hello.md"]
    assert (page.path, page.title, page.order, page.excerpt) == ("pages/docs/a.md", "Head", 2, "D")
    assert (page.body, page.fields) == ("![x](img/x.png)\n", {"params": {"sidebar_label": "A"}})
    assert (hello.kind, hello.path, hello.slug) == (Kind.POST, "posts/2024-01-31-hello.md", "hello")
    assert (hello.date, hello.author, hello.tags) == ("2024-01-31T00:00:00", "Anna Berg", ("bread", "Two"))
    assert (hello.status, hello.body) == ("draft", "<!--more-->\n")
    assert left_out(found) == {"src/pages/index.js": "page in React"}
    (files_of,) = (each for each in found if isinstance(each, FolderFiles))
    assert files_of.file_of("/docs/img/x.png") == "media/docs/img/x.png"
    assert files_of.file_of("/b/img/y.png") == "media/b/img/y.png"


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ("/cli/list.md", "list.md"),
        ("catalogs.md#x", "../catalogs.md#x"),
        ("/docs/a%20b.mdx?x=1", "../a%20b.mdx?x=1"),
        ("https://example.com/catalogs.md", "https://example.com/catalogs.md"),
    ],
)
def test_a_file_link_is_looked_up_beside_the_page_first(tmp_path: Path, written: str, made: str) -> None:
    files = {
        "docs/cli/add.md": f"[x]({written}) and `[x]({written})`\n",
        "docs/cli/list.md": "",
        "docs/catalogs.md": "",
        "docs/a b.mdx": "",
    }
    page = by_file(imported(tmp_path, files))["docs/cli/add.md"]
    assert page.body == f"[x]({made}) and `[x]({written})`\n"


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ("./list.md", "../../../../../docs/cli/list.md"),
        ("../only.md#x", "../../../../../docs/only.md#x"),
        ("@site/docs/both.md", "../both.md"),
        ("img/x.png", "../../../../../docs/cli/img/x.png"),
        ("@site/static/img/y%20z.png", "/b/img/y%20z.png"),
        ("@site/../secret.md", "@site/../secret.md"),
        ("/docs/both", "/b/fr/docs/both"),
        ("/docs/named#x", "/b/fr/docs/named#x"),
    ],
)
def test_a_translated_page_may_name_an_original_file(tmp_path: Path, written: str, made: str) -> None:
    here = "i18n/fr/docusaurus-plugin-content-docs/current"
    (tmp_path / "secret.md").write_text("secret")
    files = {
        f"{here}/cli/add.md": f"[x]({written})\n",
        f"{here}/both.md": "",
        f"{here}/other.md": "---\nslug: named\n---\n",
        "docs/cli/list.md": "",
        "docs/both.md": "",
        "docs/only.md": "",
        "docs/cli/img/x.png": "",
        "docs/cli/add.md": "[x](@site/docs/only.md)\n",
    }
    pages = by_file(imported(tmp_path / "site", files))
    assert pages[f"{here}/cli/add.md"].body == f"[x]({made})\n"
    assert pages["docs/cli/add.md"].body == "[x](../only.md)\n"


def test_a_partial_file_outside_of_the_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret")
    files = {"docs/a.md": "import S from '../../secret.md'\n\n<S />\n"}
    (page,) = by_file(imported(tmp_path / "site", files)).values()
    assert "secret" not in page.body
    assert [each.kind for each in page.remainders] == ["component S"]


@pytest.mark.corpus
def test_a_real_site_is_carried_with_its_addresses(tmp_path: Path) -> None:
    root = unpack("pnpm-docs", tmp_path)
    found = by_file(TOOL.items(ImportSource(str(root), root)))
    files = (path for folder in ("docs", "blog") for path in (root / folder).rglob("*.md*"))
    shown = [path for path in files if not path.name.startswith("_")]
    assert len(found) == len(shown)
    expected = {
        "docs/cli/add.md": "/cli/add",
        "docs/settings/build.md": "/settings/build",
        "blog/2021-12-29-yearly-update.md": "/blog/2021/12/29/yearly-update",
        "blog/releases/11.10.md": "/blog/releases/11.10",
    }
    assert {path: found[path].address for path in expected} == expected
    assert [each.place.path for each in found.values() if each.remainders] == ["docs/settings.md"]


OUTSIDE = {
    "website/docusaurus.config.js": "module.exports = {presets: [['classic', {docs: {path: '../docs', "
    "routeBasePath: '/'}, blog: false}]]};",
    "docs/install.md": "# Install\n\n[Next](./more/next.md) ![p](pic.png)\n",
    "docs/more/next.md": "# Next\n\n[Back](../install.md)\n",
    "docs/more/old.rst": "",
    "docs/pic.png": "x",
}


def test_docs_beside_the_folder_in_its_repository_are_pages(repository: SampleRepository) -> None:
    folder = tree(repository.root, OUTSIDE).root / "website"
    source = ImportSource("website", folder)
    settings = load(None, where="", environ={})

    def imported() -> Account:
        return import_source(Repository(repository.root), settings, ImportRequest(source, content="new"))

    left = [(each.kind, each.why) for each in imported().left_out]
    assert [kind for kind, _ in left] == ["page in a folder outside"] * 3, "nobody has committed it"
    assert "commit both to one" in left[0][1]
    repository.commit()
    account = imported()
    assert {file.path: file.item.address for file in account.files} == {
        "new/pages/install.md": "/install",
        "new/pages/more/next.md": "/more/next",
    }
    text = (repository.root / "new/pages/install.md").read_text()
    assert text.endswith("\n[Next](more/next.md) ![p](../media/docs/pic.png)\n")
    assert (repository.root / "new/media/docs/pic.png").read_text() == "x"
    assert [each.kind for each in account.left_out] == ["page that nothing reads"]


LISTED = '{"label": "Tutorial - Basics", "position": 2, "link": {"type": "generated-index"%s}}'


@pytest.mark.parametrize(
    ("files", "page"),
    [
        (
            {
                "docs/1-basics/_category_.json": LISTED % ', "description": "Five minutes"',
                "docs/1-basics/b.md": "# Second *one*\n",
                "docs/1-basics/a b.md": "---\nsidebar_label: '[Third]'\ntitle: x\n---\n",
                "docs/1-basics/c.mdx": "---\nsidebar_position: 1\n---\n",
                "docs/1-basics/_part.md": "part\n",
                "docs/1-basics/deep/d.md": "deep\n",
            },
            (
                "pages/docs/basics.md",
                "/docs/category/tutorial---basics",
                "Tutorial - Basics",
                2,
                "Five minutes\n\n- [c](c.mdx)\n- [\\[Third\\]](a%20b.md)\n- [Second one](b.md)\n",
            ),
        ),
        (
            {
                "docs/x/_category_.yml": "link: {type: generated-index, slug: /all, title: All of x}\n",
                "docs/x/index.md": "# X\n",
            },
            ("pages/docs/all.md", "/docs/all", "All of x", None, "- [X](index.md)\n"),
        ),
    ],
)
def test_a_folder_whose_settings_ask_for_a_list_has_a_page(
    files: dict[str, str], page: tuple[object, ...], tmp_path: Path
) -> None:
    tree(tmp_path, {"docusaurus.config.js": "module.exports = {};", **files})
    found = by_file(TOOL.items(ImportSource(str(tmp_path), tmp_path)))
    made = next(each for path, each in found.items() if "_category_" in path)
    assert (made.path, made.address, made.title, made.order, made.body) == page


@pytest.mark.parametrize(
    ("files", "kinds"),
    [
        ({"docs/x/_category_.json": '{"label": "X"}', "docs/x/a.md": "a\n"}, {}),
        ({"docs/x/_category_.json": LISTED % ""}, {}),
        ({"blog/x/_category_.json": LISTED % "", "blog/x/a.md": "a\n"}, {}),
        (
            {"docs/x/_category_.json": '{"label": ', "docs/x/a.md": "a\n"},
            {"docs/x/_category_.json": "unreadable settings"},
        ),
    ],
)
def test_another_folder_has_none(files: dict[str, str], kinds: dict[str, str], tmp_path: Path) -> None:
    tree(tmp_path, {"docusaurus.config.js": "module.exports = {};", **files})
    found = list(TOOL.items(ImportSource(str(tmp_path), tmp_path)))
    assert not [path for path in by_file(found) if "_category_" in path]
    assert left_out(found) == kinds
