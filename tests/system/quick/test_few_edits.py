"""A plan of a few edits says what the whole plan says, and looks only at the records that they concern."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from tests.support.both_ways import short_plan
from tests.support.repository import SampleRepository
from tests.support.syncing import Bound, synced_once

from pressync.app import few_edits, unchanged
from pressync.app.unchanged import Edited
from pressync.app.workspace import Workspace
from pressync.model.changes import Update
from pressync.plan.build import PlanOptions
from pressync.stage.server.server import running
from pressync.state.manifest import codec

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.model.changes import Plan

GUIDE, A, B = "content/pages/guide/index.md", "content/pages/guide/a.md", "content/pages/b.md"
NEWS, OTHER, PICTURE = "content/posts/news.md", "content/pages/other/b.md", "content/pages/picture.png"
BELOW_B = "content/pages/b/c.md"
TEXTS = {
    GUIDE: "# Guide\n",
    A: "# A\n\nSee [B](../b.md) and ![a picture](../picture.png).\n",
    B: "---\ntitle: B\nmenu_order: 3\n---\nText of B.\n",
    BELOW_B: "# C\n",
    OTHER: "---\nparent: content/pages/guide/index.md\n---\n# B too\n",
    NEWS: "---\ndate: 2026-01-02T03:04:05\ntags: [blue]\n---\n# News\n\n[Guide](../pages/guide/index.md).\n",
}
FILES: dict[str, str | bytes] = {
    **TEXTS,
    PICTURE: b"\x89PNG\r\n\x1a\n",
    "content/pages/other.png": b"\x89PNG\r\n\x1a\nother",
    "templates/page.html": "<main>{{ content }}</main>",
    "README.md": "# Read me\n",
}
MANIFEST = ".pressync/default.json"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Bound:
    """Sync a repository once; a plan needs no service, so each test gets a copy."""
    site = synced_once(tmp_path_factory.mktemp("original"), FILES)
    SampleRepository(site.root).commit(message="The manifest")
    return site


@pytest.fixture
def synced(original: Bound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SampleRepository:
    monkeypatch.setenv("PRESSYNC_URL", original.url)
    monkeypatch.setenv("PRESSYNC_DIALECT", "wordpress")
    return SampleRepository(Path(shutil.copytree(original.root, tmp_path / "copy", symlinks=True)))


def plan_shortly(repository: SampleRepository) -> Plan | None:
    with Workspace.open(repository.root) as workspace:
        return short_plan(workspace)


def with_more(path: str, more: str = "More.") -> dict[str, str]:
    """Give an edit that adds a paragraph to a file."""
    return {path: f"{TEXTS[path]}\n{more}\n"}


@pytest.mark.parametrize(
    "files",
    [
        with_more(B),
        with_more(GUIDE) | with_more(NEWS) | with_more(OTHER),
        with_more(BELOW_B, "A new link to [the news](../../posts/news.md)."),
        with_more(BELOW_B, "See [what is not there](../gone.md) and [what is](../b)."),
        {A: "# A\n\nThe link and the picture are gone.\n"},
        {B: "---\ntitle: B\ncategories: [Cars]\nmenu_order: 4\n---\nText of B.\n"},
        {NEWS: TEXTS[NEWS] + "\nThe [end](../pages/b/c.md).\n", A: "# A\n"},
        with_more(B) | {MANIFEST: "whatever was committed", "src/program.py": "pass\n"},
    ],
)
def test_edits_that_move_no_address_are_planned_alone(
    synced: SampleRepository, files: dict[str, str]
) -> None:
    manifest = (synced.root / MANIFEST).read_bytes()
    synced.commit(files)
    (synced.root / MANIFEST).write_bytes(manifest)
    plan = plan_shortly(synced)
    assert plan is not None
    edits = files.keys() - {MANIFEST, "src/program.py"}
    assert {change.path for change in plan.changes} == edits
    assert all(isinstance(change, Update) for change in plan.changes)
    assert plan.unlisted == 6 - len(edits)


@pytest.mark.parametrize(
    "files",
    [
        {B: "---\ntitle: B\nslug: elsewhere\n---\nText\n"},
        {B: "---\ntitle: B\nparent: content/pages/guide/index.md\n---\nText\n"},
        {B: "---\ntitle: B\nfront_page: true\n---\nText\n"},
        {NEWS: "---\ndate: 2026-01-02T03:04:05\ntags: [red]\n---\n# News\n"},
        {B: "---\ntitle: [\n---\n"},
        {B: "---\ntype: post\n---\n"},
        with_more(B, "A new ![picture](other.png)."),
        with_more(B) | {"content/pages/new.md": "# New\n"},
        with_more(B) | {PICTURE: b"\x89PNG\r\n\x1a\nnew"},
        with_more(B) | {"templates/page.html": "<p>{{ content }}</p>"},
    ],
)
def test_what_may_concern_other_records_needs_the_whole_plan(
    synced: SampleRepository, files: dict[str, str | bytes]
) -> None:
    synced.commit(files)
    assert plan_shortly(synced) is None


def test_an_edit_beside_a_record_of_the_same_address_needs_the_whole_plan(synced: SampleRepository) -> None:
    """The whole plan warns of it in each plan that writes one of the two."""
    file = synced.root / MANIFEST
    known = codec.decode(file.read_text(), where="")
    twin = structs.replace(known.entries[BELOW_B], slug="a", parent_path=GUIDE)
    synced.commit(with_more(A))
    assert plan_shortly(synced) is not None
    edited = unchanged.look(synced.root, site=None, config_file=None, most=1)
    assert isinstance(edited, Edited)
    file.write_text(codec.encode(replace(known, entries={**known.entries, BELOW_B: twin})))
    edited.both.slugs.append(hash("a"))
    with Workspace.open(synced.root) as workspace:
        assert few_edits.plan(workspace, edited, PlanOptions()) is None


def test_options_other_settings_and_a_manifest_written_meanwhile_need_the_whole_plan(
    synced: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced.commit(with_more(B))
    assert unchanged.look(synced.root, site=None, config_file=None, most=0) is None
    edited = unchanged.look(synced.root, site=None, config_file=None, most=1)
    assert isinstance(edited, Edited)
    with Workspace.open(synced.root) as workspace:
        assert few_edits.plan(workspace, edited, PlanOptions()) is not None
        for other in (
            PlanOptions(overwrite=True),
            PlanOptions(strict=True),
            PlanOptions(paths=("content",)),
            PlanOptions(limit=1),
        ):
            assert few_edits.plan(workspace, edited, other) is None
        (synced.root / MANIFEST).write_bytes((synced.root / MANIFEST).read_bytes())
        assert few_edits.plan(workspace, edited, PlanOptions()) is None
    monkeypatch.setenv("PRESSYNC_USER", "somebody")
    with Workspace.open(synced.root) as workspace:
        assert few_edits.plan(workspace, edited, PlanOptions()) is None


def test_edits_are_planned_alone_where_folders_have_pages_without_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = SampleRepository.create(tmp_path / "folders")
    deep = "content/pages/deep/er/a.md"
    repository.commit({"pressync.toml": 'folders = "pages"\n', deep: "# A\n", B: "# B\n"})
    with running(tmp_path / "site.db") as service:
        monkeypatch.setenv("PRESSYNC_URL", service.url)
        assert len(Bound(repository.root, service.url).sync().outcomes) == 4
    repository.commit({deep: "# A\n\nSee [B](../../b.md).\n"})
    plan = plan_shortly(repository)
    assert plan is not None
    assert [change.path for change in plan.changes] == [deep]
    repository.commit({"content/pages/deep/index.md": "# A page now\n"})
    assert plan_shortly(repository) is None


_texts = st.lists(
    st.sampled_from(
        [
            "Words.",
            "[a](/pages/guide/a.md)",
            "[b](b.md) [c](../c.md) [up](../index.md)",
            "[news](/posts/news.md)",
            "![picture](/pages/picture.png)",
            "[gone](nowhere.md)",
            "[read me](/README.md)",
        ]
    ),
    max_size=3,
).map("\n\n".join)
_OWN = {OTHER: {"parent": GUIDE}, NEWS: {"date": "2026-01-02T03:04:05", "tags": "[blue]"}}
_front_matter = st.dictionaries(
    st.sampled_from(["title", "excerpt", "menu_order", "tags", "slug", "parent", "status", "id"]),
    st.sampled_from(["b", "a", "blue", "[blue]", "7", "publish", "content/pages/b.md"]),
    max_size=2,
)


@pytest.mark.sweep
def test_any_edits_are_planned_as_in_the_whole_plan(
    synced: SampleRepository, record_property: Callable[[str, object], None]
) -> None:
    before, shortly = synced.head(), Counter[bool]()

    @given(
        st.dictionaries(
            st.sampled_from([GUIDE, A, B, BELOW_B, OTHER, NEWS]),
            st.tuples(st.just({}) | _front_matter, _texts),
            min_size=1,
        )
    )
    def plan(edits: dict[str, tuple[dict[str, str], str]]) -> None:
        files = {}
        for path, (more, body) in edits.items():
            front = "".join(f"{name}: {value}\n" for name, value in {**_OWN.get(path, {}), **more}.items())
            files[path] = f"---\n{front}---\n{body}\n"
        try:
            synced.commit(files)
            shortly[plan_shortly(synced) is not None] += 1
        finally:
            synced.git("reset", "--quiet", "--hard", before)

    plan()
    assert shortly[True]
    record_property("commits planned from their edits alone", shortly[True])
    record_property("commits with a whole plan", shortly[False])
