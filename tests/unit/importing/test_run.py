"""A whole import: the importer of its source, the spool, the files and the account."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from tests.support.exports import export, meta, record
from tests.support.source_trees import tree

from pressync.config.settings import load
from pressync.importing.account import Account, Carried
from pressync.importing.importers import Importer, importer, recognised
from pressync.importing.run import ImportRequest, import_source
from pressync.importing.selection import Part
from pressync.importing.sources.item import ImportSource, Note
from pressync.model.errors import ConfigError
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository

    from pressync.importing.sources.item import Items


GALLERY = (
    '<!-- wp:gallery -->\n<figure class="wp-block-gallery"><!-- wp:image -->\n<figure class="wp-block-image">'
    '<img src="https://blog.test/wp-content/uploads/a.png" alt=""/></figure>\n<!-- /wp:image --></figure>\n'
    "<!-- /wp:gallery -->"
)
ABOUT = record(1, "about", "We. See <a href='https://blog.test/hello/?x=1#top'>it</a>.", post_type="page")
HELLO = record(2, "hello", GALLERY, more=meta("_thumbnail_id", "9"))


def imported(
    repository: SampleRepository, *inside: str, all_statuses: bool = False, under: str = ""
) -> Account:
    file = repository.root.parent / "export.xml"
    file.write_text(export(*inside))
    source = ImportSource("export.xml", file, all_statuses=all_statuses)
    settings = load(None, where="", environ={})
    part = Part((under,) if under else ())
    return import_source(Repository(repository.root), settings, ImportRequest(source, part=part))


def work_tree(repository: SampleRepository) -> dict[str, bytes]:
    files = (path for path in repository.root.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {path.relative_to(repository.root).as_posix(): path.read_bytes() for path in files}


def test_pages_link_to_files_and_the_account_adds_up(repository: SampleRepository) -> None:
    account = imported(repository, ABOUT, HELLO, record(3, "d", status="draft"))
    files = work_tree(repository)
    about = files["content/pages/about.md"].decode()
    assert about.endswith("\nWe. See [it](../posts/hello.md?x=1#top).\n")
    assert {way.value: count for way, count in account.counts.items()} == {
        "carried": 1,
        "html": 1,
        "verbatim": 0,
        "left_out": 1,
    }
    assert (Carried.AS_HTML, "block gallery") in account.kinds
    assert b"https://blog.test/wp-content/uploads/a.png" in files[".pressync/import/media.txt"]
    assert imported(repository, ABOUT, HELLO, record(3, "d", status="draft")).changed == 0
    assert work_tree(repository) == files, "a second import writes the same bytes"
    with pytest.raises(ConfigError, match="undefined entity"):
        imported(repository, ABOUT, "<wp:tag>&nbsp;</wp:tag>")
    assert work_tree(repository) == files, "a broken export writes nothing"


def test_a_file_that_the_source_has_renamed_since_the_last_import_is_named(
    repository: SampleRepository,
) -> None:
    imported(repository, ABOUT, HELLO)
    note = "Files of an import before, which this one does not have: 1, content/posts/hello.md."

    renamed = imported(repository, ABOUT, record(2, "welcome", GALLERY))
    assert [each for each in renamed.notes if each.startswith(note)]
    # An import of a part says nothing of the others.
    assert not [
        each for each in imported(repository, HELLO, under="/hello/").notes if each.startswith(note[:28])
    ]
    (repository.root / "content/posts/hello.md").unlink()
    assert not [each for each in imported(repository, ABOUT).notes if each.startswith(note)]


def test_pages_on_which_readers_would_see_a_tag_are_counted(repository: SampleRepository) -> None:
    site = {
        "_config.yml": "",
        "a.md": "---\ntitle: A\n---\n{% for x in y %}z{% endfor %}\n",
        "b.md": "---\ntitle: B\npublished: false\n---\n{{ c.d }}\n",
        "c.md": "---\ntitle: C\ntitle: D\n---\nText\n{: .wide}\n",
    }
    folder = tree(repository.root.parent / "site", site).root
    account = import_source(
        Repository(repository.root),
        load(None, where="", environ={}),
        ImportRequest(ImportSource("site", folder)),
    )
    assert [note[:76] for note in account.notes if note.startswith("Pages that show")] == [
        "Pages that show syntax of the tool to readers as it is typed: 1 of 2. Only J"
    ]


def test_two_items_with_one_address_have_two_files_and_are_told(repository: SampleRepository) -> None:
    file = repository.root.parent / "p.jsonl"
    file.write_text(
        '{"address": "/a/", "title": "A", "body": "first"}\n'
        '{"address": "/a/", "title": "B", "body": "second"}\n'
    )
    request, settings = ImportRequest(ImportSource("p.jsonl", file)), load(None, where="", environ={})
    for changed in (2, 0):
        account = import_source(Repository(repository.root), settings, request)
        assert (account.items, account.changed, account.left_out) == (2, changed, [])
        texts = [work_tree(repository)[f"content/pages/{name}.md"].decode() for name in ("a", "a-2")]
        assert [text.splitlines()[-1] for text in texts] == ["first", "second"]
        assert any("first p.jsonl:2, which has /a/ as p.jsonl:1" in note for note in account.notes)
        repository.commit()


def test_a_page_below_one_that_is_not_imported_is_named(repository: SampleRepository) -> None:
    parents = {"draft": 3, "deleted": 99, "about": 1}
    below = [
        record(number, f"below-{name}", post_type="page", post_parent=str(parent))
        for number, (name, parent) in enumerate(parents.items(), 5)
    ]
    account = imported(repository, ABOUT, record(3, "d", status="draft", post_type="page"), *below)
    places = account.kinds[Carried.VERBATIM, "parent that is not imported"]
    assert len(places) == account.counts[Carried.VERBATIM] == 2
    assert "parent that is not imported" not in str(
        imported(repository, ABOUT, *below[2:], under="/below-about/").kinds
    )


def test_an_edit_that_is_not_committed_stays_and_is_counted(repository: SampleRepository) -> None:
    imported(repository, ABOUT)
    repository.write("content/pages/about.md", "mine")
    account = imported(repository, ABOUT)
    assert work_tree(repository)["content/pages/about.md"] == b"mine"
    assert [thing.kind for thing in account.left_out] == ["file with uncommitted changes"]
    assert account.items == 1
    repository.commit()
    imported(repository, ABOUT)
    assert work_tree(repository)["content/pages/about.md"] != b"mine"


def test_the_next_import_keeps_choices_and_words(repository: SampleRepository) -> None:
    tagged = ABOUT.replace("</item>", '<category domain="post_tag" nicename="x">x</category></item>')
    assert imported(repository, tagged).without_user == ("anna",)
    old = {".pressync/import/authors.csv": "author,items,user\nanna,1,jane\n"}
    table = "address,file,new,to\n/about/,content/pages/about.md,/about/,/we/\n"
    repository.commit({**old, ".pressync/import/addresses.csv": table})
    assert imported(repository, tagged).without_user == ()
    about = work_tree(repository)["content/pages/about.md"]
    assert b"\ntags: [x]\n" in about
    assert b"\nauthor: anna\n" in about
    assert work_tree(repository)[".pressync/import/addresses.csv"].decode() == table


def test_a_picture_of_a_post_that_has_no_file_here_is_named(repository: SampleRepository) -> None:
    picture = record(9, "p", post_type="attachment").replace(
        "</item>", "<wp:attachment_url>https://blog.test/wp-content/uploads/p.jpg</wp:attachment_url></item>"
    )
    account = imported(repository, HELLO, picture)
    assert [kind for way, kind in account.kinds if way is Carried.VERBATIM] == [
        "featured picture without a file"
    ]
    files = work_tree(repository)
    assert b"p.jpg" not in files["content/posts/hello.md"]
    assert b"https://blog.test/wp-content/uploads/p.jpg\n" in files[".pressync/import/media.txt"]
    report = files[".pressync/import/report.md"].decode()
    assert "1 with parts left verbatim or out" in report
    assert "## Left verbatim in a file, or out of it\n\nfeatured picture without a file, once\n" in report


def test_a_source_that_nobody_knows_is_refused_with_the_sources(repository: SampleRepository) -> None:
    source = ImportSource("notes.txt", repository.write("notes.txt", "?"))
    with pytest.raises(ConfigError, match=r"notes\.txt: pressync does not recognise .*wxr\), or write JSON"):
        import_source(Repository(repository.root), load(None, where="", environ={}), ImportRequest(source))


def test_a_folder_of_a_tool_above_or_in_the_source_is_named_and_that_of_zola_needs_no_import(
    repository: SampleRepository,
) -> None:
    site = repository.root / "site"
    repository.write("site/hugo.toml", "baseURL = 'https://a.test'\n")
    content = repository.write("site/content/a.md", "# A\n").parent
    repository.write("zola/config.toml", "base_url = 'https://a.test'\n")
    zola = repository.write("zola/content/b.md", "# B\n").parent.parent
    settings = load(None, where="", environ={})
    for place, said in (
        (content, f"{site} is a folder of hugo: name that one"),
        (content / "a.md", f"{site} is a folder of hugo: name that one"),
        (repository.root, f"{site} is a folder of hugo: name that one"),
        (zola, "plain Markdown and Zola need no import, but their folder as `content` in pressync.toml"),
    ):
        request = ImportRequest(ImportSource(str(place), place))
        with pytest.raises(ConfigError, match=re.escape(said)):
            import_source(Repository(repository.root), settings, request)


@pytest.mark.parametrize("folders", [False, True], ids=["without", "with"])
def test_a_bare_folder_is_told_unless_it_is_kept(repository: SampleRepository, *, folders: bool) -> None:
    source = ImportSource("pages.jsonl", repository.root.parent / "pages.jsonl")
    page = {"kind": "page", "title": "A", "address": "/docs/a/", "path": "pages/docs/a.md", "body": "x"}
    (repository.root.parent / "pages.jsonl").write_text(json.dumps(page))
    settings = load('folders = "pages"\n' if folders else None, where="", environ={})
    account = import_source(Repository(repository.root), settings, ImportRequest(source))
    told = [note for note in account.notes if "such as content/pages/docs" in note]
    assert len(told) == (0 if folders else 1)


def test_names_of_one_slug_have_slugs_of_their_own(repository: SampleRepository) -> None:
    names = ("a", "~a", "a.b", "a-b", "a-2", "c/a", "!d", "?d")
    files = {f"docs/{name}.md": f"# {name}\n" for name in names} | {"mkdocs.yml": "site_name: x\n"}
    site = tree(repository.root.parent / "site", files).root
    settings = load(None, where="", environ={})
    import_source(Repository(repository.root), settings, ImportRequest(ImportSource("site", site)))
    made = {
        path.removeprefix("content/pages/"): data.decode()
        for path, data in work_tree(repository).items()
        if path.startswith("content/pages/")
    }
    slugs = {path: re.findall(r"(?m)^slug: (.*)$", text) for path, text in made.items()}
    assert {path: slug for path, slug in slugs.items() if slug} == {
        "~a.md": ["a-3"],
        "a.b.md": ["a-b-2"],
        "d.md": ["d-2"],
    }


def test_redirects_of_the_source_become_aliases_or_rows_of_the_table(repository: SampleRepository) -> None:
    pages = {"old": "older", "older": "/new.html#x", "away": "https://else.test/x", "a": "b", "b": "a"}
    files = {f"{name}.md": f"---\nredirect_to: {to}\n---\n" for name, to in pages.items()}
    files |= {"_config.yml": "permalink: none\n", "new.md": "---\n---\n[a](old.html#y) [b](away.html)\n"}
    files["older.html"] = files.pop("older.md")
    files["old.md"] = files["old.md"].replace("older", "older.html")
    site = tree(repository.root.parent / "site", files).root
    settings = load(None, where="", environ={})
    import_source(Repository(repository.root), settings, ImportRequest(ImportSource("site", site)))
    made = work_tree(repository)
    page = made["content/pages/new.md"].decode()
    assert "aliases: [/new.html, /old.html, /older.html]\n" in page
    assert page.endswith("[a](#y) [b](/away.html)\n")
    assert made[".pressync/import/addresses.csv"].decode().splitlines()[1:] == [
        "/a.html,,,",
        "/away.html,,,https://else.test/x",
        "/b.html,,,",
        "/new.html,content/pages/new.md,/new/,",
        "/old.html,content/pages/new.md,/new/,",
        "/older.html,content/pages/new.md,/new/,",
    ]


@pytest.mark.parametrize(
    ("dialect", "front", "new"),
    [("wordpress", "", "/index/"), ("wordpress", "front_page = true\n", "/"), ("documented", "", "/")],
)
def test_the_first_page_has_the_address_that_the_new_site_gives_it(
    repository: SampleRepository, tmp_path: Path, dialect: str, front: str, new: str
) -> None:
    (tmp_path / "jekyll").mkdir()
    (tmp_path / "jekyll/_config.yml").write_text("title: Garden\n")
    (tmp_path / "jekyll/index.md").write_text("---\ntitle: Home\n---\nHi\n")
    site = f'[sites.s]\nurl = "https://example.org/wp-json"\ndialect = "{dialect}"\n{front}'
    source = ImportSource("jekyll", tmp_path / "jekyll")
    settings = load(site, where="pressync.toml", environ={})
    account = import_source(Repository(repository.root), settings, ImportRequest(source))
    rows = (repository.root / ".pressync/import/addresses.csv").read_text()
    assert rows.splitlines()[1:] == [f"/,content/pages/index.md,{new},"]
    assert any("`front_page: true`" in note for note in account.notes) is (new == "/index/")


@pytest.mark.parametrize(
    ("files", "tool"),
    [
        (["hugo.toml"], "hugo"),
        (["config/_default/config.toml"], "hugo"),
        (["config.toml", "content/a.md"], "hugo"),
        (["content/a.md"], None),
        (["docusaurus.config.js"], "docusaurus"),
        (["_config.yml"], "jekyll"),
        (["mkdocs.yml"], "mkdocs"),
        (["astro.config.mjs"], "astro"),
        (["_config.yml", "source/_posts/a.md", "scaffolds/post.md"], "hexo"),
        (["_config.yml", "source/_posts/a.md"], "jekyll"),
        ([".obsidian/app.json", "a.md"], "obsidian"),
        ([".obsidian/app.json", "hugo.toml"], "hugo"),
        (["post/a.md", "AGENTS.md"], "push-md"),
        (["post/a.md"], None),
    ],
)
def test_a_folder_is_recognised_by_its_settings(tmp_path: Path, files: list[str], tool: str | None) -> None:
    tree(tmp_path, dict.fromkeys(files, ""))
    found = recognised(ImportSource(str(tmp_path), tmp_path))
    assert (found and found[0]) == tool


def test_an_odd_value_of_the_source_as_a_whole_is_an_error_with_the_source(tmp_path: Path) -> None:
    def items(source: ImportSource) -> Items:
        yield Note(source.given)
        raise OverflowError

    made = Importer(lambda _source: True, items)
    with pytest.raises(ConfigError, match=r"^site: a number in it is too large; correct it"):
        list(made.read(ImportSource("site", tmp_path)))


@pytest.mark.parametrize(
    ("tool", "settings", "text"),
    [
        ("hugo", "hugo.toml", "languages = [1]\npermalinks = true\nbaseURL = 'http://[::1'\n"),
        ("jekyll", "_config.yml", "collections: [1, [2]]\ndefaults: 3\nurl: '//['\n"),
        ("mkdocs", "mkdocs.yml", "nav: 3\nplugins: {blog: 1}\nsite_url: 36893488147419103232\n"),
        ("docusaurus", "docusaurus.config.js", "module.exports = {url: 'http://[::1', baseUrl: '//['}"),
    ],
)
def test_odd_settings_are_read_or_refused(tmp_path: Path, tool: str, settings: str, text: str) -> None:
    tree(
        tmp_path,
        {settings: text, "content/a.md": "---\ntitle: a\n---\n", "docs/a.md": "---\ntitle: a\n---\n"},
    )
    try:
        found = list(importer(tool).read(ImportSource(str(tmp_path), tmp_path)))
    except ConfigError as error:
        assert error.where.split(":")[0] in {settings, str(tmp_path)}  # noqa: PT017 - both ends are right
    else:
        assert found
