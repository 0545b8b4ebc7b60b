"""A Blueprint has the changed pages as data, within the bound of a link; no text in it is a step."""

from __future__ import annotations

import base64
import json
import random
import zlib
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest
from tests.support.hostile import titles

from pressync.app import playground
from pressync.app.playground import LONGEST
from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.plan.build import PlanOptions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.support.repository import SampleRepository

    from pressync.app.playground import Playground

ENVIRON = {"PRESSYNC_URL": "https://example.org/blog/wp-json", "PRESSYNC_DIALECT": "wordpress"}
STEPS = ["mkdir", "writeFile", "writeFile", "runPHP"]


def look(
    repository: SampleRepository, files: Mapping[str, str | bytes], longest: int | None = LONGEST
) -> Playground:
    """Commit files, and make the Blueprint of the plan that creates them."""
    repository.commit(files)
    with Workspace.open(repository.root, environ=ENVIRON) as workspace:
        planned = workspace.plan(Revision(), PlanOptions())
        return playground.of_plan(workspace, Revision(), planned, longest=longest)


def data(found: Playground) -> dict[str, Any]:
    """Read the data of a Blueprint as its program does."""
    packed = json.loads(found.blueprint)["steps"][1]["data"]
    text = zlib.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), -zlib.MAX_WBITS)
    return dict(json.loads(text))


def programs(found: Playground) -> list[str]:
    """Give everything that WordPress Playground runs."""
    steps = json.loads(found.blueprint)["steps"]
    assert [step["step"] for step in steps] == STEPS
    return [steps[2]["data"], steps[3]["code"], *(step.get("path", "") for step in steps)]


def test_a_page_comes_with_its_parents_people_terms_and_pictures(repository: SampleRepository) -> None:
    found = look(
        repository,
        {
            "pressync.toml": '[authors]\n"Jane Doe" = "jane"\n',
            "content/pages/docs/index.md": "# Docs\n\n![A](a.png)\n",
            "content/pages/docs/a.png": b"png",
            "content/pages/docs/big.png": b"p" * 10_000,
            "content/pages/docs/deep.md": "---\nauthor: Jane Doe\nstatus: draft\npassword: secret\n---\n"
            "[Up](index.md) ![Big](big.png)\n",
            "content/posts/hello.md": "---\ncategories: [News/Local]\ntags: ['a/b']\n---\nHello.\n",
        },
    )

    there = data(found)
    assert (there["home"], there["title"]) == ("https://example.org/blog", "example.org/blog")
    assert there["permalinks"] == "/%postname%/"
    assert list(there["people"].values()) == ["Jane Doe"]
    assert [term[2:] for term in there["terms"]] == [["category", "News/Local"], ["post_tag", "a/b"]]
    assert [file["name"] for file in there["files"]] == ["a.png"]
    assert found.pictures == 1
    rows = {row["body"]["slug"]: row for row in there["records"]}
    assert rows["deep"]["body"]["parent"] == rows["docs"]["id"]
    assert rows["deep"]["body"]["status"] == "draft"
    assert "password" not in rows["deep"]["body"]
    assert f"https://example.org/blog/?p={rows['docs']['id']}" in rows["deep"]["body"]["content"]
    assert json.loads(found.blueprint)["landingPage"] == f"/?pressync={there['records'][0]['id']}"


def test_the_committed_schema_names_the_title_and_the_version(repository: SampleRepository) -> None:
    known = {"version": 1, "title": 'Joe\'s "Bakery"', "release": "6.8"}
    pages = {"content/pages/plain.md": "# Plain\n"}

    unknown = json.loads(look(repository, pages).blueprint)
    found = look(repository, {".pressync/default.schema.json": json.dumps(known)})

    assert unknown["preferredVersions"]["wp"] == "latest"
    assert json.loads(found.blueprint)["preferredVersions"]["wp"] == known["release"]
    assert data(found)["title"] == known["title"]


@pytest.mark.parametrize("seed", range(5))
def test_hostile_texts_are_data_and_never_a_step(repository: SampleRepository, seed: int) -> None:
    plain = programs(look(repository, {"content/pages/plain.md": "# Plain\n"}))
    chance = random.Random(seed)  # noqa: S311 - a seed makes the test the same each time
    texts = titles.any_texts(chance, 20)
    files = {
        f"content/pages/p{number}.md": f"---\n{json.dumps({'title': text, 'excerpt': text})}\n---\n{text}\n"
        for number, text in enumerate(texts)
    }

    found = look(repository, files)

    assert programs(found) == plain
    assert unquote(found.address.partition("#")[2]) == found.blueprint
    assert not set(found.address.partition("#")[2]) & set(" \t\n()<>[]\"'`|@#&;\\")


@pytest.mark.sweep
def test_what_is_too_much_for_a_link_is_left_out_by_whole_pages(repository: SampleRepository) -> None:
    words = random.Random(1)  # noqa: S311 - as above
    files = {
        f"content/pages/p{number:03}.md": "# A\n\n" + " ".join(f"{words.random()}" for _ in range(60))
        for number in range(300)
    }

    found = look(repository, files)
    whole = look(repository, {}, longest=None)

    assert LONGEST * 0.9 < len(found.address) <= LONGEST
    assert found.left == 300 - len(found.shown)
    assert len(data(found)["records"]) == len(found.shown)
    assert (len(whole.shown), whole.left) == (300, 0)
