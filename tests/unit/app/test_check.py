"""`check` compares every link with the page that it leads to, and needs neither network nor manifest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.app import check
from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.model.errors import Code

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

A, B = "content/pages/a.md", "content/pages/b.md"
LONG = "".join(f"Line {number} of a page that is long enough.\n\n" for number in range(20))


def said(
    repository: SampleRepository, revision: Revision | None = None, *, strict: bool = False
) -> list[str]:
    """Check a repository and give its problems as text."""
    with Workspace.open(repository.root, environ={}) as workspace:
        return [str(each) for each in check.check(workspace, revision or Revision(), strict=strict).problems]


def test_a_place_in_another_document_is_looked_for_in_the_html_of_that_document(
    repository: SampleRepository,
) -> None:
    repository.commit(
        {
            A: "# A\n\n[x](b.md#the-titel)\n[y](b.md#the-title) [z](b.md#%C3%BC) [self](a.md#no)\n",
            B: "# B\n\n## The title\n\n## Ü\n",
        }
    )
    assert said(repository) == [
        f"{A}:3: links to `b.md#the-titel`, and {B} has no such place; did you mean `#the-title`?",
        (
            f"{A}:4: links to `a.md#no`, and this page has no such place; "
            'link to a heading that exists, or write `<a id="no"></a>` at the place'
        ),
    ]


def test_files_that_are_not_here_are_one_line_for_each_folder(repository: SampleRepository) -> None:
    repository.commit(
        {
            A: "# A\n\n![](/img/a.png) ![](/img/b.png) ![](/certs/c.pem) ![](/d.png)\n",
            "static/certs/c.pem": "x",
        }
    )
    with Workspace.open(repository.root, environ={}) as workspace:
        found = check.check(workspace, Revision(), strict=False).problems
    assert [each.alike for each in found] == [
        *["links to files in `/img/` that are not here"] * 2,
        "",
        "links to files in `/` that are not here",
    ]
    assert str(found[2]).endswith("the site does not have static/certs/c.pem there; upload it to the site")


def test_a_link_to_a_file_that_git_renamed_says_its_name_also_after_two_renames(
    repository: SampleRepository,
) -> None:
    repository.commit({A: "# A\n\n[x](old) [y](never.md)\n", "content/pages/old.md": LONG})
    repository.move("content/pages/old.md", "content/pages/between.md")
    repository.commit()
    repository.move("content/pages/between.md", "content/posts/new.md")
    repository.commit()
    assert said(repository) == [
        f"{A}:3: links to `old`, which is now content/posts/new.md; link to `../posts/new.md`",
        f"{A}:3: links to `never.md`, which does not exist; fix the link",
    ]


def test_a_rename_that_is_not_committed_yet_is_known_to_the_hook_before_the_commit(
    repository: SampleRepository,
) -> None:
    repository.commit({A: "# A\n\n[x](old.md)\n", "content/pages/old.md": LONG})
    repository.git("mv", "content/pages/old.md", "content/pages/new.md")
    assert said(repository, Revision(staged=True)) == [
        f"{A}:3: links to `old.md`, which is now content/pages/new.md; link to `new.md`"
    ]


def test_an_address_that_nothing_answers_is_told_with_the_file_that_the_author_means(
    repository: SampleRepository,
) -> None:
    links = "/guide/set-up/ /guide/setup/ /lang/guide/ /old-guide/ /nowhere/ /img/a.png /img/b.png /moved/"
    repository.commit(
        {
            A: "# A\n\n" + "".join(f"[x]({link})\n" for link in links.split()),
            "content/pages/guide/index.md": "---\ntitle: G\naliases: [/old-guide/]\n---\n",
            "content/pages/guide/setup.md": "---\nslug: set-up\n---\n",
            "content/pages/en/index.md": "# E\n",
            "content/pages/en/lang/index.md": "# L\n",
            "content/pages/en/lang/guide.md": "# Other\n",
            "content/pages/moved.md": LONG,
            "pressync.toml": '[sites.s]\nurl = "https://example.org/wp-json"\ndialect = "wordpress"\n',
            "static/img/a.png": "png",
        }
    )
    repository.move("content/pages/moved.md", "content/pages/here.md")
    repository.commit()
    dead = [
        (
            "4: links to `/guide/setup/`, and content/pages/guide/setup.md is at `/guide/set-up/`; "
            "link to `guide/setup.md`"
        ),
        (
            "5: links to `/lang/guide/`, and content/pages/en/lang/guide.md is at `/en/lang/guide/`; "
            "link to `en/lang/guide.md`"
        ),
        (
            "7: links to `/nowhere/`, and no document has this address; "
            "link to the file of a page, or make sure that the site has this address"
        ),
        (
            "8: links to `/img/a.png`, and the site does not have static/img/a.png there; "
            "link to `../../static/img/a.png`"
        ),
        "9: links to `/img/b.png`, which is not a file here; add the file, or make sure that the site has it",
        "10: links to `/moved/`, which is now content/pages/here.md; link to `here.md`",
    ]
    assert said(repository) == [f"{A}:{line}" for line in dead]


@pytest.mark.parametrize(
    ("chosen", "codes"),
    [
        ([], {Code.DEAD_ADDRESS, Code.PASSED_OVER, Code.TEMPLATE}),
        ([A], {Code.DEAD_ADDRESS, Code.TEMPLATE}),
        (["content/pages/sub"], {Code.PASSED_OVER, Code.TEMPLATE}),
    ],
)
def test_paths_narrow_what_is_told_but_for_what_concerns_every_document(
    repository: SampleRepository, chosen: list[str], codes: set[Code]
) -> None:
    repository.commit(
        {A: "# A\n\n[y](/no/)\n", "content/pages/sub/c.mdx": "x", "templates/page.html": "{{ content }"}
    )
    repository.commit({"templates/post.html": "{{ content }", "content/posts/b.md": "# B\n"})
    with Workspace.open(repository.root, environ={}) as workspace:
        found = check.check(workspace, Revision(), strict=False).at(chosen, workspace.settings)
    assert {each.code for each in found.problems} == codes


def test_a_pattern_of_exclude_that_fits_nothing_is_told_where_it_stands(repository: SampleRepository) -> None:
    repository.commit(
        {"pressync.toml": 'exclude = ["_parts/**", "REDME.md"]\n', "content/_parts/a.md": "A\n"}
    )
    (problem,) = said(repository)
    assert problem == (
        "pressync.toml: `exclude` has 'REDME.md', and no file below the content folder fits it; correct the "
        "pattern, or remove it; it is a path from the content folder"
    )


@pytest.mark.parametrize(
    "users",
    ['[authors]\n"Ada Doe" = "ada"\n"John Doe" = "john"\n', '[authors]\n# "Mary Doe" = "…"\n'],
    ids=["some are named", "an import has written the table"],
)
def test_authors_without_a_user_are_told_before_anything_is_asked_of_the_site(
    repository: SampleRepository, users: str
) -> None:
    repository.commit(
        {
            "pressync.toml": users,
            A: "---\nauthor: Jane Doe\n---\nText.\n",
            B: "---\nauthor: Jane Doe\n---\nText.\n",
            "content/pages/c.md": "---\nauthor: John Doe\n---\nText.\n",
            "content/pages/d.md": "---\nauthor: Mary Doe\n---\nText.\n",
            "content/pages/e.md": "---\nauthor: Ada Doe\n---\nText.\n",
            "content/pages/f.md": "---\nauthor: login\n---\nText.\n",
            "content/pages/g.md": "---\nauthor: 5\n---\nText.\n",
        }
    )
    stops = "so a sync stops unless the site has a user of this name"
    todo = "write the user's id or another login, or map the name below `[authors]`"
    todo += '; the row `"*" = "LOGIN"` there is for all others'
    people = {"a": "Jane Doe", "b": "Jane Doe", "c": "John Doe", "d": "Mary Doe", "e": "Ada Doe"}
    assert said(repository) == [
        f"content/pages/{name}.md:2: author '{person}': `[authors]` does not name it, {stops}; {todo}"
        for name, person in people.items()
        if f'\n"{person}"' not in users
    ]
    repository.commit({"pressync.toml": '[authors]\n"*" = "ada"\n'})
    assert said(repository) == []


def test_a_post_that_the_dialect_cannot_create_may_be_on_the_site(repository: SampleRepository) -> None:
    toml = '[sites.main]\nurl = "https://site.test/wp-json"\ndialect = "documented"\n'
    post = "content/posts/a.md"
    repository.commit(
        {"pressync.toml": toml, post: "Text.\n", "content/posts/b.md": "---\nid: 3\n---\nText.\n"}
    )
    with Workspace.open(repository.root, environ={}) as workspace:
        (problem,) = check.check(workspace, Revision(), strict=False).problems
    assert (problem.path, problem.code, problem.warning) == (post, Code.NOT_SUPPORTED, True)
    assert "pressync adopt" in problem.todo


def test_pictures_that_no_site_takes_are_problems(repository: SampleRepository) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
    repository.commit(
        {
            A: "![a](a.png) ![b](b.png) ![c](c.png)\n",
            "content/pages/a.png": b"",
            "content/pages/b.png": pointer,
            "content/pages/c.png": b"\x89PNG\r\n\x1a\n",
        }
    )
    todo = "commit the file itself, or link to it elsewhere"
    assert said(repository) == [
        f"content/pages/a.png: it is an empty file; {todo}",
        f"content/pages/b.png: it is a pointer of Git LFS here; {todo}",
    ]


def test_a_document_that_a_sync_blocks_whatever_the_site_has_is_a_problem(
    repository: SampleRepository,
) -> None:
    post = "content/posts/a.md"
    repository.commit(
        {
            A: "---\nid: 7\n---\nText.\n",
            B: "---\nid: 7\n---\nText.\n",
            "content/pages/b/below.md": "---\nparent: ../b.md\n---\nText.\n",
            post: "---\nsticky: true\npassword: secret\n---\nText.\n",
        }
    )
    assert said(repository) == [
        f"{B}: its front matter says id 7, which belongs to {A}; remove one of the two",
        f"{post}: a post cannot be sticky and have a password; leave one of the two out",
    ]
